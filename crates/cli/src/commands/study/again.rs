//! How a study goes on after it was interrupted, and what cannot go on.

use dbdyno_study::Study;
use dbdyno_vocabulary::shell;
use dbdyno_vocabulary::visible::HIDDEN;

use super::outline::short_duration;
use crate::arguments::StudyFileArguments;
use crate::problem::Problem;

/// Refuses what a result folder keeps of a study with passwords: every trial of it would fail.
pub fn check(study: &Study) -> Result<(), Problem> {
    let lacking = study.systems.iter().find(|system| system.target.lacks_secret());
    lacking.map_or(Ok(()), |system| {
        let message = format!("the address of {} holds `{HIDDEN}` in place of a secret", system.target);
        Err(Problem::usage(message).help(
            "results keep no passwords: run the study file that you wrote, with the same --output, or put the secret back, \
             best as `password_env=VARIABLE`",
        ))
    })
}

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
