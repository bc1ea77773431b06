//! Shares of a sequence: together they are the whole, operation by operation.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use dbdyno_workload::{Arrivals, Batch, OperationKind, Sequence, Share, Specification, Workload, catalogue};
use support::{Seen, see, workload};

const RECORDS: u64 = 2_000;
const OPERATIONS: u64 = 3_001;

/// Divisions of the slots: first slot and number of slots of each share.
const DIVISIONS: [&[(u32, u32)]; 3] = [
    &[(0, 1), (1, 1), (2, 1)],
    &[(0, 5), (5, 3)],
    &[(0, 1), (1, 6), (7, 1)],
];

fn shares(division: &[(u32, u32)]) -> Vec<Share> {
    let of = division.iter().map(|(_, count)| count).sum();
    let share = |&(first, count): &(u32, u32)| Share::new(first, count, of).unwrap();
    division.iter().map(share).collect()
}

/// The operations of a sequence by their numbers, claimed by so many at a time, in the order of their claims.
fn operations(sequence: &Sequence, at_a_time: u32) -> BTreeMap<u64, Seen> {
    let mut seen = BTreeMap::new();
    let mut batch = Batch::new();
    let mut places = 0;
    while let Some(claim) = sequence.claim(at_a_time) {
        assert_eq!(claim.first, places);
        places += u64::from(claim.length);
        sequence.fill(&claim, &mut batch);
        for (index, operation) in (0..).zip(batch.iter()) {
            assert_eq!(sequence.kind(claim.first + u64::from(index)), operation.kind);
            let intended_ns = sequence.intended_start_ns(&claim, index);
            let before = seen.insert(operation.number, see(sequence, operation, intended_ns));
            assert!(before.is_none(), "{} twice", operation.number);
        }
    }
    assert_eq!(sequence.claimed(), places);
    seen
}

fn every_workload() -> Vec<(String, Arc<Workload>)> {
    let prepared = |name: &str| {
        let mut properties = catalogue::find(name).unwrap().properties();
        properties.set(&format!("recordcount={RECORDS}")).unwrap();
        let resolved = Specification::from_properties(&properties).unwrap();
        Arc::new(Workload::new(resolved.specification, 42).unwrap())
    };
    let known = catalogue::ENTRIES.iter().map(|entry| entry.name.to_owned());
    let mut all: Vec<(String, Arc<Workload>)> = known.map(|name| (name.clone(), prepared(&name))).collect();
    assert!(all.len() > 6);
    for request in ["latest", "zipfian", "sequential", "exponential"] {
        let settings = [
            "recordcount=2000",
            "insertstart=77",
            "insertproportion=0.3",
            "dataintegrity=true",
            &format!("requestdistribution={request}"),
        ];
        all.push((format!("inserts, {request}"), workload(settings, 42)));
    }
    all
}

#[test]
fn shares_together_are_the_whole_operation_by_operation() {
    let paces = [
        None,
        Some((20_000.0, Arrivals::Constant)),
        Some((20_000.0, Arrivals::Poisson)),
    ];
    for (name, workload) in every_workload() {
        let load = operations(&workload.load(), 64);
        let runs = paces.map(|pace| operations(&workload.run(RECORDS, Some(OPERATIONS), pace), 64));
        for division in DIVISIONS {
            let mut parts = BTreeMap::new();
            for share in shares(division) {
                parts.extend(operations(&workload.load().shared(share), 7));
            }
            assert!(parts == load, "load of {name} by {division:?}");
            for (pace, whole) in paces.iter().zip(&runs) {
                let mut parts = BTreeMap::new();
                for share in shares(division) {
                    let run = workload.run(RECORDS, Some(OPERATIONS), *pace).shared(share);
                    parts.extend(operations(&run, 7));
                }
                assert_eq!(parts.len(), whole.len(), "{name} by {division:?} at {pace:?}");
                for (number, seen) in &parts {
                    assert_eq!(
                        seen, &whole[number],
                        "{number} of {name} by {division:?} at {pace:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_share_is_as_much_of_the_schedule_as_it_has_slots() {
    let workload = workload(["recordcount=100"], 1);
    let run = workload.run(100, None, Some((8_000.0, Arrivals::Constant)));
    let run = run.shared(Share::new(2, 3, 8).unwrap());
    assert!((run.mean_gap_ns() - 1e9 / 3_000.0).abs() < 1e-6);
    assert_eq!(run.claimed_until_ns(), 2 * 125_000);
    run.claim(3).unwrap();
    assert_eq!(
        run.claimed_until_ns(),
        (8 + 2) * 125_000,
        "the first of its second round"
    );
}

/// A run in which agents insert, and what each of them learns of the others.
#[test]
fn records_that_others_insert_are_there_once_all_before_them_are() {
    let workload = workload(
        [
            "recordcount=2000",
            "insertproportion=0.5",
            "requestdistribution=latest",
        ],
        3,
    );
    let whole = workload.run(RECORDS, Some(OPERATIONS), None);
    let runs: Vec<Sequence> = shares(DIVISIONS[0])
        .into_iter()
        .map(|share| workload.run(RECORDS, Some(OPERATIONS), None).shared(share))
        .collect();
    let inserts: Vec<u64> = operations(&whole, 64)
        .into_values()
        .filter(|seen| seen.0 == OperationKind::Insert)
        .map(|seen| seen.2)
        .collect();
    let mut batch = Batch::new();
    // The last share has claimed nothing yet: none of its inserts have ended.
    for run in &runs[..2] {
        while let Some(claim) = run.claim(64) {
            run.fill(&claim, &mut batch);
            batch.iter().for_each(|operation| run.acknowledge(operation));
        }
    }
    let ended = || runs.iter().map(Sequence::ended_inserts).min().unwrap();
    let before = ended();
    assert!(before <= 3, "{before}");
    let learn = || {
        let (ended, failed) = (
            ended(),
            runs.iter().flat_map(Sequence::failed_inserts).collect::<Vec<_>>(),
        );
        runs.iter().for_each(|run| run.learn(ended, &failed));
    };
    learn();
    let known = |run: &Sequence| inserts.iter().filter(|key| run.is_acknowledged(**key)).count() as u64;
    assert!(runs.iter().all(|run| known(run) == before));
    let mut failed = None;
    while let Some(claim) = runs[2].claim(64) {
        runs[2].fill(&claim, &mut batch);
        for operation in batch.iter() {
            if operation.kind == OperationKind::Insert && failed.is_none() && claim.first > 200 {
                failed = Some(operation.key.number());
                runs[2].fail(operation);
            } else {
                runs[2].acknowledge(operation);
            }
        }
    }
    let failed = failed.unwrap();
    assert_eq!(ended(), inserts.len() as u64);
    learn();
    for run in &runs {
        assert_eq!(known(run), inserts.len() as u64 - 1);
        assert!(!run.is_acknowledged(failed));
        assert_eq!(
            run.contiguous_records(),
            failed - workload.specification().insert_start
        );
    }
}
