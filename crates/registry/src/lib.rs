//! The list of databases, one line each, and the only place where a name leads to a driver.
//!
//! The crate of each driver holds the engine compiled for it, so `null` shows the tool's true floor (see
//! `docs/decisions/engine.md`). Here stand only the addresses of these statics: a list of the values
//! themselves could make the compiler produce the engines once more.

mod error;

use std::panic::{AssertUnwindSafe, catch_unwind};

use dbdyno_audit::Auditor;
use dbdyno_driver::{DriverInfo, Target};
use dbdyno_engine::{EngineError, Observer, Outcome, PreparedTrial, Stop, TrialRunner};
use dbdyno_lab::Recipe;

pub use error::DatabaseError;

/// Every database of this build. `cargo xtask new-database` adds the next line.
static RUNNERS: &[&TrialRunner] = &[
    &dbdyno_database_null::RUNNER,
    &dbdyno_database_memory::RUNNER,
    &dbdyno_database_fjall::RUNNER,
    &dbdyno_database_redb::RUNNER,
    &dbdyno_database_sqlite::RUNNER,
    #[cfg(feature = "cassandra")]
    &dbdyno_database_cassandra::RUNNER,
    #[cfg(feature = "hbase")]
    &dbdyno_database_hbase::RUNNER,
    #[cfg(feature = "mongodb")]
    &dbdyno_database_mongodb::RUNNER,
    #[cfg(feature = "postgres")]
    &dbdyno_database_postgres::RUNNER,
    #[cfg(feature = "redis")]
    &dbdyno_database_redis::RUNNER,
    #[cfg(feature = "ycsb")]
    &dbdyno_database_ycsb::RUNNER,
    &dbdyno_database_sick::RUNNER,
];

/// What the lab can start, one line each.
const RECIPES: &[&dyn Recipe] = &[
    #[cfg(feature = "cassandra")]
    &dbdyno_server_cassandra::CassandraRecipe,
    #[cfg(feature = "hbase")]
    &dbdyno_server_hbase::HbaseRecipe,
    #[cfg(feature = "mongodb")]
    &dbdyno_server_mongodb::MongodbRecipe,
    #[cfg(feature = "postgres")]
    &dbdyno_server_postgres::PostgresRecipe,
    #[cfg(feature = "redis")]
    &dbdyno_server_redis::RedisRecipe,
];

/// What can be audited, one line each.
const AUDITORS: &[&dyn Auditor] = &[
    #[cfg(feature = "cassandra")]
    &dbdyno_audit_cassandra::CassandraAuditor,
    #[cfg(feature = "hbase")]
    &dbdyno_audit_hbase::HbaseAuditor,
    #[cfg(feature = "mongodb")]
    &dbdyno_audit_mongodb::MongodbAuditor,
    #[cfg(feature = "postgres")]
    &dbdyno_audit_postgres::PostgresAuditor,
    #[cfg(feature = "redis")]
    &dbdyno_audit_redis::RedisAuditor,
    // It answers in the protocol of Redis, to the probes of Redis.
    #[cfg(feature = "redis")]
    &dbdyno_audit_sick::SickAuditor,
];

/// What is known of every database, in the order of every list.
#[must_use]
pub fn databases() -> Vec<&'static DriverInfo> {
    RUNNERS.iter().map(|runner| runner.info()).collect()
}

/// What is known of the database that answers to this URL scheme.
///
/// # Errors
/// [`DatabaseError`] when none does.
pub fn find(scheme: &str) -> Result<&'static DriverInfo, DatabaseError> {
    runner(scheme).map(TrialRunner::info)
}

/// What carries out trials on the database that answers to this URL scheme.
///
/// # Errors
/// [`DatabaseError`] when none does.
pub fn runner(scheme: &str) -> Result<&'static TrialRunner, DatabaseError> {
    RUNNERS
        .iter()
        .copied()
        .find(|runner| runner.info().schemes.contains(&scheme))
        .ok_or_else(|| {
            let all = databases();
            let schemes = all.iter().flat_map(|info| info.schemes.iter().copied());
            let names = all.iter().map(|info| info.name).collect();
            error::missing(scheme.to_owned(), scheme, names, schemes)
        })
}

/// Carries out a trial with the driver of the target's scheme. Where the driver panics, its trial has failed, and no other.
///
/// # Errors
/// As the engine.
pub fn run_trial(
    target: &Target,
    plan: &PreparedTrial,
    observer: &mut dyn Observer,
    stop: &Stop,
) -> Result<Outcome, EngineError> {
    let runner = runner(&target.scheme).map_err(|missing| EngineError::NoDriver(missing.to_string()))?;
    catch_unwind(AssertUnwindSafe(|| {
        runner.run_trial(target, plan, observer, stop)
    }))
    .unwrap_or_else(|_| {
        Err(EngineError::Client(
            "it panicked; the message is above".to_owned(),
        ))
    })
}

/// Every database with probes, in the order of every list.
#[must_use]
pub fn auditors() -> &'static [&'static dyn Auditor] {
    AUDITORS
}

/// The probes for the database that answers to this URL scheme.
///
/// # Errors
/// [`DatabaseError`] when there are none, which names those there are.
pub fn find_auditor(scheme: &str) -> Result<&'static dyn Auditor, DatabaseError> {
    AUDITORS
        .iter()
        .copied()
        .find(|auditor| auditor.schemes().contains(&scheme))
        .ok_or_else(|| {
            let names = AUDITORS.iter().map(|auditor| auditor.database()).collect();
            let schemes = AUDITORS
                .iter()
                .flat_map(|auditor| auditor.schemes().iter().copied());
            error::missing(scheme.to_owned(), scheme, names, schemes)
        })
}

/// Every recipe of the lab, in the order of every list.
#[must_use]
pub fn recipes() -> &'static [&'static dyn Recipe] {
    RECIPES
}

/// The recipe of that name.
///
/// # Errors
/// [`DatabaseError`] when the lab has none.
pub fn find_recipe(name: &str) -> Result<&'static dyn Recipe, DatabaseError> {
    let names = || RECIPES.iter().map(|recipe| recipe.info().name);
    RECIPES
        .iter()
        .copied()
        .find(|recipe| recipe.info().name == name)
        .ok_or_else(|| error::missing(format!("lab:{name}"), name, names().collect(), names()))
}
