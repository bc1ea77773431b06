//! The operations of one phase, shared by all clients: who claims them and when does not change what they are.

mod inserts;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Key;
use crate::acknowledged::Acknowledged;
use crate::arrivals::{Arrivals, GAP_UNITS_PER_NS, exponential_gap};
use crate::batch::{Batch, Claim};
use crate::chooser::{BATCH, Chooser};
use crate::integrity;
use crate::operation::{Fields, Operation, OperationKind};
use crate::random::{Purpose, Stream};
use crate::row::Row;
use crate::share::Share;
use crate::workload::Workload;

/// The result of a check of read values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// Values looked at. A row without any field counts as one.
    pub checked: u32,
    /// Values that are not what was written, and rows without any field.
    pub failed: u32,
}

/// The operations of one phase. Operation N is a pure function of seed, N and the number of records at the start,
/// whoever claims it and whenever.
#[derive(Debug)]
pub struct Sequence {
    workload: Arc<Workload>,
    phase: Phase,
    /// Records when the phase began.
    records: u64,
    /// The number of the first key that this phase inserts.
    first_inserted: u64,
    /// Which operations are claimed here; others are, elsewhere.
    share: Share,
    /// How many of them there are.
    limit: u64,
    pace: Option<Pace>,
    gaps: Stream,
    value_draws: Stream,
    length_draws: Stream,
    next: Next,
    /// Used instead of `next` when the claim must know what came before it.
    cursor: Option<Mutex<Cursor>>,
    acknowledged: Option<Acknowledged>,
    /// Inserts of all shares have ended up to this one, as far as is known here.
    known: AtomicU64,
}

impl Workload {
    /// The load phase: one insert per record of the specification, in the order of their numbers, then the end.
    #[must_use]
    pub fn load(self: &Arc<Self>) -> Sequence {
        Sequence::load(Arc::clone(self))
    }

    /// The run phase on a table that holds the keys `insertstart..insertstart + records`: operations of the mix,
    /// `limit` of them or without end. `pace` is a rate in operations per second (above 0 and finite, else it is as
    /// if there were none) and how it is spread.
    #[must_use]
    pub fn run(
        self: &Arc<Self>,
        records: u64,
        limit: Option<u64>,
        pace: Option<(f64, Arrivals)>,
    ) -> Sequence {
        Sequence::run(Arc::clone(self), records, limit, pace)
    }
}

#[derive(Debug)]
enum Phase {
    Load,
    Run(Chooser),
}

#[derive(Clone, Copy, Debug)]
struct Pace {
    gap_ns: f64,
    arrivals: Arrivals,
}

/// Alone on its cache lines: all clients write it.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Next(AtomicU64);

#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    next: u64,
    inserted: u64,
    gaps: u64,
}

impl Sequence {
    pub(crate) fn load(workload: Arc<Workload>) -> Self {
        let seed = workload.seed();
        Self {
            phase: Phase::Load,
            records: 0,
            first_inserted: workload.specification().insert_start,
            share: Share::WHOLE,
            limit: workload.specification().records,
            pace: None,
            gaps: Stream::new(seed, Purpose::Arrival),
            value_draws: Stream::new(seed, Purpose::LoadValue),
            length_draws: Stream::new(seed, Purpose::LoadFieldLength),
            next: Next::default(),
            cursor: None,
            acknowledged: Some(Acknowledged::new()),
            known: AtomicU64::new(0),
            workload,
        }
    }

    pub(crate) fn run(
        workload: Arc<Workload>,
        records: u64,
        limit: Option<u64>,
        pace: Option<(f64, Arrivals)>,
    ) -> Self {
        let seed = workload.seed();
        let specification = workload.specification();
        let records = records.min(crate::resolve::MOST_RECORDS);
        let pace = pace
            .filter(|(rate, _)| *rate > 0.0 && rate.is_finite())
            .map(|(rate, arrivals)| Pace {
                gap_ns: 1e9 / rate,
                arrivals,
            });
        let inserts = specification.mix.has(OperationKind::Insert);
        let poisson = pace.is_some_and(|pace| pace.arrivals == Arrivals::Poisson);
        Self {
            phase: Phase::Run(Chooser::new(specification, seed, records)),
            records,
            first_inserted: specification.insert_start + records,
            share: Share::WHOLE,
            limit: limit.unwrap_or(u64::MAX),
            pace,
            gaps: Stream::new(seed, Purpose::Arrival),
            value_draws: Stream::new(seed, Purpose::Value),
            length_draws: Stream::new(seed, Purpose::FieldLength),
            next: Next::default(),
            cursor: (inserts || poisson).then(Mutex::default),
            acknowledged: inserts.then(Acknowledged::new),
            known: AtomicU64::new(0),
            workload,
        }
    }

    /// The same sequence, of which only this share is claimed here. What its operations are and when they are due does not change. To be
    /// called before the first claim.
    #[must_use]
    pub fn shared(mut self, share: Share) -> Self {
        self.share = share;
        self.limit = share.below(self.limit);
        if let Some(cursor) = self.cursor.take() {
            let mut cursor = cursor.into_inner().unwrap_or_else(PoisonError::into_inner);
            self.pass(&mut cursor, 0..share.number(0));
            self.cursor = Some(Mutex::new(cursor));
        }
        self
    }

    /// Counts what is needed of the operations of these numbers.
    fn pass(&self, cursor: &mut Cursor, numbers: Range<u64>) {
        if let Some(acknowledged) = &self.acknowledged {
            let kinds = &self.workload.kinds;
            let inserts = numbers
                .clone()
                .filter(|number| kinds.kind(*number) == OperationKind::Insert);
            if self.share.is_whole() {
                cursor.inserted += inserts.count() as u64;
            } else {
                for number in inserts {
                    if !self.share.has(number) {
                        acknowledged.pass(cursor.inserted);
                    }
                    cursor.inserted += 1;
                }
            }
        }
        if let Some(Pace {
            gap_ns,
            arrivals: Arrivals::Poisson,
        }) = self.pace
        {
            cursor.gaps += numbers
                .map(|number| exponential_gap(self.gaps.at(number), gap_ns))
                .sum::<u64>();
        }
    }

    /// The workload.
    #[must_use]
    pub fn workload(&self) -> &Arc<Workload> {
        &self.workload
    }

    /// The next up-to-`want` operations (at least 1, at most [`Claim::MOST`]), or `None` when the limit is
    /// reached. Lock-free unless the mix has inserts or arrivals are Poisson; then a short lock counts them.
    #[must_use]
    pub fn claim(&self, want: u32) -> Option<Claim> {
        let want = u64::from(want.clamp(1, Claim::MOST));
        let Some(cursor) = &self.cursor else {
            // Looking first keeps the counter from running away once the limit is reached.
            if self.next.0.load(Ordering::Relaxed) >= self.limit {
                return None;
            }
            let first = self.next.0.fetch_add(want, Ordering::Relaxed);
            let length = want.min(self.limit.saturating_sub(first)) as u32;
            return (length > 0).then_some(Claim {
                first,
                length,
                inserted: 0,
                gaps: 0,
            });
        };
        let mut cursor = lock(cursor);
        let length = want.min(self.limit.saturating_sub(cursor.next));
        if length == 0 {
            return None;
        }
        let claim = Claim {
            first: cursor.next,
            length: length as u32,
            inserted: cursor.inserted,
            gaps: cursor.gaps,
        };
        let numbers = self.share.number(claim.first)..self.share.number(claim.first + length);
        self.pass(&mut cursor, numbers);
        cursor.next += length;
        Some(claim)
    }

    /// How many operations were claimed.
    #[must_use]
    pub fn claimed(&self) -> u64 {
        match &self.cursor {
            Some(cursor) => lock(cursor).next,
            None => self.next.0.load(Ordering::Relaxed).min(self.limit),
        }
    }

    /// When the schedule wants the first operation that nobody claimed, in nanoseconds from the start of the sequence; with
    /// Poisson arrivals, when it wants the last that was claimed. 0 without a pace.
    #[must_use]
    pub fn claimed_until_ns(&self) -> u64 {
        match (self.pace, &self.cursor) {
            (None, _) => 0,
            (
                Some(Pace {
                    arrivals: Arrivals::Poisson,
                    ..
                }),
                Some(cursor),
            ) => lock(cursor).gaps / GAP_UNITS_PER_NS,
            (Some(pace), _) => (self.share.number(self.claimed()) as f64 * pace.gap_ns) as u64,
        }
    }

    /// The mean time between two intended starts of operations that are claimed here; 0 without a pace.
    #[must_use]
    pub fn mean_gap_ns(&self) -> f64 {
        self.pace.map_or(0.0, |pace| pace.gap_ns * self.share.thinning())
    }

    /// The kind of the operation in this place, whether it was claimed or not.
    #[must_use]
    pub fn kind(&self, place: u64) -> OperationKind {
        match self.phase {
            Phase::Load => OperationKind::Insert,
            Phase::Run(_) => self.workload.kinds.kind(self.share.number(place)),
        }
    }

    /// Generates the claim's operations. The slots keep their buffers: no allocation once the batch is warm.
    pub fn fill(&self, claim: &Claim, batch: &mut Batch) {
        let length = (claim.length as usize).min(BATCH);
        if batch.slots.len() < length {
            batch.slots.resize_with(length, Operation::default);
        }
        batch.length = length;
        let slots = &mut batch.slots[..length];
        let scratch = &mut batch.scratch;
        let (keys, kinds) = (&mut scratch.keys[..length], &mut scratch.kinds[..length]);
        let numbers = &mut scratch.numbers[..length];
        self.share.numbers(claim.first, numbers);
        match &self.phase {
            Phase::Load => {
                kinds.fill(OperationKind::Insert);
                for (key, number) in keys.iter_mut().zip(numbers.iter()) {
                    *key = self.first_inserted + number;
                }
            }
            Phase::Run(chooser) => {
                let inserted = &mut scratch.inserted[..length];
                self.choose_kinds(claim, numbers, kinds, inserted);
                chooser.choose(numbers, inserted, keys, &mut scratch.ranks[..length]);
                if self.acknowledged.is_some() {
                    for (index, key) in keys.iter_mut().enumerate() {
                        if kinds[index] == OperationKind::Insert {
                            *key = self.first_inserted + inserted[index];
                        }
                    }
                }
            }
        }
        let names = self.workload.names;
        let shown = &mut scratch.shown[..length];
        for (shown, key) in shown.iter_mut().zip(keys.iter()) {
            *shown = names.shown(*key);
        }
        for (index, slot) in slots.iter_mut().enumerate() {
            slot.number = numbers[index];
            slot.kind = kinds[index];
            slot.first_inserted = self.first_inserted;
            slot.key.set(keys[index], |name| names.write(shown[index], name));
            slot.fields = Fields::All;
            slot.scan_limit = 0;
        }
        if self.needs_details(kinds) {
            for slot in slots {
                self.add_details(slot);
            }
        }
    }

    /// Kinds of the run's operations of these numbers, and how many inserts come before each.
    #[inline]
    fn choose_kinds(
        &self,
        claim: &Claim,
        numbers: &[u64],
        kinds: &mut [OperationKind],
        inserted: &mut [u64],
    ) {
        let maker = &self.workload.kinds;
        match maker.only() {
            Some(kind) => kinds.fill(kind),
            None => {
                for (kind, number) in kinds.iter_mut().zip(numbers) {
                    *kind = maker.kind(*number);
                }
            }
        }
        if self.acknowledged.is_none() {
            inserted.fill(0);
            return;
        }
        let mut count = claim.inserted;
        if self.share.is_whole() {
            for (inserted, kind) in inserted.iter_mut().zip(kinds.iter()) {
                *inserted = count;
                count += u64::from(*kind == OperationKind::Insert);
            }
            return;
        }
        let mut counted = numbers.first().copied().unwrap_or_default();
        for (inserted, number) in inserted.iter_mut().zip(numbers) {
            let before = counted..*number;
            count += before
                .filter(|number| maker.kind(*number) == OperationKind::Insert)
                .count() as u64;
            (*inserted, counted) = (count, *number);
        }
    }

    /// Whether any slot's fields or scan length differ from the default.
    #[inline]
    fn needs_details(&self, kinds: &[OperationKind]) -> bool {
        let specification = self.workload.specification();
        !specification.read_all_fields
            || specification.read_all_fields_by_name
            || specification.data_integrity
            || (specification.mix.has(OperationKind::Scan) && kinds.contains(&OperationKind::Scan))
    }

    fn add_details(&self, slot: &mut Operation) {
        match slot.kind {
            OperationKind::Read | OperationKind::ReadModifyWrite => {
                slot.fields = self.workload.fields_read(slot.kind, slot.number);
            }
            OperationKind::Scan => {
                slot.fields = self.workload.fields_read(slot.kind, slot.number);
                slot.scan_limit = self
                    .workload
                    .scan_lengths
                    .length(self.workload.scan_draws.at(slot.number));
            }
            OperationKind::Update | OperationKind::Insert | OperationKind::Delete => {}
        }
    }

    /// When the schedule wants the claim's operation number `index` to start, in nanoseconds from the start of the
    /// sequence; 0 without a pace.
    #[must_use]
    pub fn intended_start_ns(&self, claim: &Claim, index: u32) -> u64 {
        match self.pace {
            None => 0,
            Some(Pace {
                gap_ns,
                arrivals: Arrivals::Constant,
            }) => (self.share.number(claim.first + u64::from(index)) as f64 * gap_ns) as u64,
            Some(Pace {
                gap_ns,
                arrivals: Arrivals::Poisson,
            }) => {
                let last = self.share.number(claim.first + u64::from(index));
                let own: u64 = (self.share.number(claim.first)..=last)
                    .map(|number| exponential_gap(self.gaps.at(number), gap_ns))
                    .sum();
                (claim.gaps + own) / GAP_UNITS_PER_NS
            }
        }
    }

    /// Puts into `row` what the operation writes: an insert all fields; an update or read-modify-write all
    /// (`writeallfields`) or one; other kinds nothing.
    pub fn values(&self, operation: &Operation, row: &mut Row) {
        let workload = &*self.workload;
        let specification = workload.specification();
        let all = match operation.kind {
            OperationKind::Insert => true,
            OperationKind::Update | OperationKind::ReadModifyWrite => specification.write_all_fields,
            OperationKind::Read | OperationKind::Scan | OperationKind::Delete => {
                row.clear();
                return;
            }
        };
        let first = if all {
            0
        } else {
            workload.field_written(operation.number)
        };
        let count = if all { specification.field_count } else { 1 };
        if specification.data_integrity {
            self.integrity_values(operation, first, count, row);
            return;
        }
        let draw = self.value_draws.at(operation.number);
        if let Some(length) = workload.field_lengths.constant() {
            let bytes = if all {
                row.reset_regular(count, length)
            } else {
                row.reset_with_lengths(std::iter::once((first, length)))
            };
            if !workload.values.fill_record(draw, bytes) {
                workload
                    .values
                    .fill_values(draw, bytes, (0..count).map(|_| length as usize));
            }
            return;
        }
        let length_draw = self.length_draws.at(operation.number);
        let length = |field| workload.field_lengths.of_field(length_draw, field);
        let bytes = row.reset_with_lengths((first..first + count).map(|field| (field, length(field))));
        workload.values.fill_values(
            draw,
            bytes,
            (first..first + count).map(|field| length(field) as usize),
        );
    }

    fn integrity_values(&self, operation: &Operation, first: u32, count: u32, row: &mut Row) {
        let length = self.workload.field_lengths.constant().unwrap_or(0);
        let mut rest = row.reset_with_lengths((first..first + count).map(|field| (field, length)));
        for field in first..first + count {
            let (value, after) = rest.split_at_mut(length as usize);
            integrity::fill(
                operation.key.as_bytes(),
                self.workload.field_names[field as usize].as_bytes(),
                value,
            );
            rest = after;
        }
    }

    /// Checks read values of a record (`dataintegrity`): each must be what every write of it wrote, and every field that was
    /// asked for must be there; one that is not counts as a value checked and wrong. With `partial` fields may be missing:
    /// see [`may_be_partial`](Self::may_be_partial). Without `dataintegrity` nothing is checked.
    #[must_use]
    pub fn verify(&self, key: &Key, asked: Fields, row: &Row, partial: bool) -> Verification {
        let mut verification = Verification::default();
        let Some(length) = self.workload.field_lengths.constant().filter(|_| self.verifies()) else {
            return verification;
        };
        let asked = match asked {
            Fields::One(index) => index..index + 1,
            Fields::All | Fields::AllByName => 0..self.workload.field_names.len() as u32,
        };
        let mut next = asked.start;
        for (index, value) in row.iter() {
            let name = self.workload.field_names.get(index as usize);
            let good = asked.contains(&index)
                && name.is_some_and(|name| {
                    integrity::matches(key.as_bytes(), name.as_bytes(), length as usize, value)
                });
            verification.checked += 1;
            verification.failed += u32::from(!good);
            next += u32::from(index == next);
        }
        // Rows are in the order of fields as a rule, so that `next` has met all of them.
        if next < asked.end && !partial {
            let missing = asked.filter(|&index| row.get(index).is_none()).count() as u32;
            verification.checked += missing;
            verification.failed += missing;
        }
        verification
    }

    /// Whether a record that an operation finds may lack fields although nothing was lost: an update of some fields makes a
    /// record in databases that do not look for it first, where it was deleted or, with `early`, not yet inserted.
    #[must_use]
    pub fn may_be_partial(&self, early: bool) -> bool {
        let specification = self.workload.specification();
        let mix = &specification.mix;
        let updates = mix.has(OperationKind::Update) || mix.has(OperationKind::ReadModifyWrite);
        updates && !specification.write_all_fields && (early || mix.has(OperationKind::Delete))
    }

    /// Whether read values can be verified (`dataintegrity`).
    #[must_use]
    pub fn verifies(&self) -> bool {
        self.workload.specification().data_integrity
    }
}

/// The cursor is plain numbers, valid even if a thread panicked while it held the lock.
fn lock(cursor: &Mutex<Cursor>) -> MutexGuard<'_, Cursor> {
    cursor.lock().unwrap_or_else(PoisonError::into_inner)
}
