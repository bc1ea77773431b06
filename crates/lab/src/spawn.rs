//! A server process: what a recipe says of it, and its start.

use std::ffi::OsString;
use std::fs::File;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use dbdyno_machine::ProcessId;

use crate::account::Account;
use crate::control_group::Group;
use crate::error::{LabError, LabErrorKind};
use crate::granted::Granted;
use crate::held::Held;
use crate::process::{Signal, bound_child, spawn_detached};
use crate::state::Server;

/// Variables that change every Java machine of the user. Servers start without them: a result would depend on them, and no record
/// would show it.
const JAVA_OF_USER: [&str; 3] = ["JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"];
/// Further options of Java for all servers of the lab. Unlike those above, it is dbdyno's own, and records show it.
pub const JAVA_OPTIONS: &str = "DBDYNO_LAB_JAVA_OPTIONS";
/// A server process to be started.
#[derive(Clone, Debug)]
pub struct ServerSpec {
    /// Its name in the instance: `node1`. Its directory [`LaunchContext::server_directory`](crate::LaunchContext::server_directory) has the same name.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Environment variables beyond those of this process.
    pub environment: Vec<(String, String)>,
    /// Memory that it will take, bytes: checked against what the machine has.
    pub memory_bytes: u64,
    /// The directory of its log of writes, where that lies apart from its data, as
    /// [`LaunchContext::log_directory`](crate::LaunchContext::log_directory) made it.
    pub log_directory: Option<PathBuf>,
    /// The log that shows why it did not start; `None`: what it prints.
    pub log: Option<PathBuf>,
    /// The addresses it will listen on: they are held for it until it starts, and those of others stay held. Empty: every
    /// port that is held becomes free with its start.
    pub listens: Vec<SocketAddr>,
    /// The signal that asks it to end in good order.
    pub stop: Signal,
}

impl ServerSpec {
    /// A server of this name and program, without arguments.
    pub fn new(name: impl Into<String>, program: impl Into<PathBuf>) -> Self {
        Self {
            name: name.into(),
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            memory_bytes: 64 << 20,
            log_directory: None,
            log: None,
            listens: Vec::new(),
            stop: Signal::Terminate,
        }
    }

    /// Further arguments.
    #[must_use]
    pub fn arguments<I, A>(mut self, arguments: I) -> Self
    where
        I: IntoIterator<Item = A>,
        A: Into<OsString>,
    {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }
}

/// The name of an instance: that of its directory.
pub(crate) fn name_of(directory: &Path) -> String {
    directory
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The surroundings of an instance's servers.
pub(crate) struct Surroundings<'a> {
    /// The instance's directory.
    pub(crate) instance: &'a Path,
    /// The directory of the servers' directories.
    pub(crate) servers: &'a Path,
    /// Whom they run as, where this process is root.
    pub(crate) account: Option<&'a Account>,
    /// The CPUs and the memory that they get.
    pub(crate) granted: &'a Granted,
    /// Whether they outlive this process.
    pub(crate) detached: bool,
}

/// Starts a process of a server in its directory among those of all servers, which it has already. It is the server at this place,
/// from 0.
pub(crate) fn spawn(
    spec: &ServerSpec,
    place: usize,
    surroundings: &Surroundings<'_>,
) -> Result<(Child, Server, Group), LabError> {
    let Surroundings {
        instance,
        servers,
        account,
        granted,
        detached,
    } = *surroundings;
    let directory = servers.join(&spec.name);
    // Not in the server's directory: this process writes it, and the server could have put a link there.
    let printed = printed_by(servers, &spec.name);
    let output = File::options()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&printed)
        .map_err(|error| LabError::files("write", &printed, &error))?;
    let errors = output
        .try_clone()
        .map_err(|error| LabError::files("write", &printed, &error))?;
    let held = Held::new(granted, place, &name_of(instance), &spec.name)?;
    let mut command = held.command(&spec.program);
    set_java_options(&mut command, std::env::var_os(JAVA_OPTIONS));
    command
        .args(&spec.arguments)
        .args(&granted.own.arguments)
        .envs(spec.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&directory)
        .stdin(held.input())
        .stdout(output)
        .stderr(errors);
    if let Some(account) = account {
        account.run(&mut command, &directory);
    }
    let spawned = if detached {
        spawn_detached(command)
    } else {
        bound_child(command)
    };
    let mut child = spawned.map_err(|error| cannot_start(&spec.program, account, &error))?;
    let group = held.release(&mut child)?;
    let process = ProcessId::of(child.id())
        .ok_or_else(|| LabError::new(LabErrorKind::Server, format!("{} ended at once", spec.name)))?;
    let server = Server {
        name: spec.name.clone(),
        process,
        directory,
        log_directory: spec.log_directory.clone(),
        log: spec.log.clone().unwrap_or(printed),
        stop: spec.stop,
    };
    Ok((child, server, group))
}

/// The file that takes what a server prints; `servers` is the directory of the servers' directories.
pub(crate) fn printed_by(servers: &Path, server: &str) -> PathBuf {
    servers.join(format!("{server}.log"))
}

/// Replaces the user's options of Java by those that are meant for the lab's servers.
pub(crate) fn set_java_options(command: &mut Command, of_lab: Option<OsString>) {
    for variable in JAVA_OF_USER {
        command.env_remove(variable);
    }
    if let Some(options) = of_lab {
        command.env(JAVA_OF_USER[0], options);
    }
}

/// Why a program was not started. It may lie where the servers' user cannot enter, such as root's home.
fn cannot_start(program: &Path, account: Option<&Account>, error: &std::io::Error) -> LabError {
    let help = "install it where every user can run it";
    if error.kind() == std::io::ErrorKind::PermissionDenied
        && let Some(Err(closed)) = account.map(|account| account.check_reads(program, help))
    {
        return closed;
    }
    LabError::new(
        LabErrorKind::Software,
        format!("cannot start {}: {error}", program.display()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a server's environment has instead of this process's, by variable; `None`: nothing.
    fn environment(of_lab: Option<&str>) -> Vec<(String, Option<String>)> {
        let text = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
        let mut command = Command::new("java");
        set_java_options(&mut command, of_lab.map(OsString::from));
        let changed = command.get_envs();
        changed
            .map(|(name, value)| (text(name), value.map(text)))
            .collect()
    }

    #[test]
    fn java_servers_do_not_take_the_options_of_the_user() {
        let removed = |name: &str| (name.to_owned(), None);
        assert_eq!(
            environment(None),
            [
                removed("JAVA_TOOL_OPTIONS"),
                removed("JDK_JAVA_OPTIONS"),
                removed("_JAVA_OPTIONS"),
            ]
        );
        let given = ("JDK_JAVA_OPTIONS".to_owned(), Some("-Xint".to_owned()));
        assert_eq!(
            environment(Some("-Xint")),
            [removed("JAVA_TOOL_OPTIONS"), given, removed("_JAVA_OPTIONS")]
        );
    }
}
