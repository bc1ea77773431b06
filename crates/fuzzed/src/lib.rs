//! WHAT every reader of foreign bytes keeps, whatever bytes come: one function a reader, which takes any bytes and panics where
//! the reader breaks a promise.
//!
//! `cargo xtask fuzz` looks for bytes that break one; the tests of this crate give every function its seeds (`fuzz/seeds/`).
//! Promised is more than not to panic: what is read and written again is read as the same, an answer is read from all of its bytes and
//! from no fewer, and memory stays within a multiple of what came.

pub mod answers;
pub mod files;
pub mod memory;
pub mod messages;
pub mod records;
pub mod words;

/// Reads the bytes and says whether the reader accepted them.
pub type Target = fn(&[u8]) -> bool;

/// All targets, by the names that cargo-fuzz knows.
pub const TARGETS: [(&str, Target); 22] = [
    ("addresses", words::addresses),
    ("agent_messages", messages::of_agents),
    ("cassandra_answers", answers::cassandra),
    ("hbase_answers", answers::hbase),
    ("histograms", records::histograms),
    ("interval_logs", records::interval_logs),
    ("interval_rows", records::interval_rows),
    ("jmx_answers", answers::jmx),
    ("mongodb_answers", answers::mongodb),
    ("needs", files::needs),
    ("postgres_answers", answers::postgres),
    ("prices", files::prices),
    ("properties", files::properties),
    ("quantities", words::quantities),
    ("records", records::records),
    ("redis_answers", answers::redis),
    ("redis_driver_answers", answers::redis_driver),
    ("studies", files::studies),
    ("tables", files::tables),
    ("tls_answers", answers::tls),
    ("ycsb_logs", records::ycsb_logs),
    ("zookeeper_answers", answers::zookeeper),
];
