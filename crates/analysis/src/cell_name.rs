//! The name of what trials share.

use std::fmt;

use dbdyno_record::TrialRecord;
use dbdyno_trial::{RATE, UNLIMITED};
use serde::{Serialize, Serializer};

use crate::workload_name::common_name;

/// Between the parts of a name.
const PARTING: &str = ", ";
/// Between a factor and its level.
const IS: &str = " = ";
/// Before the name of the workload.
const WORKLOAD: &str = ", workload ";

/// System, workload and levels of trials that are runs of one thing; in files and in JSON it is one string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellName {
    /// The system.
    pub system: String,
    /// The workload, as its results call it.
    pub workload: String,
    /// The levels of the other factors, e.g. `clients` and `4`.
    pub levels: Vec<(String, String)>,
}

impl CellName {
    /// The name of a trial's cell.
    #[must_use]
    pub fn of(trial: &TrialRecord) -> Self {
        let factors = trial.spec.factors().into_iter();
        let others = factors.filter(|(name, _)| !matches!(name.as_str(), "system" | "workload"));
        Self {
            system: trial.system.name.clone(),
            workload: trial.workload.name.clone(),
            levels: others.map(|(name, level)| (name, level.to_string())).collect(),
        }
    }

    /// A name that a file of a history states.
    #[must_use]
    pub fn read(name: &str) -> Self {
        let (system, rest) = name.rsplit_once(WORKLOAD).unwrap_or((name, ""));
        let mut parts = rest.split(PARTING).peekable();
        let mut workload = parts.next().unwrap_or_default().to_owned();
        let mut levels = Vec::new();
        for part in parts {
            match (part.split_once(IS), levels.last_mut()) {
                (Some((factor, level)), _) => levels.push((factor.to_owned(), level.to_owned())),
                // A comma within a level or a name.
                (None, Some((_, level))) => *level = format!("{level}{PARTING}{part}"),
                (None, None) => workload = format!("{workload}{PARTING}{part}"),
            }
        }
        Self {
            system: system.to_owned(),
            workload,
            levels,
        }
    }

    /// Whether both are runs of the same thing: systems and levels are equal, and the workloads are called so that they mean one.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.common() == other.common()
    }

    /// The name that all names of the same thing share: the workload called as all its writings are, without levels that are in force
    /// anyway.
    #[must_use]
    pub fn common(&self) -> Self {
        Self {
            system: self.system.clone(),
            workload: common_name(&self.workload),
            levels: self
                .levels
                .iter()
                .filter(|level| !is_usual(level))
                .cloned()
                .collect(),
        }
    }
}

/// Whether a level is that of a study that does not name the factor: without a rate, every system runs at full speed.
#[must_use]
pub fn is_usual((factor, level): &(String, String)) -> bool {
    factor == RATE && level == UNLIMITED
}

impl fmt::Display for CellName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.system)?;
        if !self.workload.is_empty() {
            write!(formatter, "{WORKLOAD}{}", self.workload)?;
        }
        self.levels
            .iter()
            .try_for_each(|(factor, level)| write!(formatter, "{PARTING}{factor}{IS}{level}"))
    }
}

impl Serialize for CellName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What trials must share to be runs of the same thing, as one string.
#[must_use]
pub fn cell_name(trial: &TrialRecord) -> String {
    CellName::of(trial).to_string()
}

#[cfg(test)]
mod tests {
    use super::CellName;

    #[test]
    fn a_name_of_a_history_is_read_and_written_alike() {
        let text = "here: redb, workload a, clients = 4, records = 1000";
        let name = CellName::read(text);
        assert_eq!(
            (name.system.as_str(), name.workload.as_str()),
            ("here: redb", "a")
        );
        assert_eq!(name.levels[1], ("records".to_owned(), "1000".to_owned()));
        assert_eq!(name.to_string(), text);
        for other in [
            "imported",
            "x, workload mine, too, clients = 4",
            "x, workload a, path = b, c",
        ] {
            assert_eq!(CellName::read(other).to_string(), other);
        }
    }

    #[test]
    fn a_workload_of_ycsb_is_one_in_any_case() {
        let [small, large] =
            ["redb, workload a, clients = 4", "redb, workload A, clients = 4"].map(CellName::read);
        assert!(small != large && small.is_same(&large));
        assert_eq!(small, large.common());
        assert!(!small.is_same(&CellName::read("redb, workload A, clients = 8")));
    }

    #[test]
    fn a_study_without_rates_runs_at_full_speed() {
        let [plain, full, slow] = [
            "redb, workload a, clients = 4",
            "redb, workload a, clients = 4, rate = unlimited",
            "redb, workload a, clients = 4, rate = 5000",
        ]
        .map(CellName::read);
        assert!(plain.is_same(&full) && full.is_same(&plain));
        assert!(!plain.is_same(&slow) && !full.is_same(&slow));
    }
}
