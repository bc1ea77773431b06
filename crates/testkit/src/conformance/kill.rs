//! What is left after the process of an embedded store is killed: the proof of `buffered` and `synced`.
//!
//! The test starts its own executable again, for the one test it is. That child writes records and reports each one
//! that was acknowledged; the parent kills it (SIGKILL: no destructor, no buffer written out), opens the store again
//! and looks for every record that was reported.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use dbdyno_driver::{Driver, Durability, Fields, Key, Session, Table, Target};

use super::client::row;
use super::opening::address;
use super::{BlockOn, Client, Ready};

/// Set in the child to the address it writes to.
const CHILD: &str = "DBDYNO_KILLED_CHILD";

/// What starts a line of the child's reports.
const ACKNOWLEDGED: &str = "acknowledged ";

/// Records written before the child waits to be killed.
const RECORDS: u64 = 600;

/// When the child is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// In the midst of its writes.
    Writing,
    /// When it has written everything and waits.
    Idle,
}

/// The records that were found after the kill.
#[derive(Debug)]
struct AfterKill {
    /// Records whose insert and update the child reported as acknowledged.
    acknowledged: u64,
    /// Those among them that are not there any more, or not as they were written.
    lost: Vec<u64>,
}

/// Every acknowledged write is there after a kill in the midst of the writes, at this level of durability. `test` is the
/// full name of the test that calls this and nothing else.
///
/// # Panics
/// When a write is lost, or the experiment itself fails: the child cannot be started, the store cannot be opened again.
#[track_caller]
pub fn assert_survives<D: Driver>(test: &str, level: Durability) {
    let found = kill::<D>(test, When::Writing, level);
    assert_eq!(
        found.lost,
        Vec::<u64>::new(),
        "of {} acknowledged",
        found.acknowledged
    );
}

/// At this level a kill loses acknowledged writes, which also shows that [`assert_survives`] can fail. `test` as there.
///
/// # Panics
/// When nothing is lost, or the experiment itself fails.
#[track_caller]
pub fn assert_loses<D: Driver>(test: &str, level: Durability) {
    let found = kill::<D>(test, When::Idle, level);
    assert!(
        !found.lost.is_empty(),
        "of {} acknowledged nothing was lost",
        found.acknowledged
    );
}

fn kill<D: Driver>(test: &str, when: When, level: Durability) -> AfterKill {
    if let Ok(address) = std::env::var(CHILD) {
        write_until_killed::<D>(&address);
    }
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let address = address::<D>(&folder.path().join("data"), &format!("?durability={level}"));
    let mut child = Command::new(std::env::current_exe().expect("the test's executable is known"))
        .args([test, "--exact", "--nocapture"])
        .env(CHILD, &address)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the test's executable can be started again");
    // Standard error: standard output carries the test harness's own words.
    let reports = BufReader::new(child.stderr.take().expect("it is piped"));
    let enough = match when {
        When::Writing => RECORDS / 3,
        When::Idle => RECORDS,
    };
    let (mut acknowledged, mut other) = (0, String::new());
    for line in reports.lines() {
        let line = line.expect("the child's reports can be read");
        match line.strip_prefix(ACKNOWLEDGED) {
            Some(number) => {
                assert_eq!(number.parse(), Ok(acknowledged), "reports come in order");
                acknowledged += 1;
                if acknowledged == enough {
                    child.kill().expect("the child can be killed");
                }
            }
            None => other.push_str(&line),
        }
    }
    let _ = child.wait();
    assert!(
        acknowledged >= enough,
        "the child ended after {acknowledged} records by itself: {other}"
    );
    AfterKill {
        acknowledged,
        lost: lost::<D>(&address, acknowledged),
    }
}

fn table() -> Table {
    Table {
        name: "killed".to_owned(),
        field_names: vec!["field0".to_owned(), "field1".to_owned()],
    }
}

fn value(number: u64) -> Vec<u8> {
    number.to_le_bytes().repeat(20)
}

fn write_until_killed<D: Driver>(address: &str) -> ! {
    let target = Target::parse(address).expect("the parent gives a sound address");
    Ready.block_on(async {
        let driver = D::connect(&target).await.expect("the store opens");
        driver
            .create_table(&table())
            .await
            .expect("the table can be made");
        let mut session = driver.session(&table()).await.expect("there is a session");
        let mut reports = std::io::stderr().lock();
        for number in 0..RECORDS {
            let key = Key::new(number, &format!("key{number}"));
            let value = value(number);
            session
                .insert(&key, &row(&[(0, b"old"), (1, &value)]))
                .await
                .expect("an insert works");
            session
                .update(&key, &row(&[(0, b"new")]))
                .await
                .expect("an update works");
            // One write, so that the kill cannot leave half a line.
            let report = format!("{ACKNOWLEDGED}{number}\n");
            reports.write_all(report.as_bytes()).expect("the parent listens");
        }
        loop {
            std::thread::park();
        }
    })
}

fn lost<D: Driver>(address: &str, acknowledged: u64) -> Vec<u64> {
    let target = Target::parse(address).expect("it was parsed by the child");
    let driver = match Ready.block_on(D::connect(&target)) {
        Ok(driver) => driver,
        Err(error) => panic!("`{target}` does not open after the kill: {error}"),
    };
    let Ok(session) = Ready.block_on(driver.session(&table())) else {
        return (0..acknowledged).collect();
    };
    let mut client: Client<'_, D, Ready> = Client::new(session, &Ready);
    (0..acknowledged)
        .filter(|number| {
            let expected = vec![(0, b"new".to_vec()), (1, value(*number))];
            let seen = client.read(&format!("key{number}"), Fields::All);
            !matches!(seen, Ok(Some(record)) if record == expected)
        })
        .collect()
}
