//! From an address to the client library's options, with every guarantee said explicitly.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use dbdyno_driver::remote::{Remote, Tls};
use dbdyno_driver::{Consistency, DbError, Durability, ErrorClass, Target, options};
use mongodb::options::{
    Acknowledgment, ClientOptions, Credential, ReadConcern, ReadPreference, SelectionCriteria, ServerAddress,
    Tls as LibraryTls, TlsOptions, WriteConcern,
};

use crate::info::INFO;

/// What an address asks for.
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
    Remote::read(&INFO, target, 27017)
}

/// Reads an address.
///
/// # Errors
/// `Rejected`, with what is wrong.
pub(crate) fn read(target: &Target) -> Result<(ClientOptions, Settings), DbError> {
    let remote = remote(target)?;
    let consistency = options::consistency(&INFO, target)?.unwrap_or(Consistency::Quorum);
    let durability = match target.durability {
        Some(_) => options::durability(&INFO, target)?,
        // What MongoDB itself does with these write concerns: a majority journals, a single server does not wait for it.
        None if consistency == Consistency::Quorum => Durability::Synced,
        None => Durability::None,
    };
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
    };
    let text = |name: &str| target.options.get(name).cloned();
    let mut library = ClientOptions::builder()
        .hosts(
            remote
                .hosts
                .iter()
                .map(|host| ServerAddress::Tcp {
                    host: host.host.clone(),
                    port: Some(host.port),
                })
                .collect::<Vec<_>>(),
        )
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
    Ok((library, settings))
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
    library.ca_file_path = tls.ca.clone();
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

/// One file of both, readable by this user only. It is read with every new connection, so it stays until this process
/// ends.
fn joined(certificate: &Path, key: &Path) -> std::io::Result<std::path::PathBuf> {
    use std::sync::{Mutex, PoisonError};
    static FILES: Mutex<Vec<tempfile::NamedTempFile>> = Mutex::new(Vec::new());
    let mut file = tempfile::NamedTempFile::new()?;
    for part in [key, certificate] {
        file.write_all(&std::fs::read(part)?)?;
        file.write_all(b"\n")?;
    }
    let path = file.path().to_owned();
    FILES.lock().unwrap_or_else(PoisonError::into_inner).push(file);
    Ok(path)
}
