//! Prints what one operation costs on a driver that does nothing: for profiling the engine.
//!
//! `cargo run --release --example floor [seconds]`
#![allow(clippy::print_stdout, reason = "an example shows what it found")]

#[path = "../tests/engine/empty.rs"]
mod empty;

use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::Target;
use dbdyno_engine::{
    Event, Limit, Observer, Pace, Phase, Phases, PreparedTrial, Stop, TrialSpec, WarmUp, run_trial,
};
use dbdyno_trial::SystemSpec;
use dbdyno_workload::{Arrivals, Specification, Workload, catalogue};

/// Adds up the processor time of load and measured phase: it means something on a busy machine too.
struct ProcessorTime(f64);

impl Observer for ProcessorTime {
    fn event(&mut self, event: &Event) {
        if let Event::Interval(interval) = event
            && matches!(interval.phase, Phase::Load | Phase::Measure)
        {
            self.0 += interval.client_cpu_seconds;
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds: f64 = std::env::args().nth(1).map_or(Ok(1.0), |text| text.parse())?;
    println!(
        "{:<8} {:>7} {:>12} {:>10} {:>10} {:>10} {:>10}",
        "work", "clients", "operations/s", "ns each", "cpu ns", "p50 ns", "p99 ns"
    );
    for (name, phases) in [
        ("c", Phases::RunOnly),
        ("a", Phases::RunOnly),
        ("d", Phases::RunOnly),
        ("a", Phases::LoadOnly),
    ] {
        for clients in [1, 2] {
            let mut properties = catalogue::find(name)?.properties();
            properties.set(if phases == Phases::LoadOnly {
                "recordcount=5M"
            } else {
                "recordcount=1M"
            })?;
            let specification = Specification::from_properties(&properties)?.specification;
            let plan = PreparedTrial {
                spec: TrialSpec {
                    clients,
                    warmup: WarmUp::fixed(Duration::from_millis(100)),
                    limit: Limit {
                        operations: None,
                        duration: Some(Duration::from_secs_f64(seconds)),
                    },
                    phases,
                    ..TrialSpec::new(SystemSpec::default(), "x", 0)
                },
                workload: Arc::new(Workload::new(specification, 1)?),
                interval: Duration::from_secs(1),
                warmup_interval: None,
                drain: Duration::from_secs(1),
                turns: None,
                part: None,
            };
            let mut processor = ProcessorTime(0.0);
            let outcome =
                run_trial::<empty::Empty>(&Target::parse("empty")?, &plan, &mut processor, &Stop::new())?;
            let (name, operations, duration_ns, latency) = match (&outcome.measure, &outcome.load) {
                (Some(measure), _) => {
                    let mut latency = dbdyno_record::Latency::new();
                    for record in measure.operations.values() {
                        latency.merge(&record.service);
                    }
                    (name, latency.count(), measure.duration_ns, latency)
                }
                (None, Some(load)) => (
                    "load",
                    load.inserts.ok,
                    load.duration_ns,
                    load.inserts.service.clone(),
                ),
                (None, None) => continue,
            };
            println!(
                "{name:<8} {clients:>7} {:>12.0} {:>10.1} {:>10.1} {:>10} {:>10}",
                operations as f64 / (duration_ns as f64 / 1e9),
                duration_ns as f64 * f64::from(clients) / operations as f64,
                processor.0 * 1e9 / operations as f64,
                latency.percentile_ns(50.0).unwrap_or(0),
                latency.percentile_ns(99.0).unwrap_or(0),
            );
        }
    }
    open_loop(seconds)
}

/// How late operations of a fast schedule are sent.
fn open_loop(seconds: f64) -> Result<(), Box<dyn std::error::Error>> {
    for rate in [1_000.0, 100_000.0] {
        let mut properties = catalogue::find("c")?.properties();
        properties.set("recordcount=1M")?;
        let specification = Specification::from_properties(&properties)?.specification;
        let plan = PreparedTrial {
            spec: TrialSpec {
                clients: 1,
                pace: Some(Pace {
                    rate,
                    arrivals: Arrivals::Constant,
                }),
                warmup: WarmUp::fixed(Duration::from_millis(100)),
                limit: Limit {
                    operations: None,
                    duration: Some(Duration::from_secs_f64(seconds)),
                },
                phases: Phases::RunOnly,
                ..TrialSpec::new(SystemSpec::default(), "x", 0)
            },
            workload: Arc::new(Workload::new(specification, 1)?),
            interval: Duration::from_secs(1),
            warmup_interval: None,
            drain: Duration::from_secs(1),
            turns: None,
            part: None,
        };
        let outcome = run_trial::<empty::Empty>(&Target::parse("empty")?, &plan, &mut (), &Stop::new())?;
        let Some((measure, pacing)) = outcome
            .measure
            .as_ref()
            .and_then(|measure| Some((measure, measure.pacing.as_ref()?)))
        else {
            continue;
        };
        let lag_ns = |percentile| pacing.scheduling_lag.percentile_ns(percentile).unwrap_or(0);
        println!(
            "rate {rate}: achieved {:.0}, sustained: {}, lag p50 {} ns, p99 {} ns, max {} ns, {:.0}% of a processor",
            pacing.achieved_rate,
            pacing.sustained,
            lag_ns(50.0),
            lag_ns(99.0),
            lag_ns(100.0),
            measure.client.cpu_seconds / (measure.duration_ns as f64 / 1e9) * 100.0,
        );
    }
    Ok(())
}
