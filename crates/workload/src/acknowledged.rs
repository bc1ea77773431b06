//! Which inserts have succeeded: YCSB's window of 2^20 pending acknowledgements, without its locks and its crash.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Inserts that may be pending at a time, as in YCSB's `AcknowledgedCounterGenerator`.
const WINDOW: u64 = 1 << 20;
const WORDS: u64 = WINDOW / 64;
/// How often an acknowledgement moves the prefix forward: every 64th, unless somebody asks.
const ADVANCE_EVERY: u64 = 64;

/// Failed inserts that are remembered one by one.
const MOST_FAILED: u64 = 1 << 15;
/// Twice as many slots, so that a search for a free one is short.
const FAILED_SLOTS: usize = 2 * MOST_FAILED as usize;

/// Acknowledged inserts by their place among the run's inserts, from 0: all below `prefix`, and those marked in the
/// ring of the next 2^20, except the failed ones. The ring needs no clearing: in each lap around it, a mark has the
/// opposite value.
///
/// A failed insert is marked too, so that the prefix passes it, and remembered as failed. After 2^15 failures the next
/// one holds the prefix: acknowledgements more than 2^20 inserts ahead of it are not remembered
/// ([`is_acknowledged`](Self::is_acknowledged) says no), so a missing record is never blamed on the database wrongly.
/// YCSB's window ends the process there.
#[derive(Debug)]
pub(crate) struct Acknowledged {
    marks: Box<[AtomicU64]>,
    prefix: Prefix,
    failed: Failed,
}

/// The places of failed inserts: a hash table of fixed size, made at the first failure. Lock-free.
#[derive(Debug)]
struct Failed {
    /// A slot holds a place plus one, or 0.
    slots: OnceLock<Box<[AtomicU64]>>,
    count: AtomicU64,
    /// The least of them.
    first: AtomicU64,
}

impl Failed {
    fn new() -> Self {
        Self {
            slots: OnceLock::new(),
            count: AtomicU64::new(0),
            first: AtomicU64::new(u64::MAX),
        }
    }

    /// The slots in which a place may be, the likeliest first.
    fn slots_of(slots: &[AtomicU64], place: u64) -> impl Iterator<Item = &AtomicU64> {
        let start = (place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % slots.len();
        slots[start..].iter().chain(&slots[..start])
    }

    /// Remembers a place; `false` when there is no room left.
    fn add(&self, place: u64) -> bool {
        self.first.fetch_min(place, Ordering::SeqCst);
        if self.count.fetch_add(1, Ordering::SeqCst) >= MOST_FAILED {
            return false;
        }
        let slots = self
            .slots
            .get_or_init(|| (0..FAILED_SLOTS).map(|_| AtomicU64::new(0)).collect());
        Self::slots_of(slots, place).any(|slot| {
            let taken = slot.compare_exchange(0, place + 1, Ordering::SeqCst, Ordering::SeqCst);
            taken.is_ok() || taken == Err(place + 1)
        })
    }

    fn has(&self, place: u64) -> bool {
        self.slots.get().is_some_and(|slots| {
            Self::slots_of(slots, place)
                .map(|slot| slot.load(Ordering::SeqCst))
                .take_while(|&held| held != 0)
                .any(|held| held == place + 1)
        })
    }
}

/// Alone on its cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Prefix(AtomicU64);

impl Acknowledged {
    pub(crate) fn new() -> Self {
        Self {
            marks: (0..WORDS).map(|_| AtomicU64::new(0)).collect(),
            prefix: Prefix::default(),
            failed: Failed::new(),
        }
    }

    /// The word and bit of a place. Neighbouring words hold places far apart, so that clients, who claim places by
    /// the dozen, do not fight for a cache line.
    fn slot(&self, place: u64) -> (&AtomicU64, u64) {
        let block = place / 64 % WORDS;
        let word = (block % 64) * (WORDS / 64) + block / 64;
        (&self.marks[word as usize], 1 << (place % 64))
    }

    /// Whether marks of this lap are ones.
    fn lap_is_even(place: u64) -> bool {
        (place / WINDOW).is_multiple_of(2)
    }

    fn is_marked(&self, place: u64) -> bool {
        let (word, bit) = self.slot(place);
        (word.load(Ordering::SeqCst) & bit != 0) == Self::lap_is_even(place)
    }

    /// The insert in this place succeeded. Lock-free.
    pub(crate) fn acknowledge(&self, place: u64) {
        self.mark(place);
    }

    /// The insert in this place failed: it is never acknowledged, and what comes after it is not held up. Lock-free.
    pub(crate) fn fail(&self, place: u64) {
        if self.failed.add(place) {
            self.mark(place);
        }
    }

    /// The insert in this place belongs to another share: what comes after it does not wait for it. Lock-free.
    pub(crate) fn pass(&self, place: u64) {
        self.mark(place);
    }

    /// The insert in this place failed elsewhere.
    pub(crate) fn note_failed(&self, place: u64) {
        if !self.failed.has(place) {
            self.failed.add(place);
        }
    }

    fn mark(&self, place: u64) {
        let mut prefix = self.prefix.0.load(Ordering::SeqCst);
        if place < prefix {
            return;
        }
        if place - prefix >= WINDOW {
            prefix = self.advance();
            if place.saturating_sub(prefix) >= WINDOW {
                return;
            }
        }
        let (word, bit) = self.slot(place);
        if Self::lap_is_even(place) {
            word.fetch_or(bit, Ordering::SeqCst);
        } else {
            word.fetch_and(!bit, Ordering::SeqCst);
        }
        if place % ADVANCE_EVERY == ADVANCE_EVERY - 1 {
            self.advance();
        }
    }

    /// Moves the prefix over everything marked and returns it.
    ///
    /// A place in `prefix..prefix + 2^20` is marked in its own lap or not at all, because marks further ahead are
    /// refused; so the walk stops at the first place that is not acknowledged, at the latest after one lap.
    fn advance(&self) -> u64 {
        let before = self.prefix.0.load(Ordering::SeqCst);
        let mut prefix = before;
        while self.is_marked(prefix) {
            prefix += 1;
        }
        if prefix > before {
            self.prefix.0.fetch_max(prefix, Ordering::SeqCst).max(prefix)
        } else {
            before
        }
    }

    pub(crate) fn is_acknowledged(&self, place: u64) -> bool {
        let prefix = self.advance();
        let marked = place < prefix
            || (place - prefix < WINDOW && self.is_marked(place))
            // The window may have moved past the place in between, which turns its mark's meaning around.
            || place < self.prefix.0.load(Ordering::SeqCst);
        // A failed insert is remembered before it is marked.
        marked && !self.failed.has(place)
    }

    /// The number of inserts, from the first on, that are over here: each has succeeded or failed, or belongs to another share.
    pub(crate) fn ended(&self) -> u64 {
        self.advance()
    }

    /// Whether the insert in this place is known to have failed.
    pub(crate) fn has_failed(&self, place: u64) -> bool {
        self.failed.has(place)
    }

    /// The first place whose insert is known to have failed; `u64::MAX` without any.
    pub(crate) fn first_failed(&self) -> u64 {
        self.failed.first.load(Ordering::SeqCst)
    }

    /// The places of failed inserts that are remembered.
    pub(crate) fn failures(&self) -> Vec<u64> {
        let slots = self.failed.slots.get().into_iter().flat_map(|slots| slots.iter());
        let held = slots.map(|slot| slot.load(Ordering::SeqCst));
        held.filter_map(|held| held.checked_sub(1)).collect()
    }

    /// How many inserts from the first on have all succeeded.
    pub(crate) fn contiguous(&self) -> u64 {
        // The prefix passes a failed insert only after the failure is noted, so it is read first.
        let prefix = self.advance();
        prefix.min(self.first_failed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_follows_the_gaps() {
        let acknowledged = Acknowledged::new();
        assert_eq!(acknowledged.contiguous(), 0);
        acknowledged.acknowledge(1);
        acknowledged.acknowledge(2);
        assert_eq!(acknowledged.contiguous(), 0);
        assert!(acknowledged.is_acknowledged(1));
        assert!(!acknowledged.is_acknowledged(0));
        assert!(!acknowledged.is_acknowledged(3));
        acknowledged.acknowledge(0);
        acknowledged.acknowledge(0);
        assert_eq!(acknowledged.contiguous(), 3);
    }

    #[test]
    fn laps_around_the_ring() {
        let acknowledged = Acknowledged::new();
        let end = 2 * WINDOW + 1_000;
        for place in 0..end {
            // Pairs in reverse order, so that there is always a gap.
            let place = place ^ 1;
            acknowledged.acknowledge(place);
            if place % 100_003 == 0 {
                assert!(acknowledged.is_acknowledged(place));
                assert!(!acknowledged.is_acknowledged(place + 2));
            }
        }
        assert_eq!(acknowledged.contiguous(), end);
        assert!(acknowledged.is_acknowledged(0));
        assert!(!acknowledged.is_acknowledged(end));
    }

    #[test]
    fn an_insert_that_never_ends_holds_the_prefix_and_nothing_breaks() {
        let acknowledged = Acknowledged::new();
        for place in 1..WINDOW + 5_000 {
            acknowledged.acknowledge(place);
        }
        assert_eq!(acknowledged.contiguous(), 0);
        assert!(acknowledged.is_acknowledged(WINDOW - 1));
        assert!(!acknowledged.is_acknowledged(WINDOW));
        acknowledged.acknowledge(0);
        assert_eq!(acknowledged.contiguous(), WINDOW);
        acknowledged.acknowledge(WINDOW);
        assert_eq!(acknowledged.contiguous(), WINDOW + 1);
        assert!(!acknowledged.is_acknowledged(WINDOW + 1));
    }

    #[test]
    fn a_failed_insert_hides_no_later_one() {
        let acknowledged = Acknowledged::new();
        let end = 2 * WINDOW + 5_000;
        let fails = |place: u64| place == 3 || place == WINDOW + 7;
        for place in 0..end {
            if fails(place) {
                acknowledged.fail(place);
            } else {
                acknowledged.acknowledge(place);
            }
        }
        assert_eq!(acknowledged.contiguous(), 3);
        for place in (0..end)
            .step_by(1_001)
            .chain([2, 4, WINDOW + 6, WINDOW + 8, end - 1])
        {
            assert!(acknowledged.is_acknowledged(place), "{place}");
        }
        assert!(!acknowledged.is_acknowledged(3));
        assert!(!acknowledged.is_acknowledged(WINDOW + 7));
        assert!(!acknowledged.is_acknowledged(end));
    }

    #[test]
    fn more_failures_than_fit_blame_nobody() {
        let acknowledged = Acknowledged::new();
        let end = MOST_FAILED + 2_000;
        for place in 0..end {
            acknowledged.fail(place);
        }
        assert!((0..end).all(|place| !acknowledged.is_acknowledged(place)));
        // The first that did not fit holds the prefix; within the window all is as it was.
        acknowledged.acknowledge(end);
        assert!(acknowledged.is_acknowledged(end));
        acknowledged.acknowledge(MOST_FAILED + WINDOW);
        assert!(!acknowledged.is_acknowledged(MOST_FAILED + WINDOW));
        assert_eq!(acknowledged.contiguous(), 0);
    }

    #[test]
    fn many_clients_lose_nothing() {
        const EACH: u64 = 60_000;
        let acknowledged = Acknowledged::new();
        std::thread::scope(|scope| {
            for client in 0..4 {
                let acknowledged = &acknowledged;
                let end = move |n: u64| {
                    let place = n * 4 + client;
                    let fails = n % 1_000 == 999;
                    match fails {
                        true => acknowledged.fail(place),
                        false => acknowledged.acknowledge(place),
                    }
                    assert_eq!(acknowledged.is_acknowledged(place), !fails);
                };
                scope.spawn(move || (0..EACH).for_each(end));
            }
        });
        assert_eq!(acknowledged.contiguous(), 4 * 999);
        assert_eq!(acknowledged.advance(), 4 * EACH);
    }
}
