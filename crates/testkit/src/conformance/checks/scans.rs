//! Scans: order, bounds, counts, and what is left in the rows.

use std::collections::BTreeSet;

use crate::conformance::harness::ensure;
use crate::conformance::{BlockOn, Check, Client, Harness, Outcome};
use dbdyno_driver::{DbError, Driver, ErrorClass, Fields, ScanOrder};

use super::list;

pub fn checks<D: Driver, R: BlockOn>() -> Vec<Check<D, R>> {
    let capabilities = D::INFO.capabilities;
    let stores = capabilities.stores_records;
    let mut checks = list!(Check, stores && capabilities.scan == ScanOrder::Key;
        a_scan_is_in_key_order,
        a_scan_begins_with_its_key,
        a_scan_from_an_absent_key_begins_after_it,
        a_scan_past_the_end_is_empty,
    );
    checks.extend(
        list!(Check, stores && capabilities.scan != ScanOrder::Unsupported;
            a_scan_returns_at_most_its_limit,
            a_scan_counts_what_it_returns,
            a_scan_returns_each_record_once,
            a_scan_returns_the_fields_asked_for,
            a_scan_replaces_what_the_rows_held,
            a_scan_leaves_out_deleted_records,
        ),
    );
    checks.extend(list!(Check, capabilities.scan == ScanOrder::Unsupported; a_scan_is_rejected));
    checks
}

/// In order of bytes, which is not the order of numbers, nor that of a dictionary.
const NAMES: [&str; 9] = [
    "userA", "user_", "usera", "user", "user10", "user100", "user2", "user9", "user99",
];

fn filled<'a, D: Driver, R: BlockOn>(harness: &Harness<'a, D, R>) -> Result<Client<'a, D, R>, DbError> {
    let mut client = harness.fresh(2)?;
    for name in NAMES {
        client.insert(name, &[(0, name.as_bytes()), (1, b"one")])?;
    }
    Ok(client)
}

fn sorted() -> [&'static str; 9] {
    let mut names = NAMES;
    names.sort_unstable();
    names
}

fn a_scan_is_in_key_order<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let seen = filled(harness)?.scan_names("user", 100)?;
    ensure!(
        seen == sorted(),
        "a scan of everything gives {seen:?}; in order of bytes it is {:?}",
        sorted()
    );
    Ok(())
}

fn a_scan_begins_with_its_key<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let seen = filled(harness)?.scan_names("user2", 100)?;
    let first = seen.first().map(String::as_str);
    ensure!(
        first == Some("user2"),
        "a scan from user2 on begins with {first:?}"
    );
    Ok(())
}

fn a_scan_from_an_absent_key_begins_after_it<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let seen = filled(harness)?.scan_names("user11", 2)?;
    ensure!(
        seen == ["user2", "user9"],
        "two records from user11 on, which is absent, are {seen:?}"
    );
    Ok(())
}

fn a_scan_past_the_end_is_empty<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = filled(harness)?;
    let count = client.scan("zzz", 10, Fields::All)?;
    ensure!(count == 0, "a scan past the last key says that it found {count}");
    Ok(())
}

fn a_scan_returns_at_most_its_limit<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = filled(harness)?;
    for limit in [1, 3, 8] {
        let count = client.scan_names("user", limit)?.len();
        ensure!(
            count <= limit as usize,
            "a scan of at most {limit} returns {count}"
        );
        ensure!(
            D::INFO.capabilities.scan == ScanOrder::Other || count == limit as usize,
            "a scan of {limit} of 9 records returns {count}"
        );
    }
    Ok(())
}

fn a_scan_counts_what_it_returns<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = filled(harness)?;
    for limit in [2, 5, 100] {
        let count = client.scan("user", limit, Fields::All)?;
        ensure!(
            count as usize == client.rows.len(),
            "a scan says {count} and leaves {} rows",
            client.rows.len()
        );
    }
    Ok(())
}

fn a_scan_returns_each_record_once<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let seen = filled(harness)?.scan_names("user", 100)?;
    let distinct: BTreeSet<&String> = seen.iter().collect();
    ensure!(
        distinct.len() == seen.len(),
        "a scan returns a record more than once: {seen:?}"
    );
    ensure!(
        seen.iter().all(|name| NAMES.contains(&name.as_str())),
        "a scan returns a record that was never inserted: {seen:?}"
    );
    Ok(())
}

fn a_scan_returns_the_fields_asked_for<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = filled(harness)?;
    for fields in [Fields::All, Fields::AllByName, Fields::One(0), Fields::One(1)] {
        client.scan("user", 100, fields)?;
        ensure!(!client.rows.is_empty(), "a scan of {fields:?} returns nothing");
        for (key, row) in client.rows.iter() {
            let all = [(0, key.as_bytes()), (1, &b"one"[..])];
            let expected = match fields {
                Fields::All | Fields::AllByName => &all[..],
                Fields::One(index) => &all[index as usize..=index as usize],
            };
            let seen: Vec<_> = row.iter().collect();
            ensure!(
                seen == expected,
                "a scan of {fields:?} returns {seen:?} for {key:?} and not {expected:?}"
            );
        }
    }
    Ok(())
}

fn a_scan_replaces_what_the_rows_held<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = filled(harness)?;
    client.scan("user", 100, Fields::All)?;
    client.scan("user", 2, Fields::All)?;
    ensure!(
        client.rows.len() <= 2,
        "a scan of 2 after a scan of 100 leaves {} rows",
        client.rows.len()
    );
    Ok(())
}

fn a_scan_leaves_out_deleted_records<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = filled(harness)?;
    client.delete("user10")?;
    let seen = client.scan_names("user", 100)?;
    ensure!(
        !seen.iter().any(|name| name == "user10"),
        "a scan returns a deleted record: {seen:?}"
    );
    Ok(())
}

fn a_scan_is_rejected<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(1)?;
    let class = client.scan("user", 10, Fields::All).map_err(|error| error.class);
    ensure!(
        class == Err(ErrorClass::Rejected),
        "the driver says that it cannot scan, and answers a scan with {class:?}"
    );
    Ok(())
}
