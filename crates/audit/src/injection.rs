//! Values that look like statements, stored through the driver of the measurements: they must come back as they went.

use std::sync::mpsc;
use std::time::Duration;

use dbdyno_driver::{Driver, Fields, Found, Key, Row, Session, Table, Target, Values};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};
use tokio::runtime::Builder;

use crate::scene::Scene;

/// Ends of statements, of strings and of protocol lines, operators of query documents, and bytes that are no text.
const HOSTILE: [&[u8]; 8] = [
    b"'; DROP TABLE usertable; --",
    b"\" } ); db.dropDatabase(); //",
    b"{\"$where\": \"sleep(5000)\", \"$gt\": \"\"}",
    b"x\r\nFLUSHALL\r\n*1\r\n$8\r\nFLUSHALL\r\n",
    b"$1 :name ?? %s %n ${jndi:ldap://127.0.0.1:1/a}",
    b"'||(SELECT pg_sleep(5))||'",
    b"\0\x01\xff\xfe\x80",
    b"\xe2\x80\xae\xf0\x9f\x92\xa9",
];

/// Those that a database can hold: where values are text, bytes that are none are refused by the driver, as it says.
fn hostile(values: Values) -> Vec<&'static [u8]> {
    let is_held = |value: &&[u8]| match values {
        Values::Bytes => true,
        Values::Text => !value.contains(&0) && str::from_utf8(value).is_ok(),
    };
    HOSTILE.into_iter().filter(is_held).collect()
}

/// Inserts records with hostile keys and values into a table of the audit's own, and reads them back.
pub fn injection<D: Driver>(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Injection;
    let table = Table {
        name: scene.own_name().to_owned(),
        field_names: vec!["field0".to_owned()],
    };
    let outcome = within::<D>(scene.target.clone(), table, scene.patience * 6);
    let sent = "hostile keys and values through the driver's own statements";
    match outcome {
        Some(Ok(changed)) if changed.is_empty() => {
            scene.note("driver.injection", sent, "all came back unchanged");
            AuditFinding::enforced(
                feature,
                format!(
                    "{} keys and values that look like statements are stored as they are.",
                    hostile(D::INFO.capabilities.values).len()
                ),
            )
        }
        Some(Ok(changed)) => {
            scene.note(
                "driver.injection",
                sent,
                format!("changed: {}", changed.join("; ")),
            );
            AuditFinding::partial(
                feature,
                format!("Values come back changed: {}.", changed.join("; ")),
            )
            .mend(
                AuditSeverity::High,
                "pass values as parameters of prepared statements, never inside the text of one",
            )
        }
        Some(Err(why)) => {
            scene.note("driver.injection", sent, &why);
            AuditFinding::unknown(feature, UnknownReason::NoPrivilege, format!("Not tried: {why}."))
        }
        None => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            "Not observed: the server did not answer in time.",
        ),
    }
}

/// The attempt, on a thread of its own, which is left alone after so long: a client library that never returns from reading an answer would
/// look at no deadline of its own thread.
fn within<D: Driver>(target: Target, table: Table, limit: Duration) -> Option<Result<Vec<String>, String>> {
    let (sender, outcome) = mpsc::channel();
    let attempt = move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        let outcome = match runtime {
            Ok(runtime) => runtime.block_on(attempt::<D>(&target, &table)),
            Err(error) => Err(format!("no runtime for the driver: {error}")),
        };
        // Nobody listens where the time is over.
        let _ = sender.send(outcome);
    };
    let thread = std::thread::Builder::new().name("dbdyno-injection".to_owned());
    match thread.spawn(attempt) {
        Ok(_) => outcome.recv_timeout(limit).ok(),
        Err(error) => Some(Err(format!("no thread for the driver: {error}"))),
    }
}

/// Which values came back changed.
async fn attempt<D: Driver>(target: &Target, table: &Table) -> Result<Vec<String>, String> {
    let driver = D::connect(target).await.map_err(|error| error.message)?;
    driver.create_table(table).await.map_err(|error| error.message)?;
    let outcome = write_and_read(&driver, table).await;
    // It is removed whatever happened; what stays is found by the next audit.
    let removed = driver.drop_table(table).await.map_err(|error| error.message);
    let changed = outcome?;
    removed.map(|()| changed)
}

async fn write_and_read<D: Driver>(driver: &D, table: &Table) -> Result<Vec<String>, String> {
    let mut session = driver.session(table).await.map_err(|error| error.message)?;
    let mut changed = Vec::new();
    let values = hostile(D::INFO.capabilities.values);
    // Keys are text in every driver.
    let key = |number: usize| {
        let text = String::from_utf8_lossy(values[number]).replace('\0', "");
        Key::new(number as u64, &text)
    };
    for (number, &value) in values.iter().enumerate() {
        let mut row = Row::new();
        row.push(0, value);
        if let Err(error) = session.insert(&key(number), &row).await {
            changed.push(format!("value {number} was refused: {}", error.message));
        }
    }
    for (number, &value) in values.iter().enumerate() {
        let mut row = Row::new();
        match session.read(&key(number), Fields::All, &mut row).await {
            Ok(Found::Yes) if row.iter().eq([(0, value)]) => {}
            Ok(Found::Yes) => changed.push(format!("value {number} is another one")),
            Ok(Found::No) => changed.push(format!("record {number} is not there")),
            Err(error) => changed.push(format!("record {number} cannot be read: {}", error.message)),
        }
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_databases_are_not_blamed_for_bytes_that_are_no_text() {
        assert_eq!(hostile(Values::Bytes).len(), HOSTILE.len());
        let text = hostile(Values::Text);
        assert_eq!(text.len(), HOSTILE.len() - 1);
        assert!(text.iter().all(|value| str::from_utf8(value).is_ok()));
    }
}
