//! Failures that every server's driver must meet in the same way, by real provocation.

use std::time::{Duration, Instant};

use dbdyno_driver::{DbError, Driver, ErrorClass, Fields, Found, Key, Row, Session, Target};
use dbdyno_lab::{Lab, Signal};

use super::{block_on, refusal, table, target};

/// How long a driver may take to be back after its server was started again, which nobody waited for: the lab gives the slowest
/// server, HBase, as long.
pub const BACK_WITHIN: Duration = Duration::from_secs(180);

/// How many reads a server may answer that was told to stand still.
const READS_BEFORE_IT_STANDS: u32 = 100;

/// One read of a record that need not be there.
///
/// # Errors
/// That of the driver.
pub async fn read<S: Session>(session: &mut S) -> Result<(), DbError> {
    session
        .read(&Key::new(1, "user1"), Fields::All, &mut Row::new())
        .await
        .map(drop)
}

/// Connecting gives an error of this class, whose words hold `expected` and not `secret`.
#[track_caller]
pub fn assert_refuses<D: Driver>(address: &str, class: ErrorClass, expected: &str, secret: &str) {
    let error = refusal::<D>(&target(address));
    assert_eq!(error.class, class, "{error}");
    assert!(error.message.contains(expected), "{error}");
    assert!(
        secret.is_empty() || !format!("{error} {error:?}").contains(secret),
        "{error:?}"
    );
}

/// A key that is there cannot be inserted again; the error holds the server's own word for it.
pub fn assert_conflicts<D: Driver>(target: &Target, expected: &str) {
    block_on(async {
        let driver = D::connect(target).await.unwrap();
        let table = table("conflicts", 1);
        driver.create_table(&table).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        let mut row = Row::new();
        row.push(0, b"value");
        session.insert(&Key::new(1, "user1"), &row).await.unwrap();
        let error = session.insert(&Key::new(1, "user1"), &row).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Conflict, "{error}");
        assert!(error.message.contains(expected), "{error}");
        driver.drop_table(&table).await.unwrap();
    });
}

/// A server that stands still gives a timeout, not an endless wait; and answers again when it goes on.
pub fn assert_times_out<D: Driver>(lab: &Lab, server: &str, target: &Target) {
    block_on(async {
        let table = table("stands_still", 1);
        let driver = D::connect(target).await.unwrap();
        driver.create_table(&table).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        read(&mut session).await.unwrap();
        let process = lab
            .servers()
            .iter()
            .find(|known| known.name == server)
            .unwrap()
            .process;
        Signal::Pause.send(process);
        // On a busy machine it may answer once more before the signal has reached all of its threads.
        let mut error = None;
        for _ in 0..READS_BEFORE_IT_STANDS {
            error = read(&mut session).await.err();
            if error.is_some() {
                break;
            }
        }
        Signal::Resume.send(process);
        assert_eq!(
            error.as_ref().map(|error| error.class),
            Some(ErrorClass::Timeout),
            "{error:?}"
        );
        back(&mut session).await;
    });
}

/// The server of a working session is killed: operations fail with a class and come to an end; and the same session
/// works again when the server is back.
pub fn assert_comes_back<D: Driver>(lab: &mut Lab, server: &str, target: &Target) {
    block_on(async {
        let table = table("comes_back", 1);
        let driver = D::connect(target).await.unwrap();
        driver.create_table(&table).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        let mut row = Row::new();
        row.push(0, b"kept");
        session.insert(&Key::new(1, "user1"), &row).await.unwrap();
        lab.signal(server, Signal::Kill).unwrap();
        for _ in 0..3 {
            let error = read(&mut session).await.unwrap_err();
            assert!(
                matches!(error.class, ErrorClass::Unavailable | ErrorClass::Timeout),
                "{error}"
            );
        }
        lab.restart(server).unwrap();
        back(&mut session).await;
    });
}

/// Every write that was acknowledged before the server is killed is there when it is back.
pub fn assert_survives_kill<D: Driver>(lab: &mut Lab, server: &str, target: &Target) {
    const RECORDS: u64 = 500;
    block_on(async {
        let table = table("survives", 1);
        let driver = D::connect(target).await.unwrap();
        driver.create_table(&table).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        let mut row = Row::new();
        row.push(0, b"kept");
        let key = |number: u64| Key::new(number, &format!("user{number}"));
        for number in 0..RECORDS {
            session.insert(&key(number), &row).await.unwrap();
        }
        lab.signal(server, Signal::Kill).unwrap();
        lab.restart(server).unwrap();
        back(&mut session).await;
        for number in 0..RECORDS {
            let found = session.read(&key(number), Fields::All, &mut row).await.unwrap();
            assert_eq!(found, Found::Yes, "the acknowledged record {number} is lost");
        }
    });
}

async fn back<S: Session>(session: &mut S) {
    #[expect(
        clippy::disallowed_methods,
        reason = "a deadline of a test, not a measurement"
    )]
    let begin = Instant::now();
    while let Err(error) = read(session).await {
        assert!(
            begin.elapsed() < BACK_WITHIN,
            "the driver does not come back: {error}"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
