//! Trials that several load generators carry out together. Each has clients of its own and the share of the operations that goes with
//! them; they go from phase to phase together, at one time, and hear of each other's inserts.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_trial::Pace;
use dbdyno_workload::Share;
use serde::{Deserialize, Serialize};

/// One generator's part of a trial. The specification of its [`PreparedTrial`](crate::PreparedTrial) is its own: so many clients,
/// operations, and operations per second as its share has.
#[derive(Clone)]
pub struct Part {
    /// Its share of the operations.
    pub share: Share,
    /// The pace of all generators together.
    pub pace: Option<Pace>,
    /// Whether it prepares the table for all generators, and stores in the end what the table holds; one of them does.
    pub leads: bool,
    /// Where it meets the others.
    pub ensemble: Arc<dyn Ensemble>,
}

/// The generators of a trial, as each of them sees the others.
pub trait Ensemble: Send + Sync {
    /// This generator has come so far. Resolves when all have, to what each of them said and when they go on.
    fn meet(&self, said: Said) -> Meet<'_>;

    /// How long from now the warm-up still lasts, once that is decided.
    fn warm_in(&self) -> Option<Duration>;

    /// Whether one of the generators has sent its share of a number of operations: from then on not all of them work.
    fn has_one_ended(&self) -> bool;

    /// Tells the others how far this generator's inserts are, without waiting for them. Returns how far all are, as far as is known.
    fn inserts(&self, own: Inserts) -> Inserts;
}

/// A meeting that one generator waits for.
pub type Meet<'a> = Pin<Box<dyn Future<Output = Result<Meeting, Disbanded>> + Send + 'a>>;

/// All generators have come to one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// How long from now they go on, together.
    pub goes_on_in: Duration,
    /// What each of them said, in the order of their shares.
    pub said: Vec<Said>,
}

/// What a generator says when it comes to a point of the trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Said {
    /// It has connected. The leader has prepared the table, and says what it found.
    Connected(Option<TableState>),
    /// Its clients have their sessions, and wait for a phase to begin.
    Ready,
    /// Its share of the records is loaded.
    Loaded(Loaded),
    /// It has sent its share of the operations, and all are answered or given up.
    Ran(Ran),
}

/// The table of a trial before its first phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableState {
    /// Whether it must be loaded.
    pub load: bool,
    /// Records that are there.
    pub records: u64,
}

/// What came of a share of the load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    /// Records of the share that are not there.
    pub failed: u64,
    /// The first error.
    pub sample: Option<String>,
    /// Whether it ran to its end: nobody stopped it, and no client is stuck.
    pub whole: bool,
}

/// What came of a share of a run's inserts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// How far they have ended, see [`Inserts`].
    pub inserts: Inserts,
    /// How many of them failed.
    pub failed: u64,
    /// Clients that are stuck in one.
    pub stuck: u32,
}

/// How far the inserts of a run are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inserts {
    /// Of so many first inserts of the run, all have ended: of one generator its own, of all all.
    pub ended: u64,
    /// Those that failed, by their places among all inserts of the run.
    pub failed: Vec<u64>,
}

/// The other generators are gone, or one of them cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Disbanded(pub String);

impl Inserts {
    /// What several generators know together.
    #[must_use]
    pub fn together<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut together: Option<Self> = None;
        for one in all {
            let so_far = together.get_or_insert_with(|| one.clone());
            so_far.ended = so_far.ended.min(one.ended);
            so_far.failed.extend(&one.failed);
        }
        let mut together = together.unwrap_or_default();
        together.failed.sort_unstable();
        together.failed.dedup();
        together
    }
}

impl Loaded {
    /// What came of the whole load.
    #[must_use]
    pub fn together<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut together = Self {
            whole: true,
            ..Self::default()
        };
        for one in all {
            together.failed += one.failed;
            together.whole &= one.whole;
            if together.sample.is_none() {
                together.sample.clone_from(&one.sample);
            }
        }
        together
    }
}
