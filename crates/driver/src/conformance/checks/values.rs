//! Odd keys and values: what a careless binding cuts, escapes or mixes up.

use crate::conformance::harness::ensure;
use crate::conformance::{BlockOn, Check, Harness, Outcome};
use crate::{Driver, Fields};

use super::list;

pub fn checks<D: Driver, R: BlockOn>() -> Vec<Check<D, R>> {
    list!(Check, D::INFO.capabilities.stores_records;
        empty_values_are_kept,
        every_byte_is_kept,
        large_values_are_kept,
        long_keys_are_kept_apart,
        odd_keys_are_kept_apart,
        many_fields_are_kept,
    )
}

fn empty_values_are_kept<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    client.insert("key", &[(0, b""), (1, b"one"), (2, b"")])?;
    let seen = client.read("key", Fields::All)?;
    let expected = vec![(0, vec![]), (1, b"one".to_vec()), (2, vec![])];
    ensure!(
        seen.as_ref() == Some(&expected),
        "a record with empty values is {seen:?}"
    );
    Ok(())
}

fn every_byte_is_kept<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(2)?;
    let bytes: Vec<u8> = (0..=255).chain([0, 0, 255]).collect();
    client.insert("key", &[(0, &bytes), (1, &[0])])?;
    let inserted = client.read("key", Fields::All)?;
    client.update("key", &[(1, &bytes)])?;
    let updated = client.read("key", Fields::One(1))?;
    ensure!(
        inserted == Some(vec![(0, bytes.clone()), (1, vec![0])]) && updated == Some(vec![(1, bytes)]),
        "of a value of all bytes an insert leaves {inserted:?} and an update {updated:?}"
    );
    Ok(())
}

fn large_values_are_kept<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(2)?;
    let large: Vec<u8> = (0..1_u32 << 20).map(|at| (at ^ (at >> 8)) as u8).collect();
    client.insert("key", &[(0, &large), (1, b"small")])?;
    let seen = client.read("key", Fields::All)?.unwrap_or_default();
    let lengths: Vec<usize> = seen.iter().map(|(_, value)| value.len()).collect();
    ensure!(
        seen == [(0, large), (1, b"small".to_vec())],
        "values of {} and 5 bytes came back different, with lengths {lengths:?}",
        1 << 20
    );
    Ok(())
}

fn long_keys_are_kept_apart<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(1)?;
    let keys = ["a", "b"].map(|end| format!("{}{end}", "user".repeat(250)));
    for (number, key) in keys.iter().enumerate() {
        client.insert(key, &[(0, &[number as u8])])?;
    }
    for (number, key) in keys.iter().enumerate() {
        let seen = client.read(key, Fields::All)?;
        ensure!(
            seen == Some(vec![(0, vec![number as u8])]),
            "the record of a key of {} bytes is {seen:?}",
            key.len()
        );
    }
    Ok(())
}

fn odd_keys_are_kept_apart<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(1)?;
    let keys = [
        "key", "KEY", "key ", " key", "k'e'y", "\"key\"", "key%", "key_", "k\\ey", "key;--", "1", "01",
        "1.0", "null", "{key}", "$key", "key:1", "key\tkey",
    ];
    for (number, key) in keys.iter().enumerate() {
        client.insert(key, &[(0, &[number as u8])])?;
    }
    for (number, key) in keys.iter().enumerate() {
        let seen = client.read(key, Fields::All)?;
        ensure!(
            seen == Some(vec![(0, vec![number as u8])]),
            "of {} keys, number {number}, {key:?}, leads to {seen:?}",
            keys.len()
        );
    }
    Ok(())
}

fn many_fields_are_kept<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(200)?;
    let values: Vec<Vec<u8>> = (0..200_u32).map(|index| index.to_be_bytes().to_vec()).collect();
    let fields: Vec<(u32, &[u8])> = (0..).zip(values.iter().map(Vec::as_slice)).collect();
    client.insert("key", &fields)?;
    client.update("key", &[(150, b"changed")])?;
    let seen = client.read("key", Fields::All)?.unwrap_or_default();
    let right = seen.len() == 200
        && seen.iter().enumerate().all(|(number, (index, value))| {
            *index == number as u32
                && (if number == 150 {
                    b"changed"
                } else {
                    values[number].as_slice()
                }) == *value
        });
    ensure!(
        right,
        "of a record of 200 fields {} came back right or wrong",
        seen.len()
    );
    Ok(())
}
