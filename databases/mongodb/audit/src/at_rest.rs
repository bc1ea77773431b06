//! A canary, stored and then looked for in the server's files.

use std::path::{Path, PathBuf};

use bson::{Bson, Document, doc};
use dbdyno_audit::{
    Canary, Channel, ChannelError, Scene, Traces, Writer, at_rest, entries_below, not_stored, stored,
    with_configuration, without_files,
};
use dbdyno_record::audit::AuditFinding;

use crate::client::{administrator, application, database, granted};
use crate::configuration;
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
    let stored = stored(scene, |scene, writer| {
        let mut channel = match writer {
            Writer::Application => application(scene)?,
            Writer::Administrator => administrator(scene)?,
        };
        store(scene, &mut channel, &database, &canary)?;
        Ok(channel)
    });
    let mut channel = match stored {
        Ok(channel) => channel,
        Err(error) => return not_stored(&error),
    };
    let is_flushed = is_flushed(scene);
    let names = ask(&mut channel, &database, doc! { "collStats": scene.own_name() })
        .map_or_else(|_| Vec::new(), |reply| names_of_files(&reply.0));
    let own = files_named(&scene.place.data, &names);
    let traces = Traces {
        is_flushed,
        is_own: !own.is_empty(),
    };
    let files = configuration::files(scene, &|directory: &Path| {
        let mut paths = names.iter().map(|name| directory.join(name).canonicalize());
        paths.any(|path| path.is_ok_and(|path| own.contains(&path)))
    });
    let finding = at_rest(scene, &canary, traces, FIX, MANUAL);
    ask(&mut channel, &database, doc! { "drop": scene.own_name() }).ok();
    with_configuration(scene, finding, &files)
}

fn store(
    scene: &Scene<'_>,
    channel: &mut Channel,
    database: &str,
    canary: &Canary,
) -> Result<(), ChannelError> {
    let name = scene.own_name();
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

/// The files of the collection's that are below some directories. Their names have a number that each server draws for itself.
fn files_named(places: &[PathBuf], names: &[String]) -> Vec<PathBuf> {
    entries_below(places, &|path, metadata| {
        metadata.is_file() && names.iter().any(|name| path.ends_with(name))
    })
}

/// The names of the collection's files.
fn names_of_files(statistics: &Document) -> Vec<String> {
    let mut names = Vec::new();
    add_files(statistics, &mut names);
    names
}

/// Adds the files that `collStats` names, as `wiredTiger.uri: "statistics:table:NAME"`; a router names one for each shard.
fn add_files(statistics: &Document, files: &mut Vec<String>) {
    for (key, value) in statistics {
        match value {
            Bson::Document(inner) => add_files(inner, files),
            Bson::String(uri) if key == "uri" => {
                let name = uri.strip_prefix("statistics:table:");
                files.extend(name.map(|name| format!("{name}.wt")));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_collections_own_file_shows_whose_directory_it_is() {
        let place = tempfile::tempdir().unwrap();
        let places = [place.path().to_owned()];
        let statistics = |name: &str| {
            let uri = format!("statistics:table:{name}");
            doc! { "ns": "a.b", "shards": { "one": { "wiredTiger": { "uri": uri, "LSM": {} } } } }
        };
        std::fs::create_dir(place.path().join("ycsb")).unwrap();
        std::fs::write(place.path().join("ycsb/collection-7-123.wt"), "x").unwrap();
        let has_file = |statistics: &Document| !files_named(&places, &names_of_files(statistics)).is_empty();
        assert!(has_file(&statistics("collection-7-123")));
        assert!(has_file(&statistics("ycsb/collection-7-123")));
        assert!(!has_file(&statistics("collection-7-124")));
        assert!(!has_file(&doc! { "ok": 0 }));
    }
}
