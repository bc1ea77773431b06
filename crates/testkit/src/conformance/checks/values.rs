//! Odd keys and values: what a careless binding cuts, escapes or mixes up.

use crate::conformance::harness::ensure;
use crate::conformance::{BlockOn, Check, Harness, Outcome};
use dbdyno_driver::{Driver, ErrorClass, Fields, Values};

use super::list;

pub fn checks<D: Driver, R: BlockOn>() -> Vec<Check<D, R>> {
    let capabilities = D::INFO.capabilities;
    let bytes = capabilities.stores_records && capabilities.values == Values::Bytes;
    let text = capabilities.stores_records && capabilities.values == Values::Text;
    let mut checks = list!(Check, bytes; every_byte_is_kept);
    checks.extend(list!(Check, text; every_text_is_kept, what_is_not_text_is_rejected));
    checks.extend(list!(Check, capabilities.stores_records;
        empty_values_are_kept,
        large_values_are_kept,
        long_keys_are_kept_apart,
        odd_keys_are_kept_apart,
        many_fields_are_kept,
    ));
    checks
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

fn every_text_is_kept<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(1)?;
    let text: String = ('\u{1}'..='\u{2ff}').chain(['\'', '\\', '\u{1f600}']).collect();
    client.insert("key", &[(0, text.as_bytes())])?;
    let seen = client.read("key", Fields::All)?;
    ensure!(
        seen == Some(vec![(0, text.clone().into_bytes())]),
        "a value of many characters came back as {seen:?}"
    );
    Ok(())
}

fn what_is_not_text_is_rejected<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(1)?;
    client.insert("key", &[(0, b"old")])?;
    let refused = client.update("key", &[(0, &[0xff, 0xfe])]);
    ensure!(
        matches!(&refused, Err(error) if error.class == ErrorClass::Rejected),
        "a value that is not UTF-8 gives {refused:?}"
    );
    let seen = client.read("key", Fields::All)?;
    ensure!(
        seen == Some(vec![(0, b"old".to_vec())]),
        "a refused value left {seen:?}"
    );
    Ok(())
}

fn large_values_are_kept<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(2)?;
    let large: Vec<u8> = (0..1_u32 << 20)
        .map(|at| b'!' + ((at ^ (at >> 8)) as u8) % 90)
        .collect();
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
        client.insert(key, &[(0, &[b'!' + number as u8])])?;
    }
    for (number, key) in keys.iter().enumerate() {
        let seen = client.read(key, Fields::All)?;
        ensure!(
            seen == Some(vec![(0, vec![b'!' + number as u8])]),
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
        client.insert(key, &[(0, &[b'!' + number as u8])])?;
    }
    for (number, key) in keys.iter().enumerate() {
        let seen = client.read(key, Fields::All)?;
        ensure!(
            seen == Some(vec![(0, vec![b'!' + number as u8])]),
            "of {} keys, number {number}, {key:?}, leads to {seen:?}",
            keys.len()
        );
    }
    Ok(())
}

fn many_fields_are_kept<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(200)?;
    let values: Vec<Vec<u8>> = (0..200_u32).map(|index| index.to_string().into_bytes()).collect();
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
