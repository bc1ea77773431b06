//! One system at rising load, asked for on a command line: the same study as from a file.

use std::path::Path;

use dbdyno_files::values::{Kind, Switch};
use dbdyno_files::{Mistake, StudyFile};
use dbdyno_trial::Reset;

use super::{CheckedStudy, check, written};
use crate::file::definition::System;
use crate::file::single::Single;

/// What is asked besides the trial itself.
#[derive(Clone, Debug)]
pub struct RisingLoadRequest {
    /// A capacity or a sweep.
    pub kind: Kind,
    /// `trials`, `slo`, `step`, `clients`, `rates` and `arrivals`, as a study file would say them; other keys are not looked at.
    pub keys: StudyFile,
}

/// The study of one system. Of `single` the clients and the rate are not used: rising load has its own.
///
/// # Errors
/// When what is asked does not fit together; it stands in no file that has a place for the mistake.
pub fn rising_load(single: &Single, name: &str, request: RisingLoadRequest) -> Result<CheckedStudy, Mistake> {
    let RisingLoadRequest { kind, keys } = request;
    let keys = StudyFile {
        kind: Some(kind.into()),
        trials: keys.trials,
        slo: keys.slo,
        step: keys.step,
        fresh: Some(Switch(single.spec.reset == Reset::Fresh).into()),
        clients: keys.clients,
        rates: keys.rates,
        arrivals: keys.arrivals,
        ..written::of_work(single, name)
    };
    let comment = format!(
        "# Made by `dbdyno {}`; run it as a study to repeat the search.\n",
        kind.word()
    );
    // The file shows no secret; the driver needs it.
    let system = System::of(&single.target);
    Ok(CheckedStudy {
        study: check::study(&keys, Ok(vec![system.into()]), Path::new(".")).map_err(check::first)?,
        text: keys.to_text(&comment),
    })
}
