//! The driver of the simulated database.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use dbdyno_workload::OperationKind;

use super::behaviour::Behaviour;
use super::simulation::World;
use dbdyno_driver::{
    Capabilities, DbError, Driver, DriverInfo, Durability, ErrorClass, Execution, Fields, Found, Key, Row,
    Rows, ScanOrder, Session, SystemFacts, Table, Target, Values,
};

/// A connection to a [`Simulation`](super::Simulation). It waits on the simulation's virtual time, so it runs only
/// where somebody advances that (the engine's trials on virtual time), or without any service time or stall.
pub struct Simulated {
    world: Arc<World>,
}

/// One client's connection to a [`Simulation`](super::Simulation).
pub struct SimulatedSession {
    world: Arc<World>,
    table: String,
    index: u32,
    operations: u64,
    reads: u64,
    inserts: u64,
    kinds: [u64; OperationKind::ALL.len()],
}

impl Driver for Simulated {
    type Session = SimulatedSession;

    const INFO: DriverInfo = DriverInfo {
        name: "simulated",
        summary: "a database that is not there, on a time of its own, for tests",
        schemes: &["simulated"],
        example: "simulated:NUMBER",
        options: &[],
        remote: false,
        default_port: None,
        execution: Execution::Async,
        capabilities: Capabilities {
            scan: ScanOrder::Key,
            persistent: true,
            stores_records: true,
            durabilities: &[Durability::None],
            consistencies: &[],
            values: Values::Bytes,
        },
    };

    async fn connect(target: &Target) -> Result<Self, DbError> {
        let world = World::find(target)?;
        let (behaviour, _) = world.behaviour();
        world.time.sleep(behaviour.connect).await;
        match behaviour.refuse {
            Some(class) => Err(DbError::new(class, "the simulation refuses connections")),
            None => Ok(Self { world }),
        }
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        self.world.create_table(&table.name);
        Ok(())
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        self.world.drop_table(&table.name);
        Ok(())
    }

    async fn session(&self, table: &Table) -> Result<SimulatedSession, DbError> {
        self.world.table(&table.name, |_| ())?;
        Ok(SimulatedSession {
            world: Arc::clone(&self.world),
            table: table.name.clone(),
            index: self.world.sessions.fetch_add(1, Ordering::Relaxed),
            operations: 0,
            reads: 0,
            inserts: 0,
            kinds: [0; OperationKind::ALL.len()],
        })
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        Ok(SystemFacts {
            product: "Simulated".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            topology: "embedded".to_owned(),
            nodes: Some(0),
            replicas: Some(1),
            durability: Durability::None,
            durability_means: "kept in memory".to_owned(),
            consistency: None,
            consistency_means: String::new(),
            settings: BTreeMap::new(),
        })
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        // A missing table has no manifest; that is an answer.
        Ok(self
            .world
            .table(&table.name, |state| state.manifest.clone())
            .unwrap_or(None))
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        if let Some(class) = self.world.behaviour().0.refuse_manifests {
            return Err(DbError::new(
                class,
                "the simulation stores no manifest on purpose",
            ));
        }
        self.world
            .table(&table.name, |state| state.manifest = Some(manifest.to_owned()))
    }
}

impl SimulatedSession {
    /// Takes the time and the failures that the behaviour asks for.
    async fn serve(
        &mut self,
        kind: OperationKind,
        key: &Key,
        values: Option<&Row>,
    ) -> Result<Arc<Behaviour>, DbError> {
        self.world.note(|| {
            let values = values.cloned().unwrap_or_default();
            (self.index, kind, key.as_bytes().to_vec(), values)
        });
        self.operations += 1;
        self.kinds[kind as usize] += 1;
        let (behaviour, since_ns) = self.world.behaviour();
        let begin_ns = self.world.time.now_ns() - since_ns;
        let end_ns = since_ns + behaviour.end_of_service_ns(self.index, begin_ns);
        self.world.time.sleep_until(end_ns).await;
        for fault in &behaviour.faults {
            let count = match fault.kind {
                Some(only) if only != kind => continue,
                Some(_) => self.kinds[kind as usize],
                None => self.operations,
            };
            if fault.every > 0 && count.is_multiple_of(fault.every) {
                let mut error = DbError::new(
                    fault.class,
                    format!("the simulation fails {} on purpose", kind.name()),
                );
                error.retry = fault.retry;
                return Err(error);
            }
        }
        Ok(behaviour)
    }
}

fn fill(row: &mut Row, values: &BTreeMap<u32, Vec<u8>>, fields: Fields) {
    row.clear();
    for (index, value) in values {
        if fields_contain(fields, *index) {
            row.push(*index, value);
        }
    }
}

fn fields_contain(fields: Fields, index: u32) -> bool {
    match fields {
        Fields::All | Fields::AllByName => true,
        Fields::One(only) => only == index,
    }
}

fn values_of(row: &Row) -> BTreeMap<u32, Vec<u8>> {
    row.iter().map(|(index, value)| (index, value.to_vec())).collect()
}

impl Session for SimulatedSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        row.clear();
        let behaviour = self.serve(OperationKind::Read, key, None).await?;
        self.reads += 1;
        let corrupt = behaviour.corrupt_every > 0 && self.reads.is_multiple_of(behaviour.corrupt_every);
        self.world.table(&self.table, |state| {
            let Some(values) = state.records.get(key.as_bytes()) else {
                return Found::No;
            };
            if corrupt {
                let wrong = values
                    .iter()
                    .map(|(index, value)| (*index, value.iter().map(|byte| byte ^ 1).collect::<Vec<u8>>()));
                fill(row, &wrong.collect(), fields);
            } else {
                fill(row, values, fields);
            }
            Found::Yes
        })
    }

    async fn scan(
        &mut self,
        from: &Key,
        limit: u32,
        fields: Fields,
        rows: &mut Rows,
    ) -> Result<u32, DbError> {
        rows.clear();
        self.serve(OperationKind::Scan, from, None).await?;
        self.world.table(&self.table, |state| {
            let records = state.records.range(from.as_bytes().to_vec()..);
            for (name, values) in records.take(limit as usize) {
                fill(rows.push(name), values, fields);
            }
            rows.len() as u32
        })
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        let behaviour = self.serve(OperationKind::Insert, key, Some(row)).await?;
        self.inserts += 1;
        if behaviour.lose_every > 0 && self.inserts.is_multiple_of(behaviour.lose_every) {
            return Ok(());
        }
        self.world.table(&self.table, |state| {
            let earlier = state.records.insert(key.as_bytes().to_vec(), values_of(row));
            match earlier {
                None => Ok(()),
                Some(_) => Err(DbError::new(
                    ErrorClass::Conflict,
                    format!("duplicate key `{}`", key.as_str()),
                )),
            }
        })?
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        self.serve(OperationKind::Update, key, Some(changed)).await?;
        self.world.table(&self.table, |state| {
            let record = state.records.get_mut(key.as_bytes()).ok_or_else(|| {
                DbError::new(
                    ErrorClass::NotFound,
                    format!("there is no record `{}`", key.as_str()),
                )
            })?;
            record.extend(values_of(changed));
            Ok(())
        })?
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        self.serve(OperationKind::Delete, key, None).await?;
        self.world.table(&self.table, |state| {
            state.records.remove(key.as_bytes());
        })
    }
}
