//! Words that other tools have for our flags: a mistake in a command line suggests what is meant.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use dbdyno_vocabulary::{shell, suggest};

use crate::terminal::Terminal;

/// Other tools mean clients by it, or threads.
const WORKERS: &str = "--workers";

/// Names of `run` in other tools.
const MEASURE: [&str; 4] = ["measure", "bench", "benchmark", "test"];

/// Flags of k6, wrk, pgbench, memtier and others, and ours.
const FLAGS: [(&str, &str); 9] = [
    ("--vus", "--clients"),
    ("--users", "--clients"),
    ("--connections", "--clients"),
    ("--concurrency", "--clients"),
    ("--iterations", "--operations"),
    ("--requests", "--operations"),
    ("--rps", "--rate"),
    ("--qps", "--rate"),
    ("--time", "--duration"),
];

/// Shows what is wrong with a command line, or the help that it asks for, and ends the process.
pub fn end(error: Error) -> ! {
    let error = explained(error);
    if !error.use_stderr() {
        error.exit();
    }
    let terminal = Terminal::of_mistakes();
    let text = error.render();
    let text = if terminal.stderr.color {
        text.ansi().to_string()
    } else {
        text.to_string()
    };
    terminal.tell(text.trim_end_matches('\n'));
    std::process::exit(error.exit_code());
}

/// Adds to the error which of our flags is meant, where a flag of another tool was given.
fn explained(mut error: Error) -> Error {
    let given = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let flag = given(ContextKind::InvalidArg).unwrap_or_default();
            // A flag that does not exist is no value: "use '-- --flag'" leads nowhere.
            error.remove(ContextKind::Suggested);
            if flag == WORKERS {
                let tip = "`--clients` is how many requests are in flight, `--client-threads` how many threads send them";
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            } else if let Some((_, ours)) = FLAGS.iter().find(|(theirs, _)| *theirs == flag) {
                error.insert(
                    ContextKind::SuggestedArg,
                    ContextValue::String((*ours).to_owned()),
                );
            }
        }
        ErrorKind::InvalidSubcommand => {
            let word = given(ContextKind::InvalidSubcommand).unwrap_or_default();
            if std::path::Path::new(&word)
                .extension()
                .is_some_and(|extension| extension == "toml")
            {
                error.remove(ContextKind::SuggestedSubcommand);
                let tip = format!("to run a study file: `dbdyno study run {}`", shell::word(&word));
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            } else if suggest::nearest(&word, MEASURE).is_some() {
                let run = ContextValue::Strings(vec!["run".to_owned()]);
                error.insert(ContextKind::SuggestedSubcommand, run);
            }
        }
        _ => {}
    }
    error
}
