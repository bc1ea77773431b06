//! A canary, stored and then looked for in the server's files: tables and the log of writes.

use dbdyno_audit::{Canary, ChannelError, Scene, at_rest, not_stored, without_files};
use dbdyno_record::audit::AuditFinding;

use crate::client::{Session, administrator, application};
use crate::protocol::{Answer, quoted};

const ENCRYPTION: &str = "https://www.postgresql.org/docs/current/encryption-options.html";
const FIX: &str = "put the data directory on an encrypted volume; PostgreSQL itself encrypts no file";

/// Whether the files hold values in clear text.
pub fn encryption(scene: &mut Scene<'_>) -> AuditFinding {
    if let Some(finding) = without_files(scene) {
        return finding;
    }
    let canary = Canary::new();
    if let Err(error) = store(scene, &canary) {
        return not_stored(&error);
    }
    let flushed = flush(scene);
    let finding = at_rest(scene, &canary, flushed, FIX, ENCRYPTION);
    // The search may have taken longer than a connection lives. What stays is found at the end of the audit.
    writer(scene)
        .and_then(|(mut session, table)| session.must(&format!("DROP TABLE {table}")))
        .ok();
    finding
}

/// A session with the name of its table. The user of the address writes where it always does; without its login an administrator
/// writes.
fn writer(scene: &Scene<'_>) -> Result<(Session, String), ChannelError> {
    let table = quoted(&scene.own_name);
    match application(scene) {
        Ok(session) => Ok((session, table)),
        Err(_) => Ok((administrator(scene)?, format!("public.{table}"))),
    }
}

fn store(scene: &Scene<'_>, canary: &Canary) -> Result<(), ChannelError> {
    let (mut session, table) = writer(scene)?;
    session.must(&format!(
        "DROP TABLE IF EXISTS {table}; CREATE TABLE {table} (v text); INSERT INTO {table} VALUES ('{}')",
        canary.text()
    ))?;
    Ok(())
}

/// Whether a checkpoint has written everything into the tables' files; else whether a commit waits for the log of writes.
fn flush(scene: &mut Scene<'_>) -> bool {
    let checkpoint = administrator(scene).and_then(|mut session| session.ask("CHECKPOINT"));
    let got = checkpoint.clone().map(|answer| answer.shown());
    scene.note_outcome("postgres.checkpoint", "CHECKPOINT", &got);
    if matches!(checkpoint, Ok(Answer::Rows(_))) {
        return true;
    }
    let waits = writer(scene).and_then(|(mut session, _)| session.ask("SHOW synchronous_commit"));
    waits.is_ok_and(|answer| answer.column().iter().any(|level| level != "off"))
}
