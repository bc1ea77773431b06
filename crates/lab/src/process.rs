//! Processes of the lab: started in a group of their own, signalled, ended with patience and then without.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use dbdyno_machine::ProcessId;
use rustix::process::{Pid, getpgid, kill_process, kill_process_group};
use serde::{Deserialize, Serialize};

/// The signals that a server can receive.
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

impl Signal {
    /// Signals the whole group of a process, if it is still the one meant. A signal that no process can refuse goes to its
    /// descendants, too, which may have groups of their own, as PostgreSQL's have. Returns the processes that were signalled.
    pub fn send(self, process: ProcessId) -> Vec<ProcessId> {
        if !process.is_alive() {
            return Vec::new();
        }
        let descendants = match self {
            Self::Kill | Self::Pause | Self::Resume => process.descendants(),
            Self::Terminate | Self::Interrupt => Vec::new(),
        };
        // Any of them may have ended in between.
        match number(process) {
            Some(number) if getpgid(Some(number)) == Ok(number) => {
                kill_process_group(number, self.into()).ok();
            }
            // The child of one that led the group and is gone.
            Some(number) => {
                kill_process(number, self.into()).ok();
            }
            None => {}
        }
        for process in &descendants {
            if let Some(number) = number(*process).filter(|_| process.is_alive()) {
                kill_process(number, self.into()).ok();
            }
        }
        [vec![process], descendants].concat()
    }
}

fn number(process: ProcessId) -> Option<Pid> {
    i32::try_from(process.id).ok().and_then(Pid::from_raw)
}

/// Waits for the end of a process. Returns whether it ended in time.
pub(crate) fn wait_for_end(process: ProcessId, patience: Duration) -> bool {
    const STEP: Duration = Duration::from_millis(20);
    let mut waited = Duration::ZERO;
    while process.is_alive() {
        if waited >= patience {
            return false;
        }
        std::thread::sleep(STEP);
        waited += STEP;
    }
    true
}

/// Ends all of them: first the request that each understands, force after `patience`.
pub(crate) fn end(processes: &[(ProcessId, Signal)], patience: Duration) {
    let reported: Vec<ProcessId> = processes
        .iter()
        .flat_map(|(process, request)| {
            // One that stands still would never hear of it.
            Signal::Resume.send(*process);
            request.send(*process)
        })
        .collect();
    for process in reported {
        if !wait_for_end(process, patience) {
            for killed in Signal::Kill.send(process) {
                wait_for_end(killed, Duration::from_secs(5));
            }
        }
    }
}

type Request = (Command, Sender<io::Result<Child>>);

/// Starts a process that ends with this one, however that ends.
///
/// The kernel ends such a child when the *thread* that started it ends, so one thread that lives as long as the process
/// starts them all.
pub fn bound_child(command: Command) -> io::Result<Child> {
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

/// Starts a process that this thread waits for: it ends with the thread, and so with this process, however that ends.
pub(crate) fn spawn_for_thread(command: &mut Command) -> io::Result<Child> {
    bind(command).spawn()
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
            end_with_parent()?;
            // The parent may have ended before the line above.
            if rustix::process::getppid() == Some(parent) {
                Ok(())
            } else {
                Err(io::Error::from(io::ErrorKind::Interrupted))
            }
        })
    }
}

/// Asks the kernel to end this process when the thread that forked it ends.
#[cfg(target_os = "linux")]
fn end_with_parent() -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    Ok(())
}

/// No server starts where nothing would end it with dbdyno (`platform.rs`).
#[cfg(not(target_os = "linux"))]
fn end_with_parent() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::Stdio;

    use super::*;

    fn sleeper() -> (Child, ProcessId) {
        let mut command = Command::new("sleep");
        command.arg("600");
        let child = bound_child(command).unwrap();
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
        Signal::Kill.send(other);
        assert!(process.is_alive(), "another process of that number is left alone");
        end(&[(process, Signal::Terminate)], Duration::from_secs(5));
        assert!(!process.is_alive());
        child.wait().unwrap();
    }

    #[test]
    fn what_does_not_listen_is_killed() {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' TERM; echo; while :; do sleep 0.05; done"]);
        command.stdout(Stdio::piped());
        let mut child = bound_child(command).unwrap();
        let process = ProcessId::of(child.id()).unwrap();
        // What it writes once it does not listen.
        child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
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
    fn what_a_thread_waits_for_ends_with_the_thread() {
        use std::os::unix::process::ExitStatusExt;
        let start = || spawn_for_thread(Command::new("sleep").arg("600")).unwrap();
        let mut child = std::thread::spawn(start).join().unwrap();
        let killed = rustix::process::Signal::KILL.as_raw();
        assert_eq!(child.wait().unwrap().signal(), Some(killed));
    }

    #[test]
    fn what_nobody_can_refuse_reaches_children_in_groups_of_their_own() {
        let mut command = Command::new("setsid");
        command.args(["--fork", "--wait", "sh", "-c", "sleep 600 & wait"]);
        let mut child = bound_child(command).unwrap();
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
