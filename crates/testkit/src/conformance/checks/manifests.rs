//! The manifest beside a table.

use crate::conformance::harness::ensure;
use crate::conformance::{BlockOn, Check, Harness, Outcome};
use dbdyno_driver::{Driver, ScanOrder};

use super::list;

pub fn checks<D: Driver, R: BlockOn>() -> Vec<Check<D, R>> {
    let capabilities = D::INFO.capabilities;
    let mut checks = list!(Check, true; a_table_without_manifest_says_so);
    checks.extend(list!(Check, capabilities.stores_records;
        a_manifest_is_stored_and_replaced,
        a_manifest_goes_with_its_table,
        manifests_are_apart,
    ));
    checks.extend(list!(
        Check, capabilities.stores_records && capabilities.scan != ScanOrder::Unsupported; a_manifest_is_no_record
    ));
    checks
}

fn a_table_without_manifest_says_so<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    for table in [harness.missing_table(1), harness.table(1)?] {
        let manifest = harness.manifest(&table)?;
        ensure!(
            manifest.is_none(),
            "a table that was given no manifest has {manifest:?}"
        );
    }
    Ok(())
}

fn a_manifest_is_stored_and_replaced<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let table = harness.table(1)?;
    let long = "{\"records\": 1}\n'\u{e4}'".repeat(10_000);
    for manifest in ["first", &long, "last", ""] {
        harness.store_manifest(&table, manifest)?;
        let seen = harness.manifest(&table)?;
        ensure!(
            seen.as_deref() == Some(manifest),
            "a manifest of {} bytes came back as {:?} bytes",
            manifest.len(),
            seen.map(|seen| seen.len())
        );
    }
    Ok(())
}

fn a_manifest_is_no_record<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let table = harness.table(1)?;
    let mut client = harness.client(&table)?;
    client.insert("key", &[(0, b"value")])?;
    harness.store_manifest(&table, "manifest")?;
    // From the lowest name on: a manifest may be kept under any.
    let seen = client.scan_names("\u{1}", 10)?;
    ensure!(seen.len() <= 1, "the table of one record scans as {seen:?}");
    Ok(())
}

fn a_manifest_goes_with_its_table<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let table = harness.table(1)?;
    harness.store_manifest(&table, "manifest")?;
    harness.drop_table(&table)?;
    let seen = harness.manifest(&table)?;
    ensure!(seen.is_none(), "a dropped table has the manifest {seen:?}");
    harness.create(&table)?;
    let seen = harness.manifest(&table)?;
    ensure!(
        seen.is_none(),
        "a dropped table made anew has the manifest {seen:?}"
    );
    Ok(())
}

fn manifests_are_apart<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let (one, other) = (harness.table(1)?, harness.table(1)?);
    harness.store_manifest(&one, "one")?;
    harness.store_manifest(&other, "other")?;
    let seen = harness.manifest(&one)?;
    ensure!(
        seen.as_deref() == Some("one"),
        "after another table was given its manifest, that of this one is {seen:?}"
    );
    Ok(())
}
