//! Sessions on several threads at once.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::conformance::harness::ensure;
use crate::conformance::{BlockOn, Check, Failure, Harness, Outcome};
use dbdyno_driver::{DbError, Driver, ErrorClass, Fields};

use super::list;

pub fn checks<D: Driver, R: BlockOn>() -> Vec<Check<D, R>> {
    list!(Check, D::INFO.capabilities.stores_records;
        concurrent_updates_of_one_record_all_survive,
        concurrent_inserts_all_survive,
        a_read_beside_writes_sees_whole_values,
    )
}

const THREADS: usize = 4;
const ROUNDS: u8 = 60;

/// A printable value of its own for each round: some databases keep text.
fn mark(round: u8) -> u8 {
    b'!' + round % 90
}

/// Runs `work` on each of the threads, all starting together, and gives the first failure.
fn on_threads(work: impl Fn(usize) -> Outcome + Sync) -> Outcome {
    let start = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (start, work) = (&start, &work);
                scope.spawn(move || {
                    start.wait();
                    work(thread)
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| {
            thread
                .join()
                .map_err(|_| Failure("a thread panicked".to_owned()))?
        })
    })
}

/// Tries again while another write is in the way: an answer that the contract allows under contention.
fn insist(mut write: impl FnMut() -> Result<(), DbError>) -> Outcome {
    loop {
        match write() {
            Err(error) if error.class == ErrorClass::Conflict => std::thread::yield_now(),
            other => return other.map_err(Failure::from),
        }
    }
}

fn concurrent_updates_of_one_record_all_survive<D: Driver, R: BlockOn>(
    harness: &Harness<'_, D, R>,
) -> Outcome {
    let table = harness.table(THREADS)?;
    let zeros: Vec<(u32, &[u8])> = (0..THREADS as u32).map(|field| (field, &b"start"[..])).collect();
    harness.client(&table)?.insert("key", &zeros)?;
    on_threads(|thread| {
        let field = thread as u32;
        let mut client = harness.client(&table)?;
        for round in 0..ROUNDS {
            insist(|| client.update("key", &[(field, &[mark(round)])]))?;
            // Nobody else writes this field.
            let seen = client.read("key", Fields::One(field))?;
            ensure!(
                seen == Some(vec![(field, vec![mark(round)])]),
                "thread {thread} set its field to {round} and reads {seen:?}: a concurrent update of another field \
                 of the record undid it"
            );
        }
        Ok(())
    })?;
    let seen = harness
        .client(&table)?
        .read("key", Fields::All)?
        .unwrap_or_default();
    let expected: Vec<_> = (0..THREADS as u32)
        .map(|field| (field, vec![mark(ROUNDS - 1)]))
        .collect();
    ensure!(
        seen == expected,
        "after {THREADS} threads set one field each to {}, the record is {seen:?}",
        ROUNDS - 1
    );
    Ok(())
}

fn concurrent_inserts_all_survive<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let table = harness.table(1)?;
    on_threads(|thread| {
        let mut client = harness.client(&table)?;
        for round in 0..ROUNDS {
            insist(|| client.insert(&format!("key{round}-{thread}"), &[(0, &[mark(round)])]))?;
        }
        Ok(())
    })?;
    let mut client = harness.client(&table)?;
    for (thread, round) in (0..THREADS).flat_map(|thread| (0..ROUNDS).map(move |round| (thread, round))) {
        let seen = client.read(&format!("key{round}-{thread}"), Fields::All)?;
        ensure!(
            seen == Some(vec![(0, vec![mark(round)])]),
            "of concurrent inserts, number {round} of thread {thread} is {seen:?}"
        );
    }
    Ok(())
}

fn a_read_beside_writes_sees_whole_values<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let table = harness.table(1)?;
    let value = |round: u8| vec![mark(round); 2000];
    harness.client(&table)?.insert("key", &[(0, &value(0))])?;
    let done = AtomicBool::new(false);
    on_threads(|thread| {
        let mut client = harness.client(&table)?;
        if thread == 0 {
            let written =
                (0..ROUNDS * 3).try_for_each(|round| insist(|| client.update("key", &[(0, &value(round))])));
            done.store(true, Ordering::Release);
            return written;
        }
        while !done.load(Ordering::Acquire) {
            let seen = client.read("key", Fields::All)?.unwrap_or_default();
            let whole = match seen.as_slice() {
                [(0, bytes)] => bytes.len() == 2000 && bytes.iter().all(|byte| Some(byte) == bytes.first()),
                _ => false,
            };
            ensure!(
                whole,
                "a read beside updates sees a value that was never written: parts of two, or nothing"
            );
        }
        Ok(())
    })
}
