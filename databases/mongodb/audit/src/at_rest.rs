//! A canary, stored and then looked for in the server's files.

use bson::doc;
use dbdyno_audit::{Canary, Channel, ChannelError, Scene, at_rest, not_stored, without_files};
use dbdyno_record::audit::AuditFinding;

use crate::client::{administrator, application, database, granted};
use crate::message::ask;

const MANUAL: &str = "https://www.mongodb.com/docs/manual/core/security-encryption-at-rest/";
const FIX: &str = "put storage.dbPath on an encrypted volume; the Community edition encrypts no file (Enterprise: security.enableEncryption)";

/// Whether the files hold values in clear text.
pub fn encryption(scene: &mut Scene<'_>) -> AuditFinding {
    if let Some(finding) = without_files(scene) {
        return finding;
    }
    let canary = Canary::new();
    let database = database(scene);
    let stored = writer(scene)
        .and_then(|mut channel| store(scene, &mut channel, &database, &canary).map(|()| channel));
    let mut channel = match stored {
        Ok(channel) => channel,
        Err(error) => return not_stored(&error),
    };
    let is_flushed = is_flushed(scene);
    let finding = at_rest(scene, &canary, is_flushed, FIX, MANUAL);
    ask(&mut channel, &database, doc! { "drop": &scene.own_name }).ok();
    finding
}

/// The user of the address may write; an administrator need not.
fn writer(scene: &Scene<'_>) -> Result<Channel, ChannelError> {
    application(scene).or_else(|_| administrator(scene))
}

fn store(
    scene: &Scene<'_>,
    channel: &mut Channel,
    database: &str,
    canary: &Canary,
) -> Result<(), ChannelError> {
    let name = scene.own_name.as_str();
    // Compressed it could be hidden and yet be read by everybody. A server that does not know the option makes the collection
    // as it always does.
    let create = doc! {
        "create": name,
        "storageEngine": { "wiredTiger": { "configString": "block_compressor=none" } },
    };
    ask(channel, database, create)?;
    // The acknowledgement comes when it is in the log of writes of most servers.
    let insert = doc! {
        "insert": name, "documents": [{ "_id": 1, "text": canary.text() }],
        "writeConcern": { "w": "majority", "j": true, "wtimeout": 3000 },
    };
    let reply = granted(ask(channel, database, insert)?)?;
    match reply.0.get("writeConcernError") {
        None => Ok(()),
        Some(_) => Err(ChannelError::Unexpected(
            "most servers did not acknowledge it".to_owned(),
        )),
    }
}

/// Whether the server says that everything written so far is in its files.
fn is_flushed(scene: &mut Scene<'_>) -> bool {
    let reply = administrator(scene)
        .and_then(|mut channel| granted(ask(&mut channel, "admin", doc! { "fsync": 1 })?));
    scene.note_outcome(
        "mongodb.fsync",
        "fsync, after a write with j: true",
        &reply.clone().map(|reply| reply.shown()),
    );
    reply.is_ok()
}
