//! A canary, stored and then looked for in the server's files: tables and the log of writes.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use dbdyno_audit::{
    Canary, ChannelError, Scene, Traces, Writer, at_rest, entries_below, not_stored, stored,
    with_configuration, without_files,
};
use dbdyno_record::audit::AuditFinding;

use crate::client::{Session, administrator, application};
use crate::configuration;
use crate::protocol::{Answer, quoted};

const ENCRYPTION: &str = "https://www.postgresql.org/docs/current/encryption-options.html";
const FIX: &str = "put the data directory on an encrypted volume; PostgreSQL itself encrypts no file";

/// Whether the files hold values in clear text.
pub fn encryption(scene: &mut Scene<'_>) -> AuditFinding {
    if let Some(finding) = without_files(scene) {
        return finding;
    }
    let canary = Canary::new();
    // File systems keep times less exactly than the clock shows them.
    let began = SystemTime::now() - Duration::from_secs(1);
    let stored = stored(scene, |scene, by| Ok((store(scene, by, &canary)?, by)));
    let (file, by) = match stored {
        Ok(stored) => stored,
        Err(error) => return not_stored(&error),
    };
    let is_flushed = flush(scene, by);
    let is_own = file.is_some_and(|file| has_file(&scene.place.data, &file, began));
    let traces = Traces { is_flushed, is_own };
    let finding = at_rest(scene, &canary, traces, FIX, ENCRYPTION);
    // The search may have taken longer than a connection lives. What stays is found at the end of the audit.
    writer(scene, by)
        .and_then(|(mut session, table)| session.must(&format!("DROP TABLE {table}")))
        .ok();
    let files = configuration::files(scene);
    with_configuration(scene, finding, &files)
}

/// A session with the name of its table. The user of the address writes where it always does.
fn writer(scene: &Scene<'_>, by: Writer) -> Result<(Session, String), ChannelError> {
    let (session, schema) = match by {
        Writer::Application => (application(scene)?, ""),
        Writer::Administrator => (administrator(scene)?, "public."),
    };
    Ok((session, format!("{schema}{}", quoted(scene.own_name()))))
}

/// Stores the canary; where the table's file is, if the server says so.
fn store(scene: &Scene<'_>, by: Writer, canary: &Canary) -> Result<Option<String>, ChannelError> {
    let (mut session, table) = writer(scene, by)?;
    session.must(&format!(
        "DROP TABLE IF EXISTS {table}; CREATE TABLE {table} (v text); INSERT INTO {table} VALUES ('{}')",
        canary.text()
    ))?;
    let file = session.ask(&format!("SELECT pg_catalog.pg_relation_filepath('{table}')"))?;
    Ok(file.column().first().map(|path| below_data(path).to_owned()))
}

/// The part of a table's path that does not depend on where its directory lies: a tablespace is a link, `pg_tblspc/NUMBER`.
fn below_data(path: &str) -> &str {
    let of_tablespace = path
        .strip_prefix("pg_tblspc/")
        .and_then(|path| path.split_once('/'));
    of_tablespace.map_or(path, |(_, path)| path)
}

/// Whether the table's file is there. Another server may have one of the same number, but has hardly just written to it.
fn has_file(places: &[PathBuf], file: &str, began: SystemTime) -> bool {
    let found = entries_below(places, &|path, metadata| {
        let is_recent = metadata.modified().is_ok_and(|changed| changed >= began);
        metadata.is_file() && path.ends_with(file) && is_recent
    });
    !file.is_empty() && !found.is_empty()
}

/// Whether a checkpoint has written everything into the tables' files; else whether a commit waits for the log of writes.
fn flush(scene: &mut Scene<'_>, by: Writer) -> bool {
    let checkpoint = administrator(scene).and_then(|mut session| session.ask("CHECKPOINT"));
    let got = checkpoint.clone().map(|answer| answer.shown());
    scene.note_outcome("postgres.checkpoint", "CHECKPOINT", &got);
    if matches!(checkpoint, Ok(Answer::Rows(_))) {
        return true;
    }
    let waits = writer(scene, by).and_then(|(mut session, _)| session.ask("SHOW synchronous_commit"));
    waits.is_ok_and(|answer| answer.column().iter().any(|level| level != "off"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_canarys_own_new_file_shows_whose_directory_it_is() {
        let (place, disk) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let tablespace = "PG_16_202307071/5/16390";
        for (directory, file) in [(&place, "base/5/16384"), (&disk, tablespace)] {
            let file = directory.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "x").unwrap();
        }
        std::fs::create_dir(place.path().join("pg_tblspc")).unwrap();
        std::os::unix::fs::symlink(disk.path(), place.path().join("pg_tblspc/16385")).unwrap();
        let now = SystemTime::now();
        let (before, after) = (now - Duration::from_secs(60), now + Duration::from_secs(60));
        let has = |path: &str, began| has_file(&[place.path().to_owned()], below_data(path), began);
        assert!(has("base/5/16384", before));
        assert!(has(&format!("pg_tblspc/16385/{tablespace}"), before));
        assert!(!has("base/5/16384", after), "it is older than the canary");
        assert!(!has("base/5/6384", before) && !has("", before));
    }
}
