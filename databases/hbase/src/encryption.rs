//! TLS, as the settings of the Java client say it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dbdyno_driver::remote::{Tls, client_configuration};
use dbdyno_driver::{DbError, ErrorClass};
use tempfile::NamedTempFile;

/// The files that the client reads, checked.
pub struct Encryption {
    /// `None`: those that Java trusts.
    authorities: Option<PathBuf>,
    /// The client's key and certificate, which Java wants in one file; only its owner may read it, and it goes with this.
    own: Option<NamedTempFile>,
}

impl Encryption {
    pub fn of(tls: &Tls) -> Result<Self, DbError> {
        // What it makes is of no use to Java, but it finds what is wrong with a file, and names it.
        client_configuration(tls)?;
        let own = match &tls.client {
            None => None,
            Some((certificate, key)) => Some(joined(certificate, key).map_err(|error| {
                DbError::new(
                    ErrorClass::Rejected,
                    format!(
                        "`hbase` cannot put {} and {} into one file, as Java wants them: {error}",
                        certificate.display(),
                        key.display()
                    ),
                )
            })?),
        };
        Ok(Self {
            authorities: tls.ca.clone(),
            own,
        })
    }

    /// Names are those of hbase-default.xml.
    pub fn settings(&self, longest_handshake: Duration) -> Vec<(&'static str, String)> {
        let mut settings = vec![
            ("hbase.client.netty.tls.enabled", "true".to_owned()),
            ("hbase.client.netty.tls.verify.server.hostname", "true".to_owned()),
            (
                "hbase.client.netty.tls.handshaketimeout",
                longest_handshake.as_millis().to_string(),
            ),
            // 1.2 only, if nothing is said.
            ("hbase.rpc.tls.enabledProtocols", "TLSv1.3,TLSv1.2".to_owned()),
        ];
        // Where the address names none there is none, whatever an hbase-site.xml says.
        let text = |path: Option<&Path>| path.map_or_else(String::new, |path| path.display().to_string());
        let own = self.own.as_ref().map(NamedTempFile::path);
        settings.extend([
            (
                "hbase.rpc.tls.truststore.location",
                text(self.authorities.as_deref()),
            ),
            ("hbase.rpc.tls.truststore.type", "PEM".to_owned()),
            ("hbase.rpc.tls.keystore.location", text(own)),
            ("hbase.rpc.tls.keystore.type", "PEM".to_owned()),
        ]);
        settings
    }
}

fn joined(certificate: &Path, key: &Path) -> std::io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    for part in [key, certificate] {
        file.write_all(&std::fs::read(part)?)?;
        file.write_all(b"\n")?;
    }
    Ok(file)
}
