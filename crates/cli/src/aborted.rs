//! What happens when a client library aborts the process: some do when a server sends a malformed answer
//! (docs/decisions/hostile-servers.md). A command that measures one system ends with a message. A study goes on without the
//! system: the signal handler starts the program anew in the same process, with the number of the trial in its environment.

mod restart;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use dbdyno_driver::Target;
use dbdyno_lab::{LabError, LabHome};
use dbdyno_machine::ProcessId;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal};

use crate::exit_code::ExitCode;
use crate::screen;

use restart::Restart;
pub use restart::trials;

/// Made beforehand: a signal handler may not allocate.
static WORDS: OnceLock<String> = OnceLock::new();
static RESTART: OnceLock<Restart> = OnceLock::new();
/// The number of the trial that runs alone now; 0: there is none.
static TRIAL: AtomicU32 = AtomicU32::new(0);

/// From now on, when the process aborts, says that an answer of these systems may be the reason, and ends with
/// [`ExitCode::SystemUnreachable`]. Systems inside this process keep the plain abort.
pub fn explain<'a>(systems: impl IntoIterator<Item = &'a Target>) {
    let servers: Vec<String> = systems
        .into_iter()
        .filter(|target| dbdyno_registry::find(&target.scheme).map_or(true, |info| info.remote))
        .map(ToString::to_string)
        .collect();
    if servers.is_empty() || WORDS.set(words(&servers.join(", "))).is_err() {
        return;
    }
    let action = SigAction::new(
        SigHandler::Handler(end),
        SaFlags::SA_ONSTACK | SaFlags::SA_RESETHAND,
        SigSet::empty(),
    );
    #[expect(
        unsafe_code,
        reason = "a signal handler; it only writes, starts the program anew or ends the process, and all may be done in one"
    )]
    // Without it the abort is as plain as it was.
    let _ = unsafe { nix::sys::signal::sigaction(Signal::SIGABRT, &action) };
}

/// From now on, when the process aborts in a trial, these arguments start it anew.
pub fn go_on_with(arguments: impl IntoIterator<Item = std::ffi::OsString>) {
    if let Some(restart) = Restart::prepare(arguments) {
        let _ = RESTART.set(restart);
    }
}

/// The trial of this number runs alone now; 0: none does. Trials that take turns are known by the names of their threads.
pub fn note_trial(number: u32) {
    TRIAL.store(number, Ordering::Relaxed);
}

/// Stops and removes the lab's servers that the aborted study had started: they belong to this process, which has just begun and has
/// started none.
///
/// # Errors
/// When the lab's directories cannot be read or removed.
pub fn stop_servers() -> Result<(), LabError> {
    let own = ProcessId::own();
    for instance in dbdyno_lab::instances(&LabHome::of_user()?)? {
        if own.is_some() && instance.owner == own {
            dbdyno_lab::down(&instance)?;
        }
    }
    Ok(())
}

fn words(servers: &str) -> String {
    format!(
        "Error: the client library could not process an answer from {servers} and aborted dbdyno; the reason is above.\n  \
         help: the answer is malformed, or needs more memory than there is. Check that the address is that of the database which \
         it names. Trials that had ended are on disk.\n"
    )
}

extern "C" fn end(_signal: nix::libc::c_int) {
    screen::restore_in_signal_handler();
    let number = match number_of_thread() {
        0 => TRIAL.load(Ordering::Relaxed),
        number => number,
    };
    if let Some(restart) = RESTART.get().filter(|_| number != 0) {
        restart.without(number);
    }
    if let Some(words) = WORDS.get() {
        let _ = nix::unistd::write(std::io::stderr(), words.as_bytes());
    }
    #[expect(unsafe_code, reason = "ends the process without running anything else of it")]
    unsafe {
        nix::libc::_exit(i32::from(ExitCode::SystemUnreachable.number()))
    }
}

/// The number of the trial whose thread this is; 0: of none.
#[cfg(target_os = "linux")]
fn number_of_thread() -> u32 {
    use dbdyno_engine::OF_TRIAL;

    // PR_GET_NAME gives at most 16 bytes, the last one 0 (prctl(2)).
    let mut name = [0_u8; 16];
    #[expect(unsafe_code, reason = "the name of this thread, without allocating")]
    unsafe {
        nix::libc::prctl(nix::libc::PR_GET_NAME, name.as_mut_ptr())
    };
    let Some(number) = name.strip_prefix(OF_TRIAL.as_bytes()) else {
        return 0;
    };
    let digits = number.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number: u32, digit| {
        number.saturating_mul(10).saturating_add(u32::from(digit - b'0'))
    })
}

/// The number of the trial whose thread this is: not known. The program is started anew on Linux only.
#[cfg(not(target_os = "linux"))]
const fn number_of_thread() -> u32 {
    0
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_of_a_trial_knows_its_number_and_others_have_none() {
        let number = |name: &str| {
            let thread = std::thread::Builder::new().name(name.to_owned());
            thread.spawn(number_of_thread).unwrap().join().unwrap()
        };
        assert_eq!(number("trial-017-clients-0"), 17);
        assert_eq!(number("trial-1234567890-clients-0"), 123_456_789);
        assert_eq!(number("clients-3"), 0);
        assert_eq!(number("trial-x"), 0);
    }
}
