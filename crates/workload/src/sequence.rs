//! The operations of one phase, shared by all clients: who claims them and when does not change what they are.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Key;
use crate::acknowledged::Acknowledged;
use crate::arrivals::{Arrivals, GAP_UNITS_PER_NS, exponential_gap};
use crate::chooser::{BATCH, Chooser};
use crate::integrity;
use crate::operation::{Fields, Operation, OperationKind};
use crate::random::{Purpose, Stream};
use crate::row::Row;
use crate::workload::Workload;

/// A range of operation numbers that belongs to one client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The first operation's number.
    pub first: u64,
    /// How many: 1 to [`Claim::MOST`].
    pub length: u32,
    /// Inserts among the operations before the first.
    inserted: u64,
    /// With Poisson arrivals: the sum of the gaps before the first operation's own, in 1/1024 ns.
    gaps: u64,
}

impl Claim {
    /// The most operations that one claim gives.
    pub const MOST: u32 = BATCH as u32;
}

/// Operations generated for one claim, in slots that are reused.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    slots: Vec<Operation>,
    length: usize,
    scratch: Scratch,
}

/// Room for the steps of generating a batch, kept so that it is not cleared for each.
#[derive(Clone, Debug)]
struct Scratch {
    kinds: [OperationKind; BATCH],
    keys: [u64; BATCH],
    inserted: [u64; BATCH],
    shown: [u64; BATCH],
    ranks: [f64; BATCH],
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            kinds: [OperationKind::Read; BATCH],
            keys: [0; BATCH],
            inserted: [0; BATCH],
            shown: [0; BATCH],
            ranks: [0.0; BATCH],
        }
    }
}

impl Batch {
    /// An empty batch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Deref for Batch {
    type Target = [Operation];

    fn deref(&self) -> &[Operation] {
        &self.slots[..self.length]
    }
}

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
    limit: u64,
    pace: Option<Pace>,
    gaps: Stream,
    value_draws: Stream,
    length_draws: Stream,
    next: Next,
    /// Used instead of `next` when the claim must know what came before it.
    cursor: Option<Mutex<Cursor>>,
    acknowledged: Option<Acknowledged>,
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
            limit: workload.specification().records,
            pace: None,
            gaps: Stream::new(seed, Purpose::Arrival),
            value_draws: Stream::new(seed, Purpose::LoadValue),
            length_draws: Stream::new(seed, Purpose::LoadFieldLength),
            next: Next::default(),
            cursor: None,
            acknowledged: Some(Acknowledged::new()),
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
            limit: limit.unwrap_or(u64::MAX),
            pace,
            gaps: Stream::new(seed, Purpose::Arrival),
            value_draws: Stream::new(seed, Purpose::Value),
            length_draws: Stream::new(seed, Purpose::FieldLength),
            next: Next::default(),
            cursor: (inserts || poisson).then(Mutex::default),
            acknowledged: inserts.then(Acknowledged::new),
            workload,
        }
    }

    /// The workload.
    #[must_use]
    pub fn workload(&self) -> &Arc<Workload> {
        &self.workload
    }

    /// The next up-to-`want` operation numbers (at least 1, at most [`Claim::MOST`]), or `None` when the limit is
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
                inserted: first * u64::from(matches!(self.phase, Phase::Load)),
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
        let numbers = claim.first..claim.first + length;
        if self.acknowledged.is_some() {
            let kinds = &self.workload.kinds;
            cursor.inserted += numbers
                .clone()
                .map(|number| u64::from(kinds.kind(number) == OperationKind::Insert))
                .sum::<u64>();
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
            (Some(pace), _) => (self.claimed() as f64 * pace.gap_ns) as u64,
        }
    }

    /// The mean time between two intended starts; 0 without a pace.
    #[must_use]
    pub fn mean_gap_ns(&self) -> f64 {
        self.pace.map_or(0.0, |pace| pace.gap_ns)
    }

    /// The kind of an operation, whether it was claimed or not.
    #[must_use]
    pub fn kind(&self, number: u64) -> OperationKind {
        match self.phase {
            Phase::Load => OperationKind::Insert,
            Phase::Run(_) => self.workload.kinds.kind(number),
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
        match &self.phase {
            Phase::Load => {
                kinds.fill(OperationKind::Insert);
                for (index, key) in keys.iter_mut().enumerate() {
                    *key = self.first_inserted + claim.first + index as u64;
                }
            }
            Phase::Run(chooser) => {
                let inserted = &mut scratch.inserted[..length];
                self.choose_kinds(claim, kinds, inserted);
                chooser.choose(claim.first, inserted, keys, &mut scratch.ranks[..length]);
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
            slot.number = claim.first.wrapping_add(index as u64);
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

    /// Kinds of a run's operations, and how many inserts come before each.
    #[inline]
    fn choose_kinds(&self, claim: &Claim, kinds: &mut [OperationKind], inserted: &mut [u64]) {
        let maker = &self.workload.kinds;
        match maker.only() {
            Some(kind) => kinds.fill(kind),
            None => {
                for (index, kind) in kinds.iter_mut().enumerate() {
                    *kind = maker.kind(claim.first.wrapping_add(index as u64));
                }
            }
        }
        if self.acknowledged.is_none() {
            inserted.fill(0);
            return;
        }
        let mut count = claim.inserted;
        for (inserted, kind) in inserted.iter_mut().zip(kinds.iter()) {
            *inserted = count;
            count += u64::from(*kind == OperationKind::Insert);
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
            }) => ((claim.first + u64::from(index)) as f64 * gap_ns) as u64,
            Some(Pace {
                gap_ns,
                arrivals: Arrivals::Poisson,
            }) => {
                let own: u64 = (claim.first..=claim.first + u64::from(index))
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

    /// This operation succeeded. Only inserts matter. Lock-free.
    pub fn acknowledge(&self, operation: &Operation) {
        if let Some((acknowledged, place)) = self.place_of_insert(operation) {
            acknowledged.acknowledge(place);
        }
    }

    /// This operation failed. Only inserts matter: later ones are not held up by it. Lock-free.
    pub fn fail(&self, operation: &Operation) {
        if let Some((acknowledged, place)) = self.place_of_insert(operation) {
            acknowledged.fail(place);
        }
    }

    #[inline]
    fn place_of_insert(&self, operation: &Operation) -> Option<(&Acknowledged, u64)> {
        if operation.kind != OperationKind::Insert {
            return None;
        }
        let place = operation.key.number().checked_sub(self.first_inserted)?;
        Some((self.acknowledged.as_ref()?, place))
    }

    /// Whether the record of that key number is known to be there: it was when the phase began, or its insert was
    /// acknowledged. A read that does not find a record for which this is false only came too early.
    #[must_use]
    pub fn is_acknowledged(&self, key_number: u64) -> bool {
        match key_number.checked_sub(self.first_inserted) {
            None => true,
            Some(place) => self
                .acknowledged
                .as_ref()
                .is_some_and(|acknowledged| acknowledged.is_acknowledged(place)),
        }
    }

    /// Records known to be present from `insertstart` on without a gap: those at the start and the inserts
    /// acknowledged after them, up to the first that is not. Deletes are not subtracted.
    #[must_use]
    pub fn contiguous_records(&self) -> u64 {
        self.records + self.acknowledged.as_ref().map_or(0, Acknowledged::contiguous)
    }
}

/// The cursor is plain numbers, valid even if a thread panicked while it held the lock.
fn lock(cursor: &Mutex<Cursor>) -> MutexGuard<'_, Cursor> {
    cursor.lock().unwrap_or_else(PoisonError::into_inner)
}
