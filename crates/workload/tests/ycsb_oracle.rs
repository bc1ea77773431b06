//! Ours against YCSB's own classes: `tests/fixtures` was written by `xtask/ycsb-oracle` from site.ycsb:core 0.17.0.
//! Rules that are a function of their input must be equal; random ones must have the same distribution.

mod support;

use std::sync::Arc;

use dbdyno_workload::zipfian::{ScrambledZipfian, Zipfian};
use dbdyno_workload::{Fields, Key, OperationKind, Row, Specification, Workload};
use support::{assert_same_distribution, counts, double, drain, properties, rows, workload};

const DRAWS: u64 = 200_000;

#[test]
fn key_names() {
    let mut checked = 0;
    for row in rows(include_str!("fixtures/key_names.tsv")) {
        let [order, padding, number, name] = row[..] else {
            panic!("{row:?}")
        };
        let number: u64 = number.parse().unwrap();
        if number > 1 << 60 {
            continue;
        }
        let settings = [
            format!("insertorder={order}"),
            format!("zeropadding={padding}"),
            format!("insertstart={number}"),
            "insertcount=1".to_owned(),
        ];
        let workload = workload(settings.iter().map(String::as_str), 1);
        drain(&workload.load(), 1, |operation| {
            assert_eq!(operation.key.as_str(), name);
            assert_eq!(operation.key.number(), number);
            checked += 1;
        });
    }
    assert_eq!(checked, 2 * 8 * 21);
}

#[test]
fn integrity_values() {
    let mut row_buffer = Row::new();
    for row in rows(include_str!("fixtures/integrity.tsv")) {
        let [length, key, field, value] = row[..] else {
            panic!("{row:?}")
        };
        let length_setting = format!("fieldlength={length}");
        let workload = workload(
            ["recordcount=6", "dataintegrity=true", length_setting.as_str()],
            3,
        );
        let field: u32 = field.strip_prefix("field").unwrap().parse().unwrap();
        let load = workload.load();
        let mut found = false;
        drain(&workload.load(), 6, |operation| {
            if operation.key.as_str() == key {
                load.values(operation, &mut row_buffer);
                assert_eq!(
                    row_buffer.get(field),
                    Some(value.as_bytes()),
                    "{key} {field} {length}"
                );
                found = true;
            }
        });
        assert!(found, "{key}");
        let mut read = Row::new();
        read.push(field, value.as_bytes());
        let verification = load.verify(&Key::new(0, key), Fields::One(field), &read, false);
        assert_eq!((verification.checked, verification.failed), (1, 0));
    }
}

#[test]
fn zipfian_constants() {
    for row in rows(include_str!("fixtures/zipfian_constants.tsv")) {
        let ours = match row[0] {
            "scrambled" => Zipfian::of_scrambled(),
            items => Zipfian::new(items.parse().unwrap()),
        };
        let (zeta, eta) = ours.constants();
        let (their_zeta, their_eta): (f64, f64) = (row[1].parse().unwrap(), row[2].parse().unwrap());
        assert!((zeta / their_zeta - 1.0).abs() < 1e-11, "{row:?}: zeta {zeta}");
        // For two items both are 0/0 up to rounding, and eta is never used.
        if row[0] != "2" {
            assert!((eta / their_eta - 1.0).abs() < 1e-9, "{row:?}: eta {eta}");
        }
    }
}

#[test]
fn zipfian_ranks() {
    for row in rows(include_str!("fixtures/zipfian_ranks.tsv")) {
        let zipfian = Zipfian::new(row[0].parse().unwrap());
        assert_eq!(zipfian.rank(double(row[1])).to_string(), row[2], "{row:?}");
    }
}

#[test]
fn scrambled_zipfian_choices() {
    for row in rows(include_str!("fixtures/scrambled.tsv")) {
        let (min, max): (u64, u64) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        let zipfian = ScrambledZipfian::new(max - min + 1);
        assert_eq!(
            (min + zipfian.choose(double(row[2]))).to_string(),
            row[3],
            "{row:?}"
        );
    }
}

#[test]
fn sequential_keys() {
    for row in rows(include_str!("fixtures/sequential.tsv")) {
        let (start, records) = (
            format!("insertstart={}", row[0]),
            format!("insertcount={}", row[1]),
        );
        let workload = workload(
            ["requestdistribution=sequential", start.as_str(), records.as_str()],
            1,
        );
        let theirs = counts(row[2]);
        let run = workload.run(row[1].parse().unwrap(), Some(theirs.len() as u64), None);
        let mut ours = Vec::new();
        drain(&run, 7, |operation| ours.push(operation.key.number()));
        assert_eq!(ours, theirs);
    }
}

#[test]
fn key_distributions() {
    for (seed, row) in rows(include_str!("fixtures/key_counts.tsv")).enumerate() {
        let mut settings: Vec<&str> = row[0].split(' ').collect();
        settings.push("recordcount=200");
        let workload = workload(settings, seed as u64);
        let records = workload.specification().records;
        let mut ours = vec![0; 200];
        if workload.specification().mix.has(OperationKind::Insert) {
            // Only first operations: the oracle's table does not grow while it draws.
            for seed in 0..DRAWS / 100 {
                let fresh = Arc::new(Workload::new(workload.specification().clone(), seed).unwrap());
                drain(&fresh.run(records, Some(1), None), 1, |operation| {
                    if operation.kind != OperationKind::Insert {
                        ours[operation.key.number() as usize] += 1;
                    }
                });
            }
        } else {
            drain(&workload.run(records, Some(DRAWS), None), 64, |operation| {
                ours[operation.key.number() as usize] += 1;
            });
        }
        assert_same_distribution(&ours, &counts(row[1]), row[0]);
    }
}

#[test]
fn length_distributions() {
    for (seed, row) in rows(include_str!("fixtures/length_counts.tsv")).enumerate() {
        let mut ours = vec![0; 101];
        let mut settings: Vec<&str> = row[1].split(' ').collect();
        settings.push("recordcount=20k");
        if row[0] == "scan" {
            settings.extend(["scanproportion=1", "readproportion=0", "updateproportion=0"]);
            let workload = workload(settings, seed as u64);
            drain(&workload.run(200, Some(DRAWS), None), 64, |operation| {
                ours[operation.scan_limit as usize] += 1;
            });
        } else {
            let mut properties = properties(settings);
            properties.attach("hist.txt", "BlockSize\t10\n0\t3\n1\t0\n2\t5\n3\t1\n4\t0\n5\t7\n");
            let resolved = Specification::from_properties(&properties).unwrap();
            let workload = Arc::new(Workload::new(resolved.specification, seed as u64).unwrap());
            let load = workload.load();
            let mut row = Row::new();
            drain(&workload.load(), 64, |operation| {
                load.values(operation, &mut row);
                assert_eq!(row.len(), 10);
                row.iter().for_each(|(_, value)| ours[value.len()] += 1);
            });
        }
        assert_same_distribution(&ours, &counts(row[2]), row[1]);
    }
}

#[test]
fn byte_distributions() {
    let shapes: [&[&str]; 3] = [
        &["fieldlength=100"],
        &["fieldlength=35", "fieldcount=7"],
        &[
            "fieldlengthdistribution=uniform",
            "minfieldlength=100",
            "fieldlength=120",
        ],
    ];
    for shape in shapes {
        let workload = workload([shape, &["recordcount=600"]].concat(), 11);
        let load = workload.load();
        let mut row = Row::new();
        let mut ours = vec![vec![0; 96]; 6];
        drain(&workload.load(), 64, |operation| {
            load.values(operation, &mut row);
            for (_, value) in row.iter() {
                for (at, byte) in value.iter().enumerate() {
                    ours[at % 6][usize::from(*byte) - 32] += 1;
                }
            }
        });
        for (at, row) in rows(include_str!("fixtures/byte_counts.tsv")).enumerate() {
            assert_same_distribution(&ours[at], &counts(row[1]), &format!("{shape:?}, position {at}"));
        }
    }
}

#[test]
fn operation_mixes() {
    for (seed, row) in rows(include_str!("fixtures/operation_counts.tsv")).enumerate() {
        let settings = row[0].split(' ').filter(|setting| !setting.is_empty());
        let workload = workload(settings.chain(["recordcount=1000"]), seed as u64);
        let mut ours = vec![0; OperationKind::ALL.len()];
        drain(&workload.run(1000, Some(DRAWS), None), 64, |operation| {
            ours[operation.kind as usize] += 1;
        });
        assert_eq!(ours.pop(), Some(0), "YCSB knows no deletes");
        assert_same_distribution(&ours, &counts(row[1]), row[0]);
    }
}
