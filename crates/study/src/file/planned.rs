//! What a study file asks, as plans keep it.
//!
//! Plans of formats 1 and 2 do not: there, the study file that lies beside them says it, with no word on whether its systems and
//! workloads still exist.

use std::collections::BTreeMap;

use dbdyno_files::{PaperTable, StudyFile};
use dbdyno_record::{PlannedOrder, PlannedPaper, PlannedStudy};

use super::kind::KindKeys;
use super::rates::RateKeys;
use super::{kind, levels, quick, workloads};
use crate::file::definition::{Order, Study};

impl Study {
    /// What it asks, as its plan keeps it.
    #[must_use]
    pub fn planned(&self) -> PlannedStudy {
        PlannedStudy {
            name: self.name.clone(),
            title: self.title.clone(),
            quick: self.quick,
            kind: self.kind.clone(),
            trials: self.trials,
            extended_after: self.extended_after.clone(),
            order: (self.order == Order::Interleaved).then_some(PlannedOrder::Interleaved),
            memory_of_batches: self.memory_of_batches,
            levels: Some(self.levels.clone()),
            workloads: workloads::in_force(&self.workloads),
            paper: self.paper.clone(),
        }
    }
}

/// Reads the study file of an old result folder. A text that is no study file asks nothing.
pub(crate) fn of_old_folder(study_text: &str) -> PlannedStudy {
    let file = dbdyno_files::read(study_text).ok();
    file.and_then(|file| of_file(&file)).unwrap_or_default()
}

/// `None` where its keys do not fit together.
fn of_file(file: &StudyFile) -> Option<PlannedStudy> {
    let trials = file.trials.as_ref();
    let trials = trials.map_or(kind::default_trials(kind::of(file)), |trials| trials.value.0);
    let kind = KindKeys::read(file).ok()?;
    let (clients, rates) = (levels::clients(file).ok()?, RateKeys::read(file).ok()?);
    let resolved = kind.resolve((clients, &file.clients.place()), rates, &mut []);
    let (kind, ..) = resolved.ok()?;
    let name = file.name.value.0.clone();
    let title = file.title.as_ref().map(|title| title.value.0.clone());
    let is_quick = file.quick.as_ref().is_some_and(|quick| quick.value.0);
    Some(PlannedStudy {
        title: if is_quick {
            Some(quick::title(title.as_ref().unwrap_or(&name)))
        } else {
            title
        },
        name,
        quick: is_quick,
        kind,
        trials,
        extended_after: Vec::new(),
        order: None,
        memory_of_batches: None,
        levels: None,
        workloads: BTreeMap::new(),
        paper: file.paper.as_ref().map(|paper| self::paper(&paper.value.0)),
    })
}

/// Which published study is measured again.
pub(crate) fn paper(table: &PaperTable) -> PlannedPaper {
    PlannedPaper {
        id: table.id.value.0.clone(),
        part: table.part.value.0.clone(),
        claims: table.claims.0.iter().map(|claim| claim.value.0.clone()).collect(),
        scale: table.scale.unwrap_or(1.0),
        notes: table.notes.0.iter().map(|note| note.value.0.clone()).collect(),
        records: table
            .records
            .as_ref()
            .map_or_else(Default::default, |sizes| sizes.0.clone()),
        operations: table
            .operations
            .as_ref()
            .map_or_else(Default::default, |sizes| sizes.0.clone()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use dbdyno_record::study::{Kind, Steps};
    use dbdyno_stats::capacity;
    use dbdyno_trial::{CLIENTS, Level};

    use super::*;

    fn old(keys: &str) -> PlannedStudy {
        of_old_folder(&format!("name = \"x\"\n{keys}"))
    }

    #[test]
    fn every_spelling_of_a_study_file_counts() {
        let capacity_of = |keys: &str| {
            let study = old(&format!("kind = \"capacity\"\nslo = \"p99<1ms\"\n{keys}"));
            let Kind::Capacity(capacity) = study.kind else {
                panic!("{keys}: {:?}", study.kind);
            };
            (study.trials, capacity)
        };
        for (clients, expected) in [
            ("16", 16),
            ("\"1.5k\"", 1500),
            ("\"1e3\"", 1000),
            ("[\"2k\"]", 2000),
        ] {
            let (_, capacity) = capacity_of(&format!("clients = {clients}"));
            assert_eq!(capacity.clients, Some(expected), "{clients}");
        }
        for step in ["\"10%\"", "\"0.1\"", "0.1"] {
            let read = capacity_of(&format!("step = {step}")).1.step;
            assert!((read - 0.1).abs() < 1e-12, "{step}: {read}");
        }
        let (trials, plain) = capacity_of("");
        assert_eq!((trials, plain.clients), (capacity::TRIALS, None));
        assert_eq!(plain.objective.text(), "p99<1ms");
        assert_eq!(capacity_of("trials = \"1e1\"").0, 10);
    }

    #[test]
    fn a_study_is_known_even_when_its_systems_are_not() {
        let sweep = old(
            "kind = \"sweep\"\nrates = [\"2k\"]\nsystems = [\"gone:x\"]\nworkloads = [\"gone.properties\"]",
        );
        let Kind::Sweep(sweep) = sweep.kind else {
            panic!("{sweep:?}");
        };
        assert_eq!(sweep.steps, Steps::Rates(vec![2000.0]));
        let quick = old("quick = true");
        assert_eq!(quick.title.as_deref(), Some("Quick look that decides nothing: x"));
        assert_eq!(old("title = \"Of mine\"").title.as_deref(), Some("Of mine"));
        assert_eq!(old("").title, None);
        let paper =
            old("[paper]\nid = \"abramova-2013\"\npart = \"single\"\n[paper.records]\n2000 = 100000").paper;
        assert_eq!(paper.unwrap().records, [(2000, 100_000)].into());
    }

    #[test]
    fn the_plan_keeps_the_order_of_levels() {
        let text = "name = \"x\"\nsystems = [\"memory\"]\nworkloads = [\"a\"]\nclients = [4, 1]\n";
        let study = crate::file::parse(text, Path::new(".")).unwrap();
        let order = study.planned().levels.unwrap();
        let place = |clients| order.place(CLIENTS, &Level::Count(clients));
        assert!(place(4) < place(1));
    }

    #[test]
    fn a_text_that_is_no_study_asks_nothing() {
        assert_eq!(of_old_folder("not a study"), PlannedStudy::default());
        assert_eq!(of_old_folder(""), PlannedStudy::default());
    }
}
