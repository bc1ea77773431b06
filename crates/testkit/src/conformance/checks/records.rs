//! Single records: inserted, read, updated, deleted.

use crate::conformance::client::Record;
use crate::conformance::harness::ensure;
use crate::conformance::{BlockOn, Check, Harness, Outcome};
use dbdyno_driver::{Driver, ErrorClass, Fields};

use super::list;

pub fn checks<D: Driver, R: BlockOn>() -> Vec<Check<D, R>> {
    list!(Check, D::INFO.capabilities.stores_records;
        an_inserted_record_is_read_back,
        fields_come_in_order_of_index,
        reading_by_name_is_reading_all,
        one_field_is_read_alone,
        a_field_the_record_lacks_reads_as_nothing,
        a_missing_record_is_an_answer,
        the_row_is_empty_when_nothing_is_found,
        a_read_replaces_what_the_row_held,
        an_update_changes_only_the_given_fields,
        an_update_may_change_the_length,
        an_update_of_a_missing_record_is_lawful,
        an_insert_on_an_existing_key_replaces_or_conflicts,
        a_deleted_record_is_gone,
        deleting_a_missing_record_is_no_error,
        a_deleted_record_can_be_inserted_again,
    )
}

const THREE: &[(u32, &[u8])] = &[(0, b"zero"), (1, b"one"), (2, b"two")];

fn owned(fields: &[(u32, &[u8])]) -> Record {
    fields
        .iter()
        .map(|(index, value)| (*index, value.to_vec()))
        .collect()
}

fn an_inserted_record_is_read_back<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    client.insert("key", THREE)?;
    let mut seen = client.read("key", Fields::All)?.unwrap_or_default();
    // In which order is another promise.
    seen.sort();
    ensure!(seen == owned(THREE), "{THREE:?} was inserted and {seen:?} read");
    Ok(())
}

fn fields_come_in_order_of_index<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(12)?;
    let scrambled: Vec<(u32, &[u8])> = [3, 11, 0, 10, 7, 1, 9, 2, 8, 5, 4, 6]
        .map(|index| (index, &b"value"[..]))
        .to_vec();
    client.insert("key", &scrambled)?;
    client.update("key", &[(9, b"changed"), (2, b"changed")])?;
    let seen = client.read("key", Fields::All)?.unwrap_or_default();
    let order: Vec<u32> = seen.iter().map(|(index, _)| *index).collect();
    ensure!(
        order.is_sorted() && order.len() == 12,
        "the fields come as {order:?}"
    );
    Ok(())
}

fn reading_by_name_is_reading_all<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    client.insert("key", THREE)?;
    let seen = client.read("key", Fields::AllByName)?;
    ensure!(
        seen == Some(owned(THREE)),
        "all fields, asked for by name, are {seen:?}"
    );
    Ok(())
}

fn one_field_is_read_alone<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    client.insert("key", THREE)?;
    for (index, value) in THREE {
        let seen = client.read("key", Fields::One(*index))?;
        ensure!(
            seen == Some(vec![(*index, value.to_vec())]),
            "field {index} alone was asked for and {seen:?} read"
        );
    }
    Ok(())
}

fn a_field_the_record_lacks_reads_as_nothing<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    client.insert("key", &[(0, b"zero"), (2, b"two")])?;
    // Some databases cannot tell such a record from none, so `found` is not asked.
    let seen = client.read("key", Fields::One(1))?.unwrap_or_default();
    ensure!(
        seen.is_empty() && client.row.is_empty(),
        "a field that was never set is {seen:?}"
    );
    let seen = client.read("key", Fields::All)?;
    ensure!(
        seen == Some(owned(&[(0, b"zero"), (2, b"two")])),
        "a record without field 1 is {seen:?}"
    );
    Ok(())
}

fn a_missing_record_is_an_answer<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    for fields in [Fields::All, Fields::AllByName, Fields::One(0)] {
        let seen = client.read("missing", fields)?;
        ensure!(seen.is_none(), "a record that was never inserted is {seen:?}");
    }
    Ok(())
}

fn the_row_is_empty_when_nothing_is_found<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    client.insert("key", THREE)?;
    for fields in [Fields::All, Fields::One(1)] {
        client.read("key", fields)?;
        client.read("missing", fields)?;
        let left: Vec<_> = client.row.iter().collect();
        ensure!(
            left.is_empty(),
            "after a read that found nothing the row holds {left:?}"
        );
    }
    Ok(())
}

fn a_read_replaces_what_the_row_held<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    client.insert("long", THREE)?;
    client.insert("short", &[(1, b"1")])?;
    client.read("long", Fields::All)?;
    let seen = client.read("short", Fields::All)?;
    ensure!(
        seen == Some(owned(&[(1, b"1")])),
        "a short record read after a long one is {seen:?}"
    );
    client.read("long", Fields::All)?;
    let seen = client.read("long", Fields::One(2))?;
    ensure!(
        seen == Some(owned(&[(2, b"two")])),
        "one field read after the whole record is {seen:?}"
    );
    Ok(())
}

fn an_update_changes_only_the_given_fields<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    client.insert("key", THREE)?;
    client.insert("other", THREE)?;
    client.update("key", &[(1, b"ONE")])?;
    let seen = client.read("key", Fields::All)?;
    ensure!(
        seen == Some(owned(&[(0, b"zero"), (1, b"ONE"), (2, b"two")])),
        "after an update of field 1 the record is {seen:?}"
    );
    client.update("key", &[(0, b"ZERO"), (2, b"TWO")])?;
    let seen = client.read("key", Fields::All)?;
    ensure!(
        seen == Some(owned(&[(0, b"ZERO"), (1, b"ONE"), (2, b"TWO")])),
        "after an update of fields 0 and 2 the record is {seen:?}"
    );
    let seen = client.read("other", Fields::All)?;
    ensure!(
        seen == Some(owned(THREE)),
        "an update of one record made another one {seen:?}"
    );
    Ok(())
}

fn an_update_may_change_the_length<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    client.insert("key", THREE)?;
    for value in [&b"longer than before"[..], b"s", b"", b"back again"] {
        client.update("key", &[(1, value)])?;
        let seen = client.read("key", Fields::All)?;
        ensure!(
            seen == Some(owned(&[(0, b"zero"), (1, value), (2, b"two")])),
            "after field 1 became {value:?} the record is {seen:?}"
        );
    }
    Ok(())
}

fn an_update_of_a_missing_record_is_lawful<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    let updated = client.update("missing", &[(1, b"one")]);
    let seen = client.read("missing", Fields::All)?;
    match updated {
        Err(error) => {
            ensure!(
                error.class == ErrorClass::NotFound,
                "updating a missing record failed with {error} and not with not-found"
            );
            ensure!(
                seen.is_none(),
                "an update that failed with not-found left {seen:?}"
            );
        }
        Ok(()) => ensure!(
            seen.is_none() || seen == Some(owned(&[(1, b"one")])),
            "an update of a missing record left {seen:?}, which is neither nothing nor what was given"
        ),
    }
    Ok(())
}

fn an_insert_on_an_existing_key_replaces_or_conflicts<D: Driver, R: BlockOn>(
    harness: &Harness<'_, D, R>,
) -> Outcome {
    let mut client = harness.fresh(3)?;
    let second: &[(u32, &[u8])] = &[(0, b"ZERO"), (1, b"ONE"), (2, b"TWO")];
    client.insert("key", THREE)?;
    let inserted = client.insert("key", second);
    let seen = client.read("key", Fields::All)?;
    let expected = match inserted {
        Ok(()) => second,
        Err(error) => {
            ensure!(
                error.class == ErrorClass::Conflict,
                "inserting an existing key failed with {error} and not with a conflict"
            );
            THREE
        }
    };
    ensure!(
        seen == Some(owned(expected)),
        "after a second insert the record is {seen:?} and not {expected:?}"
    );
    Ok(())
}

fn a_deleted_record_is_gone<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    client.insert("key", THREE)?;
    client.insert("other", THREE)?;
    client.delete("key")?;
    let seen = client.read("key", Fields::All)?;
    ensure!(seen.is_none(), "a deleted record is {seen:?}");
    let seen = client.read("other", Fields::All)?;
    ensure!(
        seen == Some(owned(THREE)),
        "deleting one record made another one {seen:?}"
    );
    Ok(())
}

fn deleting_a_missing_record_is_no_error<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    client.delete("missing")?;
    Ok(())
}

fn a_deleted_record_can_be_inserted_again<D: Driver, R: BlockOn>(harness: &Harness<'_, D, R>) -> Outcome {
    let mut client = harness.fresh(3)?;
    client.insert("key", THREE)?;
    client.delete("key")?;
    client.insert("key", &[(1, b"anew")])?;
    let seen = client.read("key", Fields::All)?;
    ensure!(
        seen == Some(owned(&[(1, b"anew")])),
        "a record inserted again after its deletion is {seen:?}"
    );
    Ok(())
}
