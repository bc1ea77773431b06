//! Words that other tools have for our flags: a mistake in a command line suggests what is meant.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

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

/// Adds to the error which of our flags is meant, where a flag of another tool was given.
pub fn explained(mut error: Error) -> Error {
    let given = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let flag = given(ContextKind::InvalidArg).unwrap_or_default();
            if let Some((_, ours)) = FLAGS.iter().find(|(theirs, _)| *theirs == flag) {
                error.remove(ContextKind::Suggested);
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
                let tip = format!("to run a study file: `dbdyno study run {word}`");
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            }
        }
        _ => {}
    }
    error
}
