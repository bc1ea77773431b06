//! Every status and exception of a binding, as the operations see it.

use dbdyno_driver::{DbError, ErrorClass, Fields, Found, Key, Row, Rows, Session};
use dbdyno_testkit::live::block_on;

use crate::bindings::address;
use crate::session;

fn error<T>(result: Result<T, DbError>) -> Option<ErrorClass> {
    result.err().map(|error| error.class)
}

#[test]
fn each_status_has_its_class() {
    let (_driver, mut session) = session(&address("Parrot", ""));
    let mut row = Row::new();
    row.push(1, b"value");
    let bug = Some(ErrorClass::Bug);
    for (status, expected) in [
        ("OK", None),
        ("BATCHED_OK", None),
        ("NOT_IMPLEMENTED", Some(ErrorClass::Rejected)),
        ("SERVICE_UNAVAILABLE", Some(ErrorClass::Unavailable)),
        ("BAD_REQUEST", Some(ErrorClass::Rejected)),
        ("FORBIDDEN", Some(ErrorClass::Auth)),
        ("ERROR", bug),
        ("UNEXPECTED_STATE", bug),
        ("own", bug),
        ("nothing", bug),
        ("broken", bug),
        ("late", Some(ErrorClass::Timeout)),
    ] {
        let key = Key::new(0, status);
        block_on(async {
            let read = session.read(&key, Fields::One(0), &mut Row::new()).await;
            assert_eq!(error(read), expected, "read: {status}");
            let scan = session.scan(&key, 3, Fields::All, &mut Rows::new()).await;
            assert_eq!(error(scan), expected, "scan: {status}");
            assert_eq!(
                error(session.insert(&key, &row).await),
                expected,
                "insert: {status}"
            );
            assert_eq!(
                error(session.update(&key, &row).await),
                expected,
                "update: {status}"
            );
            assert_eq!(error(session.delete(&key).await), expected, "delete: {status}");
        });
    }
}

#[test]
fn what_is_not_found_is_no_failure_of_a_read() {
    let (_driver, mut session) = session(&address("Parrot", ""));
    let key = Key::new(0, "NOT_FOUND");
    block_on(async {
        let read = session.read(&key, Fields::All, &mut Row::new()).await;
        assert_eq!(read.unwrap(), Found::No);
        let scan = session.scan(&key, 3, Fields::All, &mut Rows::new()).await;
        assert_eq!(scan.unwrap(), 0);
        session.delete(&key).await.unwrap();
        let update = session.update(&key, &Row::new()).await;
        assert_eq!(error(update), Some(ErrorClass::NotFound));
    });
}

#[test]
fn an_error_names_what_the_binding_reported() {
    let (_driver, mut session) = session(&address("Parrot", ""));
    for (key, words) in [
        ("own", ["Parrot", "QUOTA", "too much this month"]),
        ("ERROR", ["Parrot", "ERROR", "missing=ERROR"]),
        ("broken", ["Parrot", "IllegalStateException", "broken inside"]),
        ("late", ["Parrot", "SocketTimeoutException", "waited long enough"]),
    ] {
        let error = block_on(session.read(&Key::new(0, key), Fields::All, &mut Row::new())).unwrap_err();
        for word in words {
            assert!(error.message.contains(word), "{error}");
        }
    }
}

#[test]
fn error_means_missing_where_the_address_says_so() {
    let (_driver, mut session) = session(&address("Parrot", "missing=ERROR"));
    let key = Key::new(0, "ERROR");
    let read = block_on(session.read(&key, Fields::All, &mut Row::new()));
    assert_eq!(read.unwrap(), Found::No);
    let update = block_on(session.update(&key, &Row::new()));
    assert_eq!(
        error(update),
        Some(ErrorClass::Bug),
        "a write that fails stays a failure"
    );
}

#[test]
fn an_operation_may_be_given_a_limit() {
    let (_driver, mut session) = session(&address("Parrot", "timeout=100ms"));
    for _ in 0..2 {
        let read = block_on(session.read(&Key::new(0, "never"), Fields::All, &mut Row::new()));
        assert_eq!(error(read), Some(ErrorClass::Timeout));
        let read = block_on(session.read(&Key::new(0, "OK"), Fields::All, &mut Row::new()));
        assert_eq!(read.unwrap(), Found::Yes);
    }
}
