//! Server processes: started in a group of their own, recognised by number and start time, ended with patience and then
//! without.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, getpgid, kill_process, kill_process_group};
use serde::{Deserialize, Serialize};

use crate::as_owner::as_owner;
use crate::usage::stat_fields;

/// What a server can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Signal {
    /// End in good order (SIGTERM).
    Terminate,
    /// End at once (SIGKILL): a crash of the process.
    Kill,
    /// End at once in good order where that differs (SIGINT): PostgreSQL's fast shutdown.
    Interrupt,
    /// Stand still (SIGSTOP): connections stay open and nothing answers.
    Pause,
    /// Go on after [`Pause`](Self::Pause) (SIGCONT).
    Resume,
}

impl From<Signal> for rustix::process::Signal {
    fn from(signal: Signal) -> Self {
        match signal {
            Signal::Terminate => Self::TERM,
            Signal::Kill => Self::KILL,
            Signal::Interrupt => Self::INT,
            Signal::Pause => Self::STOP,
            Signal::Resume => Self::CONT,
        }
    }
}

/// A process that is the one meant, and not another that got its number later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessId {
    /// Its number.
    pub id: u32,
    /// When it started, clock ticks since the machine did (field 22 of proc(5)'s stat).
    pub start_ticks: u64,
}

impl ProcessId {
    /// The process that has the number now; `None` when there is none.
    #[must_use]
    pub fn of(id: u32) -> Option<Self> {
        let fields = stat_fields(&Path::new("/proc").join(id.to_string()))?;
        Some(Self {
            id,
            start_ticks: fields.get(19)?.parse().ok()?,
        })
    }

    /// This process.
    pub(crate) fn own() -> Option<Self> {
        Self::of(std::process::id())
    }

    /// Whether it runs. One that ended and was not waited for does not.
    #[must_use]
    pub fn is_alive(self) -> bool {
        let process = Path::new("/proc").join(self.id.to_string());
        stat_fields(&process).is_some_and(|fields| {
            fields.first().is_some_and(|state| state != "Z" && state != "X")
                && fields.get(19).and_then(|ticks| ticks.parse().ok()) == Some(self.start_ticks)
        })
    }

    /// Whether it works or prints in this directory, as a server of the instance that lives there does.
    /// Where the kernel lets nobody but root's own capability look, it may.
    pub(crate) fn belongs_in(self, directory: &Path) -> bool {
        let process = Path::new("/proc").join(self.id.to_string());
        let Ok(directory) = directory.canonicalize() else {
            return false;
        };
        let places: Vec<io::Result<PathBuf>> = ["cwd", "fd/1", "fd/2"]
            .iter()
            .map(|link| as_owner(&process, |process| std::fs::read_link(process.join(link))))
            .collect();
        let is_hidden = |place: &io::Result<PathBuf>| matches!(place, Err(error) if error.kind() == io::ErrorKind::PermissionDenied);
        places.iter().flatten().any(|place| place.starts_with(&directory)) || places.iter().all(is_hidden)
    }

    /// Signals its whole group, if it is still the one meant. What no process can refuse is told to its descendants, too,
    /// which may have groups of their own, as PostgreSQL's have. Returns whom it told.
    pub fn signal(self, signal: Signal) -> Vec<Self> {
        if !self.is_alive() {
            return Vec::new();
        }
        let descendants = match signal {
            Signal::Kill | Signal::Pause | Signal::Resume => self.descendants(),
            Signal::Terminate | Signal::Interrupt => Vec::new(),
        };
        // Any of them may have ended in between.
        match self.number() {
            Some(number) if getpgid(Some(number)) == Ok(number) => {
                kill_process_group(number, signal.into()).ok();
            }
            // The child of one that led the group and is gone.
            Some(number) => {
                kill_process(number, signal.into()).ok();
            }
            None => {}
        }
        for process in &descendants {
            if let Some(number) = process.number().filter(|_| process.is_alive()) {
                kill_process(number, signal.into()).ok();
            }
        }
        [vec![self], descendants].concat()
    }

    fn number(self) -> Option<Pid> {
        i32::try_from(self.id).ok().and_then(Pid::from_raw)
    }

    /// Its living children, theirs, and so on.
    pub(crate) fn descendants(self) -> Vec<Self> {
        // The kernel's lists of children are by thread, and any thread may have started one.
        let processes: Vec<(u32, Self)> = std::fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let process = Self::of(entry.file_name().to_str()?.parse().ok()?)?;
                let parent = stat_fields(&entry.path())?.get(1)?.parse().ok()?;
                Some((parent, process))
            })
            .collect();
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(process) = open.pop() {
            let before = found.len();
            let children = processes.iter().filter(|(parent, _)| *parent == process.id);
            found.extend(children.map(|(_, child)| *child));
            open.extend_from_slice(&found[before..]);
        }
        found
    }

    /// Waits for its end; whether it came.
    pub(crate) fn wait_for_end(self, patience: Duration) -> bool {
        const STEP: Duration = Duration::from_millis(20);
        let mut waited = Duration::ZERO;
        while self.is_alive() {
            if waited >= patience {
                return false;
            }
            std::thread::sleep(STEP);
            waited += STEP;
        }
        true
    }
}

/// The processes that print into files of this directory, as servers of an instance do from their start on, without those that another
/// of them started.
pub(crate) fn printing_into(directory: &Path) -> Vec<ProcessId> {
    let (Ok(directory), Ok(processes)) = (directory.canonicalize(), std::fs::read_dir("/proc")) else {
        return Vec::new();
    };
    let found: Vec<ProcessId> = processes
        .flatten()
        .filter(|entry| {
            ["fd/1", "fd/2"]
                .iter()
                .any(|output| leads_into(&entry.path(), output, &directory))
        })
        .filter_map(|entry| ProcessId::of(entry.file_name().to_str()?.parse().ok()?))
        .collect();
    let below: Vec<ProcessId> = found.iter().flat_map(|process| process.descendants()).collect();
    found
        .into_iter()
        .filter(|process| !below.contains(process))
        .collect()
}

fn leads_into(process: &Path, output: &str, directory: &Path) -> bool {
    as_owner(process, |process| std::fs::read_link(process.join(output)))
        .is_ok_and(|place| place.starts_with(directory))
}

/// Ends all of them: first the request that each understands, force after `patience`.
pub(crate) fn end(processes: &[(ProcessId, Signal)], patience: Duration) {
    let told: Vec<ProcessId> = processes
        .iter()
        .flat_map(|(process, request)| {
            // One that stands still would never hear of it.
            process.signal(Signal::Resume);
            process.signal(*request)
        })
        .collect();
    for process in told {
        if !process.wait_for_end(patience) {
            for killed in process.signal(Signal::Kill) {
                killed.wait_for_end(Duration::from_secs(5));
            }
        }
    }
}

type Request = (Command, Sender<io::Result<Child>>);

/// Starts a process that ends with this one, however that ends.
///
/// The kernel ends such a child when the *thread* that started it ends, so one thread that lives as long as the process
/// starts them all.
pub(crate) fn spawn_bound(command: Command) -> io::Result<Child> {
    static KEEPER: OnceLock<Mutex<Sender<Request>>> = OnceLock::new();
    let keeper = KEEPER.get_or_init(|| {
        let (sender, requests) = channel::<Request>();
        std::thread::spawn(move || {
            for (mut command, answer) in requests {
                let child = bind(&mut command).spawn();
                // Nobody waits for it any more: then it ends with this process.
                answer.send(child).ok();
            }
        });
        Mutex::new(sender)
    });
    let (answer, child) = channel();
    let gone = |_| io::Error::other("the thread that starts servers is gone");
    keeper
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .send((command, answer))
        .map_err(|_| gone(()))?;
    child.recv().map_err(|_| gone(()))?
}

/// Starts a process that outlives this one.
pub(crate) fn spawn_detached(mut command: Command) -> io::Result<Child> {
    command.process_group(0).spawn()
}

#[expect(
    unsafe_code,
    reason = "pre_exec runs between fork and exec; one system call is made there and nothing else"
)]
fn bind(command: &mut Command) -> &mut Command {
    let parent = rustix::process::getpid();
    // SAFETY: the closure makes two system calls that are safe after a fork: it allocates nothing and takes no lock.
    unsafe {
        command.process_group(0).pre_exec(move || {
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
            // The parent may have ended before the line above.
            if rustix::process::getppid() == Some(parent) {
                Ok(())
            } else {
                Err(io::Error::from(io::ErrorKind::Interrupted))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleeper() -> (Child, ProcessId) {
        let mut command = Command::new("sleep");
        command.arg("600");
        let child = spawn_bound(command).unwrap();
        let process = ProcessId::of(child.id()).unwrap();
        (child, process)
    }

    #[test]
    fn a_process_is_known_by_its_start() {
        let (mut child, process) = sleeper();
        assert!(process.is_alive());
        let other = ProcessId {
            start_ticks: process.start_ticks + 1,
            ..process
        };
        assert!(!other.is_alive());
        other.signal(Signal::Kill);
        assert!(process.is_alive(), "another process of that number is left alone");
        end(&[(process, Signal::Terminate)], Duration::from_secs(5));
        assert!(!process.is_alive());
        child.wait().unwrap();
    }

    #[test]
    fn what_does_not_listen_is_killed() {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' TERM; while :; do sleep 0.05; done"]);
        let mut child = spawn_bound(command).unwrap();
        let process = ProcessId::of(child.id()).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        end(&[(process, Signal::Terminate)], Duration::from_millis(200));
        assert!(!process.is_alive());
        child.wait().unwrap();
    }

    #[test]
    fn a_server_outlives_the_thread_that_asked_for_it() {
        let (mut child, process) = std::thread::spawn(sleeper).join().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        assert!(process.is_alive());
        end(&[(process, Signal::Kill)], Duration::from_secs(5));
        child.wait().unwrap();
    }

    #[test]
    fn children_of_every_thread_are_found() {
        let (mut child, process) = std::thread::scope(|scope| {
            let started = scope.spawn(|| {
                let child = Command::new("sleep").arg("600").spawn().unwrap();
                let process = ProcessId::of(child.id()).unwrap();
                let found = ProcessId::own().unwrap().descendants();
                assert!(found.contains(&process), "{process:?} is missing in {found:?}");
                (child, process)
            });
            started.join().unwrap()
        });
        end(&[(process, Signal::Kill)], Duration::from_secs(5));
        child.wait().unwrap();
    }

    #[test]
    fn what_nobody_can_refuse_reaches_children_in_groups_of_their_own() {
        let mut command = Command::new("setsid");
        command.args(["--fork", "--wait", "sh", "-c", "sleep 600 & wait"]);
        let mut child = spawn_bound(command).unwrap();
        let process = ProcessId::of(child.id()).unwrap();
        let below = loop {
            let below = process.descendants();
            if below.len() == 2 {
                break below;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        end(&[(process, Signal::Kill)], Duration::from_secs(5));
        child.wait().unwrap();
        assert!(below.iter().all(|process| !process.is_alive()), "{below:?}");
    }
}
