//! One system at rising load, asked for on a command line: the same study as from a file.

use std::path::Path;

use dbdyno_files::values::{ArrivalSpacing, Clients, Kind, Rate, Step, Switch, Text, Trials};
use dbdyno_files::{List, Mistake, StudyFile};
use dbdyno_workload::arrivals::Arrivals;

use super::{CheckedStudy, check, written};
use crate::file::definition::System;
use crate::file::single::Single;

/// What is asked besides the trial itself.
#[derive(Clone, Debug)]
pub struct LadderRequest {
    /// A capacity or a sweep.
    pub kind: Kind,
    /// Expectations that must hold together.
    pub objective: Vec<String>,
    /// Distance of two rates; `None`: the default, or none is needed.
    pub step: Option<Step>,
    /// Trials of a confirmed rate or of a step.
    pub trials: u32,
    /// No number: the pilot finds it; one: it is fixed; several: the steps of a sweep.
    pub clients: Vec<u32>,
    /// The steps of a sweep.
    pub rates: Vec<f64>,
    /// How arrivals are spaced.
    pub arrivals: Option<Arrivals>,
    /// Whether every trial loads anew.
    pub fresh: bool,
}

/// The study of one system. Of `single` the clients and the rate are not used: the ladder has its own.
///
/// # Errors
/// When what is asked does not fit together; it stands in no file that has a place for the mistake.
pub fn ladder(single: &Single, name: &str, request: &LadderRequest) -> Result<CheckedStudy, Mistake> {
    let keys = StudyFile {
        kind: Some(request.kind.into()),
        trials: Some(Trials(request.trials).into()),
        slo: List::of(request.objective.iter().map(|text| Text::from(text.as_str()))),
        step: request.step.map(Into::into),
        fresh: Some(Switch(request.fresh).into()),
        clients: List::of(request.clients.iter().copied().map(Clients)),
        rates: List::of(request.rates.iter().copied().map(Rate::PerSecond)),
        arrivals: request.arrivals.map(|arrivals| ArrivalSpacing(arrivals).into()),
        ..written::of_work(single, name)
    };
    let comment = format!(
        "# Made by `dbdyno {}`; run it as a study to repeat the search.\n",
        request.kind.word()
    );
    // The file shows no secret; the driver needs it.
    let system = System::of(&single.target);
    Ok(CheckedStudy {
        study: check::study(&keys, Ok(vec![system.into()]), Path::new(".")).map_err(check::first)?,
        text: keys.to_text(&comment),
    })
}
