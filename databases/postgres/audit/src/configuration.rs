//! The files by which a server is configured, as far as they lie on this machine.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use dbdyno_audit::{ChannelError, ConfigurationFiles, Scene};

use crate::client::{Session, administrator_at};
use crate::protocol::Answer;

/// The files that settings name, and those in which settings are in force. A path may be relative to the data directory; that of
/// Kerberos's keys may begin with its kind.
const FILES: &str = "SELECT name, current_setting('data_directory'), regexp_replace(setting, '^FILE:', '') FROM pg_settings \
     WHERE setting <> '' AND name IN ('config_file', 'hba_file', 'ident_file', 'ssl_ca_file', 'ssl_cert_file', \
     'ssl_crl_file', 'ssl_key_file', 'krb_server_keyfile') \
     UNION SELECT 'config_file', current_setting('data_directory'), sourcefile FROM pg_settings WHERE sourcefile <> ''";
/// Those of which no setting is in force, too: more than every administrator may see.
const INCLUDED: &str =
    "SELECT DISTINCT 'config_file', current_setting('data_directory'), sourcefile FROM pg_file_settings";
/// The settings that name files with keys.
const SECRET: [&str; 2] = ["ssl_key_file", "krb_server_keyfile"];
/// More files than these are not asked about.
const MOST_FILES: usize = 100;

/// Those of every server of the address. A login that may not see them shows none.
pub fn files(scene: &mut Scene<'_>) -> ConfigurationFiles {
    let mut files = ConfigurationFiles::default();
    for host in scene.remote.hosts.clone() {
        let before = files.count();
        let got = administrator_at(scene, &host)
            .and_then(|mut session| named(&mut session))
            .map(|rows| {
                rows.iter().for_each(|row| add(&mut files, row));
                let here = files.count() - before;
                format!("{} files, {here} of them on this machine", rows.len())
            });
        let sent = format!("pg_settings with pg_stat_file: the files of the configuration at {host}");
        scene.note_outcome("postgres.configuration", sent, &got);
    }
    files
}

/// A row for each file: its setting, the data directory, its path, its bytes and the second of its last change. One that the server may
/// not see any more keeps no other from being seen.
fn named(session: &mut Session) -> Result<Vec<Vec<Option<String>>>, ChannelError> {
    let mut rows = match session.must(FILES)? {
        Answer::Rows(rows) => rows,
        Answer::Refused(_) => Vec::new(),
    };
    if let Answer::Rows(included) = session.ask(INCLUDED)? {
        rows.extend(included);
    }
    rows.sort();
    rows.dedup();
    rows.truncate(MOST_FILES);
    for row in &mut rows {
        let path = row.get(2).cloned().flatten().unwrap_or_default();
        let path = path.replace('\'', "''");
        let found = session.ask(&format!(
            "SELECT size, extract(epoch FROM modification)::bigint FROM pg_stat_file('{path}', true)"
        ))?;
        if let Answer::Rows(found) = found {
            row.extend(found.into_iter().next().unwrap_or_default());
        }
    }
    Ok(rows)
}

/// Adds a file that is on this machine.
fn add(files: &mut ConfigurationFiles, row: &[Option<String>]) {
    match file(row) {
        Some((true, path)) => files.secret.push(path),
        Some((false, path)) => files.readable.push(path),
        None => {}
    }
}

/// Whether a file has a key in it, and its path, if it is on this machine: as long there as the server says, and changed in the same
/// second. A server in a container has files of its own under these names.
fn file(row: &[Option<String>]) -> Option<(bool, PathBuf)> {
    let [
        Some(setting),
        Some(directory),
        Some(path),
        Some(bytes),
        Some(changed),
    ] = row
    else {
        return None;
    };
    let path = Path::new(directory).join(path);
    let metadata = path.metadata().ok()?;
    let is_same =
        bytes.parse::<u64>() == Ok(metadata.len()) && changed.parse::<i64>() == Ok(metadata.mtime());
    is_same.then(|| (SECRET.contains(&setting.as_str()), path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_is_the_servers_own_counts() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("server.key");
        std::fs::write(&path, "key").unwrap();
        let changed = path.metadata().unwrap().mtime();
        let directory = place.path().display().to_string();
        let of = |setting: &str, name: &str, bytes: u64, changed: i64| {
            let row = [
                setting.to_owned(),
                directory.clone(),
                name.to_owned(),
                bytes.to_string(),
                changed.to_string(),
            ];
            file(&row.map(Some))
        };
        assert_eq!(
            of("ssl_key_file", "server.key", 3, changed),
            Some((true, path.clone()))
        );
        let absolute = path.display().to_string();
        assert_eq!(of("hba_file", &absolute, 3, changed), Some((false, path)));
        assert_eq!(of("ssl_key_file", "server.key", 4, changed), None);
        assert_eq!(of("ssl_key_file", "server.key", 3, changed + 1), None);
        assert_eq!(of("ssl_key_file", "gone", 3, changed), None);
        assert_eq!(file(&[None, None]), None);
    }
}
