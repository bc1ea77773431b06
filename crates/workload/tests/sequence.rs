//! Operation N is a function of seed, N and the records at the start: not of claims, threads or time.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use dbdyno_workload::{Arrivals, Batch, Fields, OperationKind, Row, Sequence, Workload, skew};
use support::{Seen, drain, see, workload};

const RECORDS: u64 = 5_000;
const OPERATIONS: u64 = 6_000;

/// Mixes that exercise every kind, chooser and detail.
const SETTINGS: &[&[&str]] = &[
    &[
        "readproportion=1",
        "updateproportion=0",
        "requestdistribution=zipfian",
    ],
    &[
        "readproportion=0.5",
        "updateproportion=0.5",
        "requestdistribution=zipfian",
        "readallfields=false",
    ],
    &[
        "insertproportion=0.3",
        "requestdistribution=zipfian",
        "operationcount=6000",
        "dataintegrity=true",
    ],
    &[
        "insertproportion=0.3",
        "requestdistribution=latest",
        "insertstart=77",
    ],
    &[
        "insertproportion=0.1",
        "scanproportion=0.5",
        "requestdistribution=exponential",
        "scanlengthdistribution=zipfian",
    ],
    &[
        "insertproportion=0.1",
        "requestdistribution=sequential",
        "writeallfields=true",
    ],
    &[
        "deleteproportion=0.2",
        "readmodifywriteproportion=0.2",
        "requestdistribution=zipf",
        "zipf.theta=1.1",
    ],
    &["requestdistribution=hotspot", "fieldlengthdistribution=zipfian"],
    &[
        "requestdistribution=uniform",
        "insertorder=ordered",
        "compressibility=0.5",
    ],
];

fn collect(sequence: &Sequence, threads: u32) -> BTreeMap<u64, Seen> {
    let seen = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let seen = &seen;
            scope.spawn(move || {
                let mut batch = Batch::new();
                let mut want = thread;
                loop {
                    want = (want * 5 + 1) % 67;
                    let Some(claim) = sequence.claim(want) else { break };
                    sequence.fill(&claim, &mut batch);
                    assert_eq!(batch.len(), claim.length as usize);
                    for (index, operation) in batch.iter().enumerate() {
                        assert_eq!(operation.number, claim.first + index as u64);
                        let intended = sequence.intended_start_ns(&claim, index as u32);
                        let before = seen
                            .lock()
                            .unwrap()
                            .insert(operation.number, see(sequence, operation, intended));
                        assert!(
                            before.is_none(),
                            "operation {} was claimed twice",
                            operation.number
                        );
                    }
                }
            });
        }
    });
    seen.into_inner().unwrap()
}

fn one_by_one(sequence: &Sequence) -> BTreeMap<u64, Seen> {
    let mut seen = BTreeMap::new();
    let mut batch = Batch::new();
    while let Some(claim) = sequence.claim(1) {
        sequence.fill(&claim, &mut batch);
        seen.insert(
            claim.first,
            see(sequence, &batch[0], sequence.intended_start_ns(&claim, 0)),
        );
    }
    seen
}

fn prepare(settings: &[&'static str], seed: u64) -> Arc<Workload> {
    workload([&["insertcount=5000"], settings].concat(), seed)
}

#[test]
fn neither_claims_nor_threads_change_the_operations() {
    for settings in SETTINGS {
        let workload = prepare(settings, 42);
        for pace in [
            None,
            Some((20_000.0, Arrivals::Constant)),
            Some((20_000.0, Arrivals::Poisson)),
        ] {
            let run = || workload.run(RECORDS, Some(1_500), pace);
            let expected = one_by_one(&run());
            assert_eq!(expected.len(), 1_500);
            assert!(expected.keys().copied().eq(0..1_500));
            for threads in [1, 8] {
                assert!(
                    collect(&run(), threads) == expected,
                    "{settings:?} {pace:?} with {threads} threads"
                );
            }
        }
    }
    let workload = prepare(SETTINGS[0], 42);
    let expected = one_by_one(&workload.load());
    assert_eq!(expected.len() as u64, RECORDS);
    assert!(collect(&workload.load(), 8) == expected);
}

#[test]
fn the_seed_changes_the_operations() {
    let keys = |seed| {
        let mut keys = Vec::new();
        drain(
            &prepare(SETTINGS[0], seed).run(RECORDS, Some(100), None),
            64,
            |operation| {
                keys.push(operation.key.number());
            },
        );
        keys
    };
    assert_eq!(keys(1), keys(1));
    assert_ne!(keys(1), keys(2));
}

#[test]
fn inserts_are_contiguous_and_others_ask_for_what_was_inserted_before_them() {
    for settings in SETTINGS {
        let workload = prepare(settings, 7);
        let start = workload.specification().insert_start;
        // Not the loaded number: an earlier run has inserted some.
        let records = RECORDS + 123;
        let mut next = start + records;
        let mut new_keys_read = 0;
        drain(&workload.run(records, Some(OPERATIONS), None), 64, |operation| {
            let key = operation.key.number();
            assert_eq!(operation.first_inserted, start + records);
            if operation.kind == OperationKind::Insert {
                assert_eq!(key, next);
                next += 1;
            } else {
                let known = (start + records).max(next - 64);
                assert!(
                    (start..known).contains(&key),
                    "{settings:?}: {key} not in {start}..{known}"
                );
                new_keys_read += u64::from(key >= start + records);
            }
        });
        let inserts = next - start - records;
        assert_eq!(
            inserts > 0,
            workload.specification().mix.has(OperationKind::Insert)
        );
        if settings.contains(&"requestdistribution=latest") {
            assert!(new_keys_read > OPERATIONS / 4, "{new_keys_read}");
        }
        if settings.contains(&"operationcount=6000") {
            assert!(new_keys_read > 100, "{new_keys_read}");
        }
    }
}

#[test]
fn load_inserts_every_record_once_with_all_fields() {
    let workload = workload(
        [
            "recordcount=1000",
            "insertstart=100",
            "fieldcount=3",
            "fieldlength=17",
        ],
        1,
    );
    let load = workload.load();
    let mut row = Row::new();
    let mut next = 100;
    drain(&workload.load(), 64, |operation| {
        assert_eq!(operation.kind, OperationKind::Insert);
        assert_eq!(operation.key.number(), next);
        next += 1;
        load.values(operation, &mut row);
        let lengths: Vec<(u32, usize)> = row.iter().map(|(index, value)| (index, value.len())).collect();
        assert_eq!(lengths, [(0, 17), (1, 17), (2, 17)]);
    });
    assert_eq!(next, 1000);
}

#[test]
fn updates_write_one_field_or_all() {
    let mut row = Row::new();
    for (settings, count) in [
        (&["recordcount=10"][..], 1),
        (&["recordcount=10", "writeallfields=true"], 10),
    ] {
        let workload = workload(
            settings
                .iter()
                .copied()
                .chain(["updateproportion=1", "readproportion=0"]),
            1,
        );
        let run = workload.run(10, Some(2_000), None);
        let mut fields = [0; 10];
        drain(&workload.run(10, Some(2_000), None), 64, |operation| {
            run.values(operation, &mut row);
            assert_eq!(row.len(), count);
            row.iter().for_each(|(index, value)| {
                assert_eq!(value.len(), 100);
                fields[index as usize] += 1;
            });
        });
        // All fields are chosen alike: 200 each, within five standard deviations.
        assert!(
            fields
                .iter()
                .all(|field| count == 10 || (130..270).contains(field)),
            "{fields:?}"
        );
    }
}

#[test]
fn reads_scans_and_deletes_write_nothing() {
    let workload = workload(
        [
            "recordcount=10",
            "scanproportion=1",
            "deleteproportion=1",
            "updateproportion=0",
        ],
        1,
    );
    let run = workload.run(10, Some(100), None);
    let mut row = Row::new();
    drain(&workload.run(10, Some(100), None), 64, |operation| {
        row.push(3, b"left over");
        run.values(operation, &mut row);
        assert!(row.is_empty());
    });
}

#[test]
fn values_differ_between_operations_and_between_load_and_run() {
    let workload = workload(
        [
            "recordcount=100",
            "updateproportion=1",
            "readproportion=0",
            "writeallfields=true",
        ],
        1,
    );
    let (load, run) = (workload.load(), workload.run(100, Some(100), None));
    let mut values = std::collections::BTreeSet::new();
    let mut row = Row::new();
    for sequence in [load, run] {
        let mut batch = Batch::new();
        while let Some(claim) = sequence.claim(64) {
            sequence.fill(&claim, &mut batch);
            for operation in batch.iter() {
                sequence.values(operation, &mut row);
                row.iter()
                    .for_each(|(_, value)| assert!(values.insert(value.to_vec())));
            }
        }
    }
    assert_eq!(values.len(), 2 * 100 * 10);
}

#[test]
fn limits_end_the_sequence() {
    let workload = prepare(SETTINGS[0], 1);
    let run = workload.run(RECORDS, Some(100), None);
    assert_eq!(
        run.claim(64).map(|claim| (claim.first, claim.length)),
        Some((0, 64))
    );
    assert_eq!(
        run.claim(64).map(|claim| (claim.first, claim.length)),
        Some((64, 36))
    );
    assert_eq!(run.claim(1), None);
    assert_eq!(run.claimed(), 100);
    assert_eq!(workload.run(RECORDS, Some(0), None).claim(64), None);
    assert!(workload.run(RECORDS, None, None).claim(64).is_some());
    assert_eq!(
        workload
            .run(RECORDS, None, None)
            .claim(0)
            .map(|claim| claim.length),
        Some(1)
    );
    assert_eq!(
        workload
            .run(RECORDS, None, None)
            .claim(1_000)
            .map(|claim| claim.length),
        Some(64)
    );
}

#[test]
fn constant_arrivals_are_evenly_spaced() {
    let run = prepare(SETTINGS[0], 1).run(RECORDS, None, Some((2_000.0, Arrivals::Constant)));
    for _ in 0..100 {
        let claim = run.claim(3).unwrap();
        for index in 0..3 {
            let number = claim.first + u64::from(index);
            assert_eq!(run.intended_start_ns(&claim, index), number * 500_000);
        }
    }
}

#[test]
fn poisson_arrivals_have_exponential_gaps() {
    const COUNT: usize = 50_000;
    let run = prepare(SETTINGS[0], 1).run(RECORDS, None, Some((1_000.0, Arrivals::Poisson)));
    let mut starts = vec![0.0];
    while starts.len() <= COUNT {
        let claim = run.claim(64).unwrap();
        starts.extend((0..claim.length).map(|index| run.intended_start_ns(&claim, index) as f64));
    }
    let mut gaps: Vec<f64> = starts
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .take(COUNT)
        .collect();
    gaps.sort_by(f64::total_cmp);
    // Kolmogorov-Smirnov against 1 - exp(-gap / mean); 1.95 is the limit at a significance of 10^-3.
    let distance = gaps
        .iter()
        .enumerate()
        .map(|(index, gap)| ((index as f64 + 0.5) / COUNT as f64 - (1.0 - (-gap / 1e6).exp())).abs())
        .fold(0.0, f64::max);
    assert!(distance * (COUNT as f64).sqrt() < 1.95, "{distance}");
}

#[test]
fn acknowledgements_tell_what_is_there() {
    let workload = prepare(SETTINGS[3], 9);
    let start = workload.specification().insert_start;
    let run = workload.run(RECORDS, Some(OPERATIONS), None);
    assert_eq!(run.contiguous_records(), RECORDS);
    let mut inserts = Vec::new();
    drain(&workload.run(RECORDS, Some(OPERATIONS), None), 64, |operation| {
        assert_eq!(
            run.is_acknowledged(operation.key.number()),
            operation.key.number() < operation.first_inserted
        );
        if operation.kind == OperationKind::Insert {
            inserts.push(operation.clone());
        } else {
            run.acknowledge(operation);
        }
    });
    for operation in inserts[1..].iter().rev() {
        run.acknowledge(operation);
    }
    assert_eq!(run.contiguous_records(), RECORDS);
    assert!(!run.is_acknowledged(start + RECORDS));
    assert!(run.is_acknowledged(start + RECORDS + 1));
    run.acknowledge(&inserts[0]);
    assert_eq!(run.contiguous_records(), RECORDS + inserts.len() as u64);
    assert!(!run.is_acknowledged(start + RECORDS + inserts.len() as u64));
}

#[test]
fn verification_counts_each_wrong_value() {
    let workload = workload(["recordcount=10", "dataintegrity=true"], 1);
    let load = workload.load();
    let mut batch = Batch::new();
    let claim = load.claim(1).unwrap();
    load.fill(&claim, &mut batch);
    let mut row = Row::new();
    load.values(&batch[0], &mut row);
    assert!(load.verifies());
    let check = |row: &Row| {
        let verification = load.verify(&batch[0].key, Fields::All, row, false);
        (verification.checked, verification.failed)
    };
    assert_eq!(check(&row), (10, 0));
    let mut damaged = Row::new();
    for (index, value) in row.iter() {
        let mut value = value.to_vec();
        match index {
            2 => value[99] ^= 1,
            5 => value.truncate(99),
            _ => {}
        }
        damaged.push(index, &value);
    }
    damaged.push(10, b"a field that the table does not have");
    assert_eq!(check(&damaged), (11, 3));
    assert_eq!(check(&Row::new()), (10, 10));
    let free = prepare(SETTINGS[0], 1).load();
    assert!(!free.verifies());
    assert_eq!(
        free.verify(&batch[0].key, Fields::All, &damaged, false).checked,
        0
    );
}

#[test]
fn huge_tables_need_no_memory_or_time() {
    for distribution in [
        "uniform",
        "zipfian",
        "zipf",
        "latest",
        "hotspot",
        "sequential",
        "exponential",
    ] {
        let distribution = format!("requestdistribution={distribution}");
        for records in ["1e9", "1e15"] {
            let count = format!("recordcount={records}");
            let workload = workload(
                [count.as_str(), distribution.as_str(), "insertproportion=0.05"],
                3,
            );
            let records = workload.specification().records;
            drain(&workload.run(records, Some(640), None), 64, |operation| {
                assert!(operation.key.number() < records + 640, "{distribution}");
            });
        }
    }
}

#[test]
fn tables_of_one_record_or_none_do_not_panic() {
    for settings in SETTINGS {
        let workload = prepare(settings, 5);
        for records in [0, 1, 2] {
            let mut operations = 0;
            drain(&workload.run(records, Some(500), None), 64, |operation| {
                assert!(operation.key.number() >= workload.specification().insert_start);
                operations += 1;
            });
            assert_eq!(operations, 500);
        }
    }
}

#[test]
fn the_skew_is_what_was_measured_of_ycsb() {
    // Measured with YCSB's classes and 5 million draws over 1000 records: hottest key, top 1%, top 20%.
    for (distribution, measured) in [
        ("zipfian", [0.039, 0.131, 0.390]),
        ("zipf", [0.129, 0.398, 0.787]),
    ] {
        let request = format!("requestdistribution={distribution}");
        let workload = workload(["recordcount=1000", request.as_str()], 1);
        let skew = skew::realised(&workload, 1000, 200_000).unwrap();
        assert_eq!(skew.operations, 200_000);
        for (ours, theirs) in [skew.hottest_key, skew.top_1_percent, skew.top_20_percent]
            .into_iter()
            .zip(measured)
        {
            // Fewer draws leave more to chance, which counts as skew: up to 1.2% here.
            assert!((ours - theirs).abs() < 0.015, "{distribution}: {skew:?}");
        }
    }
    let inserts_only = workload(
        [
            "recordcount=10",
            "insertproportion=1",
            "readproportion=0",
            "updateproportion=0",
        ],
        1,
    );
    assert_eq!(skew::realised(&inserts_only, 10, 1_000), None);
}

/// A record is compared with the fields that were asked for: what is missing is wrong, not unseen.
#[test]
fn verification_counts_missing_fields() {
    let verify = |settings: &[&str], asked: Fields, fields: &[u32], early: bool| {
        let all = ["recordcount=10", "dataintegrity=true"];
        let workload = workload(all.iter().chain(settings).copied(), 1);
        let load = workload.load();
        let mut batch = Batch::new();
        let claim = load.claim(1).unwrap();
        load.fill(&claim, &mut batch);
        let mut whole = Row::new();
        load.values(&batch[0], &mut whole);
        let mut row = Row::new();
        for &field in fields {
            row.push(field, whole.get(field).unwrap());
        }
        let partial = load.may_be_partial(early);
        let found = load.verify(&batch[0].key, asked, &row, partial);
        (found.checked, found.failed)
    };
    let mixed = ["updateproportion=0.5", "readproportion=0.5"];
    assert_eq!(verify(&[], Fields::All, &[0], false), (10, 9), "one of ten");
    assert_eq!(
        verify(&mixed, Fields::AllByName, &[0, 1, 2, 3, 4, 5, 6, 7, 8], false),
        (10, 1)
    );
    // One field is asked for with readallfields=false: it alone must be there.
    let one = ["readallfields=false"];
    assert_eq!(verify(&one, Fields::One(3), &[3], false), (1, 0));
    assert_eq!(verify(&one, Fields::One(3), &[], false), (1, 1));
    assert_eq!(verify(&one, Fields::One(3), &[4], false), (2, 2));
    // In whatever order they come.
    let backwards: Vec<u32> = (0..10).rev().collect();
    assert_eq!(verify(&[], Fields::All, &backwards, false), (10, 0));
    // An update of one field may have made a record that is not yet inserted, or deleted.
    assert_eq!(verify(&mixed, Fields::All, &[2], true), (1, 0));
    let deleting = ["updateproportion=0.5", "deleteproportion=0.5"];
    assert_eq!(verify(&deleting, Fields::All, &[2], false), (1, 0));
    let whole = [
        "updateproportion=0.5",
        "deleteproportion=0.5",
        "writeallfields=true",
    ];
    assert_eq!(verify(&whole, Fields::All, &[2], false), (10, 9));
}
