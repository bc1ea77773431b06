//! A panic is a bug of dbdyno, and says so.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::screen;

/// Replaces the message of panics, on every thread.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic
            .payload()
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.payload().downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        let place = panic
            .location()
            .map_or_else(String::new, |place| format!(" ({place})"));
        screen::restore();
        let _ = writeln!(
            std::io::stderr().lock(),
            "This is a bug in dbdyno {}, not an error in your input: {message}{place}\n\
             Trials that had ended are on disk. Please report it with the command line and this text.",
            env!("CARGO_PKG_VERSION"),
        );
    }));
}

/// Runs a command; a panic in it ends the process with the exit code of a bug, after the hook reported it.
pub fn catch(command: impl FnOnce() -> Result<ExitCode, Problem>) -> Result<ExitCode, Problem> {
    catch_unwind(AssertUnwindSafe(command)).unwrap_or(Ok(ExitCode::Bug))
}
