//! How a study goes on after it was interrupted.

use dbdyno_vocabulary::shell;

use super::outline::short_duration;
use crate::arguments::StudyFileArguments;

/// The command that goes on with a study of so many trials.
pub fn command(arguments: &StudyFileArguments, trials: u32) -> String {
    let mut again = format!("dbdyno study run {}", shell::path(&arguments.file));
    if arguments.quick {
        again.push_str(" --quick");
    }
    if let Some(time) = arguments.budget {
        again.push_str(&format!(" --budget {}", short_duration(time)));
    }
    if let Some(folder) = &arguments.output {
        again.push_str(&format!(" --output {}", shell::path(folder)));
    }
    if arguments.trials.is_some() {
        // `+5` would add as many again.
        again.push_str(&format!(" --trials {trials}"));
    }
    again
}

/// The arguments of this process, with the number of trials that it was asked for: `--trials +5` would add as many again.
pub fn same_trials(trials: u32) -> impl Iterator<Item = std::ffi::OsString> {
    const FLAG: &str = "--trials";
    let mut is_value = false;
    std::env::args_os().map(move |argument| {
        if std::mem::replace(&mut is_value, argument == FLAG) {
            return trials.to_string().into();
        }
        match argument.to_str().and_then(|text| text.strip_prefix(FLAG)) {
            Some(value) if value.starts_with('=') => format!("{FLAG}={trials}").into(),
            _ => argument,
        }
    })
}
