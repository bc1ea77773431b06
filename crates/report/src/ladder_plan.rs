//! What a study at rising load asked, as its study file says it.

use dbdyno_files::StudyFile;
use dbdyno_files::values::Kind;
use dbdyno_record::Objective;
use dbdyno_stats::capacity;

/// The keys of a study file that its report needs. `dbdyno-study` has checked the file before anything was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderPlan {
    /// Whether a capacity is searched; else latency at rising load is shown.
    pub capacity: bool,
    /// What must hold; a sweep may have none.
    pub objective: Option<Objective>,
    /// Distance of two rates of a search, as a share.
    pub step: f64,
    /// Trials of a confirmed rate or of a step.
    pub trials: u32,
    /// Clients that were said; `None`: the pilot found them.
    pub clients: Option<u32>,
}

impl LadderPlan {
    /// Reads a study file; `None` when the study is of another kind.
    #[must_use]
    pub fn read(study_text: &str) -> Option<Self> {
        let study: StudyFile = dbdyno_files::read(study_text).ok()?;
        let is_capacity = match study.kind?.value {
            Kind::Capacity => true,
            Kind::Sweep => false,
            Kind::Comparison => return None,
        };
        let objective = Objective::parse(study.slo.0.iter().map(|limit| limit.value.0.as_str())).ok();
        Some(Self {
            capacity: is_capacity,
            objective: objective.filter(|objective| !objective.expectations.is_empty()),
            step: study.step.map_or(capacity::STEP, |step| step.value.0),
            trials: study.trials.map_or(capacity::TRIALS, |trials| trials.value.0),
            clients: match &study.clients.0[..] {
                [one] => Some(one.value.0),
                _ => None,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_study_file_counts() {
        let plan =
            |keys: &str| LadderPlan::read(&format!("name = \"x\"\nkind = \"capacity\"\n{keys}")).unwrap();
        for (clients, expected) in [
            ("16", 16),
            ("\"1.5k\"", 1500),
            ("\"1e3\"", 1000),
            ("[\"2k\"]", 2000),
        ] {
            let plan = plan(&format!("clients = {clients}"));
            assert_eq!(plan.clients, Some(expected), "{clients}");
        }
        for step in ["\"10%\"", "\"0.1\"", "0.1"] {
            let read = plan(&format!("step = {step}")).step;
            assert!((read - 0.1).abs() < 1e-12, "{step}: {read}");
        }
        assert_eq!(plan("trials = \"1e1\"").trials, 10);
    }
}
