//! The name of what trials share.

use std::fmt;

use dbdyno_record::TrialRecord;
use serde::{Serialize, Serializer};

/// Between the parts of a name.
const PARTING: &str = ", ";
/// Between a factor and its level.
const IS: &str = " = ";

/// What trials share that are runs of the same thing; in texts and in JSON it is one string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellName {
    /// System and workload.
    pub subject: String,
    /// The levels of the other factors, e.g. `clients = 4`.
    pub levels: Vec<String>,
}

impl CellName {
    /// The name of a trial's cell.
    #[must_use]
    pub fn of(trial: &TrialRecord) -> Self {
        let factors = trial.spec.factors().into_iter();
        let others = factors.filter(|(name, _)| !matches!(name.as_str(), "system" | "workload"));
        Self {
            subject: format!("{}{PARTING}workload {}", trial.system.name, trial.workload.name),
            levels: others.map(|(name, value)| format!("{name}{IS}{value}")).collect(),
        }
    }

    /// A name that a file of a history states.
    #[must_use]
    pub fn read(name: &str) -> Self {
        let (levels, subject): (Vec<&str>, Vec<&str>) =
            name.split(PARTING).partition(|part| part.contains(IS));
        Self {
            subject: subject.join(PARTING),
            levels: levels.into_iter().map(str::to_owned).collect(),
        }
    }

    /// The name without these levels.
    #[must_use]
    pub fn without(mut self, levels: &[String]) -> Self {
        self.levels.retain(|level| !levels.contains(level));
        self
    }
}

impl fmt::Display for CellName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.subject)?;
        self.levels
            .iter()
            .try_for_each(|level| write!(formatter, "{PARTING}{level}"))
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
        assert_eq!(name.subject, "here: redb, workload a");
        assert_eq!(name.to_string(), text);
        let own = name.without(&["clients = 4".to_owned()]);
        assert_eq!(own.to_string(), "here: redb, workload a, records = 1000");
    }
}
