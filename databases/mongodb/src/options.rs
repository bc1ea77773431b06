//! From an address to the client library's options, with every guarantee said explicitly.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dbdyno_driver::remote::{HostPort, Remote, Tls};
use dbdyno_driver::{Consistency, DbError, Durability, ErrorClass, Target, options};
use mongodb::options::{
    Acknowledgment, ClientOptions, Credential, ReadConcern, ReadPreference, SelectionCriteria, ServerAddress,
    Tls as LibraryTls, TlsOptions, WriteConcern,
};

use crate::info::INFO;
use crate::shards::{self, Spread};

/// The options of an address.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) durability: Durability,
    pub(crate) consistency: Consistency,
    /// Name of the database.
    pub(crate) database: String,
    /// Servers as people write them.
    pub(crate) hosts: String,
    /// Longest wait for one operation.
    pub(crate) timeout: Duration,
    /// Who spreads records over shards.
    pub(crate) spread: Spread,
}

impl Settings {
    /// What a read may see, in MongoDB's words.
    pub(crate) fn read_concern(&self) -> &'static str {
        match self.consistency {
            Consistency::One => "local",
            _ => "majority",
        }
    }
}

/// Reads an address of MongoDB: servers, login, TLS.
///
/// # Errors
/// `Rejected`, with what is wrong and how it is written.
pub fn remote(target: &Target) -> Result<Remote, DbError> {
    options::check(&INFO, target)?;
    Remote::read(&INFO, target)
}

/// The guarantees that an address asks for.
///
/// # Errors
/// `Rejected`, when MongoDB does not offer them.
pub(crate) fn guarantees(target: &Target) -> Result<(Durability, Consistency), DbError> {
    let consistency = options::consistency(&INFO, target)?.unwrap_or(Consistency::Quorum);
    let durability = match target.durability {
        Some(_) => options::durability(&INFO, target)?,
        // What MongoDB itself does with these write concerns: a majority journals, a single server does not wait for it.
        None if consistency == Consistency::Quorum => Durability::Synced,
        None => Durability::None,
    };
    Ok((durability, consistency))
}

/// Reads an address: how each shard is reached, one after the other, and what is asked of all of them. Without client-side
/// partitioning there is one.
///
/// # Errors
/// `Rejected`, with what is wrong.
pub(crate) fn read(target: &Target) -> Result<(Vec<ClientOptions>, Settings), DbError> {
    let remote = remote(target)?;
    let (durability, consistency) = guarantees(target)?;
    let (shards, spread) = shards::read(target, &remote)?;
    let settings = Settings {
        durability,
        consistency,
        database: if remote.path.is_empty() {
            "ycsb".to_owned()
        } else {
            remote.path.clone()
        },
        hosts: remote.hosts_text(),
        timeout: remote.timeout,
        spread,
    };
    let text = |name: &str| target.options.get(name).cloned();
    let mut library = ClientOptions::builder()
        .app_name("dbdyno".to_owned())
        .connect_timeout(remote.connect_timeout)
        .server_selection_timeout(remote.connect_timeout)
        // As many connections as there are clients: none waits for another's.
        .max_pool_size(100_000)
        // A failure is counted, not hidden by trying again.
        .retry_reads(false)
        .retry_writes(false)
        .write_concern(write_concern(&settings))
        .read_concern(ReadConcern::custom(settings.read_concern()))
        .selection_criteria(SelectionCriteria::ReadPreference(ReadPreference::Primary))
        .build();
    library.repl_set_name = text("replicaSet");
    library.direct_connection = text("directConnection")
        .map(|_| options::choice(&INFO, target, "directConnection", &["true", "false"], "false"))
        .transpose()?
        .map(|word| word == "true");
    if let Some(user) = &remote.user {
        let mut credential = Credential::default();
        credential.username = Some(user.clone());
        credential.password = remote
            .password
            .as_ref()
            .map(|password| password.reveal().to_owned());
        credential.source = Some(text("authSource").unwrap_or_else(|| "admin".to_owned()));
        library.credential = Some(credential);
    }
    if let Some(tls) = &remote.tls {
        library.tls = Some(encryption(tls)?);
    }
    let of_shard = |hosts: Vec<HostPort>| {
        let mut library = library.clone();
        library.hosts = hosts.into_iter().map(server).collect();
        library
    };
    Ok((shards.into_iter().map(of_shard).collect(), settings))
}

fn server(host: HostPort) -> ServerAddress {
    ServerAddress::Tcp {
        host: host.host,
        port: Some(host.port),
    }
}

fn write_concern(settings: &Settings) -> WriteConcern {
    let mut concern = WriteConcern::builder()
        .journal(settings.durability == Durability::Synced)
        .w_timeout(settings.timeout)
        .build();
    concern.w = Some(match settings.consistency {
        Consistency::One => Acknowledgment::Nodes(1),
        _ => Acknowledgment::Majority,
    });
    concern
}

fn encryption(tls: &Tls) -> Result<LibraryTls, DbError> {
    rustls::crypto::ring::default_provider().install_default().ok();
    let mut library = TlsOptions::default();
    library.ca_file_path = match &tls.ca {
        Some(file) => Some(file.clone()),
        None => of_the_system().map_err(|error| {
            DbError::new(
                ErrorClass::Rejected,
                format!("cannot read the system's certificates: {error}"),
            )
        })?,
    };
    if let Some((certificate, key)) = &tls.client {
        // The library wants both in one file.
        library.cert_key_file_path = Some(joined(certificate, key).map_err(|error| {
            DbError::new(
                ErrorClass::Rejected,
                format!(
                    "cannot put {} and {} together: {error}",
                    certificate.display(),
                    key.display()
                ),
            )
        })?);
    }
    Ok(LibraryTls::Enabled(library))
}

/// Both as one file.
fn joined(certificate: &Path, key: &Path) -> std::io::Result<PathBuf> {
    let mut both = Vec::new();
    for part in [key, certificate] {
        both.extend(std::fs::read(part)?);
        both.push(b'\n');
    }
    nameless(&both)
}

/// The certificates that the system trusts as one file: without one, the library trusts a list of its own. `None` where the
/// system has none.
fn of_the_system() -> std::io::Result<Option<PathBuf>> {
    let mut all = String::new();
    for certificate in rustls_native_certs::load_native_certs().certs {
        let encoded = STANDARD.encode(&certificate);
        all.push_str(&format!(
            "-----BEGIN CERTIFICATE-----\n{encoded}\n-----END CERTIFICATE-----\n"
        ));
    }
    if all.is_empty() {
        return Ok(None);
    }
    nameless(all.as_bytes()).map(Some)
}

/// A path at which this process, and nobody else, reads these bytes: of an open file that has no name. The library reads it with
/// every new connection, so it stays open; however the process ends, nothing is left on the disk.
#[cfg(target_os = "linux")]
fn nameless(bytes: &[u8]) -> std::io::Result<PathBuf> {
    use std::fs::File;
    use std::io::Write as _;
    use std::os::fd::AsRawFd as _;
    use std::sync::{Mutex, PoisonError};

    static FILES: Mutex<Vec<File>> = Mutex::new(Vec::new());
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    FILES.lock().unwrap_or_else(PoisonError::into_inner).push(file);
    Ok(path)
}

/// Elsewhere a descriptor has no path at which it is read from its beginning each time, and keys get no file with a name.
#[cfg(not(target_os = "linux"))]
fn nameless(_: &[u8]) -> std::io::Result<PathBuf> {
    Err(std::io::Error::new(
        std::io::ErrorKind::Unsupported,
        "the MongoDB client reads them from one file, which dbdyno makes on Linux only; leave out `tls_cert`, and name the \
         authority with `tls_ca`",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_no_name_on_the_disk_and_are_read_again_and_again() {
        let folder = tempfile::tempdir().unwrap();
        let (certificate, key) = (folder.path().join("certificate"), folder.path().join("key"));
        std::fs::write(&certificate, "the certificate").unwrap();
        std::fs::write(&key, "the key").unwrap();
        let path = joined(&certificate, &key).unwrap();
        for _ in 0..2 {
            assert_eq!(
                std::fs::read_to_string(&path).unwrap(),
                "the key\nthe certificate\n"
            );
        }
        let target = std::fs::read_link(&path).unwrap();
        assert!(
            target.to_string_lossy().ends_with("(deleted)"),
            "{}",
            target.display()
        );
    }
}
