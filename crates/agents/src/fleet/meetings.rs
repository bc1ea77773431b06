//! Meetings of all agents of a trial: what each said becomes what all know.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_engine::{Inserts, Loaded, Ran, Said};

/// The meetings of one trial.
pub(super) struct Meetings {
    of: usize,
    open: BTreeMap<u32, Vec<Option<Said>>>,
    /// Those that have come about: who comes again has not heard of it yet.
    over: BTreeSet<u32>,
    /// How far each agent's inserts are.
    inserts: Vec<Inserts>,
}

impl Meetings {
    /// Of so many agents.
    pub(super) fn new(of: usize) -> Self {
        Self {
            of,
            open: BTreeMap::new(),
            over: BTreeSet::new(),
            inserts: vec![Inserts::default(); of],
        }
    }

    /// An agent has come; what all of them said together, when it was the last.
    pub(super) fn came(&mut self, agent: usize, meeting: u32, said: Said) -> Option<Said> {
        if self.over.contains(&meeting) {
            return None;
        }
        let places = self.open.entry(meeting).or_insert_with(|| vec![None; self.of]);
        if let Some(place) = places.get_mut(agent) {
            *place = Some(said);
        }
        if places.iter().any(Option::is_none) {
            return None;
        }
        self.over.insert(meeting);
        let said: Vec<Said> = self.open.remove(&meeting)?.into_iter().flatten().collect();
        together(said)
    }

    /// How far all inserts are, once one agent has said how far its own are.
    pub(super) fn inserts(&mut self, agent: usize, inserts: Inserts) -> Inserts {
        if let Some(own) = self.inserts.get_mut(agent) {
            *own = inserts;
        }
        Inserts::together(&self.inserts)
    }
}

/// What agents said at one point; `None` where they are at different points, which none of our versions is.
fn together(said: Vec<Said>) -> Option<Said> {
    match said.first()? {
        Said::Ready => said
            .iter()
            .all(|said| *said == Said::Ready)
            .then_some(Said::Ready),
        Said::Connected(_) => {
            let mut found = None;
            for said in said {
                let Said::Connected(state) = said else { return None };
                found = found.or(state);
            }
            Some(Said::Connected(found))
        }
        Said::Loaded(_) => {
            let loads: Option<Vec<Loaded>> = said
                .into_iter()
                .map(|said| match said {
                    Said::Loaded(loaded) => Some(loaded),
                    _ => None,
                })
                .collect();
            Some(Said::Loaded(Loaded::together(&loads?)))
        }
        Said::Ran(_) => {
            let mut all = Ran::default();
            let mut inserts = Vec::new();
            for said in said {
                let Said::Ran(ran) = said else { return None };
                all.failed += ran.failed;
                all.stuck += ran.stuck;
                inserts.push(ran.inserts);
            }
            all.inserts = Inserts::together(&inserts);
            Some(Said::Ran(all))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::TableState;

    #[test]
    fn the_last_to_come_ends_a_meeting() {
        let mut meetings = Meetings::new(2);
        let found = TableState {
            load: true,
            records: 0,
        };
        assert_eq!(meetings.came(0, 0, Said::Connected(Some(found))), None);
        // One may be far ahead.
        assert_eq!(meetings.came(0, 1, Said::Ready), None);
        let met = meetings.came(1, 0, Said::Connected(None));
        assert_eq!(met, Some(Said::Connected(Some(found))));
        assert_eq!(meetings.came(1, 1, Said::Ready), Some(Said::Ready));
        // Who comes again opens no meeting again.
        assert_eq!(meetings.came(0, 1, Said::Ready), None);
        assert_eq!(meetings.came(1, 1, Said::Ready), None);
    }

    #[test]
    fn loads_and_inserts_add_up() {
        let mut meetings = Meetings::new(2);
        let loaded = |failed| {
            Said::Loaded(Loaded {
                failed,
                sample: None,
                whole: failed == 0,
            })
        };
        meetings.came(0, 0, loaded(0));
        let Some(Said::Loaded(all)) = meetings.came(1, 0, loaded(3)) else {
            panic!("it is the last");
        };
        assert_eq!((all.failed, all.whole), (3, false));
        let inserts = |ended, failed: &[u64]| Inserts {
            ended,
            failed: failed.to_vec(),
        };
        assert_eq!(meetings.inserts(0, inserts(9, &[4])).ended, 0);
        let all = meetings.inserts(1, inserts(5, &[2]));
        assert_eq!(all, inserts(5, &[2, 4]));
    }

    #[test]
    fn who_says_something_else_ends_no_meeting() {
        let mut meetings = Meetings::new(2);
        meetings.came(0, 0, Said::Ready);
        assert_eq!(meetings.came(1, 0, Said::Connected(None)), None);
        // An agent of a number that there is not.
        assert_eq!(meetings.came(7, 3, Said::Ready), None);
    }
}
