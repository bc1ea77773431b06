//! What runs, written beside its data, so that another process can list it, end it, and find what a killed one left.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use dbdyno_machine::{ProcessId, processes_printing_into};
use dbdyno_record::{AtRest, ServerResources};
use serde::{Deserialize, Serialize};

use crate::error::{LabError, LabErrorKind};
use crate::home::LabHome;
use crate::process::{Signal, end};
use crate::{control_group, log_directory, shared_memory, volume};

/// The file in an instance's directory.
const FILE: &str = "lab.json";
/// More than a state file ever has.
const MOST_BYTES: u64 = 1 << 20;
/// How long a server may take to end in good order.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// How long a server may take to end where its data are removed with it: time for what it has outside its directory, none for data
/// that nobody will read.
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
    /// The directory of its log of writes, where that lies apart from its data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_directory: Option<PathBuf>,
    /// The log that shows why it did not start.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// Unique name, that of its directory.
    pub name: String,
    /// The request that it was started for.
    #[serde(rename = "wish")]
    pub request: String,
    /// The ordinary address.
    pub address: String,
    /// The address with the login of an administrator, where the lab made one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub administrator: Option<String>,
    /// What its servers are together, in words; `None` where the request says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<String>,
    /// How its files are encrypted, or in which volume they lie without; `None`: in a plain directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_rest: Option<AtRest>,
    /// CPUs, memory and disks of its servers, as read back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ServerResources>,
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
                LabErrorKind::Files,
                format!("cannot write {}: {error}", path.display()),
            )
        })?;
        // An address may hold a password: nobody else may read it.
        tempfile::NamedTempFile::new_in(&self.directory)
            .and_then(|mut partial| {
                partial.write_all(text.as_bytes())?;
                partial.persist(&path).map_err(|error| error.error)
            })
            .map_err(|error| LabError::files("write", &path, &error))?;
        Ok(())
    }

    /// Whether every server runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        !self.servers.is_empty() && self.servers.iter().all(|server| self.runs(server))
    }

    /// Whether one of its servers runs.
    #[must_use]
    pub fn runs(&self, server: &Server) -> bool {
        server.process.is_alive() && server.process.belongs_in(&self.directory)
    }

    /// Whether nobody will stop it any more: its owner was killed.
    #[must_use]
    pub fn is_left_behind(&self) -> bool {
        self.owner.is_some_and(|owner| !owner.is_alive())
    }
}

impl LabHome {
    /// For tests: the user's cache, and instances of their own. A test's process has no moment at which it could stop
    /// servers that its tests share; they end with it, and their directories are removed by the next one, here.
    ///
    /// # Errors
    /// When the directories cannot be made.
    pub fn for_tests() -> Result<Self, LabError> {
        let home = Self::beside_user()?;
        for left in instances(&home)?
            .iter()
            .filter(|instance| instance.is_left_behind())
        {
            down(left)?;
        }
        Ok(home)
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
        .filter(|path| dbdyno_owned::is_directory(path))
        .map(|path| read(&path))
        .collect();
    found.sort_by(|left, right| (&left.started_at, &left.name).cmp(&(&right.started_at, &right.name)));
    Ok(found)
}

fn read(directory: &Path) -> Instance {
    let stored = dbdyno_owned::read(&directory.join(FILE), MOST_BYTES)
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
            request: String::new(),
            address: String::new(),
            administrator: None,
            topology: None,
            at_rest: None,
            resources: None,
            started_at: String::new(),
            owner: None,
            servers: Vec::new(),
            directory: directory.to_owned(),
        },
    }
}

/// Ends an instance's servers, unmounts its volume and removes its directory. A server that the state names is believed to be one only if it works or prints
/// in the directory; one that prints there is one, too, if the state does not name it: a process that was killed while it
/// started servers had no time to write them down.
///
/// # Errors
/// When the volume cannot be unmounted or the directory not removed.
pub fn down(instance: &Instance) -> Result<(), LabError> {
    let running = instance.servers.iter().filter(|server| instance.runs(server));
    let mut servers: Vec<(ProcessId, Signal)> = running.map(Server::ending).collect();
    let named = |process: &ProcessId| instance.servers.iter().any(|server| server.process == *process);
    let unknown = processes_printing_into(&instance.directory)
        .into_iter()
        .filter(|process| !named(process));
    servers.extend(unknown.map(|process| (process, Signal::Terminate)));
    end(&servers, LAST_PATIENCE);
    let makers: Vec<ProcessId> = instance.servers.iter().map(|server| server.process).collect();
    shared_memory::remove_left(&makers);
    control_group::remove(&instance.name);
    log_directory::remove(&instance.request, &instance.name);
    volume::unmount(&instance.directory)?;
    remove(&instance.directory)
}

/// Removes an instance's directory. Children of a killed server may write into it for a moment longer.
pub(crate) fn remove(directory: &Path) -> Result<(), LabError> {
    const STEP: Duration = Duration::from_millis(50);
    let mut tries = 40;
    loop {
        tries -= 1;
        match std::fs::remove_dir_all(directory) {
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty && tries > 0 => {
                std::thread::sleep(STEP)
            }
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(LabError::files("remove", directory, &error));
            }
            _ => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::sync::Barrier;

    use super::*;

    /// A process that works and prints elsewhere, or in this directory.
    fn sleeper(inside: Option<&Path>) -> (Child, ProcessId) {
        let mut command = Command::new("sleep");
        command.arg("600").stdout(Stdio::null()).process_group(0);
        if let Some(directory) = inside {
            command.stdout(std::fs::File::create(directory.join("output.log")).unwrap());
        }
        let child = command.spawn().unwrap();
        let process = ProcessId::of(child.id()).unwrap();
        (child, process)
    }

    fn instance(home: &LabHome, servers: &[ProcessId]) -> Instance {
        let directory = home.instances().join("redis-abc");
        std::fs::create_dir(&directory).unwrap();
        let server = |process: &ProcessId| Server {
            name: "node1".to_owned(),
            process: *process,
            directory: directory.clone(),
            log_directory: None,
            log: directory.join("output.log"),
            stop: Signal::Kill,
        };
        let instance = Instance {
            name: "redis-abc".to_owned(),
            request: "redis".to_owned(),
            address: "redis://:secret@127.0.0.1:1".to_owned(),
            administrator: None,
            topology: None,
            at_rest: None,
            resources: None,
            started_at: String::new(),
            owner: None,
            servers: servers.iter().map(server).collect(),
            directory: directory.clone(),
        };
        instance.write().unwrap();
        instance
    }

    #[test]
    fn a_state_that_names_a_foreign_process_ends_it_not() {
        let place = tempfile::tempdir().unwrap();
        let home = LabHome::at(place.path()).unwrap();
        let (mut child, foreign) = sleeper(None);
        let planted = instance(&home, &[foreign]);
        assert!(!planted.is_running());
        down(&planted).unwrap();
        assert!(foreign.is_alive());
        assert!(!planted.directory.exists());
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_server_that_nobody_wrote_down_is_ended_all_the_same() {
        let place = tempfile::tempdir().unwrap();
        let home = LabHome::at(place.path()).unwrap();
        let left = instance(&home, &[]);
        let (mut child, server) = sleeper(Some(&left.directory));
        down(&left).unwrap();
        assert!(!server.is_alive());
        child.wait().unwrap();
    }

    #[test]
    fn a_directory_is_removed_while_files_are_still_made_in_it() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("redis-abc");
        std::fs::create_dir(&directory).unwrap();
        let make = |number: u32| std::fs::File::create(directory.join(number.to_string()));
        // Removing these takes a while, in which others come that a look at the directory misses.
        for number in 0..3_000 {
            make(number).unwrap();
        }
        let both = Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                both.wait();
                // Until the directory is gone, and no longer than a few of the tries.
                (3_000..8_000).all(|number| make(number).is_ok())
            });
            both.wait();
            remove(&directory).unwrap();
        });
        assert!(!directory.exists());
    }

    #[test]
    fn links_and_states_of_others_are_no_instances_and_nobody_else_reads_a_state() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let place = tempfile::tempdir().unwrap();
        let home = LabHome::at(&place.path().join("lab")).unwrap();
        let own = instance(&home, &[]);
        let mode = own.directory.join(FILE).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let elsewhere = place.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        symlink(&elsewhere, home.instances().join("link")).unwrap();
        assert_eq!(instances(&home).unwrap(), std::slice::from_ref(&own));
        // A state behind a link is not read: the instance has no servers then.
        std::fs::rename(own.directory.join(FILE), elsewhere.join(FILE)).unwrap();
        symlink(elsewhere.join(FILE), own.directory.join(FILE)).unwrap();
        assert_eq!(instances(&home).unwrap()[0].address, "");
    }
}
