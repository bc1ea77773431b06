//! What a recipe has at hand while it starts servers: a directory, free ports, processes, and waiting with a deadline.

use std::collections::BTreeSet;
use std::fs::{DirBuilder, File};
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use dbdyno_machine::AvailableMemory;
use dbdyno_record::EngineEncryption;

use crate::account::Account;
use crate::control_group::Group;
use crate::error::{LabError, LabErrorKind};
use crate::granted::Granted;
use crate::log::{reason_and_last_lines, reports_a_taken_port};
use crate::log_directory;
use crate::memory;
use crate::ports::Ports;
use crate::progress::Progress;
use crate::spawn::{JAVA_OPTIONS, ServerSpec, Surroundings, name_of, printed_by, set_java_options, spawn};
use crate::state::Server;
use crate::tool;
use crate::volume::Volume;

/// The file of what tools print, beside those of what the servers print.
const PRINTED_BY_TOOLS: &str = "tools.log";

/// A sign of readiness that a start still waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It may come.
    Yet(String),
    /// It will not: the server has given up, although its process is still there.
    ForEver(String),
}

impl From<String> for Missing {
    fn from(missing: String) -> Self {
        Self::Yet(missing)
    }
}

/// Where the servers of one instance have their files, and whom they run as.
pub(crate) struct Place {
    /// The instance's directory.
    pub(crate) directory: PathBuf,
    /// Where the servers' directories lie, where that is no plain directory.
    pub(crate) volume: Option<Volume>,
    /// Whom the servers run as, where this process is root.
    pub(crate) account: Option<Account>,
    /// The CPUs and the memory that they get.
    pub(crate) granted: Granted,
}

/// The launch context of one instance: what its recipe starts servers with.
pub struct LaunchContext<'a> {
    place: Place,
    /// Servers that have their directories.
    handed_over: BTreeSet<String>,
    detached: bool,
    pub(crate) ports: Ports,
    progress: &'a mut dyn Progress,
    stop: &'a dyn Fn() -> bool,
    pub(crate) servers: Vec<Server>,
    /// The address with the login of an administrator, where there is one.
    pub(crate) administrator: Option<String>,
    /// What the servers are together, in words, where the request alone does not say it.
    pub(crate) topology: Option<String>,
    /// The encryption that the servers do themselves.
    pub(crate) engine_encryption: Option<EngineEncryption>,
    /// The control groups of the servers, in their order.
    pub(crate) groups: Vec<Group>,
    /// Kept so that ended children are waited for, with what starts each of them again.
    pub(crate) children: Vec<(Child, ServerSpec)>,
}

impl<'a> LaunchContext<'a> {
    pub(crate) fn new(
        place: Place,
        detached: bool,
        progress: &'a mut dyn Progress,
        stop: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            place,
            handed_over: BTreeSet::new(),
            detached,
            ports: Ports::default(),
            progress,
            stop,
            servers: Vec::new(),
            administrator: None,
            topology: None,
            engine_encryption: None,
            groups: Vec::new(),
            children: Vec::new(),
        }
    }

    /// The instance's directory; it is removed with the instance.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.place.directory
    }

    /// The directory of the servers' directories.
    fn servers_directory(&self) -> &Path {
        servers_directory(&self.place.directory, self.place.volume.as_ref())
    }

    /// The directory of a server, made when it is not there: its data and its logs. Nobody else can enter it. It becomes
    /// the server's with [`hand_over`](Self::hand_over).
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn server_directory(&self, name: &str) -> Result<PathBuf, LabError> {
        let directory = self.servers_directory().join(name);
        match DirBuilder::new().mode(0o700).create(&directory) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(LabError::files("make", &directory, &error))
            }
            _ => Ok(directory),
        }
    }

    /// Writes a file into a server's directory, which only the server can read. Returns its path.
    ///
    /// # Errors
    /// When it cannot be written, or the server has its directory already: it could have put a link there.
    pub fn write(&self, server: &str, file: &str, content: impl AsRef<[u8]>) -> Result<PathBuf, LabError> {
        let path = self.server_directory(server)?.join(file);
        let failed = |error: std::io::Error| LabError::files("write", &path, &error);
        if self.handed_over.contains(server) {
            return Err(failed(std::io::Error::other("the directory is the server's")));
        }
        let mut options = File::options();
        options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .and_then(|mut file| file.write_all(content.as_ref()))
            .map_err(failed)?;
        Ok(path)
    }

    /// Copies a file, such as a key that the user names, into a server's directory, as [`write`](Self::write) does.
    ///
    /// # Errors
    /// When it cannot be read, and as `write`.
    pub fn copy(&self, server: &str, file: &str, source: &Path) -> Result<PathBuf, LabError> {
        let content = std::fs::read(source).map_err(|error| LabError::files("read", source, &error))?;
        self.write(server, file, content)
    }

    /// Gives a server its directory, for tools that make its data; a start does so, too.
    ///
    /// # Errors
    /// When this process may not give it away.
    pub fn hand_over(&mut self, server: &str) -> Result<(), LabError> {
        let directory = self.server_directory(server)?;
        // Only once: what the server puts there later may be a trap.
        if self.handed_over.insert(server.to_owned())
            && let Some(account) = &self.place.account
        {
            account.give(&directory)?;
        }
        Ok(())
    }

    /// Makes the directory of a server's log of writes in this one, which lies apart from the data. It is removed with the instance.
    ///
    /// # Errors
    /// When it cannot be made, or the servers' user cannot reach it.
    pub fn log_directory(&self, base: &Path, server: &str) -> Result<PathBuf, LabError> {
        let directory = log_directory::make(base, &name_of(&self.place.directory), server)?;
        if let Some(account) = &self.place.account {
            account.check_enters(
                base,
                "let every user enter that directory (chmod o+x), or name another",
            )?;
            account.give(&directory)?;
        }
        Ok(directory)
    }

    /// Names the address with which an administrator logs in, for audits.
    pub fn set_administrator(&mut self, address: impl Into<String>) {
        self.administrator = Some(address.into());
    }

    /// Says what the servers are together, for lists.
    pub fn set_topology(&mut self, words: impl Into<String>) {
        self.topology = Some(words.into());
    }

    /// Says what the servers encrypt themselves, for records.
    pub fn set_engine_encryption(&mut self, encryption: EngineEncryption) {
        self.engine_encryption = Some(encryption);
    }

    /// Tells people what goes on.
    pub fn say(&mut self, what: &str) {
        self.progress.say(what);
    }

    /// A free port of 127.0.0.1.
    ///
    /// # Errors
    /// When there is none.
    pub fn port(&mut self) -> Result<u16, LabError> {
        self.ports.take(&[IpAddr::V4(Ipv4Addr::LOCALHOST)])
    }

    /// A port that is free on all of these loopback addresses.
    ///
    /// # Errors
    /// When there is none.
    pub fn port_of(&mut self, addresses: &[IpAddr]) -> Result<u16, LabError> {
        self.ports.take(addresses)
    }

    /// Whether the machine has this much memory, for all servers that are about to start.
    ///
    /// # Errors
    /// When it has not.
    pub(crate) fn check_memory(&self, bytes: u64) -> Result<(), LabError> {
        memory::check(bytes, AvailableMemory::now().machine)
    }

    /// Starts a server. It is stopped with the instance.
    ///
    /// # Errors
    /// When the machine has not its memory, or the program cannot be started.
    pub fn spawn(&mut self, spec: ServerSpec) -> Result<(), LabError> {
        self.check_memory(spec.memory_bytes)?;
        if spec.listens.is_empty() {
            self.ports.release();
        } else {
            self.ports.release_only(&spec.listens);
        }
        self.hand_over(&spec.name)?;
        let surroundings = Surroundings {
            instance: &self.place.directory,
            servers: self.servers_directory(),
            account: self.place.account.as_ref(),
            granted: &self.place.granted,
            detached: self.detached,
        };
        let (child, server, group) = spawn(&spec, self.servers.len(), &surroundings)?;
        self.servers.push(server);
        self.groups.push(group);
        self.children.push((child, spec));
        Ok(())
    }

    /// Runs a tool to its end, as the user of the servers; its output is shown when it fails.
    ///
    /// # Errors
    /// When it cannot be run, fails or hangs, or when a stop is requested.
    pub fn run_tool(&self, command: &mut Command) -> Result<(), LabError> {
        set_java_options(command, std::env::var_os(JAVA_OPTIONS));
        if let Some(account) = &self.place.account {
            account.run(command, &self.place.directory);
        }
        let printed = self.servers_directory().join(PRINTED_BY_TOOLS);
        tool::run(
            command.current_dir(&self.place.directory),
            &printed,
            tool::PATIENCE,
            self.stop,
        )
    }

    /// Waits until `ready` says so, trying again and again; it returns what is still [`Missing`]. The time that it takes itself counts:
    /// a server that takes connections and never answers costs each question its whole patience.
    ///
    /// # Errors
    /// When a server ended meanwhile or gave up, at the deadline (all with the last lines of the log), or when somebody asked to
    /// stop.
    #[expect(
        clippy::disallowed_methods,
        reason = "the deadline of a start, not the time of an operation"
    )]
    pub fn wait_until<M: Into<Missing>>(
        &mut self,
        what: &str,
        deadline: Duration,
        mut ready: impl FnMut() -> Result<(), M>,
    ) -> Result<(), LabError> {
        const STEP: Duration = Duration::from_millis(50);
        let start = Instant::now();
        loop {
            // Whether it lives is looked at before the question, so that the last answer counts.
            let ended = self.ended();
            let missing = match ready().map_err(Into::into) {
                Ok(()) => return Ok(()),
                Err(Missing::Yet(missing)) => missing,
                Err(Missing::ForEver(why)) => {
                    let last = self.last_server();
                    return Err(self.failed(&last, &format!("gave up waiting for {what}: {why}")));
                }
            };
            if let Some(name) = ended {
                let mut error = self.failed(&name, &format!("{name} ended before {what}"));
                if self.log_of(&name).is_some_and(reports_a_taken_port) {
                    error.kind = LabErrorKind::PortTaken;
                }
                return Err(error);
            }
            if (self.stop)() {
                return Err(LabError::new(
                    LabErrorKind::Interrupted,
                    format!("stopped while waiting for {what}"),
                ));
            }
            if start.elapsed() >= deadline {
                let last = self.last_server();
                return Err(self.failed(
                    &last,
                    &format!("waited {} s for {what} ({missing})", deadline.as_secs()),
                ));
            }
            std::thread::sleep(STEP);
        }
    }

    fn last_server(&self) -> String {
        self.servers
            .last()
            .map_or_else(String::new, |server| server.name.clone())
    }

    fn ended(&mut self) -> Option<String> {
        let ended = self
            .children
            .iter_mut()
            .position(|(child, _)| matches!(child.try_wait(), Ok(Some(_))))?;
        Some(self.servers[ended].name.clone())
    }

    fn log_of(&self, server: &str) -> Option<&Path> {
        let server = self.servers.iter().find(|known| known.name == server)?;
        Some(&server.log)
    }

    fn failed(&self, server: &str, what: &str) -> LabError {
        let printed = printed_by(self.servers_directory(), server);
        // A program that refuses its arguments prints why, and ends before it has a log.
        let log = self
            .log_of(server)
            .map(|log| if log.exists() { log } else { &printed });
        let lines = log.map_or_else(String::new, |log| reason_and_last_lines(log, 15));
        let full = self.place.volume.as_ref().and_then(Volume::full);
        let full = full.map_or_else(String::new, |full| format!("{full}; "));
        LabError::new(
            LabErrorKind::Server,
            format!("{full}{what}; errors and last lines of its log:\n{lines}"),
        )
    }
}

/// The directory of the servers' directories.
pub(crate) fn servers_directory<'a>(instance: &'a Path, volume: Option<&'a Volume>) -> &'a Path {
    volume.map_or(instance, |volume| &volume.servers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plain directory, with servers of this user.
    fn plain(directory: &tempfile::TempDir) -> Place {
        Place {
            directory: directory.path().to_owned(),
            volume: None,
            account: None,
            granted: Granted::default(),
        }
    }

    #[test]
    fn the_time_that_questions_take_counts() {
        let place = tempfile::tempdir().unwrap();
        let mut asked = 0;
        let error = LaunchContext::new(plain(&place), false, &mut (), &|| false)
            .wait_until("an answer", Duration::from_millis(200), || {
                asked += 1;
                std::thread::sleep(Duration::from_millis(150));
                Err("it is silent".to_owned())
            })
            .unwrap_err();
        assert_eq!(error.kind, LabErrorKind::Server);
        assert!(asked <= 2, "asked {asked} times");
    }

    #[test]
    fn a_server_that_has_given_up_is_not_waited_for() {
        let place = tempfile::tempdir().unwrap();
        let mut asked = 0;
        let error = LaunchContext::new(plain(&place), false, &mut (), &|| false)
            .wait_until("an answer", Duration::from_secs(3600), || {
                asked += 1;
                Err(Missing::ForEver("ABORTING".to_owned()))
            })
            .unwrap_err();
        assert_eq!((asked, error.kind), (1, LabErrorKind::Server));
        assert!(
            error.message.contains("gave up waiting for an answer: ABORTING"),
            "{error}"
        );
    }

    #[test]
    fn a_server_that_ends_before_it_has_a_log_is_quoted() {
        let place = tempfile::tempdir().unwrap();
        let mut progress = ();
        let mut context = LaunchContext::new(plain(&place), false, &mut progress, &|| false);
        let refusal = "echo Conflicting options in option selection; exit 1";
        let mut spec = ServerSpec::new("node1", Path::new("/bin/sh")).arguments(["-c", refusal]);
        spec.log = Some(context.server_directory("node1").unwrap().join("server.log"));
        context.spawn(spec).unwrap();
        let error = context
            .wait_until("an answer", Duration::from_secs(3600), || {
                Err("it is silent".to_owned())
            })
            .unwrap_err();
        assert!(error.message.contains("node1 ended before an answer"), "{error}");
        assert!(error.message.contains("Conflicting options"), "{error}");
    }
}
