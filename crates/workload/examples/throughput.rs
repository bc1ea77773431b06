//! The cost of generating, in nanoseconds per operation: `cargo run --release -p dbdyno-workload --example throughput`.
//!
//! One thread, 1,000,000 records (loads: 64,000), claims of 64 and of 1; median and fastest of many short rounds (on a
//! busy machine the fastest says more). An optional argument selects rows by name, for profiling.
#![expect(clippy::print_stdout, reason = "an example for developers")]

use std::hint::black_box;
use std::sync::Arc;

use dbdyno_workload::{Batch, Row, Sequence, Specification, Workload, catalogue};

const RECORDS: u64 = 1_000_000;
const OPERATIONS: u64 = 64_000;
const ROUNDS: usize = 101;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    for name in ["c", "a", "b", "d", "e", "f", "altoros-g"] {
        let workload = prepare(name, &[])?;
        report(&wanted, &format!("{name} fill"), |batch, _| {
            drain(
                &workload.run(RECORDS, Some(OPERATIONS), None),
                64,
                |sequence, claim| {
                    sequence.fill(claim, batch);
                },
            )
        });
    }
    for distribution in [
        "uniform",
        "zipf",
        "latest",
        "hotspot",
        "sequential",
        "exponential",
    ] {
        let workload = prepare("c", &[&format!("requestdistribution={distribution}")])?;
        report(&wanted, &format!("c fill, {distribution}"), |batch, _| {
            drain(
                &workload.run(RECORDS, Some(OPERATIONS), None),
                64,
                |sequence, claim| {
                    sequence.fill(claim, batch);
                },
            )
        });
    }
    let workload = prepare("c", &[])?;
    report(&wanted, "c fill, one at a time", |batch, _| {
        drain(
            &workload.run(RECORDS, Some(OPERATIONS), None),
            1,
            |sequence, claim| {
                sequence.fill(claim, batch);
            },
        )
    });
    let workload = prepare("a", &[])?;
    report(&wanted, "a fill and values", |batch, row| {
        drain(
            &workload.run(RECORDS, Some(OPERATIONS), None),
            64,
            |sequence, claim| {
                sequence.fill(claim, batch);
                for operation in batch.iter() {
                    sequence.values(operation, row);
                    black_box(&row);
                }
            },
        )
    });
    let workload = prepare_load(&[])?;
    report(&wanted, "load fill", |batch, _| {
        drain(&workload.load(), 64, |sequence, claim| {
            sequence.fill(claim, batch)
        })
    });
    for settings in [
        &[][..],
        &["compressibility=0.5"],
        &["fieldlengthdistribution=uniform"],
        &["dataintegrity=true"],
    ] {
        let workload = prepare_load(settings)?;
        let row_name = format!("load fill, values, acknowledge {}", settings.join(" "));
        report(&wanted, &row_name, |batch, row| {
            drain(&workload.load(), 64, |sequence, claim| {
                sequence.fill(claim, batch);
                for operation in batch.iter() {
                    sequence.values(operation, row);
                    black_box(&row);
                    sequence.acknowledge(operation);
                }
            })
        });
    }
    Ok(())
}

/// A load of as many records as a round has operations.
fn prepare_load(settings: &[&str]) -> Result<Arc<Workload>, Box<dyn std::error::Error>> {
    let records = format!("recordcount={OPERATIONS}");
    prepare("a", &[settings, &[records.as_str()]].concat())
}

fn prepare(name: &str, settings: &[&str]) -> Result<Arc<Workload>, Box<dyn std::error::Error>> {
    let mut properties = catalogue::find(name)?.properties();
    properties.set(&format!("recordcount={RECORDS}"))?;
    for setting in settings {
        properties.set(setting)?;
    }
    let specification = Specification::from_properties(&properties)?.specification;
    Ok(Arc::new(Workload::new(specification, 42)?))
}

/// Goes through the whole sequence; returns the number of operations.
fn drain(
    sequence: &Sequence,
    at_a_time: u32,
    mut each: impl FnMut(&Sequence, &dbdyno_workload::Claim),
) -> u64 {
    while let Some(claim) = sequence.claim(at_a_time) {
        each(sequence, &claim);
    }
    sequence.claimed()
}

fn report(wanted: &str, name: &str, mut run: impl FnMut(&mut Batch, &mut Row) -> u64) {
    if !name.contains(wanted) {
        return;
    }
    let mut batch = Batch::new();
    let mut row = Row::new();
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            #[expect(clippy::disallowed_methods, reason = "a measurement, outside the engine")]
            let start = std::time::Instant::now();
            let operations = run(&mut batch, &mut row);
            black_box(&batch);
            start.elapsed().as_nanos() as f64 / operations as f64
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    println!(
        "{:>7.1} ns  (fastest {:.1})  {name}",
        rounds[ROUNDS / 2],
        rounds[0]
    );
}
