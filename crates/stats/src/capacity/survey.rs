//! A whole survey of one system: the pilot, the search, the confirmation.

use super::{Doubt, Next, Pilot, Role, Rules, SearchResult, Seen, answer, next, pilot};

/// How one system is surveyed, and what that has shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// Clients that were said; `None`: the pilot finds them.
    pub clients: Option<u32>,
    /// Distance of two rates of the ladder, as a share.
    pub step: f64,
    /// Trials that confirm a rate.
    pub trials: u32,
    /// All that was seen of it so far.
    pub seen: Seen,
}

/// The next trial of a survey.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Task {
    /// A closed loop.
    Pilot {
        /// Clients.
        clients: u32,
    },
    /// An open loop.
    Probe {
        /// Why.
        role: Role,
        /// Clients.
        clients: u32,
        /// Operations per second.
        rate: f64,
    },
    /// None: the answer is there.
    Done,
}

impl Survey {
    /// The next step; a function of what was seen, in any order.
    #[must_use]
    pub fn task(&self) -> Task {
        match pilot(self.clients, &self.seen.pilots) {
            Pilot::Measure { clients } => Task::Pilot { clients },
            Pilot::Ceiling { rate, .. } if self.hopeless(rate).is_some() => Task::Done,
            Pilot::Ceiling { clients, rate } => match next(&self.rules(rate), &self.seen.probes) {
                Next::Probe { role, rate } => Task::Probe { role, clients, rate },
                Next::Done => Task::Done,
            },
        }
    }

    /// The result so far.
    #[must_use]
    pub fn answer(&self) -> SearchResult {
        match pilot(self.clients, &self.seen.pilots) {
            Pilot::Measure { .. } => SearchResult::Open,
            Pilot::Ceiling { rate, .. } => match self.hopeless(rate) {
                Some(doubt) => SearchResult::Undecided {
                    held: None,
                    missed: None,
                    doubt,
                },
                None => answer(&self.rules(rate), &self.seen.probes),
            },
        }
    }

    /// The rate that the pilot's closed loops reached, once it is over.
    #[must_use]
    pub fn ceiling(&self) -> Option<f64> {
        match pilot(self.clients, &self.seen.pilots) {
            Pilot::Measure { .. } => None,
            Pilot::Ceiling { rate, .. } => Some(rate),
        }
    }

    /// Why no probe would help.
    fn hopeless(&self, ceiling: f64) -> Option<Doubt> {
        if ceiling <= 0.0 {
            Some(Doubt::NoThroughput)
        } else if self.seen.lowest > ceiling {
            Some(Doubt::ShortTrials)
        } else {
            None
        }
    }

    fn rules(&self, ceiling: f64) -> Rules {
        Rules::new(ceiling, self.seen.lowest, self.step, self.trials)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::{Outcome, Probe};

    #[test]
    fn a_survey_goes_from_the_pilot_to_the_answer() {
        let mut survey = Survey {
            clients: None,
            step: 0.05,
            trials: 6,
            seen: Seen::default(),
        };
        assert_eq!(survey.answer(), SearchResult::Open);
        loop {
            match survey.task() {
                Task::Pilot { clients } => survey
                    .seen
                    .pilots
                    .push((clients, 1000.0 * f64::from(clients.min(8)))),
                Task::Probe { role, clients, rate } => {
                    assert_eq!(clients, 16, "more than 8 brought nothing");
                    let outcome = if rate < 5000.0 {
                        Outcome::Holds
                    } else {
                        Outcome::Misses
                    };
                    survey.seen.probes.push(Probe { role, rate, outcome });
                }
                Task::Done => break,
            }
        }
        assert_eq!(survey.ceiling(), Some(8000.0));
        let SearchResult::Capacity { held, missed, .. } = survey.answer() else {
            panic!("{:?}", survey.answer());
        };
        assert!(held < 5000.0 && missed >= 5000.0 && missed / held < 1.051);
    }

    #[test]
    fn a_system_that_cannot_be_asked_is_undecided() {
        let survey = Survey {
            clients: Some(4),
            step: 0.05,
            trials: 6,
            seen: Seen {
                pilots: vec![(4, 0.0), (4, 0.0)],
                ..Seen::default()
            },
        };
        assert_eq!(survey.task(), Task::Done);
        let undecided = |doubt| SearchResult::Undecided {
            held: None,
            missed: None,
            doubt,
        };
        assert_eq!(survey.answer(), undecided(Doubt::NoThroughput));
        let slow = Survey {
            seen: Seen {
                lowest: 50.0,
                pilots: vec![(4, 40.0), (4, 39.0)],
                ..Seen::default()
            },
            ..survey
        };
        assert_eq!(slow.task(), Task::Done);
        assert_eq!(slow.answer(), undecided(Doubt::ShortTrials));
    }
}
