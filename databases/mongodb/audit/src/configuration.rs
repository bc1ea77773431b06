//! The files by which a server is configured, as its options name them.

use std::path::{Path, PathBuf};

use bson::{Document, doc};
use dbdyno_audit::{ConfigurationFiles, Scene};

use crate::client::{administrator, granted};
use crate::message::ask;

/// The options that name files with keys; those of TLS were called `ssl` before version 4.2.
const SECRET: [&str; 7] = [
    "security.keyFile",
    "security.encryptionKeyFile",
    "security.kmip.clientCertificateFile",
    "net.tls.certificateKeyFile",
    "net.tls.clusterFile",
    "net.ssl.PEMKeyFile",
    "net.ssl.clusterFile",
];
/// Those that name all other files of the configuration.
const READABLE: [&str; 6] = [
    "config",
    "net.tls.CAFile",
    "net.tls.clusterCAFile",
    "net.tls.CRLFile",
    "net.ssl.CAFile",
    "net.ssl.CRLFile",
];
/// Where the data are if no option says it.
const DATA: &str = "/data/db";

/// Those of the server that takes writes. `has_data` says whether a directory of this machine holds the server's data: where the one that
/// the server names does not, the server is in a container or on another machine, and has files of its own under all these names.
pub fn files(scene: &mut Scene<'_>, has_data: &dyn Fn(&Path) -> bool) -> ConfigurationFiles {
    let options = administrator(scene)
        .and_then(|mut channel| granted(ask(&mut channel, "admin", doc! { "getCmdLineOpts": 1 })?));
    let (files, got) = match options {
        Ok(reply) => {
            let parsed = reply.0.get_document("parsed").ok().cloned();
            let parsed = parsed.unwrap_or_default();
            if has_data(Path::new(value(&parsed, "storage.dbPath").unwrap_or(DATA))) {
                let files = named(&parsed);
                let got = format!("{} files", files.count());
                (files, got)
            } else {
                let got = "storage.dbPath is not a directory of this machine";
                (ConfigurationFiles::default(), got.to_owned())
            }
        }
        Err(error) => (ConfigurationFiles::default(), error.to_string()),
    };
    let sent = "getCmdLineOpts: the files of the configuration";
    scene.note("mongodb.configuration", sent, got);
    files
}

/// The files that options name. A server reads a relative path from where it was started, which nobody knows.
fn named(options: &Document) -> ConfigurationFiles {
    let of = |names: &[&str]| -> Vec<PathBuf> {
        let paths = names.iter().filter_map(|name| value(options, name));
        let paths = paths.map(PathBuf::from);
        paths.filter(|path| path.is_absolute()).collect()
    };
    ConfigurationFiles {
        secret: of(&SECRET),
        readable: of(&READABLE),
    }
}

/// The text of an option: the names of sections and its own, with dots between.
fn value<'o>(options: &'o Document, name: &str) -> Option<&'o str> {
    match name.split_once('.') {
        Some((section, rest)) => value(options.get_document(section).ok()?, rest),
        None => options.get_str(name).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_name_files_with_keys_and_others() {
        let options = doc! {
            "config": "/etc/mongod.conf",
            "net": { "port": 27017, "tls": { "certificateKeyFile": "/etc/server.pem", "CAFile": "ca.pem" } },
            "security": { "authorization": "enabled", "keyFile": "/etc/members.key" },
            "storage": { "dbPath": "/var/lib/mongodb" },
        };
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let files = named(&options);
        assert_eq!(files.secret, paths(&["/etc/members.key", "/etc/server.pem"]));
        assert_eq!(files.readable, paths(&["/etc/mongod.conf"]));
        assert_eq!(value(&options, "storage.dbPath"), Some("/var/lib/mongodb"));
        assert_eq!(named(&doc! { "net": "none" }), ConfigurationFiles::default());
    }
}
