//! The simulated world: records, manifests, behaviour, time; and the list by which addresses find it.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use dbdyno_workload::OperationKind;

use super::behaviour::Behaviour;
use dbdyno_driver::{DbError, ErrorClass, Row, Target};
use dbdyno_engine::VirtualTime;

/// Simulations that live, by the number in their address.
static SIMULATIONS: LazyLock<Mutex<HashMap<u64, Weak<World>>>> = LazyLock::new(Mutex::default);

/// One simulated database with its time. Clones are the same one; it ends with the last clone and connection.
#[derive(Clone)]
pub struct Simulation {
    pub(super) world: Arc<World>,
}

/// State that the connections of a simulation share.
pub(super) struct World {
    number: u64,
    pub(super) time: VirtualTime,
    behaviour: Mutex<(Arc<Behaviour>, u64)>,
    tables: Mutex<BTreeMap<String, TableState>>,
    seen: Mutex<Option<Vec<Seen>>>,
    pub(super) sessions: AtomicU32,
}

/// A table's records by stored name, and its manifest.
#[derive(Default)]
pub(super) struct TableState {
    pub(super) records: BTreeMap<Vec<u8>, BTreeMap<u32, Vec<u8>>>,
    pub(super) manifest: Option<String>,
}

/// One operation as the database saw it: session, kind of call, key's name and the values written.
pub type Seen = (u32, OperationKind, Vec<u8>, Row);

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Simulation {
    /// An empty database that behaves like this, on a new time.
    #[must_use]
    pub fn new(behaviour: Behaviour) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let world = Arc::new(World {
            number,
            time: VirtualTime::new(),
            behaviour: Mutex::new((Arc::new(behaviour), 0)),
            tables: Mutex::default(),
            seen: Mutex::default(),
            sessions: AtomicU32::new(0),
        });
        lock(&SIMULATIONS).insert(number, Arc::downgrade(&world));
        Self { world }
    }

    /// The address under which [`Simulated`](super::Simulated) finds this simulation.
    #[must_use]
    pub fn target(&self) -> Target {
        Target {
            scheme: "simulated".to_owned(),
            place: self.world.number.to_string(),
            durability: None,
            consistency: None,
            options: BTreeMap::new(),
        }
    }

    /// The time it lives on.
    #[must_use]
    pub fn time(&self) -> &VirtualTime {
        &self.world.time
    }

    /// Changes the behaviour from now on; stalls count from now, sessions made from now on count from 0.
    pub fn set_behaviour(&self, behaviour: Behaviour) {
        *lock(&self.world.behaviour) = (Arc::new(behaviour), self.world.time.now_ns());
        self.world.sessions.store(0, Ordering::Relaxed);
    }

    /// Keeps every operation from now on for [`take_seen`](Self::take_seen).
    pub fn watch(&self) {
        *lock(&self.world.seen) = Some(Vec::new());
    }

    /// The operations since [`watch`](Self::watch) or the last call, in the order of their arrival.
    #[must_use]
    pub fn take_seen(&self) -> Vec<Seen> {
        lock(&self.world.seen)
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Stored names of all records of a table, ascending.
    #[must_use]
    pub fn names(&self, table: &str) -> Vec<String> {
        self.world
            .table(table, |state| {
                let names = state.records.keys();
                names
                    .map(|name| String::from_utf8_lossy(name).into_owned())
                    .collect()
            })
            .unwrap_or_default()
    }

    /// Removes a record behind everybody's back; whether it was there.
    pub fn lose(&self, table: &str, name: &str) -> bool {
        self.world
            .table(table, |state| state.records.remove(name.as_bytes()).is_some())
            .unwrap_or(false)
    }

    /// Takes a table's manifest away: its records are then what another tool might have loaded.
    pub fn forget_manifest(&self, table: &str) {
        self.world.table(table, |state| state.manifest = None).ok();
    }

    /// The manifest of a table.
    #[must_use]
    pub fn manifest(&self, table: &str) -> Option<String> {
        self.world
            .table(table, |state| state.manifest.clone())
            .ok()
            .flatten()
    }
}

impl World {
    /// The living simulation of that address.
    pub(super) fn find(target: &Target) -> Result<Arc<Self>, DbError> {
        let number = target.place.parse().ok();
        number
            .and_then(|number: u64| lock(&SIMULATIONS).get(&number).and_then(Weak::upgrade))
            .ok_or_else(|| {
                DbError::new(
                    ErrorClass::Unavailable,
                    format!("there is no simulation `{}` in this process", target.place),
                )
            })
    }

    /// The behaviour in force, and the time since which.
    pub(super) fn behaviour(&self) -> (Arc<Behaviour>, u64) {
        lock(&self.behaviour).clone()
    }

    /// Works on an existing table.
    pub(super) fn table<R>(&self, name: &str, work: impl FnOnce(&mut TableState) -> R) -> Result<R, DbError> {
        let mut tables = lock(&self.tables);
        tables
            .get_mut(name)
            .map(work)
            .ok_or_else(|| DbError::new(ErrorClass::NotFound, format!("there is no table `{name}`")))
    }

    pub(super) fn create_table(&self, name: &str) {
        lock(&self.tables).entry(name.to_owned()).or_default();
    }

    pub(super) fn drop_table(&self, name: &str) {
        lock(&self.tables).remove(name);
    }

    pub(super) fn note(&self, seen: impl FnOnce() -> Seen) {
        if let Some(list) = lock(&self.seen).as_mut() {
            list.push(seen());
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        lock(&SIMULATIONS).remove(&self.number);
    }
}
