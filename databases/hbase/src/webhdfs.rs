//! Where HDFS says how many copies it keeps, and who asks it.

use std::path::Path;

use dbdyno_driver::Target;
use dbdyno_driver::remote::{HostPort, check_file};

/// What the address of a server that speaks TLS begins with.
const ENCRYPTED: &str = "https://";

/// The web server of HDFS's NameNode, as a driver asks it.
pub struct WebHdfs {
    /// `[https://]HOST:PORT/DIRECTORY`, the directory being that of HBase's files.
    place: String,
    /// Principal and keytab of whoever asks; `None`: nobody logs in.
    login: Option<(String, String)>,
}

impl WebHdfs {
    /// `None`, when the address names no such server.
    pub fn read(target: &Target) -> Result<Option<Self>, String> {
        let option = |name: &str| target.options.get(name).cloned();
        let login = match (option("webhdfs_principal"), option("webhdfs_keytab")) {
            (Some(principal), Some(keytab)) => Some((principal, keytab)),
            (None, None) => None,
            _ => return Err("needs `webhdfs_principal` and `webhdfs_keytab` together".to_owned()),
        };
        let Some(place) = option("webhdfs") else {
            return match login {
                Some(_) => Err("has no use for `webhdfs_principal` without `webhdfs`".to_owned()),
                None => Ok(None),
            };
        };
        let bare = place.strip_prefix(ENCRYPTED).unwrap_or(&place);
        let parts = bare
            .split_once('/')
            .and_then(|(server, _)| server.rsplit_once(':'));
        if parts.is_none_or(|(host, port)| host.is_empty() || port.parse::<u16>().is_err()) {
            return Err(format!(
                "cannot use option `webhdfs={place}`; write HOST:PORT/DIRECTORY, e.g. webhdfs=127.0.0.1:9870/hbase, with https:// before \
                 it where the server encrypts"
            ));
        }
        if let Some((principal, keytab)) = &login {
            if option("principal").is_none() {
                return Err(
                    "needs `principal` and `keytab` beside `webhdfs_principal`: both logins use one Kerberos configuration".to_owned(),
                );
            }
            if !principal.contains('@') {
                return Err(format!(
                    "finds no realm in `webhdfs_principal={principal}`; write e.g. `webhdfs_principal=me@EXAMPLE.COM`"
                ));
            }
            if let Err(error) = check_file(Path::new(keytab)) {
                return Err(format!("cannot read `webhdfs_keytab={keytab}`: {error}"));
            }
        }
        Ok(Some(Self { place, login }))
    }

    /// Names are those of `Hdfs.java`.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![("dbdyno.webhdfs", self.place.clone())];
        if let Some((principal, keytab)) = &self.login {
            settings.push(("dbdyno.webhdfs.principal", principal.clone()));
            settings.push(("dbdyno.webhdfs.keytab", keytab.clone()));
        }
        settings
    }
}

/// A web server of HDFS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebServer {
    /// Where it listens.
    pub host: HostPort,
    /// Whether it speaks TLS.
    pub is_encrypted: bool,
}

impl WebServer {
    /// That of the NameNode; `None`, when the address names none.
    #[must_use]
    pub fn of(target: &Target) -> Option<Self> {
        let place = WebHdfs::read(target).ok()??.place;
        let bare = place.strip_prefix(ENCRYPTED);
        let (server, _) = bare.unwrap_or(&place).split_once('/')?;
        let (host, port) = server.rsplit_once(':')?;
        Some(Self {
            host: HostPort {
                host: host.trim_matches(['[', ']']).to_owned(),
                port: port.parse().ok()?,
            },
            is_encrypted: bare.is_some(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A regular file in place of a keytab: nothing here reads what is in it.
    const KEYTAB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");

    fn read(options: &str) -> Result<Option<WebHdfs>, String> {
        WebHdfs::read(&Target::parse(&format!("hbase://h?{options}")).unwrap())
    }

    #[test]
    fn a_server_and_its_login_become_settings() {
        assert!(read("").unwrap().is_none());
        let settings = |options: &str| read(options).unwrap().unwrap().settings();
        let plain = settings("webhdfs=h:1/hbase");
        assert_eq!(plain, [("dbdyno.webhdfs", "h:1/hbase".to_owned())]);
        let login = settings(&format!(
            "webhdfs=https://h:1/hbase&webhdfs_principal=o@R&webhdfs_keytab={KEYTAB}&principal=p@R"
        ));
        let values: Vec<&str> = login.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["https://h:1/hbase", "o@R", KEYTAB]);
        let server = |options: &str| {
            let server = WebServer::of(&Target::parse(&format!("hbase://h?{options}")).unwrap());
            server.map(|server| (server.host.to_string(), server.is_encrypted))
        };
        assert_eq!(server(""), None);
        assert_eq!(server("webhdfs=h:1/d"), Some(("h:1".to_owned(), false)));
        assert_eq!(
            server("webhdfs=https://[::1]:2/d"),
            Some(("[::1]:2".to_owned(), true))
        );
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        for (options, expected) in [
            ("webhdfs=h/hbase".to_owned(), "`webhdfs=h/hbase`"),
            ("webhdfs=https://h:1".to_owned(), "`webhdfs=https://h:1`"),
            (
                "webhdfs=http://h:1/hbase".to_owned(),
                "`webhdfs=http://h:1/hbase`",
            ),
            ("webhdfs_principal=o@R".to_owned(), "together"),
            (
                format!("webhdfs_principal=o@R&webhdfs_keytab={KEYTAB}"),
                "without `webhdfs`",
            ),
            (
                format!("webhdfs=h:1/d&webhdfs_principal=o@R&webhdfs_keytab={KEYTAB}"),
                "`principal`",
            ),
            (
                format!("webhdfs=h:1/d&webhdfs_principal=o&webhdfs_keytab={KEYTAB}&principal=p@R"),
                "`webhdfs_principal=o`",
            ),
            (
                "webhdfs=h:1/d&webhdfs_principal=o@R&webhdfs_keytab=/no/such&principal=p@R".to_owned(),
                "`webhdfs_keytab=/no/such`",
            ),
        ] {
            let error = read(&options).err().unwrap();
            assert!(error.contains(expected), "{options}: {error}");
        }
    }
}
