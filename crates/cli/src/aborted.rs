//! The message when a client library aborts the process: some do when a server sends a malformed answer
//! (docs/decisions/0039-hostile-servers.md).

use std::sync::OnceLock;

use dbdyno_driver::Target;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal};

use crate::exit_code::ExitCode;
use crate::screen;

/// Made beforehand: a signal handler may not allocate.
static WORDS: OnceLock<String> = OnceLock::new();

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
        reason = "a signal handler; it only writes and ends the process, and both may be done in one"
    )]
    // Without it the abort is as plain as it was.
    let _ = unsafe { nix::sys::signal::sigaction(Signal::SIGABRT, &action) };
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
    if let Some(words) = WORDS.get() {
        let _ = nix::unistd::write(std::io::stderr(), words.as_bytes());
    }
    #[expect(unsafe_code, reason = "ends the process without running anything else of it")]
    unsafe {
        nix::libc::_exit(i32::from(ExitCode::SystemUnreachable.number()))
    }
}
