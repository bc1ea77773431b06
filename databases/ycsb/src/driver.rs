//! Connecting, tables and manifests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dbdyno_driver::{
    Capabilities, DbError, Driver, DriverInfo, Durability, ErrorClass, Execution, Key, ScanOrder,
    SystemFacts, Table, Target, Values,
};
use dbdyno_jvm::Channel;

use crate::calls;
use crate::error::{self, Answered};
use crate::host::bridge;
use crate::options::{Drop, Options};
use crate::removal::delete_all;
use crate::session::{YcsbSession, answered};

pub(crate) const INFO: DriverInfo = DriverInfo {
    name: "ycsb",
    summary: "any database that YCSB has a binding for: hosts its Java class",
    schemes: &["ycsb"],
    example: "ycsb:site.ycsb.BasicDB",
    options: &[
        (
            "class_path",
            "jars and directories of the binding, joined by `:` (YCSB's core is fetched where it is not among them)",
        ),
        ("p.*", "a property of the binding: p.NAME=VALUE, with %26 for `&`"),
        ("properties", "file with properties of the binding; p.NAME wins"),
        (
            "key_field",
            "the field in which the binding's scans give the key, if they do",
        ),
        (
            "missing",
            "status by which reads say that a record is not there: NOT_FOUND (default) or ERROR",
        ),
        (
            "values",
            "what becomes of values that a read finds: read (default), or unread, as YCSB's client leaves them without dataintegrity",
        ),
        (
            "drop",
            "how a table is emptied, which no binding can: refuse (default), delete (each record) or keep (not at all)",
        ),
        (
            "connect_timeout",
            "longest wait for an instance of the binding to get ready (default 60s)",
        ),
        (
            "timeout",
            "longest wait for one operation, which is then interrupted (default: the binding's own)",
        ),
        (
            "manifests",
            "directory for notes on what was loaded (default ~/.local/state/dbdyno/ycsb)",
        ),
    ],
    remote: false,
    execution: Execution::Blocking,
    // What holds for every binding, however bad.
    capabilities: Capabilities {
        scan: ScanOrder::Other,
        persistent: true,
        stores_records: true,
        durabilities: &[Durability::None],
        consistencies: &[],
        values: Values::Text,
    },
};

/// A binding with its properties, and one instance of it that is kept open: many bindings share one connection among
/// their instances and close it with the last of them.
pub struct YcsbDriver {
    shared: Arc<Shared>,
    _open: Mutex<YcsbSession>,
}

/// What sessions keep alive.
pub(crate) struct Shared {
    connection: Mutex<Channel>,
    pub options: Options,
}

impl Shared {
    /// An instance of the binding for this table, ready.
    fn start(self: &Arc<Self>, table: &str, fields: &[String]) -> Result<YcsbSession, DbError> {
        let child = {
            // A request is always begun anew: one that was left half written does no harm.
            let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
            connection
                .begin()
                .bytes(table.as_bytes())
                .bytes(self.options.key_field.as_deref().unwrap_or_default().as_bytes())
                .number(u32::from(self.options.unread))
                .number(milliseconds(self.options.connect_timeout))
                .number(fields.len() as u32);
            for name in fields {
                connection.bytes(name.as_bytes());
            }
            connection
                .call(calls::SESSION)
                .map(drop)
                .and_then(|()| connection.take_child())
                .map_err(|failure| error::starting(&failure, &self.options.class))?
        };
        YcsbSession::start(child, Arc::clone(self))
    }

    /// A write that found nothing to write to.
    pub fn must_be_done(&self, answered: Answered, what: &str, key: &Key) -> Result<(), DbError> {
        match answered {
            Answered::Done => Ok(()),
            Answered::NotFound => Err(DbError::new(
                ErrorClass::NotFound,
                format!(
                    "YCSB's binding {} answered NOT_FOUND to the {what} of {}",
                    self.options.class,
                    key.as_str()
                ),
            )),
        }
    }
}

/// For the Java side, which counts in numbers of 31 bits.
pub(crate) fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).map_or(u32::MAX >> 1, |time| time.min(u32::MAX >> 1))
}

impl Driver for YcsbDriver {
    type Session = YcsbSession;
    const INFO: DriverInfo = INFO;

    async fn connect(target: &Target) -> Result<Self, DbError> {
        let options = Options::read(target)?;
        let connection = connect(&mut bridge(options.class_path.as_deref())?, &options)?;
        let shared = Arc::new(Shared {
            connection: Mutex::new(connection),
            options,
        });
        let open = shared.start("usertable", &[])?;
        Ok(Self {
            shared,
            _open: Mutex::new(open),
        })
    }

    async fn create_table(&self, _table: &Table) -> Result<(), DbError> {
        // A binding cannot; where the database needs it the table must be there.
        Ok(())
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        let options = &self.shared.options;
        // Whatever becomes of the records, nobody may rely on all of them any more.
        options.manifests.remove(&table.name)?;
        match options.drop {
            Drop::Keep => Ok(()),
            Drop::Delete => delete_all(&mut self.shared.start(&table.name, &table.field_names)?),
            Drop::Refuse => Err(DbError::new(
                ErrorClass::Rejected,
                format!(
                    "a binding of YCSB cannot drop a table; empty {} by the database's own means and load without \
                     --fresh, or say with drop= what else to do",
                    table.name
                ),
            )),
        }
    }

    async fn session(&self, table: &Table) -> Result<YcsbSession, DbError> {
        self.shared.start(&table.name, &table.field_names)
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        let options = &self.shared.options;
        let mut connection = self
            .shared
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut answer = answered(connection.begin().call(calls::FACTS), &options.class)?;
        let known = |text: String| {
            if text.is_empty() {
                "not known".to_owned()
            } else {
                text
            }
        };
        let (version, core, place) = (answer.text(), answer.text(), answer.text());
        let settings = BTreeMap::from([
            ("binding_classes".to_owned(), known(place)),
            ("ycsb_core".to_owned(), known(core)),
            (
                "values_found".to_owned(),
                if options.unread { "unread" } else { "read" }.to_owned(),
            ),
        ]);
        Ok(SystemFacts {
            product: options.class.clone(),
            version: known(version),
            topology: "not known: a binding of YCSB does not say".to_owned(),
            durability: Durability::None,
            durability_means:
                "not known: a binding of YCSB does not say; what it answers with BATCHED_OK is not \
                               written yet"
                    .to_owned(),
            consistency: None,
            consistency_means: String::new(),
            settings,
        })
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        self.shared.options.manifests.load(&table.name)
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        self.shared.options.manifests.store(&table.name, manifest)
    }
}

fn connect(bridge: &mut Channel, options: &Options) -> Result<Channel, DbError> {
    let class = &options.class;
    bridge
        .begin()
        .bytes(class.as_bytes())
        .number(options.properties.len() as u32);
    for (name, value) in &options.properties {
        bridge.bytes(name.as_bytes()).bytes(value.as_bytes());
    }
    let outcome = bridge
        .call(calls::CONNECT)
        .map(|mut answer| answer.number())
        .map_err(|failure| error::starting(&failure, class))?;
    let refuse = |what: &str| Err(DbError::new(ErrorClass::Rejected, format!("`ycsb` {what}")));
    match outcome {
        1 => refuse(&format!(
            "finds no class {class}; check its name and name its jar in class_path ({})",
            options
                .class_path
                .as_deref()
                .unwrap_or("only YCSB's core is there")
        )),
        2 => refuse(&format!(
            "cannot host {class}: it does not extend site.ycsb.DB; name the class of a binding"
        )),
        _ => bridge
            .take_child()
            .map_err(|failure| error::starting(&failure, class)),
    }
}
