//! Ctrl-C and termination signals: the first drains and keeps what was measured, the second aborts at once.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use dbdyno_engine::Stop;

use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::screen;
use crate::terminal::Terminal;

/// What a signal ends, for whoever sent it.
#[derive(Clone, Copy, Debug)]
pub enum Ending {
    /// Trials: operations in flight end, and results are kept.
    Measurement,
    /// An audit: what was seen is kept.
    Audit,
    /// The start of servers, which has no results.
    Start,
}

impl Ending {
    const fn stopping(self) -> &'static str {
        match self {
            Self::Measurement => "Stopping: waiting for operations in flight; results so far are kept.",
            Self::Audit => "Stopping: observations so far are kept.",
            Self::Start => "Stopping: servers that have already started are being stopped.",
        }
    }

    const fn aborted(self) -> &'static str {
        match self {
            Self::Measurement => {
                "Aborted; the running trial is lost. `dbdyno lab down --left-behind` removes what lab servers left behind."
            }
            Self::Audit => "Aborted; the observations are lost.",
            Self::Start => "Aborted; `dbdyno lab down --left-behind` stops what is left.",
        }
    }
}

/// The stop that the first signal requests: one for the whole process, so that a command of several studies ends with the one that runs.
///
/// # Errors
/// When the operating system refuses a signal handler.
pub fn stop_on_signals(ending: Ending, terminal: Terminal) -> Result<Stop, Problem> {
    static STOP: OnceLock<Stop> = OnceLock::new();
    if let Some(stop) = STOP.get() {
        return Ok(stop.clone());
    }
    let stop = Stop::new();
    let (on_signal, asked) = (stop.clone(), AtomicBool::new(false));
    on_signals(move || {
        if asked.swap(true, Ordering::SeqCst) {
            screen::restore();
            let _ = writeln!(std::io::stderr().lock(), "\n{}", ending.aborted());
            std::process::exit(i32::from(ExitCode::Interrupted.number()));
        }
        on_signal.request();
        terminal.note(&format!("\n{} Press Ctrl-C again to abort.", ending.stopping()));
    })?;
    Ok(STOP.get_or_init(|| stop).clone())
}

/// The stop that a signal requests, of what is meant to end so and has nothing to lose.
///
/// # Errors
/// When the operating system refuses a signal handler.
pub fn end_on_signals() -> Result<Stop, Problem> {
    let stop = Stop::new();
    let on_signal = stop.clone();
    on_signals(move || on_signal.request())?;
    Ok(stop)
}

fn on_signals(handler: impl FnMut() + Send + 'static) -> Result<(), Problem> {
    ctrlc::set_handler(handler).map_err(|error| {
        Problem::usage("the operating system refused to create the signal thread")
            .help("raise its limits (`ulimit -u`)")
            .caused_by(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_study_of_a_command_hears_the_same_signal() {
        let terminal = Terminal::of_mistakes();
        let first = stop_on_signals(Ending::Measurement, terminal).unwrap();
        let second = stop_on_signals(Ending::Measurement, terminal).unwrap();
        first.request();
        assert!(second.is_requested());
    }
}
