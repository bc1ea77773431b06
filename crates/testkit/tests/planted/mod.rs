//! A driver that keeps tables in maps of this process, and has the one defect its address asks for.

mod session;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use dbdyno_driver::{
    Capabilities, DbError, Driver, DriverInfo, Durability, ErrorClass, Execution, ScanOrder, SystemFacts,
    Table, Target, Values, options,
};
pub use session::PlantedSession;

/// What the constant facts say, as a number that can be a type's parameter.
pub struct Kind;

impl Kind {
    pub const ORDERED: u8 = 0;
    pub const UNORDERED: u8 = 1;
    pub const SCANLESS: u8 = 2;
    pub const RECORDLESS: u8 = 3;
    pub const BROKEN_INFORMATION: u8 = 4;
    pub const TEXT: u8 = 5;
}

pub type Record = Vec<(u32, Vec<u8>)>;

#[derive(Default)]
pub struct Records {
    pub by_key: Mutex<BTreeMap<Vec<u8>, Record>>,
    pub deleted: Mutex<BTreeSet<Vec<u8>>>,
}

#[derive(Default)]
struct Disk {
    tables: HashMap<String, Arc<Records>>,
    manifests: HashMap<String, String>,
}

/// What outlives a driver, by place.
static DISKS: LazyLock<Mutex<HashMap<String, Arc<Mutex<Disk>>>>> = LazyLock::new(Mutex::default);

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub struct Planted<const KIND: u8> {
    disk: Arc<Mutex<Disk>>,
    defect: String,
    durability: Durability,
    sessions: Arc<AtomicUsize>,
}

impl<const KIND: u8> Planted<KIND> {
    fn has(&self, defect: &str) -> bool {
        self.defect == defect
    }

    /// The table's name, unless tables or manifests are all one.
    fn name(&self, table: &Table, shared_by: &str) -> String {
        if self.has(shared_by) {
            "the only one"
        } else {
            &table.name
        }
        .to_owned()
    }
}

impl<const KIND: u8> Drop for Planted<KIND> {
    fn drop(&mut self) {
        match self.defect.as_str() {
            "records-forgotten" => lock(&self.disk)
                .tables
                .values()
                .for_each(|table| lock(&table.by_key).clear()),
            "manifests-forgotten" => lock(&self.disk).manifests.clear(),
            _ => {}
        }
    }
}

impl<const KIND: u8> Driver for Planted<KIND> {
    type Session = PlantedSession;
    const INFO: DriverInfo = DriverInfo {
        name: ["ordered", "unordered", "scanless", "recordless", "broken", "text"][KIND as usize],
        summary: "keeps tables in maps of this process",
        schemes: &["planted"],
        example: if KIND == Kind::BROKEN_INFORMATION {
            "other"
        } else {
            "planted"
        },
        options: &[("defect", "what is wrong with it")],
        remote: false,
        default_port: None,
        execution: Execution::Blocking,
        capabilities: Capabilities {
            scan: match KIND {
                Kind::UNORDERED => ScanOrder::Other,
                Kind::SCANLESS => ScanOrder::Unsupported,
                _ => ScanOrder::Key,
            },
            persistent: KIND != Kind::RECORDLESS,
            stores_records: KIND != Kind::RECORDLESS,
            durabilities: &[Durability::None, Durability::Buffered],
            consistencies: &[],
            values: if KIND == Kind::TEXT {
                Values::Text
            } else {
                Values::Bytes
            },
        },
    };

    async fn connect(target: &Target) -> Result<Self, DbError> {
        let defect = target.options.get("defect").cloned().unwrap_or_default();
        if defect != "options-ignored" {
            options::check(&Self::INFO, target)?;
        }
        let durability = if defect == "durability-ignored" {
            Durability::Buffered
        } else {
            options::durability(&Self::INFO, target)?
        };
        Ok(Self {
            disk: Arc::clone(lock(&DISKS).entry(target.place.clone()).or_default()),
            defect,
            durability,
            sessions: Arc::default(),
        })
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        let mut disk = lock(&self.disk);
        let records = disk.tables.entry(self.name(table, "tables-shared")).or_default();
        if self.has("create-empties") {
            lock(&records.by_key).clear();
        }
        Ok(())
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        let mut disk = lock(&self.disk);
        if !self.has("manifest-stays") {
            disk.manifests.remove(&self.name(table, "manifest-shared"));
        }
        if self.has("drop-keeps-records") {
            return Ok(());
        }
        let removed = disk.tables.remove(&self.name(table, "tables-shared"));
        if removed.is_none() && self.has("drop-missing-fails") {
            return Err(DbError::new(ErrorClass::NotFound, "there is no such table"));
        }
        Ok(())
    }

    async fn session(&self, table: &Table) -> Result<PlantedSession, DbError> {
        let open = self.sessions.fetch_add(1, Ordering::Relaxed);
        if self.has("few-sessions") && open >= 16 {
            self.sessions.fetch_sub(1, Ordering::Relaxed);
            return Err(DbError::new(
                ErrorClass::Overloaded,
                "there are too many sessions",
            ));
        }
        let records = lock(&self.disk)
            .tables
            .get(&self.name(table, "tables-shared"))
            .cloned()
            .ok_or_else(|| DbError::new(ErrorClass::NotFound, "there is no such table"))?;
        Ok(PlantedSession::new(
            records,
            &self.defect,
            KIND,
            Arc::clone(&self.sessions),
        ))
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        Ok(SystemFacts {
            product: "planted".to_owned(),
            version: if self.has("no-version") { "" } else { "1" }.to_owned(),
            topology: "embedded".to_owned(),
            nodes: Some(0),
            replicas: Some(1),
            durability: self.durability,
            durability_means: "a map of this process".to_owned(),
            consistency: None,
            consistency_means: String::new(),
            settings: BTreeMap::new(),
        })
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        if self.has("manifest-always") {
            return Ok(Some(String::new()));
        }
        Ok(lock(&self.disk)
            .manifests
            .get(&self.name(table, "manifest-shared"))
            .cloned())
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        if KIND == Kind::RECORDLESS {
            return Ok(());
        }
        let mut disk = lock(&self.disk);
        if self.has("manifest-as-record")
            && let Some(records) = disk.tables.get(&table.name)
        {
            lock(&records.by_key).insert(b"manifest".to_vec(), Vec::new());
        }
        let name = self.name(table, "manifest-shared");
        if !(self.has("manifest-kept") && disk.manifests.contains_key(&name)) {
            disk.manifests.insert(name, manifest.to_owned());
        }
        Ok(())
    }

    async fn flush(&self) -> Result<(), DbError> {
        if self.has("flush-fails") {
            return Err(DbError::new(ErrorClass::Bug, "the flush failed"));
        }
        Ok(())
    }
}
