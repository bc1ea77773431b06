//! Tables: made, dropped, kept apart.

use crate::conformance::harness::ensure;
use crate::conformance::{BlockOn, Check, Harness, Outcome};
use dbdyno_driver::{Driver, Fields};

use super::list;

pub fn checks<D: Driver, R: BlockOn>() -> Vec<Check<D, R>> {
    let mut checks = list!(Check, true; dropping_a_missing_table_is_no_error);
    checks.extend(list!(Check, D::INFO.capabilities.stores_records;
        creating_a_table_again_keeps_its_records,
        dropping_a_table_removes_its_records,
        tables_are_apart,
    ));
    checks
}

fn dropping_a_missing_table_is_no_error<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    harness.drop_table(&harness.missing_table(1))?;
    let table = harness.table(1)?;
    harness.drop_table(&table)?;
    harness.drop_table(&table)?;
    Ok(())
}

fn creating_a_table_again_keeps_its_records<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let table = harness.table(1)?;
    harness.client(&table)?.insert("key", &[(0, b"value")])?;
    harness.create(&table)?;
    let seen = harness.client(&table)?.read("key", Fields::All)?;
    ensure!(
        seen == Some(vec![(0, b"value".to_vec())]),
        "after creating the table again its record is {seen:?}"
    );
    Ok(())
}

fn dropping_a_table_removes_its_records<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let table = harness.table(1)?;
    harness.client(&table)?.insert("key", &[(0, b"value")])?;
    harness.drop_table(&table)?;
    harness.create(&table)?;
    let seen = harness.client(&table)?.read("key", Fields::All)?;
    ensure!(seen.is_none(), "a dropped table made anew holds {seen:?}");
    Ok(())
}

fn tables_are_apart<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let (one, other) = (harness.table(1)?, harness.table(1)?);
    let (mut in_one, mut in_other) = (harness.client(&one)?, harness.client(&other)?);
    in_one.insert("key", &[(0, b"one")])?;
    let seen = in_other.read("key", Fields::All)?;
    ensure!(seen.is_none(), "a record of one table is {seen:?} in another");
    in_other.insert("key", &[(0, b"other")])?;
    harness.drop_table(&other)?;
    let seen = in_one.read("key", Fields::All)?;
    ensure!(
        seen == Some(vec![(0, b"one".to_vec())]),
        "after another table was dropped, a record of this one is {seen:?}"
    );
    Ok(())
}
