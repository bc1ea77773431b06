//! Connecting, tables and manifests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use dbdyno_driver::{DbError, Driver, DriverInfo, Durability, ErrorClass, SystemFacts, Table, Target};
use dbdyno_jvm::Channel;

use crate::calls;
use crate::error::{self};
use crate::host::bridge;
use crate::info::INFO;
use crate::options::{Drop, Options};
use crate::removal::delete_all;
use crate::session::{YcsbSession, answered};
use crate::shared::Shared;

/// A binding with its properties, and one instance of it that is kept open: many bindings share one connection among
/// their instances and close it with the last of them.
pub struct YcsbDriver {
    shared: Arc<Shared>,
    _open: Mutex<YcsbSession>,
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
        let open = YcsbSession::open(&shared, "usertable", &[])?;
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
            Drop::Delete => delete_all(&mut YcsbSession::open(
                &self.shared,
                &table.name,
                &table.field_names,
            )?),
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
        YcsbSession::open(&self.shared, &table.name, &table.field_names)
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
            nodes: None,
            replicas: None,
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
