//! How people call the trials of a study, before, while and after it runs: the system, and its test by the name that the report gives it.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::pilot::share_a_rate;
use dbdyno_record::{PlannedStudy, TrialRecord, WorkloadRecord};
use dbdyno_trial::{CLIENTS, FactorLevels, Level, PILOT, PROBE, Purpose, RATE, TrialSpec};
use dbdyno_vocabulary::shown_name;

use crate::model::{kind, place};
use crate::words::load::{FULL_SPEED, Load};

/// The names of a study's trials, as far as it is known what they do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialNames {
    /// What people call each workload.
    works: BTreeMap<String, String>,
    /// The factors that distinguish the tests.
    varying: BTreeSet<String>,
    /// Trials at a common rate, of each cell one, whose rate is known.
    paced: Vec<TrialSpec>,
}

impl TrialNames {
    /// Of a study that plans these trials.
    pub fn of<'a>(study: &PlannedStudy, planned: impl IntoIterator<Item = &'a TrialSpec>) -> Self {
        let mut names = Self::default();
        names.plan(study, planned);
        names
    }

    /// Takes in a plan: of a search, it grows.
    pub fn plan<'a>(&mut self, study: &PlannedStudy, planned: impl IntoIterator<Item = &'a TrialSpec>) {
        let planned: Vec<FactorLevels> = planned.into_iter().map(cell_levels).collect();
        self.varying = varying(&planned);
        for (name, properties) in &study.workloads {
            let workload = WorkloadRecord {
                name: name.clone(),
                records: 0,
                properties: properties.clone(),
            };
            self.works.insert(name.clone(), kind::label(&workload));
        }
    }

    /// Learns from a trial that ran: what plans of earlier formats do not say of its workload, and the common rate.
    pub fn learn(&mut self, trial: &TrialRecord) {
        let name = &trial.workload.name;
        if !self.works.contains_key(name) {
            self.works.insert(name.clone(), kind::label(&trial.workload));
        }
        self.learn_rate(&trial.spec);
    }

    /// Learns the common rate from a trial that runs or ran at it.
    pub fn learn_rate(&mut self, spec: &TrialSpec) {
        if spec.common_rate && spec.pace.is_some() && self.common_rate(spec).is_none() {
            self.paced.push(spec.clone());
        }
    }

    fn common_rate(&self, spec: &TrialSpec) -> Option<f64> {
        let mut paced = self.paced.iter();
        paced.find(|paced| share_a_rate(paced, spec))?.rate()
    }

    /// The levels that distinguish the test of a trial.
    fn factors(&self, spec: &TrialSpec) -> FactorLevels {
        let mut factors = cell_levels(spec);
        factors.retain(|name, _| self.varying.contains(name));
        factors
    }

    /// The test of a trial without its load: `A: update heavy, 16 clients`.
    #[must_use]
    pub fn work(&self, spec: &TrialSpec) -> String {
        place::with_levels(self.workload(&spec.workload), &self.factors(spec))
    }

    /// What people call a workload: `A: update heavy`.
    fn workload(&self, name: &str) -> String {
        let known = self.works.get(name).cloned();
        known.unwrap_or_else(|| kind::unknown(name))
    }

    /// The test of a pilot of which only the workload is known.
    #[must_use]
    pub fn pilot(&self, workload: &str) -> String {
        pilot_of(&self.workload(workload))
    }

    /// The test of a trial: `A: update heavy, 16 clients, full speed`.
    #[must_use]
    pub fn test(&self, spec: &TrialSpec) -> String {
        let work = self.work(spec);
        if let Some(purpose) = spec.purpose {
            return format!("{work}, {}", probe(purpose, spec));
        }
        if spec.is_pilot() {
            return pilot_of(&work);
        }
        match self.load(spec) {
            Some(load) => format!("{work}, {}", load.words()),
            None => work,
        }
    }

    fn load(&self, spec: &TrialSpec) -> Option<Load> {
        let rate = spec.rate().or_else(|| self.common_rate(spec));
        match (rate, spec.common_rate) {
            (Some(rate), _) => Some(Load::Rate(rate)),
            (None, true) => Some(Load::Same),
            (None, false) => place::full_speed(&self.factors(spec)),
        }
    }

    /// The system and the test of a trial: `repeat of redb, A: update heavy, full speed`.
    #[must_use]
    pub fn trial(&self, spec: &TrialSpec) -> String {
        format!("{}, {}", shown_name(&spec.system.name), self.test(spec))
    }
}

/// A pilot of a common rate: `A: update heavy, pilot at full speed`.
fn pilot_of(work: &str) -> String {
    format!("{work}, pilot at {FULL_SPEED}")
}

/// The levels that can distinguish tests. Searches choose clients and rates by themselves.
fn cell_levels(spec: &TrialSpec) -> FactorLevels {
    let mut levels = spec.cell_levels();
    let is_own = |name: &str| {
        let of_search = spec.purpose.is_some() && [CLIENTS, RATE].contains(&name);
        of_search || [PILOT, PROBE].contains(&name)
    };
    levels.retain(|name, _| !is_own(name));
    levels
}

/// What a trial of a search is for: `search at 12.0k/s`, `pilot, 8 clients, full speed`.
fn probe(purpose: Purpose, spec: &TrialSpec) -> String {
    let name = match purpose {
        Purpose::Confirm => "confirmation",
        purpose => purpose.name(),
    };
    match spec.rate() {
        Some(rate) => format!("{name} {}", Load::Rate(rate).words()),
        None => {
            let clients = place::of_level(CLIENTS, &Level::Count(u64::from(spec.clients)));
            format!("{name}, {clients}, {FULL_SPEED}")
        }
    }
}

/// The factors that take more than one level.
pub fn varying(trials: &[FactorLevels]) -> BTreeSet<String> {
    let names: BTreeSet<&String> = trials.iter().flat_map(FactorLevels::keys).collect();
    let first = trials.first();
    let varies = |name: &String| {
        let level = first.and_then(|first| first.get(name));
        trials.iter().any(|own| own.get(name) != level)
    };
    names.into_iter().filter(|name| varies(name)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use dbdyno_trial::{Arrivals, Factor, Pace, SystemSpec};
    use dbdyno_vocabulary::twin_name;

    use super::*;

    fn spec(rate: Option<f64>) -> TrialSpec {
        TrialSpec {
            factors: [Factor::Rate].into(),
            clients: 8,
            pace: rate.map(|rate| Pace {
                rate,
                arrivals: Arrivals::default(),
            }),
            ..TrialSpec::new(SystemSpec::named("redb"), "a", 10)
        }
    }

    fn common(rate: Option<f64>) -> TrialSpec {
        TrialSpec {
            common_rate: true,
            ..spec(rate)
        }
    }

    /// A study of workload a.
    fn update_heavy() -> PlannedStudy {
        let half = ["readproportion", "updateproportion"].map(|name| (name.to_owned(), "0.5".to_owned()));
        PlannedStudy {
            workloads: [("a".to_owned(), half.into())].into(),
            ..PlannedStudy::default()
        }
    }

    #[test]
    fn a_trial_is_called_as_in_the_report() {
        let planned = [spec(None), common(None)];
        let unknown = TrialNames::of(&PlannedStudy::default(), &planned);
        assert_eq!(unknown.test(&planned[0]), "Workload a, full speed");
        let mut names = TrialNames::of(&update_heavy(), &planned);
        assert_eq!(names.trial(&planned[0]), "redb, A: update heavy, full speed");
        assert_eq!(names.test(&planned[1]), "A: update heavy, same load");
        names.learn_rate(&common(Some(18_000.0)));
        assert_eq!(names.test(&planned[1]), "A: update heavy, at 18.0k/s");
        let pilot = TrialSpec {
            pilot_share: Some(0.5),
            ..common(None)
        };
        assert_eq!(names.test(&pilot), "A: update heavy, pilot at full speed");
        let twin = TrialSpec {
            system: SystemSpec::named(&twin_name("redb")),
            ..spec(None)
        };
        assert_eq!(names.trial(&twin), "repeat of redb, A: update heavy, full speed");
    }

    #[test]
    fn what_does_not_vary_is_not_said() {
        let names = TrialNames::of(&update_heavy(), [&spec(None)]);
        assert_eq!(names.test(&spec(None)), "A: update heavy");
        let many = TrialSpec {
            clients: 16,
            ..spec(None)
        };
        let names = TrialNames::of(&update_heavy(), [&spec(None), &many]);
        assert_eq!(names.test(&many), "A: update heavy, 16 clients");
    }

    #[test]
    fn a_trial_of_a_search_says_what_it_is_for() {
        let probe = |purpose, clients, rate| TrialSpec {
            purpose: Some(purpose),
            clients,
            ..spec(rate)
        };
        let planned = [
            probe(Purpose::Pilot, 4, None),
            probe(Purpose::Search, 8, Some(12_000.0)),
            probe(Purpose::Confirm, 8, Some(9_000.0)),
        ];
        let names = TrialNames::of(&update_heavy(), &planned);
        assert_eq!(
            planned.map(|spec| names.test(&spec)),
            [
                "A: update heavy, pilot, 4 clients, full speed",
                "A: update heavy, search at 12.0k/s",
                "A: update heavy, confirmation at 9.00k/s"
            ]
        );
    }
}
