//! One trial from its first connection to its last word.

mod meetings;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::{DbError, Driver, ErrorClass, Execution, SystemFacts, Table, TableFacts, Target};
use dbdyno_machine::usable_cpus;
use dbdyno_record::{ClientCost, Drain, Floor, Latency, LoadRecord, MeasureRecord, OperationRecord};
use dbdyno_trial::{Limit, Phases, Reset, TrialSpec, WarmUp};
use dbdyno_workload::{MOST_CLIENTS, OperationKind, Sequence};
use tokio::sync::mpsc::unbounded_channel;

use crate::ensemble::Loaded;
use crate::error::{EngineError, PlanError};
use crate::event::{Event, Observer, Phase};
use crate::findings::{Given, clock_drift, load_incomplete, table_not_kept};
use crate::host::{Crew, Hands, Host};
use crate::manifest::{Manifest, State};
use crate::outcome::{Outcome, Seen};
use crate::pacing::pacing;
use crate::phase::{self, Clients, Expected, PhaseResult, Piece};
use crate::prepared_trial::PreparedTrial;
use crate::report::{Report, Reports};
use crate::stop::Stop;
use crate::table::{Prepared, TableKeeper, longest_hole};
use crate::work::{SharedSequence, Stage, WorkSetup};
use meetings::share;

/// How long the database may take to answer and all clients to get their sessions.
const CONNECT: Duration = Duration::from_secs(60);

pub(crate) fn check(plan: &PreparedTrial) -> Result<(), PlanError> {
    let problem = if plan.spec.clients == 0 {
        PlanError::NoClients
    } else if plan.spec.clients > MOST_CLIENTS {
        PlanError::TooManyClients
    } else if plan
        .spec
        .pace
        .is_some_and(|pace| !(pace.rate.is_finite() && pace.rate > 0.0))
    {
        PlanError::NoRate
    } else if plan.spec.phases != Phases::LoadOnly
        && plan.spec.limit.operations.is_none()
        && plan.spec.limit.duration.is_none()
    {
        PlanError::NoEnd
    } else if plan.spec.phases == Phases::RunOnly && plan.spec.reset != Reset::Reuse {
        PlanError::FreshWithoutLoad
    } else {
        return Ok(());
    };
    Err(problem)
}

/// A trial as its caller asks for it.
pub(crate) struct Assignment<'a> {
    pub(crate) target: &'a Target,
    pub(crate) plan: &'a PreparedTrial,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) stop: &'a Stop,
    /// The tool's own cost.
    pub(crate) floor: Floor,
}

/// A trial in progress.
struct Trial<'h, 'a, D, H> {
    host: &'h H,
    asked: Assignment<'a>,
    driver: Arc<D>,
    clients: Clients,
    hands: Hands,
    stuck: u32,
}

/// Carries out a plan.
pub(crate) async fn run<D: Driver, H: Host>(host: &H, asked: Assignment<'_>) -> Result<Outcome, EngineError> {
    check(asked.plan)?;
    asked.observer.event(&Event::PhaseStarted {
        phase: Phase::Connect,
        expected_operations: None,
        expected_duration: None,
    });
    let driver = Arc::new(connect::<D, H>(host, asked.target).await?);
    let outcome = run_on(&driver, host, asked).await;
    driver.close().await;
    outcome
}

async fn run_on<D: Driver, H: Host>(
    driver: &Arc<D>,
    host: &H,
    asked: Assignment<'_>,
) -> Result<Outcome, EngineError> {
    let (target, plan) = (asked.target, asked.plan);
    let facts = facts(driver, host).await.map_err(|error| EngineError::Database {
        system: target.to_string(),
        what: "read back its version and settings",
        error,
    })?;
    asked.observer.event(&Event::Reached(facts.clone()));
    let table = Arc::new(plan.workload.specification().table());
    let keeper = TableKeeper {
        driver: &**driver,
        target,
        table: &table,
        plan,
    };
    let prepared = keeper.prepare().await?;
    let of_table = table_facts(driver, &table, host)
        .await
        .map_err(|error| EngineError::Connect {
            system: target.to_string(),
            error,
        })?;
    let threads = match D::INFO.execution {
        Execution::Blocking => plan.spec.clients,
        Execution::Async => plan
            .spec
            .client_threads
            .unwrap_or_else(usable_cpus)
            .clamp(1, plan.spec.clients),
    };
    let driver = Arc::clone(driver);
    let mut trial = Trial::start(host, asked, driver, &table, threads).await?;
    let outcome = trial
        .carry_out(&keeper, prepared, (facts, of_table), threads)
        .await;
    trial.end();
    outcome
}

async fn connect<D: Driver, H: Host>(host: &H, target: &Target) -> Result<D, EngineError> {
    let asked = target.clone();
    let driver = contact::<D, _, _, _>(host, move || async move { D::connect(&asked).await }).await;
    driver.map_err(|error| EngineError::Connect {
        system: target.to_string(),
        error: if D::INFO.remote {
            error.of_connecting()
        } else {
            error
        },
    })
}

async fn facts<D: Driver, H: Host>(driver: &Arc<D>, host: &H) -> Result<SystemFacts, DbError> {
    let driver = Arc::clone(driver);
    contact::<D, _, _, _>(host, move || async move { driver.facts().await }).await
}

async fn table_facts<D: Driver, H: Host>(
    driver: &Arc<D>,
    table: &Arc<Table>,
    host: &H,
) -> Result<TableFacts, DbError> {
    let (driver, table) = (Arc::clone(driver), Arc::clone(table));
    contact::<D, _, _, _>(host, move || async move { driver.table_facts(&table).await }).await
}

/// The first answers of a system, within the deadline. A client library can be busy with a forged answer for ever; a
/// deadline on the same thread would never be looked at.
async fn contact<D, H, T, F>(host: &H, ask: impl FnOnce() -> F + Send + 'static) -> Result<T, DbError>
where
    D: Driver,
    H: Host,
    T: Send + 'static,
    F: Future<Output = Result<T, DbError>>,
{
    let deadline_ns = host.now_ns() + CONNECT.as_nanos() as u64;
    let answer = async {
        match D::INFO.execution {
            Execution::Blocking => ask().await,
            Execution::Async => host.apart(ask).await,
        }
    };
    tokio::select! {
        biased;
        answer = answer => answer,
        () = host.sleep_until(deadline_ns) => Err(no_answer()),
    }
}

fn no_answer() -> DbError {
    DbError::new(
        ErrorClass::Timeout,
        format!("no answer within {} s", CONNECT.as_secs()),
    )
}

/// The specification of a trial's load: each record of its share once, as fast as it goes.
fn load_of(plan: &PreparedTrial) -> TrialSpec {
    TrialSpec {
        pace: None,
        warmup: WarmUp::default(),
        limit: Limit {
            operations: Some(share(plan).below(plan.workload.specification().records)),
            duration: None,
        },
        ..plan.spec.clone()
    }
}

impl<'h, 'a, D: Driver, H: Host> Trial<'h, 'a, D, H> {
    async fn start(
        host: &'h H,
        asked: Assignment<'a>,
        driver: Arc<D>,
        table: &Arc<dbdyno_driver::Table>,
        threads: u32,
    ) -> Result<Self, EngineError> {
        let (reports, received) = Reports::channel();
        let (orders, taken): (Vec<_>, Vec<_>) =
            (0..asked.plan.spec.clients).map(|_| unbounded_channel()).unzip();
        let hands = host.start(Crew {
            driver: Arc::clone(&driver),
            table: Arc::clone(table),
            orders: taken,
            reports,
            threads,
        })?;
        let mut trial = Self {
            host,
            asked,
            driver,
            clients: Clients {
                orders,
                reports: received,
            },
            hands,
            stuck: 0,
        };
        trial.await_sessions().await?;
        trial.asked.observer.event(&Event::PhaseEnded {
            phase: Phase::Connect,
        });
        Ok(trial)
    }

    async fn await_sessions(&mut self) -> Result<(), EngineError> {
        let refused = |error| EngineError::Connect {
            system: self.asked.target.to_string(),
            error,
        };
        let deadline_ns = self.host.now_ns() + CONNECT.as_nanos() as u64;
        for _ in 0..self.asked.plan.spec.clients {
            let report = tokio::select! {
                biased;
                report = self.clients.reports.recv() => report,
                () = self.host.sleep_until(deadline_ns) => return Err(refused(no_answer())),
            };
            match report {
                Some(Report::Ready) => {}
                Some(Report::NotReady(error)) => return Err(refused(error)),
                Some(Report::Refused(error)) => return Err(EngineError::refused_clients(error)),
                Some(Report::Broken(reason)) => return Err(EngineError::Client(reason)),
                _ => return Err(EngineError::Client("it did not get a session".to_owned())),
            }
        }
        Ok(())
    }

    async fn carry_out(
        &mut self,
        keeper: &TableKeeper<'_, D>,
        prepared: Prepared,
        (mut facts, of_table): (SystemFacts, TableFacts),
        threads: u32,
    ) -> Result<Outcome, EngineError> {
        facts.settings.extend(of_table.settings);
        let mut outcome = Outcome {
            facts,
            scan_order: of_table.scan_order.unwrap_or(D::INFO.capabilities.scan),
            records_before: prepared.records,
            threads,
            load: None,
            measure: None,
            interrupted: false,
            floor: self.asked.floor.clone(),
            findings: Vec::new(),
            seen: None,
            generators: Vec::new(),
        };
        let mut manifest = prepared.manifest;
        if prepared.load {
            let failures = self.load(keeper, &mut manifest, &mut outcome).await?;
            outcome.records_before = self.asked.plan.workload.specification().records;
            if let Some((failed, sample)) = failures.filter(|_| !outcome.interrupted) {
                let records = outcome.records_before;
                if self.asked.plan.spec.phases == Phases::LoadAndRun {
                    return Err(EngineError::Load {
                        system: self.asked.target.to_string(),
                        failed,
                        records,
                        sample,
                    });
                }
                outcome.findings.push(load_incomplete(failed, records, &sample));
            }
        }
        if self.asked.plan.spec.phases != Phases::LoadOnly
            && !outcome.interrupted
            && !self.asked.stop.is_requested()
        {
            self.measure(keeper, manifest, &mut outcome).await?;
        }
        outcome.interrupted |= self.asked.stop.is_requested();
        Ok(outcome)
    }

    async fn work(&mut self, setup: WorkSetup) -> Result<(Arc<SharedSequence>, PhaseResult), EngineError> {
        let expected = Expected {
            warmup: setup.spec.warmup.longest,
            operations: setup.spec.limit.operations,
            duration: setup.spec.limit.duration,
            drain: setup.drain,
            notice_ns: setup.notice_ns,
        };
        let plan = self.asked.plan;
        let turns = plan.turns.as_ref().filter(|_| setup.sliced);
        let work = SharedSequence::new(setup);
        let piece = Piece {
            work: &work,
            expected,
            turns,
            part: plan.part.as_ref(),
        };
        let (clients, asked) = (&mut self.clients, &mut self.asked);
        let result = phase::run(self.host, clients, piece, asked.observer, asked.stop).await?;
        self.stuck += result.stuck;
        Ok((work, result))
    }

    async fn setup(&self, sequence: Sequence, stage: Stage) -> Result<WorkSetup, EngineError> {
        let (load, plan) = (stage == Stage::Load, self.asked.plan);
        let share = share(plan);
        Ok(WorkSetup {
            sequence: if share.is_whole() {
                sequence
            } else {
                sequence.shared(share)
            },
            load,
            start_ns: self.start_ns().await?,
            spec: if load { load_of(plan) } else { plan.spec.clone() },
            interval: plan.interval,
            warmup_interval: plan.warmup_interval,
            drain: plan.drain,
            notice_ns: phase::notice_ns(plan),
            deletes: plan.workload.specification().mix.has(OperationKind::Delete),
            verifies: !load
                && D::INFO.capabilities.stores_records
                && plan.workload.specification().data_integrity,
            sliced: !load && plan.turns.is_some(),
        })
    }

    /// Loads the empty table; gives the number of failed inserts with a sample of their errors, when there are any.
    async fn load(
        &mut self,
        keeper: &TableKeeper<'_, D>,
        manifest: &mut Option<Manifest>,
        outcome: &mut Outcome,
    ) -> Result<Option<(u64, String)>, EngineError> {
        if let Some(manifest) = &manifest {
            keeper.store(manifest).await?;
        }
        let plan = self.asked.plan;
        let setup = self.setup(plan.workload.load(), Stage::Load).await?;
        let (work, result) = self.work(setup).await?;
        let records = plan.workload.specification().records;
        let whole = !result.interrupted && result.stuck == 0 && !result.hopeless;
        let duration_ns = result.end_ns - work.start_ns;
        outcome
            .findings
            .extend(result.clock_drift_ppm.and_then(|ppm| clock_drift("load", ppm)));
        let inserts = result.tally.into_records(false).remove(&OperationKind::Insert);
        let inserts = inserts.unwrap_or_default();
        keeper.flush().await?;
        outcome.interrupted |= result.interrupted;
        let loaded = self
            .all_loaded(Loaded {
                failed: share(plan).below(records).saturating_sub(inserts.ok),
                sample: result.error_samples.into_iter().next(),
                whole,
            })
            .await?;
        let failed = loaded.failed;
        if let Some(manifest) = manifest.as_mut().filter(|_| loaded.whole && failed == 0) {
            *manifest = manifest.with(records, State::Complete);
            keeper.store(manifest).await?;
        }
        outcome.load = Some(LoadRecord { duration_ns, inserts });
        let sample = loaded.sample;
        Ok((failed > 0).then(|| (failed, sample.unwrap_or_else(|| "they were not sent".to_owned()))))
    }

    /// Warms up and measures.
    async fn measure(
        &mut self,
        keeper: &TableKeeper<'_, D>,
        manifest: Option<Manifest>,
        outcome: &mut Outcome,
    ) -> Result<(), EngineError> {
        let plan = self.asked.plan;
        let mix = &plan.workload.specification().mix;
        let (inserts, deletes) = (mix.has(OperationKind::Insert), mix.has(OperationKind::Delete));
        let records = outcome.records_before;
        let manifest = manifest.filter(|_| inserts || deletes);
        if let Some(manifest) = &manifest {
            // Generators that share the inserts may be far from each other, and holes between them of any length.
            let state = if deletes || plan.part.is_some() {
                State::Deleting
            } else {
                State::Inserting {
                    longest_hole: longest_hole(plan.spec.clients, 0),
                }
            };
            keeper.store(&manifest.with(records, state)).await?;
        }
        // With a warm-up the number of operations before the measured ones is not known: the engine counts.
        let limit =
            plan.spec.limit.operations.filter(|_| {
                plan.spec.warmup.longest.is_zero() && plan.turns.is_none() && plan.part.is_none()
            });
        let of_all = plan.part.as_ref().map_or(plan.spec.pace, |part| part.pace);
        let pace = of_all.map(|pace| (pace.rate, pace.arrivals));
        let sequence = plan.workload.run(records, limit, pace);
        let setup = self.setup(sequence, Stage::Measure).await?;
        let (work, result) = self.work(setup).await?;
        let ran = self.all_ran(&work, &result).await?;
        let written = manifest.filter(|_| !deletes).map(|manifest| {
            let state = if ran.failed == 0 && ran.stuck == 0 {
                State::Complete
            } else if plan.part.is_some() {
                State::Deleting
            } else {
                State::Inserting {
                    longest_hole: longest_hole(plan.spec.clients, ran.failed),
                }
            };
            manifest.with(work.sequence.contiguous_records(), state)
        });
        match keeper.finish(written).await {
            // Measurements are kept: a full disk may refuse the last write as it refused others.
            Err(error) if result.measured => outcome.findings.push(table_not_kept(&error)),
            finished => finished?,
        }
        outcome.interrupted |= result.interrupted;
        if result.measured {
            self.conclude(&work, result, outcome);
        } else if !(result.interrupted || result.hopeless) {
            // All clients ended in the warm-up, with nothing left to send.
            return Err(PlanError::NothingDue.into());
        }
        Ok(())
    }

    fn conclude(&self, work: &SharedSequence, result: PhaseResult, outcome: &mut Outcome) {
        let plan = self.asked.plan;
        let duration_ns = result.lasted_ns;
        let pacing = plan.spec.pace.map(|pace| pacing(pace.rate, work, &result));
        // Virtual time says nothing about the share of a processor's.
        let processors = if H::REAL { usable_cpus() } else { 0 };
        let client = ClientCost {
            busiest_thread: result.busiest_thread.clone().filter(|_| H::REAL),
            ..result.usage.1.since(&result.usage.0, processors)
        };
        let answered_late = result.tally.ended_after_deadline();
        let mut records = result.tally.into_records(plan.spec.pace.is_some());
        for (kind, waited) in result.unfinished.waited {
            let record = records.entry(kind).or_default();
            record.response = record.response.take().or_else(|| work.paced.then(Latency::new));
            record.unfinished = Some(waited);
        }
        let operations: BTreeMap<String, OperationRecord> = records
            .into_iter()
            .map(|(kind, record)| (kind.name().to_owned(), record))
            .collect();
        let measure = MeasureRecord {
            duration_ns,
            tail: result.tail,
            drain: Drain {
                duration_ns: result.drain_ns,
                stuck: result.stuck,
                never_sent: result.unfinished.never_sent,
            },
            operations,
            pacing,
            client,
            // Whoever runs the servers fills it in.
            server: None,
            clock_drift_ppm: result.clock_drift_ppm,
            error_samples: result.error_samples,
        };
        outcome.measure = Some(measure);
        outcome.seen = Some(Seen {
            execution: D::INFO.execution,
            clients: plan.spec.clients,
            stuck: result.stuck,
            outlasting: result.outlasting,
            answered_late,
            given: Given::those([
                (Given::Embedded, !D::INFO.remote),
                (
                    Given::SpareThreads,
                    outcome.threads < plan.spec.clients.min(processors),
                ),
                (Given::Interrupted, result.interrupted),
                (Given::Hopeless, result.hopeless),
                (
                    Given::Deletes,
                    plan.workload.specification().mix.has(OperationKind::Delete),
                ),
                (Given::Loaded, outcome.load.is_some()),
                (Given::DebugBuild, cfg!(debug_assertions)),
                (Given::Sliced, plan.turns.is_some()),
                (Given::RealTime, H::REAL),
            ]),
        });
        if plan.part.is_none() {
            outcome.judge();
        }
    }

    /// Lets the clients go.
    fn end(self) {
        drop(self.clients);
        drop(self.driver);
        // A client that is held up in the database may never come back; the others end at once.
        if self.stuck == 0 {
            self.hands.join();
        }
    }
}

#[cfg(test)]
#[path = "trial_tests.rs"]
mod tests;
