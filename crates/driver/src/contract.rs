//! The traits every database implements, and the sentences the conformance suite tests.

use crate::{
    AskedServers, Consistency, DbError, Durability, Fields, Foreseen, Key, Row, Rows, ScanOrder, SystemFacts,
    Table, TableFacts, Target,
};

/// How the engine runs a driver's sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Execution {
    /// Calls block (embedded stores, JVM): every client gets an operating-system thread and the futures are ready
    /// at their first poll.
    Blocking,
    /// Calls wait on sockets of the current tokio runtime: many clients share few threads.
    Async,
}

/// What a field's value may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Any bytes.
    Bytes,
    /// UTF-8 text without NUL, where YCSB's layout has text columns; other values are `Rejected`. YCSB's values are
    /// printable ASCII.
    Text,
}

/// What a database can do; asked instead of guessed.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    /// Order of scans.
    pub scan: ScanOrder,
    /// Whether records outlive the driver: data loaded by one process is there for the next one.
    pub persistent: bool,
    /// Whether it stores anything: `false` only for drivers that answer every question with "found", so that no
    /// load is needed and values cannot be verified.
    pub stores_records: bool,
    /// The durability levels that can be asked for, weakest first; the first one is the default unless
    /// `Buffered` is among them.
    pub durabilities: &'static [Durability],
    /// The consistency levels that can be asked for, fewest replicas first; `Quorum` is the default where it is among
    /// them, else the first. Empty where there is one copy and no choice.
    pub consistencies: &'static [Consistency],
    /// What a field's value may hold.
    pub values: Values,
}

/// The constant facts about a driver.
#[derive(Clone, Copy, Debug)]
pub struct DriverInfo {
    /// Name in tables and files, e.g. `redb`.
    pub name: &'static str,
    /// One line for `dbdyno databases`.
    pub summary: &'static str,
    /// URL schemes it answers to, e.g. `["redb"]`.
    pub schemes: &'static [&'static str],
    /// An example address for help texts, e.g. `redb:FILE`.
    pub example: &'static str,
    /// Options understood after `?`, with a line of help each (e.g. `("cache", "block cache, bytes (default 32M)")`).
    /// Not listed: `durability`, understood everywhere, `consistency`, where there are levels of it, and the
    /// [options of a server](crate::remote::OPTIONS), where it is reached over a network.
    pub options: &'static [(&'static str, &'static str)],
    /// Whether it is a server, reached over a network by a [`remote`](crate::remote) address.
    pub remote: bool,
    /// The default port of such a server; `None` where it has none.
    pub default_port: Option<u16>,
    /// How sessions are run.
    pub execution: Execution,
    /// What the database can do.
    pub capabilities: Capabilities,
}

/// Whether the record was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It was, and the row is filled.
    Yes,
    /// It was not: an answer, not an error.
    No,
}

/// Statements on single fields are prepared with the session for tables of up to this many fields. Each takes memory on
/// the server for every connection, so those of wider tables are prepared when they are first used.
pub const MOST_FIELDS_PREPARED: u32 = 64;

/// One database under test, connected.
///
/// # Behavior
/// - `connect` returns only when the database answered; every wait has a deadline.
/// - Methods never print and never time themselves.
pub trait Driver: Sized + Send + Sync + 'static {
    /// One client's connection.
    type Session: Session;
    /// The constant facts.
    const INFO: DriverInfo;

    /// Memory of this process that a table takes, bytes: an estimate of the least, so that a load that cannot fit is refused
    /// before it begins. `value_bytes` are those of one record's values together. The default, 0, is right for every
    /// database that keeps its records elsewhere, or that bounds its memory by itself.
    #[must_use]
    fn memory_of_table(_records: u64, _fields: u32, _value_bytes: u64) -> u64 {
        0
    }

    /// The guarantees that [`facts`](Self::facts) will state, as far as they follow from the address, before any server is
    /// contacted; `servers` are those that are started for it. The default, `None`, stands for [`options::foreseen`](crate::options::foreseen), which is
    /// right for every store that gives what its client asks for.
    #[must_use]
    fn foreseen(_target: &Target, _servers: Option<&AskedServers>) -> Option<Foreseen> {
        None
    }

    /// The order in which scans of this system will return records, as far as it follows from the address; see
    /// [`foreseen`](Self::foreseen). The default is that of the constant facts.
    #[must_use]
    fn foreseen_scan_order(_target: &Target, _servers: Option<&AskedServers>) -> ScanOrder {
        Self::INFO.capabilities.scan
    }

    /// Connects to (for an embedded store: opens or creates) the database at `target`.
    async fn connect(target: &Target) -> Result<Self, DbError>;

    /// Creates the table. Idempotent: an existing table of that name and its records are left as they are.
    async fn create_table(&self, table: &Table) -> Result<(), DbError>;

    /// Removes the table, its records and its manifest. Idempotent: a missing table is no error.
    async fn drop_table(&self, table: &Table) -> Result<(), DbError>;

    /// A session for one client on an existing table. Made outside the clock: statements are prepared here, those on
    /// single fields too where the table has at most [`MOST_FIELDS_PREPARED`]. Sessions may be used concurrently.
    async fn session(&self, table: &Table) -> Result<Self::Session, DbError>;

    /// Product, version, durability and the settings that matter, read back from the live system.
    async fn facts(&self) -> Result<SystemFacts, DbError>;

    /// The settings that an existing table has of its own, read back from the live system. The default: none.
    async fn table_facts(&self, _table: &Table) -> Result<TableFacts, DbError> {
        Ok(TableFacts::default())
    }

    /// The manifest stored with the table by [`store_manifest`](Self::store_manifest), `None` when there is none (or
    /// no table). The content is the engine's business.
    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError>;

    /// Stores the manifest beside the table (not as a record of it), replacing an earlier one, at least as durably
    /// as the records.
    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError>;

    /// Makes acknowledged writes reach the level of durability asked for, before the process ends or a phase is over
    /// (e.g. writes out what `Buffered` may hold in memory). The default does nothing.
    async fn flush(&self) -> Result<(), DbError> {
        Ok(())
    }

    /// Ends what the driver's library has running beside the sessions, which have ended; nothing is asked of it
    /// afterwards, and the runtime that it connected on ends next. It bounds its own waits. The default does nothing.
    async fn close(&self) {}
}

/// One logical stream of operations, one in flight at a time.
///
/// # Behavior
/// - A successful write is visible to every later read of every session.
/// - `row`/`rows` are overwritten; what they held before is gone. On `Found::No` and on errors they are empty.
/// - Field order in a returned row is by field index.
pub trait Session {
    /// Reads one record.
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError>;

    /// Reads up to `limit` records from `from` (inclusive, present or not) in the driver's [`ScanOrder`]; returns how
    /// many. Zero is an answer, not an error. Databases that cannot scan return `Rejected`.
    async fn scan(&mut self, from: &Key, limit: u32, fields: Fields, rows: &mut Rows)
    -> Result<u32, DbError>;

    /// Writes a whole record. On an existing key it either replaces it or fails with `Conflict`.
    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError>;

    /// Overwrites the given fields of an existing record and leaves the others as they are. A missing record gives
    /// `NotFound` where the database can tell at no extra cost, else creates it or does nothing.
    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError>;

    /// Removes one record. A missing one is no error.
    async fn delete(&mut self, key: &Key) -> Result<(), DbError>;
}
