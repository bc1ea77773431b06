//! How long a withdrawn right still works.

use std::time::Duration;

use dbdyno_audit::{
    ChannelError, Scene, Stranger, nothing_to_revoke, repeat, revocation, seconds_until_refused, shortened,
    time_to_revoke as judge,
};
use dbdyno_driver::{DbError, Driver, Key, Row, Session, Target};
use dbdyno_record::audit::{AuditFinding, Feature, Revocation, UnknownReason};

use crate::access::{SECURITY, stranger};
use crate::authorization::is_denial;
use crate::driven::{Driven, own_table, short_name};

/// How long each repetition looks.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it is tried whether a right that was given works, and the time between.
const TRIES: u32 = 100;
const STEP: Duration = Duration::from_millis(50);

/// A right on a table of the administrator's is given to the application and withdrawn, while the application writes to it.
pub fn time_to_revoke(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::AuthenticationCaching;
    if matches!(stranger(scene), Stranger::Served) {
        return nothing_to_revoke().see(SECURITY);
    }
    let administrator = scene.administrator_target;
    let user = short_name(scene.target);
    let (Some(administrator), Some(user)) = (administrator, user) else {
        return AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            "How long a withdrawn right works was not measured: it takes the application's login and that of an administrator (--administrator).",
        )
        .see(SECURITY);
    };
    let finding = match measure(scene, administrator, &user) {
        Ok(measured) => {
            let mut finding = judge(
                scene,
                vec![measured],
                "look at the load of ZooKeeper, by which servers tell each other of changed rights",
            );
            finding
                .summary
                .push_str(" A ticket was not withdrawn: it works until it expires.");
            finding
        }
        Err(why) => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            format!("How long a withdrawn right works was not measured: {why}."),
        ),
    };
    finding.see(SECURITY)
}

fn measure(scene: &Scene<'_>, administrator: &Target, user: &str) -> Result<Revocation, String> {
    let text = |error: DbError| shortened(&error.message);
    let managing = Driven::connect(scene, administrator).map_err(text)?;
    let application = Driven::connect(scene, scene.target).map_err(text)?;
    let table = own_table(scene);
    let made = managing.wait(managing.driver.create_table(&table));
    let measured = made.map_err(text).and_then(|()| {
        managing.driver.grant(&table, user).map_err(text)?;
        let session = application.wait(application.driver.session(&table));
        let mut session = session.map_err(text)?;
        let mut row = Row::new();
        row.push(0, b"value");
        let mut works = || match application.wait(session.insert(&Key::new(1, "user1"), &row)) {
            Ok(()) => Ok(true),
            Err(error) if is_denial(&error) => Ok(false),
            Err(error) => Err(ChannelError::Unexpected(shortened(&error.message))),
        };
        let seconds = repeat(&mut |_| {
            managing.driver.grant(&table, user).map_err(text)?;
            wait_until_it_works(&mut works)?;
            managing.driver.revoke(&table, user).map_err(text)?;
            seconds_until_refused(PATIENCE, &mut works).map_err(|error| error.to_string())
        })?;
        Ok(revocation("right withdrawn, open connection", seconds, PATIENCE))
    });
    // What stays is found by the cleaning at the end.
    managing.wait(managing.driver.drop_table(&table)).ok();
    measured
}

fn wait_until_it_works(works: &mut dyn FnMut() -> Result<bool, ChannelError>) -> Result<(), String> {
    for _ in 0..TRIES {
        if works().map_err(|error| error.to_string())? {
            return Ok(());
        }
        std::thread::sleep(STEP);
    }
    Err("a right that was given never worked".to_owned())
}
