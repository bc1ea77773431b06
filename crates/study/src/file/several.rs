//! Several systems under one workload, asked for on a command line: the same study as from a file.

use std::path::Path;

use dbdyno_files::values::{Switch, Text, Trials};
use dbdyno_files::{List, Mistake, Placed, StudyFile};
use dbdyno_trial::Reset;
use dbdyno_vocabulary::words;

use super::definition::System;
use super::{CheckedStudy, check, written};
use crate::file::single::Single;

/// What is asked besides the trials themselves.
#[derive(Clone, Copy, Debug)]
pub struct SeveralRequest {
    /// Trials of each system; `None`: as many as a study takes.
    pub runs: Option<u32>,
    /// Whether the warm-up of the trials was asked for; if not, each system has a study's default.
    pub states_warmup: bool,
}

/// The study of these systems, all asked for the work of the first.
///
/// # Errors
/// When what is asked does not fit together; it stands in no file that has a place for the mistake.
pub fn several(
    first: &Single,
    others: &[Single],
    name: &str,
    request: SeveralRequest,
) -> Result<CheckedStudy, Mistake> {
    let singles = || std::iter::once(first).chain(others);
    let addresses: Vec<String> = singles().map(|single| single.target.to_string()).collect();
    let title = format!(
        "{} under workload {}",
        words::list(&addresses),
        first.spec.workload
    );
    let file = written::of_trial(first, name);
    let keys = StudyFile {
        title: Some(Text::from(title.as_str()).into()),
        trials: request.runs.map(|runs| Trials(runs).into()),
        fresh: Some(Switch(first.spec.reset == Reset::Fresh).into()),
        systems: List::of(addresses.iter().map(|address| Text::from(address.as_str()))),
        warmup: file.warmup.clone().filter(|_| request.states_warmup),
        ..file
    };
    // The file shows no secret; the drivers need theirs.
    let systems: Vec<Placed<System>> = singles()
        .map(|single| System::of(&single.target).into())
        .collect();
    Ok(CheckedStudy {
        study: check::study(&keys, Ok(systems), Path::new(".")).map_err(check::first)?,
        text: keys.to_text("# Made by `dbdyno run`; run it as a study to repeat the comparison.\n"),
    })
}
