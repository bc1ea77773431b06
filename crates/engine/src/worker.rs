//! The hot path, whole: one client claims operations, sends them one by one, and reads the clock around each. Every
//! driver, on real or virtual time, in a closed or an open loop, is measured by this function and no other.

use dbdyno_driver::{DbError, ErrorClass, Found, Session};
use dbdyno_workload::{Batch, Operation, OperationKind, Row, Rows, Sequence, Verification};

use crate::clock::{Clock, OwnClock};
use crate::gate::Ticket;
use crate::head::HeadWatch;
use crate::recorder::{Recorder, Reply, Times};
use crate::report::ClientSlice;
use crate::work::{SharedSequence, Stage};

/// Most operations claimed at once, and the time within which a claim shall be done: a fast database shares the
/// cost of claiming among many operations, a slow one takes them singly and stays in the order of the sequence.
const LARGEST_CLAIM: u32 = 64;
const CLAIM_NS: u64 = 5_000;
/// Operations whose values are made ahead of the clock together; small enough for the fastest cache.
const GROUP: usize = 8;
/// From so many failures in a row on a client of a closed loop rests after each, so as not to spin on a dead database.
const FAILURES_BEFORE_REST: u32 = 100;
const REST_NS: u64 = 5_000_000;
/// The longest wait without a look at whether the end has come.
const LONGEST_WAIT_NS: u64 = 50_000_000;

#[derive(Default)]
struct Buffers {
    written: [Row; GROUP],
    found: Row,
    rows: Rows,
}

/// Carries out a client's share of the work. A claim that was begun is finished: the operations that were sent are
/// always a prefix of the sequence, also when the end comes. Returns its last slice, where the work is cut into slices.
#[expect(
    clippy::too_many_lines,
    reason = "what happens to an operation is read on one screen"
)]
pub(crate) async fn run_client<S: Session, C: Clock>(
    session: &mut S,
    work: &SharedSequence,
    clock: &C,
    recorder: &Recorder,
) -> ClientSlice {
    let sequence = &work.sequence;
    let clock = &OwnClock::new(clock);
    let mut turn = ClientTurn::new(work);
    let mut stage = work.first_stage();
    let mut batch = Batch::default();
    let mut buffers = Buffers::default();
    let mut want = 1;
    let mut failures_in_a_row = 0;
    let in_flight = work.board.enlist();
    clock.sleep_until(work.start_ns).await;
    let mut now_ns = clock.now_ns();
    while now_ns < work.last_send_ns() {
        if now_ns >= work.gate.closes_ns() {
            turn.park(stage, work, clock, recorder).await;
            stage = Stage::WarmUp;
            now_ns = clock.now_ns();
            continue;
        }
        let claimed_ns = now_ns;
        if stage == Stage::WarmUp && !work.paced {
            work.draw_line(now_ns);
        }
        let Some(claim) = sequence.claim(want) else { break };
        let left = work.end_number().saturating_sub(claim.first);
        if left == 0 {
            work.note_returned();
            break;
        }
        sequence.fill(&claim, &mut batch);
        let mut intended_ns = work
            .paced
            .then(|| work.start_ns + sequence.intended_start_ns(&claim, 0));
        if stage == Stage::WarmUp {
            if is_measured(work, claim.first, intended_ns, now_ns) {
                stage = Stage::Measure;
                let entered_ns = clock.now_ns();
                turn.enter(work, entered_ns);
                recorder.enter(stage, entered_ns);
            } else {
                turn.head.look(turn.operations, now_ns);
            }
        } else if stage == Stage::Measure && claimed_ns >= work.tail_from_ns() {
            stage = Stage::Tail;
        }
        // Between slices the stage is not known yet; before the first of them nothing is moved.
        let is_moved = stage == Stage::Measure || work.gate.sliced;
        if let Some(intended_ns) = intended_ns.as_mut().filter(|_| is_moved) {
            *intended_ns += work.shift_ns();
        }
        let length = batch
            .len()
            .min(usize::try_from(left.min(work.end_number() - claim.first)).unwrap_or(usize::MAX));
        for group in batch[..length].chunks(GROUP) {
            for (operation, row) in group.iter().zip(&mut buffers.written) {
                if writes(operation.kind) {
                    sequence.values(operation, row);
                }
            }
            let mut waited = false;
            if let Some(intended_ns) = intended_ns {
                waited = clock.now_ns() <= intended_ns;
                if !wait_for_its_time(work, clock, recorder, &mut turn, intended_ns).await {
                    work.note_returned();
                    // The thread is idle until the deadline: its share of a CPU is that of the whole phase.
                    recorder.flush(clock.now_ns().max(work.deadline_ns()));
                    return ClientSlice::default();
                }
                if work.gate.sliced {
                    stage = work.stage_of_slice(claim.first, intended_ns);
                }
            }
            let mut start_ns = clock.now_ns();
            if let Some(intended_ns) = intended_ns {
                let after_deadline = start_ns >= work.deadline_ns();
                recorder.sent(stage, intended_ns, start_ns, waited, after_deadline);
            }
            for (operation, written) in group.iter().zip(&buffers.written) {
                let kind = operation.kind;
                let early = is_early(sequence, operation);
                if stage == Stage::Measure {
                    in_flight.begin(intended_ns.unwrap_or(start_ns), kind);
                }
                let result =
                    perform(session, operation, written, &mut buffers.found, &mut buffers.rows).await;
                let end_ns = clock.now_ns();
                let times = Times {
                    intended_ns,
                    start_ns,
                    end_ns,
                    drained: end_ns > work.drained_after_ns(),
                };
                let answered = matches!(result, Ok(Reply::Done(_)));
                let ended = Ended { stage, times, early };
                let mut disturbed = match note(work, recorder, operation, ended, result) {
                    Noted::Answered { disturbed } => {
                        failures_in_a_row = 0;
                        disturbed
                    }
                    Noted::Missing { disturbed } => disturbed,
                    Noted::Failed => {
                        failures_in_a_row += 1;
                        if failures_in_a_row > FAILURES_BEFORE_REST && !work.paced {
                            clock.sleep_until(end_ns + REST_NS).await;
                        }
                        true
                    }
                };
                if work.verifies && answered {
                    verify(sequence, operation, ended, &buffers, recorder);
                    disturbed = true;
                }
                // The end of an operation is the start of the next, unless there was something to do in between.
                start_ns = if disturbed { clock.now_ns() } else { end_ns };
            }
            in_flight.end();
            now_ns = start_ns;
            clock.breathe(now_ns).await;
        }
        if !work.paced {
            let took_ns = now_ns - claimed_ns;
            turn.note(length, took_ns);
            want = next_claim(want, took_ns);
        }
    }
    let now_ns = clock.now_ns();
    recorder.flush(now_ns);
    turn.slice(work, stage, now_ns)
}

/// A client's part in the slices of a work that is measured in turns.
struct ClientTurn {
    ticket: Ticket,
    /// From when on it is measured in this slice; closed loop only.
    measured_from_ns: u64,
    /// Its operations so far, and the time that they took, waits for a CPU between them included.
    operations: u64,
    busy_ns: u64,
    head: HeadWatch,
}

impl ClientTurn {
    fn new(work: &SharedSequence) -> Self {
        Self {
            ticket: work.gate.ticket(),
            measured_from_ns: work.start_ns,
            operations: 0,
            busy_ns: 0,
            head: HeadWatch::default(),
        }
    }

    /// A claim of so many operations took so long.
    #[inline(always)]
    fn note(&mut self, operations: usize, took_ns: u64) {
        self.operations += operations as u64;
        self.busy_ns += took_ns;
    }

    /// Its first measured operation begins now.
    fn enter(&mut self, work: &SharedSequence, now_ns: u64) {
        self.measured_from_ns = now_ns.min(self.counts_from_ns(work));
        self.head.end(self.operations, now_ns);
    }

    /// When the head is over for this client, whatever it waits for: an operation that began in the head does not count, nor does the
    /// time that it takes beyond the head, as long as it takes no longer than others. A stall that began in the head counts, and so does
    /// waiting for a CPU.
    fn counts_from_ns(&self, work: &SharedSequence) -> u64 {
        work.measure_from_ns()
            .saturating_add(self.busy_ns / self.operations.max(1))
    }

    /// How long it has measured in this slice: from its first measured operation to the answer of its last.
    fn measured_ns(&self, work: &SharedSequence, stage: Stage, now_ns: u64) -> u64 {
        let from_ns = match stage {
            Stage::Measure => self.measured_from_ns,
            Stage::WarmUp if work.gate.sliced => self.counts_from_ns(work),
            Stage::Load | Stage::WarmUp | Stage::Tail => return 0,
        };
        now_ns.saturating_sub(from_ns)
    }

    /// The client's share of the slice that ended. It is in this stage.
    fn slice(&self, work: &SharedSequence, stage: Stage, now_ns: u64) -> ClientSlice {
        ClientSlice {
            measured_ns: self.measured_ns(work, stage, now_ns),
            head: self.head.tally(),
        }
    }

    /// Waits, with nothing in flight, until the gate opens again. It was in this stage.
    #[cold]
    async fn park<C: Clock>(
        &mut self,
        stage: Stage,
        work: &SharedSequence,
        clock: &OwnClock<'_, C>,
        recorder: &Recorder,
    ) {
        self.ticket.arrive();
        recorder.park(self.ticket.opening(), self.slice(work, stage, clock.now_ns()));
        let slice = self.ticket.wait().await;
        clock.skip(work.gate.skipped_ns());
        let now_ns = clock.now_ns();
        self.head.begin(self.operations, now_ns, work.measure_from_ns());
        recorder.resume(slice, work.paced, now_ns);
    }
}

/// Whether the operations of a claim are of the measured stage.
#[inline(always)]
fn is_measured(work: &SharedSequence, first: u64, intended_ns: Option<u64>, now_ns: u64) -> bool {
    match intended_ns {
        Some(intended_ns) => work.is_measured_at(first, intended_ns, now_ns),
        None => work.is_measured(first),
    }
}

/// Whether the insert of the operation's record has not been acknowledged yet.
#[inline(always)]
fn is_early(sequence: &Sequence, operation: &Operation) -> bool {
    let number = operation.key.number();
    operation.kind != OperationKind::Insert
        && number >= operation.first_inserted
        && !sequence.is_acknowledged(number)
}

/// When and in which stage an operation ended.
#[derive(Clone, Copy)]
struct Ended {
    stage: Stage,
    times: Times,
    /// Its record's insert had not been acknowledged when it was sent.
    early: bool,
}

/// How an operation counted, and whether noting it took time of its own.
enum Noted {
    Answered { disturbed: bool },
    Missing { disturbed: bool },
    Failed,
}

/// Hands the result of an operation to the recorder, and what it means for later operations to the sequence.
#[inline(always)]
fn note(
    work: &SharedSequence,
    recorder: &Recorder,
    operation: &Operation,
    ended: Ended,
    result: Result<Reply, DbError>,
) -> Noted {
    let sequence = &work.sequence;
    let kind = operation.kind;
    let Ended { stage, times, early } = ended;
    match result {
        Ok(answer) => {
            // A load asks for nothing that may not be there yet.
            if kind == OperationKind::Insert && !work.load {
                sequence.acknowledge(operation);
            }
            let answer = match answer {
                Reply::NotFound if early => Reply::TooEarly,
                answer => answer,
            };
            let disturbed = recorder.answered(stage, kind, times, answer);
            Noted::Answered { disturbed }
        }
        Err(error) if early && error.class == ErrorClass::NotFound => {
            let disturbed = recorder.answered(stage, kind, times, Reply::TooEarly);
            Noted::Missing { disturbed }
        }
        // Databases that can tell refuse to update what another operation has removed.
        Err(error) if work.deletes && changes(kind) && error.class == ErrorClass::NotFound => {
            let disturbed = recorder.answered(stage, kind, times, Reply::NotFound);
            Noted::Missing { disturbed }
        }
        Err(error) => {
            if kind == OperationKind::Insert {
                work.note_failed_insert();
                if !work.load {
                    sequence.fail(operation);
                }
            }
            let stage = work.stage_of_failure(stage, times.end_ns);
            recorder.failed(stage, kind, times, &error);
            Noted::Failed
        }
    }
}

#[inline(always)]
fn next_claim(want: u32, took_ns: u64) -> u32 {
    if took_ns < CLAIM_NS {
        (want * 2).min(LARGEST_CLAIM)
    } else {
        (want / 2).max(1)
    }
}

fn writes(kind: OperationKind) -> bool {
    kind == OperationKind::Insert || changes(kind)
}

fn changes(kind: OperationKind) -> bool {
    matches!(kind, OperationKind::Update | OperationKind::ReadModifyWrite)
}

/// Waits until an operation is due and may be sent; `false` when the end comes first.
async fn wait_for_its_time<C: Clock>(
    work: &SharedSequence,
    clock: &OwnClock<'_, C>,
    recorder: &Recorder,
    turn: &mut ClientTurn,
    intended_ns: u64,
) -> bool {
    loop {
        if intended_ns >= work.deadline_ns() {
            return false;
        }
        let (now_ns, closes_ns) = (clock.now_ns(), work.gate.closes_ns());
        if now_ns >= closes_ns {
            turn.park(Stage::WarmUp, work, clock, recorder).await;
        } else if now_ns >= intended_ns {
            return true;
        } else {
            let wake_ns = intended_ns.min(closes_ns).min(now_ns + LONGEST_WAIT_NS);
            clock.sleep_until(wake_ns).await;
        }
    }
}

/// Holds what an operation read against what was written, after the clock.
#[cold]
fn verify(sequence: &Sequence, operation: &Operation, ended: Ended, buffers: &Buffers, recorder: &Recorder) {
    let Ended { stage, early, .. } = ended;
    let note = |verification: Verification| {
        recorder.verified(stage, operation.kind, verification.checked, verification.failed);
    };
    match operation.kind {
        OperationKind::Read | OperationKind::ReadModifyWrite => {
            let partial = sequence.may_be_partial(early);
            note(sequence.verify(&operation.key, operation.fields, &buffers.found, partial));
        }
        OperationKind::Scan => {
            // Some databases do not tell the keys of what they scan; such records cannot be held against anything.
            let named = buffers.rows.iter().filter(|(key, _)| !key.as_bytes().is_empty());
            for (key, row) in named {
                // Any record of a scan may be one whose insert is in flight.
                let partial = sequence.may_be_partial(true);
                note(sequence.verify(key, operation.fields, row, partial));
            }
        }
        OperationKind::Insert | OperationKind::Update | OperationKind::Delete => {}
    }
}

#[inline(always)]
async fn perform<S: Session>(
    session: &mut S,
    operation: &Operation,
    written: &Row,
    found: &mut Row,
    rows: &mut Rows,
) -> Result<Reply, DbError> {
    let key = &operation.key;
    match operation.kind {
        OperationKind::Read => match session.read(key, operation.fields, found).await? {
            Found::Yes => Ok(Reply::Done(0)),
            Found::No => Ok(Reply::NotFound),
        },
        OperationKind::Update => session.update(key, written).await.map(|()| Reply::Done(0)),
        OperationKind::Insert => session.insert(key, written).await.map(|()| Reply::Done(0)),
        OperationKind::Scan => {
            match session
                .scan(key, operation.scan_limit, operation.fields, rows)
                .await?
            {
                0 => Ok(Reply::NotFound),
                records => Ok(Reply::Done(records)),
            }
        }
        OperationKind::ReadModifyWrite => match session.read(key, operation.fields, found).await? {
            Found::Yes => session.update(key, written).await.map(|()| Reply::Done(0)),
            Found::No => Ok(Reply::NotFound),
        },
        OperationKind::Delete => session.delete(key).await.map(|()| Reply::Done(0)),
    }
}
