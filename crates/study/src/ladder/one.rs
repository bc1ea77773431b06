//! One system at rising load, asked for on a command line: the same study as from a file.

use std::path::Path;

use dbdyno_workload::arrivals::Arrivals;

use crate::file::{StudyFile, parse};
use crate::single::Single;
use crate::toml_reader::Mistake;

/// What is asked besides the trial itself.
#[derive(Clone, Debug)]
pub struct Asked {
    /// `capacity` or `sweep`.
    pub kind: &'static str,
    /// Expectations that must hold together.
    pub objective: Vec<String>,
    /// Distance of two rates, e.g. `5%`; `None`: the default, or none is needed.
    pub step: Option<String>,
    /// Trials of a confirmed rate or of a step.
    pub trials: u32,
    /// No number: the pilot finds it; one: as said; several: the steps of a sweep.
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
/// When what is asked does not fit together; the place is in the text of the study, which nobody has seen.
pub fn study(single: &Single, name: &str, asked: &Asked) -> Result<StudyFile, Mistake> {
    let text = crate::study_text::of_ladder(single, name, asked);
    let mut study = parse(&text, Path::new("."))?;
    // The text hides secrets, which the driver needs.
    study.systems[0].target = single.target.clone();
    Ok(StudyFile { study, text })
}
