//! The suite itself, tested: a sound driver passes every check, and for every check there is a driver with one planted
//! defect that it catches.

mod planted;

use std::collections::BTreeSet;

use dbdyno_driver::{Driver, Target};
use dbdyno_testkit::conformance::{Ready, Report, run};
use planted::{Kind, Planted};

fn report<D: Driver>(defect: &str) -> Report {
    // A place of its own for each run: the planted driver keeps its "disk" in this process.
    let options = if defect.is_empty() {
        String::new()
    } else {
        format!("?defect={defect}")
    };
    let target =
        Target::parse(&format!("planted:{}-{defect}{options}", D::INFO.name)).expect("the address is sound");
    run::<D, _>(&target, &Ready).expect("the planted driver connects")
}

/// A defect, and the checks that are there to catch it. Others may fail too.
const DEFECTS: &[(&str, &[&str])] = &[
    ("options-ignored", &["an_unknown_option_is_refused_with_a_hint"]),
    (
        "durability-ignored",
        &[
            "a_durability_not_offered_is_refused",
            "the_durability_asked_for_is_in_force",
        ],
    ),
    ("records-forgotten", &["records_outlive_the_driver"]),
    ("manifests-forgotten", &["manifests_outlive_the_driver"]),
    ("no-version", &["the_facts_name_product_and_version"]),
    ("flush-fails", &["flushing_succeeds"]),
    ("late-answers", &["blocking_answers_are_ready_at_once"]),
    ("session-cache", &["a_write_is_visible_to_every_session"]),
    ("few-sessions", &["many_sessions_work_side_by_side"]),
    ("drop-missing-fails", &["dropping_a_missing_table_is_no_error"]),
    ("create-empties", &["creating_a_table_again_keeps_its_records"]),
    ("drop-keeps-records", &["dropping_a_table_removes_its_records"]),
    ("tables-shared", &["tables_are_apart"]),
    ("last-field-dropped", &["an_inserted_record_is_read_back"]),
    ("fields-as-given", &["fields_come_in_order_of_index"]),
    ("by-name-reads-one", &["reading_by_name_is_reading_all"]),
    ("one-reads-all", &["one_field_is_read_alone"]),
    (
        "absent-field-is-empty",
        &["a_field_the_record_lacks_reads_as_nothing"],
    ),
    ("missing-is-an-error", &["a_missing_record_is_an_answer"]),
    ("stale-row", &["the_row_is_empty_when_nothing_is_found"]),
    ("row-appended", &["a_read_replaces_what_the_row_held"]),
    ("update-replaces", &["an_update_changes_only_the_given_fields"]),
    ("update-keeps-length", &["an_update_may_change_the_length"]),
    (
        "update-creates-junk",
        &["an_update_of_a_missing_record_is_lawful"],
    ),
    (
        "insert-ignored",
        &["an_insert_on_an_existing_key_replaces_or_conflicts"],
    ),
    (
        "delete-ignored",
        &["a_deleted_record_is_gone", "a_scan_leaves_out_deleted_records"],
    ),
    ("delete-missing-fails", &["deleting_a_missing_record_is_no_error"]),
    ("deleted-for-ever", &["a_deleted_record_can_be_inserted_again"]),
    ("empty-values-dropped", &["empty_values_are_kept"]),
    ("cut-at-nul", &["every_byte_is_kept"]),
    ("cut-at-64k", &["large_values_are_kept"]),
    ("keys-cut", &["long_keys_are_kept_apart"]),
    ("keys-trimmed", &["odd_keys_are_kept_apart"]),
    ("keys-in-capitals", &["odd_keys_are_kept_apart"]),
    ("fields-cut", &["many_fields_are_kept"]),
    ("scan-backwards", &["a_scan_is_in_key_order"]),
    ("scan-by-length", &["a_scan_is_in_key_order"]),
    ("scan-after", &["a_scan_begins_with_its_key"]),
    ("scan-needs-key", &["a_scan_from_an_absent_key_begins_after_it"]),
    ("scan-wraps", &["a_scan_past_the_end_is_empty"]),
    ("scan-one-more", &["a_scan_returns_at_most_its_limit"]),
    ("scan-counts-limit", &["a_scan_counts_what_it_returns"]),
    ("scan-doubles", &["a_scan_returns_each_record_once"]),
    ("scan-all-fields", &["a_scan_returns_the_fields_asked_for"]),
    ("stale-rows", &["a_scan_replaces_what_the_rows_held"]),
    ("manifest-always", &["a_table_without_manifest_says_so"]),
    ("manifest-kept", &["a_manifest_is_stored_and_replaced"]),
    ("manifest-as-record", &["a_manifest_is_no_record"]),
    ("manifest-stays", &["a_manifest_goes_with_its_table"]),
    ("manifest-shared", &["manifests_are_apart"]),
    ("lost-update", &["concurrent_updates_of_one_record_all_survive"]),
    ("lost-insert", &["concurrent_inserts_all_survive"]),
    ("torn-values", &["a_read_beside_writes_sees_whole_values"]),
    ("panics", &["an_inserted_record_is_read_back"]),
];

/// Drivers whose constant facts differ, and the checks that these call for or that catch them.
fn other_kinds() -> Vec<(Report, &'static [&'static str])> {
    vec![
        (
            report::<Planted<{ Kind::BROKEN_INFORMATION }>>(""),
            &["information_is_complete"],
        ),
        (
            report::<Planted<{ Kind::SCANLESS }>>("scan-answers"),
            &["a_scan_is_rejected"],
        ),
        (
            report::<Planted<{ Kind::RECORDLESS }>>("says-no"),
            &["without_records_every_answer_is_found"],
        ),
        (
            report::<Planted<{ Kind::RECORDLESS }>>("scans-nothing"),
            &["without_records_every_answer_is_found"],
        ),
        (
            report::<Planted<{ Kind::TEXT }>>("ascii-only"),
            &["every_text_is_kept"],
        ),
        (
            report::<Planted<{ Kind::TEXT }>>("takes-anything"),
            &["what_is_not_text_is_rejected"],
        ),
    ]
}

#[test]
fn a_sound_driver_of_every_kind_keeps_every_promise() {
    for report in [
        report::<Planted<{ Kind::ORDERED }>>(""),
        report::<Planted<{ Kind::UNORDERED }>>(""),
        report::<Planted<{ Kind::SCANLESS }>>(""),
        report::<Planted<{ Kind::RECORDLESS }>>(""),
        report::<Planted<{ Kind::TEXT }>>(""),
    ] {
        assert!(report.failed.is_empty(), "{:#?}", report.failed);
    }
}

#[test]
fn every_defect_is_caught_by_the_check_that_is_there_for_it() {
    for (defect, checks) in DEFECTS {
        let report = report::<Planted<{ Kind::ORDERED }>>(defect);
        for check in *checks {
            assert!(
                report.failed.iter().any(|(name, _)| name == check),
                "`{check}` passes in spite of the defect `{defect}`; these fail: {:#?}",
                report.failed
            );
        }
    }
    for (report, checks) in other_kinds() {
        for check in checks {
            assert!(
                report.failed.iter().any(|(name, _)| name == check),
                "{check}: {:#?}",
                report.failed
            );
        }
    }
}

#[test]
fn every_check_can_fail() {
    let mut all = BTreeSet::new();
    for report in [
        report::<Planted<{ Kind::ORDERED }>>(""),
        report::<Planted<{ Kind::SCANLESS }>>(""),
        report::<Planted<{ Kind::RECORDLESS }>>(""),
    ] {
        all.extend(report.passed.into_iter().chain(report.skipped));
    }
    let shown: BTreeSet<&str> = DEFECTS
        .iter()
        .map(|(_, checks)| *checks)
        .chain(other_kinds().into_iter().map(|(_, checks)| checks))
        .flatten()
        .copied()
        .collect();
    let never: Vec<_> = all.difference(&shown).collect();
    assert!(never.is_empty(), "nothing shows that these can fail: {never:?}");
    let unknown: Vec<_> = shown.difference(&all).collect();
    assert!(unknown.is_empty(), "there are no such checks: {unknown:?}");
}

#[test]
fn a_skipped_check_is_named() {
    let report = report::<Planted<{ Kind::SCANLESS }>>("");
    assert!(report.skipped.contains(&"a_scan_is_in_key_order"));
    assert!(report.passed.contains(&"a_scan_is_rejected"));
}
