//! The prepared statements of a table, made before the clock starts and shared by the clients of one runtime.

use std::collections::HashMap;
use std::time::Duration;

use dbdyno_driver::{Consistency, DbError, ErrorClass, Fields, MOST_FIELDS_PREPARED};
use scylla::client::session::Session as Link;
use scylla::statement::Statement;
use scylla::statement::prepared::PreparedStatement;

use crate::error::of_preparing;
use crate::layout::Layout;

/// The pause before the answer that no node can be reached, so that clients of a dead cluster do not spin.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// What operations send. The maps hold further statements by field, or by the fields that change.
#[derive(Clone)]
pub(crate) struct Statements {
    pub(crate) read_all: PreparedStatement,
    pub(crate) insert: PreparedStatement,
    pub(crate) delete: PreparedStatement,
    pub(crate) read_one: HashMap<u32, PreparedStatement>,
    pub(crate) scans: HashMap<Option<u32>, PreparedStatement>,
    pub(crate) updates: HashMap<Vec<u32>, PreparedStatement>,
}

impl Statements {
    /// Everything that a workload can send.
    pub(crate) async fn of(
        layout: &Layout,
        link: &Link,
        consistency: Consistency,
        hosts: &str,
    ) -> Result<Self, DbError> {
        let prepare = |text| prepare(link, consistency, hosts, text);
        let fields = layout.columns.len() as u32;
        let mut statements = Self {
            read_all: prepare(layout.read(Fields::All)).await?,
            insert: prepare(layout.insert()).await?,
            delete: prepare(layout.delete()).await?,
            read_one: HashMap::new(),
            scans: HashMap::new(),
            updates: HashMap::new(),
        };
        let scan = prepare(layout.scan(Fields::All)).await?;
        statements.scans.insert(None, scan);
        let single = 0..if fields <= MOST_FIELDS_PREPARED { fields } else { 0 };
        let updates = single
            .clone()
            .map(|field| vec![field])
            .chain([(0..fields).collect()]);
        for changed in updates {
            let update = prepare(layout.update(&changed)).await?;
            statements.updates.insert(changed, update);
        }
        for field in single {
            let one = Fields::One(field);
            let read = prepare(layout.read(one)).await?;
            statements.read_one.insert(field, read);
            let scan = prepare(layout.scan(one)).await?;
            statements.scans.insert(Some(field), scan);
        }
        Ok(statements)
    }
}

/// Consistency in CQL's words.
pub(crate) fn in_cql(consistency: Consistency) -> scylla::statement::Consistency {
    match consistency {
        Consistency::One => scylla::statement::Consistency::One,
        Consistency::Quorum => scylla::statement::Consistency::Quorum,
        Consistency::All => scylla::statement::Consistency::All,
    }
}

/// Prepares one statement on the connections of a runtime.
pub(crate) async fn prepare(
    link: &Link,
    consistency: Consistency,
    hosts: &str,
    text: String,
) -> Result<PreparedStatement, DbError> {
    let mut statement = Statement::new(text);
    statement.set_consistency(in_cql(consistency));
    match link.prepare(statement).await {
        Ok(mut prepared) => {
            // The columns are those of the statement: the answers need not repeat them.
            prepared.set_use_cached_result_metadata(true);
            Ok(prepared)
        }
        Err(error) => {
            let error = of_preparing(error, hosts);
            if error.class == ErrorClass::Unavailable {
                tokio::time::sleep(PAUSE).await;
            }
            Err(error)
        }
    }
}
