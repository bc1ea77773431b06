//! The system and its sessions as such.

use crate::conformance::harness::ensure;
use crate::conformance::{BlockOn, Check, Harness, Outcome};
use dbdyno_driver::{Driver, Execution, Fields};

use super::list;

pub fn checks<D: Driver, R: BlockOn>() -> Vec<Check<D, R>> {
    let stores = D::INFO.capabilities.stores_records;
    let mut checks = list!(Check, true; the_facts_name_product_and_version, flushing_succeeds);
    checks.extend(list!(Check, D::INFO.execution == Execution::Blocking; blocking_answers_are_ready_at_once));
    checks.extend(list!(Check, stores; a_write_is_visible_to_every_session, many_sessions_work_side_by_side));
    checks.extend(list!(Check, !stores; without_records_every_answer_is_found));
    checks
}

fn the_facts_name_product_and_version<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let facts = harness.runtime.block_on(harness.driver.facts())?;
    ensure!(!facts.product.is_empty(), "there is no product name");
    ensure!(!facts.version.is_empty(), "there is no version");
    ensure!(!facts.topology.is_empty(), "there is no topology");
    Ok(())
}

fn flushing_succeeds<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    harness.fresh(1)?.insert("key", &[(0, b"value")])?;
    harness.runtime.block_on(harness.driver.flush())?;
    Ok(())
}

fn blocking_answers_are_ready_at_once<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(1)?;
    client.insert("key", &[(0, b"value")])?;
    for key in ["key", "other"] {
        ensure!(
            client.read_is_ready_at_once(key),
            "the driver says that its calls block, and a read was not ready at its first poll"
        );
    }
    Ok(())
}

fn a_write_is_visible_to_every_session<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let table = harness.table(1)?;
    let (mut one, mut other) = (harness.client(&table)?, harness.client(&table)?);
    for round in b'a'..b'u' {
        one.insert("key", &[(0, &[round])])?;
        for client in [&mut other, &mut one] {
            let seen = client.read("key", Fields::All)?;
            ensure!(
                seen == Some(vec![(0, vec![round])]),
                "round {round}: after an insert a session reads {seen:?}"
            );
        }
        other.update("key", &[(0, &[round, round])])?;
        let seen = one.read("key", Fields::All)?;
        ensure!(
            seen == Some(vec![(0, vec![round, round])]),
            "round {round}: after an update another session reads {seen:?}"
        );
        one.delete("key")?;
        let seen = other.read("key", Fields::All)?;
        ensure!(
            seen.is_none(),
            "round {round}: after a delete another session reads {seen:?}"
        );
    }
    Ok(())
}

fn many_sessions_work_side_by_side<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let table = harness.table(1)?;
    let mut clients = Vec::new();
    for number in 0..64_u32 {
        let mut client = harness.client(&table)?;
        client.insert(&format!("key{number}"), &[(0, b"value")])?;
        clients.push(client);
    }
    for (number, client) in clients.iter_mut().rev().enumerate() {
        let seen = client.read(&format!("key{number}"), Fields::All)?;
        ensure!(
            seen.is_some(),
            "session {number} of 64 does not find record {number}"
        );
    }
    Ok(())
}

fn without_records_every_answer_is_found<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(2)?;
    let seen = client.read("never inserted", Fields::All)?;
    ensure!(
        seen.is_some(),
        "it stores nothing, so a read must answer `found`, and it did not"
    );
    client.insert("key", &[(0, b"value")])?;
    client.update("other", &[(0, b"value")])?;
    client.delete("another")?;
    let count = client.scan("key", 10, Fields::All)?;
    ensure!(
        (1..=10).contains(&count),
        "it stores nothing, so a scan of at most 10 must find some, and it found {count}"
    );
    Ok(())
}
