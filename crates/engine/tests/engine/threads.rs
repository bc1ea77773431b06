//! What a client thread costs, on real time. Nothing here expects anything to be quick.

use std::time::Duration;

use dbdyno_driver::{
    DbError, Driver, DriverInfo, Fields, Found, Key, Row, Rows, Session, SystemFacts, Table, Target,
};
use dbdyno_engine::findings::SATURATED_SHARE;
use dbdyno_engine::{Stop, WarmUp, run_trial};
use dbdyno_testkit::simulated::{Behaviour, Simulated, SimulatedSession, Simulation};
use rustix::time::{ClockId, clock_gettime};

use crate::common::{operations, plan, workload};

/// CPU time that a read burns.
const BURNT: Duration = Duration::from_micros(100);

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// An async driver whose client library is busy for the whole of a read.
struct Spinning(Simulated);

struct SpinningSession(SimulatedSession);

impl Driver for Spinning {
    type Session = SpinningSession;

    const INFO: DriverInfo = DriverInfo {
        name: "spinning",
        ..Simulated::INFO
    };

    async fn connect(target: &Target) -> Result<Self, DbError> {
        Simulated::connect(target).await.map(Self)
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        self.0.create_table(table).await
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        self.0.drop_table(table).await
    }

    async fn session(&self, table: &Table) -> Result<SpinningSession, DbError> {
        self.0.session(table).await.map(SpinningSession)
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        self.0.facts().await
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        self.0.load_manifest(table).await
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        self.0.store_manifest(table, manifest).await
    }
}

impl Session for SpinningSession {
    async fn read(&mut self, key: &Key, fields: Fields, row: &mut Row) -> Result<Found, DbError> {
        let end = cpu_time() + BURNT;
        while cpu_time() < end {
            std::hint::spin_loop();
        }
        self.0.read(key, fields, row).await
    }

    async fn scan(
        &mut self,
        from: &Key,
        limit: u32,
        fields: Fields,
        rows: &mut Rows,
    ) -> Result<u32, DbError> {
        self.0.scan(from, limit, fields, rows).await
    }

    async fn insert(&mut self, key: &Key, row: &Row) -> Result<(), DbError> {
        self.0.insert(key, row).await
    }

    async fn update(&mut self, key: &Key, changed: &Row) -> Result<(), DbError> {
        self.0.update(key, changed).await
    }

    async fn delete(&mut self, key: &Key) -> Result<(), DbError> {
        self.0.delete(key).await
    }
}

#[test]
fn the_busiest_thread_is_recorded_and_named_when_it_is_the_ceiling() {
    const READS: u64 = 5_000;
    let simulation = Simulation::new(Behaviour::default());
    let mut plan = plan(workload("c", &["recordcount=100"]), operations(READS));
    plan.spec.clients = 4;
    plan.spec.client_threads = Some(1);
    plan.spec.warmup = WarmUp::fixed(Duration::from_millis(20));
    let outcome = run_trial::<Spinning>(&simulation.target(), &plan, &mut (), &Stop::new()).unwrap();
    let measure = outcome.measure.unwrap();
    let thread = measure.client.busiest_thread.unwrap();
    assert_eq!(thread.name, "clients-0");
    // On a busy machine the share is smaller and the phase longer. A wide margin: the two are not read at one moment.
    let used = Duration::from_nanos(measure.duration_ns).mul_f64(thread.cpu_share);
    assert!(used > (BURNT * READS as u32) / 2, "{thread:?} is {used:?}");
    let finding = outcome
        .findings
        .iter()
        .find(|finding| finding.code() == "client-thread-saturated");
    assert_eq!(
        finding.is_some(),
        thread.cpu_share > SATURATED_SHARE,
        "{thread:?}"
    );
    if let Some(finding) = finding {
        assert!(finding.message().contains("`clients-0`"), "{}", finding.message());
    }
}
