//! The engine allocates nothing per operation, and its memory does not grow with them. Alone in its program: it counts
//! every allocation of the process.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "engine/empty.rs"]
mod empty;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use dbdyno_driver::Target;
use dbdyno_engine::{Event, Limit, Observer, Phase, Phases, PreparedTrial, Stop, TrialSpec, run_trial};
use dbdyno_trial::SystemSpec;
use dbdyno_workload::{Specification, Workload, catalogue};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

fn count(bytes: i64) {
    ALLOCATIONS.fetch_add(1, Relaxed);
    PEAK.fetch_max(LIVE.fetch_add(bytes, Relaxed) + bytes, Relaxed);
}

// SAFETY: everything is passed on to the system's allocator; counting touches no memory it hands out.
#[expect(unsafe_code, reason = "an allocator cannot be written without")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as i64, Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Counts from the beginning of a phase to its end.
struct During(Phase, u64);

impl Observer for During {
    fn event(&mut self, event: &Event) {
        match event {
            Event::PhaseStarted { phase, .. } if *phase == self.0 => self.1 = ALLOCATIONS.load(Relaxed),
            Event::PhaseEnded { phase } if *phase == self.0 => self.1 = ALLOCATIONS.load(Relaxed) - self.1,
            _ => {}
        }
    }
}

fn run(name: &str, phases: Phases, records: u64, operations: u64) -> (u64, i64) {
    let mut properties = catalogue::find(name).unwrap().properties();
    properties.set(&format!("recordcount={records}")).unwrap();
    let specification = Specification::from_properties(&properties).unwrap().specification;
    let plan = PreparedTrial {
        spec: TrialSpec {
            clients: 2,
            limit: Limit {
                operations: Some(operations),
                duration: None,
            },
            phases,
            ..TrialSpec::new(SystemSpec::default(), name, records)
        },
        workload: Arc::new(Workload::new(specification, 1).unwrap()),
        // Long beside what a busy machine holds a thread up: intervals that wait for the collector take memory, too.
        interval: Duration::from_secs(1),
        warmup_interval: None,
        drain: Duration::from_secs(1),
        turns: None,
        part: None,
    };
    let phase = if phases == Phases::LoadOnly {
        Phase::Load
    } else {
        Phase::Measure
    };
    let mut during = During(phase, 0);
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let target = Target::parse("empty").unwrap();
    run_trial::<empty::Empty>(&target, &plan, &mut during, &Stop::new()).unwrap();
    (during.1, PEAK.load(Relaxed) - before)
}

#[test]
fn operations_cost_no_allocations_and_no_memory() {
    for (name, phases) in [
        ("a", Phases::RunOnly),
        ("e", Phases::RunOnly),
        ("a", Phases::LoadOnly),
    ] {
        let (few, many) = (20_000, 400_000);
        let (allocations_few, peak_few) = run(name, phases, few, few);
        let (allocations_many, peak_many) = run(name, phases, many, many);
        // The number of reported intervals grows, with some dozen allocations each.
        assert!(
            allocations_many < allocations_few + (many - few) / 50,
            "{name}: {allocations_few} allocations for {few} operations, {allocations_many} for {many}"
        );
        // Less than a word an operation; what moves beside it are intervals on their way to the collector.
        assert!(
            peak_many < peak_few + 8 * (many - few) as i64,
            "{name}: {peak_few} bytes at {few} operations, {peak_many} at {many}"
        );
        // A record a byte would already be more.
        let (_, peak_huge) = run(name, Phases::RunOnly, 1_000_000_000, few);
        assert!(
            peak_huge < peak_few + 2_000_000,
            "{name}: {peak_huge} bytes for 10^9 records"
        );
    }
}
