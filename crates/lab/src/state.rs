//! What runs, written beside its data, so that another process can list it, end it, and find what a killed one left.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{LabError, Trouble};
use crate::home::LabHome;
use crate::process::{ProcessId, Signal, end};

/// The file in an instance's directory.
const FILE: &str = "lab.json";
/// How long a server may take to end in good order.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// The same where its data are removed with it: time for what it has outside its directory, none for data that nobody will read.
pub(crate) const LAST_PATIENCE: Duration = Duration::from_secs(5);

/// One server process of an instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// Its name in the instance: `node1`, `primary`.
    pub name: String,
    /// Its process.
    pub process: ProcessId,
    /// Its directory: data and logs.
    pub directory: PathBuf,
    /// The log that tells why it did not start.
    pub log: PathBuf,
    /// The signal that asks it to end in good order.
    pub stop: Signal,
}

impl Server {
    /// Its process, with what asks it to end.
    pub(crate) fn ending(&self) -> (ProcessId, Signal) {
        (self.process, self.stop)
    }
}

/// One running (or left behind) system of the lab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// Unique name, that of its directory.
    pub name: String,
    /// What was asked for.
    pub wish: String,
    /// The ordinary address.
    pub address: String,
    /// When it was started, RFC 3339, UTC.
    pub started_at: String,
    /// Who stops it; `None`: `dbdyno lab down` does.
    pub owner: Option<ProcessId>,
    /// Its servers.
    pub servers: Vec<Server>,
    /// Where it lives.
    #[serde(skip)]
    pub directory: PathBuf,
}

impl Instance {
    /// Writes the state file, whole or not at all.
    pub(crate) fn write(&self) -> Result<(), LabError> {
        let path = self.directory.join(FILE);
        let text = serde_json::to_string_pretty(self).map_err(|error| {
            LabError::new(
                Trouble::Files,
                format!("cannot write {}: {error}", path.display()),
            )
        })?;
        let partial = self.directory.join(format!(".{FILE}"));
        std::fs::write(&partial, text)
            .and_then(|()| std::fs::rename(&partial, &path))
            .map_err(|error| LabError::files("write", &path, &error))
    }

    /// Whether every server runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        !self.servers.is_empty() && self.servers.iter().all(|server| server.process.is_alive())
    }

    /// Whether nobody will stop it any more: its owner was killed.
    #[must_use]
    pub fn is_left_behind(&self) -> bool {
        self.owner.is_some_and(|owner| !owner.is_alive())
    }
}

/// Everything that lives in this home, by start.
///
/// # Errors
/// When the directory cannot be read. A directory without a readable state is one that a killed process was making: it
/// is listed without servers.
pub fn instances(home: &LabHome) -> Result<Vec<Instance>, LabError> {
    let entries = std::fs::read_dir(home.instances())
        .map_err(|error| LabError::files("read", home.instances(), &error))?;
    let mut found: Vec<Instance> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .map(|path| read(&path))
        .collect();
    found.sort_by(|left, right| (&left.started_at, &left.name).cmp(&(&right.started_at, &right.name)));
    Ok(found)
}

fn read(directory: &Path) -> Instance {
    let stored = std::fs::read_to_string(directory.join(FILE))
        .ok()
        .and_then(|text| serde_json::from_str::<Instance>(&text).ok());
    match stored {
        Some(instance) => Instance {
            directory: directory.to_owned(),
            ..instance
        },
        None => Instance {
            name: directory
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            wish: String::new(),
            address: String::new(),
            started_at: String::new(),
            owner: None,
            servers: Vec::new(),
            directory: directory.to_owned(),
        },
    }
}

/// Ends an instance's servers and removes its directory.
///
/// # Errors
/// When the directory cannot be removed.
pub fn down(instance: &Instance) -> Result<(), LabError> {
    let servers: Vec<(ProcessId, Signal)> = instance.servers.iter().map(Server::ending).collect();
    end(&servers, LAST_PATIENCE);
    match std::fs::remove_dir_all(&instance.directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(LabError::files("remove", &instance.directory, &error))
        }
        _ => Ok(()),
    }
}
