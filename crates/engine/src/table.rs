//! Brings the table into the state a trial needs, and keeps the manifest true.

use std::sync::Arc;

use dbdyno_driver::{DbError, Driver, ErrorClass, Fields, Found, Row, Session, Table, Target};
use dbdyno_trial::{Phases, Reset};
use dbdyno_workload::specification::Specification;
use dbdyno_workload::{Batch, Operation, Sequence, Workload};

use crate::ensemble::{Disbanded, Said, TableState};
use crate::error::{EngineError, PlanError, TableEnd, TableFault};
use crate::manifest::{Manifest, State};
use crate::prepared_trial::PreparedTrial;

/// Most operations that a client of the engine may have claimed and not sent when the process dies.
const IN_FLIGHT_PER_CLIENT: u64 = 64;

/// A table that is ready for its trial.
pub(crate) struct Prepared {
    /// Whether it must be loaded; it is then empty.
    pub(crate) load: bool,
    /// Records that are there.
    pub(crate) records: u64,
    /// Its manifest; `None` when nothing is to be stored: the driver keeps no records, or others loaded the table.
    pub(crate) manifest: Option<Manifest>,
}

/// The table of one trial.
pub(crate) struct TableKeeper<'a, D> {
    pub(crate) driver: &'a D,
    pub(crate) target: &'a Target,
    pub(crate) table: &'a Table,
    pub(crate) plan: &'a PreparedTrial,
}

impl<D: Driver> TableKeeper<'_, D> {
    fn specification(&self) -> &Specification {
        self.plan.workload.specification()
    }

    fn failed(&self, what: &'static str) -> impl FnOnce(DbError) -> EngineError {
        let system = self.target.to_string();
        move |error| EngineError::Database { system, what, error }
    }

    fn refused(&self, fault: TableFault) -> EngineError {
        EngineError::Table {
            system: self.target.to_string(),
            table: self.table.name.clone(),
            fault,
        }
    }

    /// Looks at what is there and drops, creates or repairs it as the plan allows: here, or where another load generator leads.
    pub(crate) async fn prepare(&self) -> Result<Prepared, EngineError> {
        let Some(part) = &self.plan.part else {
            return self.prepare_here().await;
        };
        let own = match part.leads {
            true => Some(self.prepare_here().await?),
            false => None,
        };
        let state = own.as_ref().map(|own| TableState {
            load: own.load,
            records: own.records,
        });
        let meeting = part.ensemble.meet(Said::Connected(state)).await?;
        let found = |said: &Said| match said {
            Said::Connected(state) => *state,
            _ => None,
        };
        match (own, meeting.said.iter().find_map(found)) {
            (Some(own), _) => Ok(own),
            (None, Some(TableState { load, records })) => Ok(Prepared {
                load,
                records,
                manifest: None,
            }),
            (None, None) => Err(Disbanded("none of them prepared the table".to_owned()).into()),
        }
    }

    async fn prepare_here(&self) -> Result<Prepared, EngineError> {
        let records = self.specification().records;
        if !D::INFO.capabilities.stores_records {
            self.create().await?;
            return Ok(Prepared {
                load: self.plan.spec.phases == Phases::LoadOnly,
                records,
                manifest: None,
            });
        }
        if self.plan.spec.reset == Reset::Fresh {
            return self.start_anew().await;
        }
        let stored = self
            .driver
            .load_manifest(self.table)
            .await
            .map_err(self.failed("read the manifest"))?;
        match stored {
            Some(text) => self.judge(&text).await,
            None => self.discover().await,
        }
    }

    async fn create(&self) -> Result<(), EngineError> {
        let created = self.driver.create_table(self.table).await;
        created.map_err(self.failed("create the table"))
    }

    async fn start_anew(&self) -> Result<Prepared, EngineError> {
        let dropped = self.driver.drop_table(self.table).await;
        dropped.map_err(self.failed("drop the table"))?;
        self.create().await?;
        Ok(Prepared {
            load: true,
            records: 0,
            manifest: Some(Manifest::loading(self.specification())),
        })
    }

    /// The table has a manifest.
    async fn judge(&self, text: &str) -> Result<Prepared, EngineError> {
        let manifest = Manifest::from_json(text)
            .map_err(|reason| self.refused(TableFault::UnreadableManifest(reason)))?;
        let may_load = self.plan.spec.phases != Phases::RunOnly;
        if manifest.state == State::Loading {
            return if may_load {
                self.start_anew().await
            } else {
                Err(self.refused(TableFault::HalfLoaded))
            };
        }
        if let Some(difference) = manifest.difference(self.specification()) {
            return Err(EngineError::Shape {
                system: self.target.to_string(),
                table: self.table.name.clone(),
                property: difference.property,
                found: difference.found,
                wanted: difference.wanted,
            });
        }
        if manifest.state == State::Deleting {
            return if may_load {
                self.start_anew().await
            } else {
                Err(self.refused(TableFault::Holes))
            };
        }
        let (first, last) = self.ends_are_there(manifest.records).await?;
        if !(first && last) {
            return if may_load {
                self.start_anew().await
            } else {
                Err(self.refused(TableFault::Lacking {
                    end: if first { TableEnd::Last } else { TableEnd::First },
                    records: manifest.records,
                }))
            };
        }
        let records = match manifest.state {
            State::Inserting { longest_hole } => self.repair(&manifest, longest_hole).await?,
            _ => manifest.records,
        };
        Ok(Prepared {
            load: false,
            records,
            manifest: Some(manifest.with(records, State::Complete)),
        })
    }

    /// The table has no manifest: it is new, or others made it.
    async fn discover(&self) -> Result<Prepared, EngineError> {
        self.create().await?;
        let records = self.specification().records;
        match (self.ends_are_there(records).await?, self.plan.spec.phases) {
            ((false, false), Phases::LoadOnly | Phases::LoadAndRun) => Ok(Prepared {
                load: true,
                records: 0,
                manifest: Some(Manifest::loading(self.specification())),
            }),
            // A table that another tool (YCSB) loaded is used as it is, and stays without a manifest.
            ((true, true), Phases::RunOnly) => Ok(Prepared {
                load: false,
                records,
                manifest: None,
            }),
            ((false, false), Phases::RunOnly) => Err(self.refused(TableFault::Empty)),
            ((_, _), Phases::RunOnly) => Err(self.refused(TableFault::TooFew(records))),
            _ => Err(self.refused(TableFault::Foreign)),
        }
    }

    async fn session(&self) -> Result<D::Session, EngineError> {
        let session = self.driver.session(self.table).await;
        session.map_err(|error| EngineError::Connect {
            system: self.target.to_string(),
            error,
        })
    }

    /// Whether the first and the last of so many records are there.
    async fn ends_are_there(&self, records: u64) -> Result<(bool, bool), EngineError> {
        let start = self.specification().insert_start;
        let mut session = self.session().await?;
        let mut ends = [false; 2];
        for (end, number) in ends.iter_mut().zip([start, start + records.max(1) - 1]) {
            *end = match self.inserts(number, 1)?.next() {
                Some((operation, _)) => self.is_there(&mut session, &operation).await?,
                None => false,
            };
        }
        Ok((ends[0], ends[1]))
    }

    async fn is_there(&self, session: &mut D::Session, operation: &Operation) -> Result<bool, EngineError> {
        let mut row = Row::new();
        let found = session.read(&operation.key, Fields::All, &mut row).await;
        Ok(found.map_err(self.failed("look for a record"))? == Found::Yes)
    }

    /// The inserts that a load of the records from `first` on would make.
    fn inserts(&self, first: u64, count: u64) -> Result<Inserts, EngineError> {
        let specification = Specification {
            insert_start: first,
            records: count,
            ..self.specification().clone()
        };
        let workload =
            Workload::new(specification, self.plan.workload.seed()).map_err(PlanError::Workload)?;
        Ok(Inserts {
            sequence: Arc::new(workload).load(),
            batch: Batch::default(),
        })
    }

    /// Walks over the unknown tail that an interrupted run left behind its known records, and fills its holes.
    async fn repair(&self, manifest: &Manifest, longest_hole: u64) -> Result<u64, EngineError> {
        const STRETCH: u64 = 1024;
        let start = self.specification().insert_start;
        let mut session = self.session().await?;
        let (mut missing, mut next, mut known) = (Vec::new(), start + manifest.records, manifest.records);
        while next - (start + known) <= longest_hole {
            let mut inserts = self.inserts(next, STRETCH)?;
            while let Some((operation, values)) = inserts.next() {
                if self.is_there(&mut session, &operation).await? {
                    for (operation, values) in missing.drain(..) {
                        self.fill(&mut session, &operation, &values).await?;
                    }
                    known = operation.key.number() + 1 - start;
                } else {
                    missing.push((operation, values));
                }
            }
            next += STRETCH;
        }
        drop(session);
        self.flush().await?;
        self.store(&manifest.with(known, State::Complete)).await?;
        Ok(known)
    }

    async fn fill(
        &self,
        session: &mut D::Session,
        operation: &Operation,
        values: &Row,
    ) -> Result<(), EngineError> {
        match session.insert(&operation.key, values).await {
            Err(error) if error.class != ErrorClass::Conflict => {
                Err(self.failed("fill a hole in the records")(error))
            }
            _ => Ok(()),
        }
    }

    pub(crate) async fn flush(&self) -> Result<(), EngineError> {
        self.driver.flush().await.map_err(self.failed("flush"))
    }

    /// Makes sure that what was written stays, and stores what is there now, where that has changed.
    pub(crate) async fn finish(&self, changed: Option<Manifest>) -> Result<(), EngineError> {
        self.flush().await?;
        match changed {
            Some(manifest) => self.store(&manifest).await,
            None => Ok(()),
        }
    }

    pub(crate) async fn store(&self, manifest: &Manifest) -> Result<(), EngineError> {
        let stored = self.driver.store_manifest(self.table, &manifest.to_json()).await;
        stored.map_err(self.failed("store the manifest"))
    }
}

/// The longest hole that so many clients can leave when their process dies: claims are made in the order of the
/// sequence, so everything but the claims in flight is there. Twice that, and a good deal, for good measure.
pub(crate) fn longest_hole(clients: u32, failed_inserts: u64) -> u64 {
    (2 * IN_FLIGHT_PER_CLIENT * u64::from(clients)).max(1024) + failed_inserts
}

/// The inserts of consecutive records, as a load makes them.
struct Inserts {
    sequence: Sequence,
    batch: Batch,
}

impl Inserts {
    fn next(&mut self) -> Option<(Operation, Row)> {
        let claim = self.sequence.claim(1)?;
        self.sequence.fill(&claim, &mut self.batch);
        let operation = self.batch.first()?.clone();
        let mut row = Row::new();
        self.sequence.values(&operation, &mut row);
        Some((operation, row))
    }
}
