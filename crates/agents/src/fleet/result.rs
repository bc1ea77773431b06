//! What agents did, as what one load generator would have done.

use std::collections::BTreeMap;

use dbdyno_engine::{Outcome, PreparedTrial, SliceOutcome};
use dbdyno_record::finding::{GeneratorStart, LateGenerator, SlowGenerator};
use dbdyno_record::{Finding, GeneratorClock, GeneratorRecord, HostRecord, MeasureRecord, SliceHead};

use super::crew::Present;

/// A client of a load generator that sends less than this part of what the others' clients send is slow. The database serves all alike.
const SLOW: f64 = 0.8;
/// At a rate, a p99 that is more than so many times that of the others is late,
const LATE: f64 = 2.0;
/// and by this much at least.
const LEAST_LATE_NS: u64 = 1_000_000;
/// Starts may be this part of an interval apart.
const LARGEST_APART: f64 = 0.01;

/// One agent's part of a trial.
pub(super) struct Part {
    pub(super) agent: Present,
    pub(super) clients: u32,
    pub(super) clock: GeneratorClock,
    pub(super) late_ns: u64,
    pub(super) machine: Option<HostRecord>,
    pub(super) outcome: Outcome,
}

/// The trial of these parts, the leader's first; `None` without any.
pub(super) fn whole(parts: Vec<Part>, plan: &PreparedTrial) -> Option<Outcome> {
    let mut generators = Vec::new();
    let mut outcomes = Vec::new();
    let machines: Vec<(String, String)> = parts
        .iter()
        .map(|part| (part.agent.host.clone(), part.agent.boot.clone()))
        .collect();
    for part in parts {
        let mut outcome = part.outcome;
        // A thread's name alone would not say where it is.
        if let Some(thread) = outcome
            .measure
            .as_mut()
            .and_then(|measure| measure.client.busiest_thread.as_mut())
        {
            thread.name = format!("{} of {}", thread.name, part.agent.name);
        }
        generators.push(GeneratorRecord {
            name: part.agent.name,
            host: part.agent.host,
            cpus: part.agent.cpus,
            clients: part.clients,
            clock: part.clock,
            late_ns: part.late_ns,
            machine: part.machine,
            measure: outcome.measure.clone(),
        });
        outcomes.push(outcome);
    }
    let mut measures: Vec<Option<&mut MeasureRecord>> = outcomes
        .iter_mut()
        .map(|outcome| outcome.measure.as_mut())
        .collect();
    share_machines(&machines, &mut measures);
    let mut whole = Outcome::together(&outcomes)?;
    let interval_ns = u64::try_from(plan.interval.as_nanos()).unwrap_or(u64::MAX);
    whole.findings.extend(slow(&generators));
    whole.findings.extend(late(&generators));
    whole.findings.extend(
        generators
            .iter()
            .filter_map(|generator| start(generator, interval_ns)),
    );
    whole
        .findings
        .sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    whole.generators = generators;
    Some(whole)
}

/// Has each part say what all load generators of its machine used of it: together they may fill what none of them fills.
fn share_machines(machines: &[(String, String)], measures: &mut [Option<&mut MeasureRecord>]) {
    let mut used: BTreeMap<&(String, String), (f64, u64)> = BTreeMap::new();
    for (machine, measure) in machines.iter().zip(measures.iter()) {
        if let Some(measure) = measure {
            let (cpu_share, memory_bytes) = used.entry(machine).or_default();
            *cpu_share += measure.client.cpu_share;
            *memory_bytes += measure.client.peak_memory_bytes;
        }
    }
    for (machine, measure) in machines.iter().zip(measures) {
        if let (Some(measure), Some((cpu_share, memory_bytes))) = (measure, used.get(machine)) {
            // Where each may use some of the processors alone, the shares are of less than all.
            measure.client.cpu_share = cpu_share.min(1.0);
            measure.client.peak_memory_bytes = *memory_bytes;
        }
    }
}

/// Load generators that did much less than the others.
fn slow(generators: &[GeneratorRecord]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, generator) in generators.iter().enumerate() {
        let Some(own) = generator.client_throughput() else {
            continue;
        };
        let mut others: Vec<f64> = generators
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != number)
            .filter_map(|(_, other)| other.client_throughput())
            .collect();
        others.sort_by(f64::total_cmp);
        let Some(median) = others.get(others.len() / 2).copied() else {
            continue;
        };
        if own < median * SLOW {
            findings.push(Finding::warning(SlowGenerator {
                generator: generator.name.clone(),
                client_per_second: own,
                others_per_second: median,
            }));
        }
    }
    findings
}

/// Load generators whose operations took much longer than those of the others, at a rate: they catch up on what they did not send in time.
fn late(generators: &[GeneratorRecord]) -> Vec<Finding> {
    let is_paced = |generator: &GeneratorRecord| {
        let measure = generator.measure.as_ref();
        measure.is_some_and(|measure| measure.pacing.is_some())
    };
    let p99s: Vec<(&GeneratorRecord, u64)> = generators
        .iter()
        .filter(|generator| is_paced(generator))
        .filter_map(|generator| Some((generator, generator.latency().percentile_ns(99.0)?)))
        .collect();
    let of = |(generator, p99_ns): &(&GeneratorRecord, u64)| {
        let mut others: Vec<u64> = p99s
            .iter()
            .filter(|(other, _)| other.name != generator.name)
            .map(|(_, p99_ns)| *p99_ns)
            .collect();
        others.sort_unstable();
        let others_p99_ns = *others.get(others.len() / 2)?;
        let is_late = *p99_ns as f64 > others_p99_ns as f64 * LATE && p99_ns - others_p99_ns > LEAST_LATE_NS;
        is_late.then(|| {
            Finding::warning(LateGenerator {
                generator: generator.name.clone(),
                p99_ns: *p99_ns,
                others_p99_ns,
            })
        })
    };
    p99s.iter().filter_map(of).collect()
}

/// A load generator that may not have begun with the others.
fn start(generator: &GeneratorRecord, interval_ns: u64) -> Option<Finding> {
    let apart_ns = generator.apart_ns();
    (apart_ns as f64 > interval_ns as f64 * LARGEST_APART).then(|| {
        Finding::warning(GeneratorStart {
            generator: generator.name.clone(),
            apart_ns,
            interval_ns,
        })
    })
}

/// The slice of which these are parts, each with its clients: as fast as all clients together.
pub(super) fn slice(parts: &[(SliceOutcome, u32)]) -> SliceOutcome {
    let clients: f64 = parts.iter().map(|(_, clients)| f64::from(*clients)).sum();
    let mean = |of: &dyn Fn(&SliceOutcome) -> f64| {
        let sum: f64 = parts
            .iter()
            .map(|(outcome, clients)| of(outcome) * f64::from(*clients))
            .sum();
        sum / clients.max(1.0)
    };
    let heads: Option<Vec<SliceHead>> = parts.iter().map(|(outcome, _)| outcome.head).collect();
    SliceOutcome {
        ok: parts.iter().map(|(outcome, _)| outcome.ok).sum(),
        measured_ns: mean(&|outcome| outcome.measured_ns as f64) as u64,
        took_ns: parts
            .iter()
            .map(|(outcome, _)| outcome.took_ns)
            .max()
            .unwrap_or(0),
        head: heads.map(|heads| SliceHead {
            lost_ns: mean(&|outcome| outcome.head.map_or(0.0, |head| head.lost_ns as f64)) as i64,
            late_ratio: heads.iter().filter_map(|head| head.late_ratio).reduce(f64::max),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use dbdyno_record::{ClientCost, Drain, OperationRecord};

    fn generator(name: &str, clients: u32, ok: u64, clock: GeneratorClock) -> GeneratorRecord {
        let reads = OperationRecord {
            ok,
            ..OperationRecord::default()
        };
        GeneratorRecord {
            name: name.to_owned(),
            host: "h".to_owned(),
            cpus: 2,
            clients,
            clock,
            late_ns: 0,
            machine: None,
            measure: Some(MeasureRecord {
                duration_ns: 1_000_000_000,
                tail: None,
                drain: Drain::default(),
                operations: BTreeMap::from([("read".to_owned(), reads)]),
                pacing: None,
                client: ClientCost::default(),
                server: None,
                clock_drift_ppm: None,
                error_samples: Vec::new(),
            }),
        }
    }

    #[test]
    fn load_generators_of_one_machine_share_its_processors() {
        let measure = |cpu_share: f64| {
            let mut measure = generator("a", 1, 1, GeneratorClock::default()).measure.unwrap();
            measure.client.cpu_share = cpu_share;
            measure.client.peak_memory_bytes = 100;
            measure
        };
        let machine = |boot: &str| ("h".to_owned(), boot.to_owned());
        let machines = [
            machine("1"),
            machine("2"),
            machine("1"),
            machine("3"),
            machine("3"),
        ];
        let mut measures = [0.5, 0.4, 0.25, 0.75, 0.75].map(measure);
        let mut shared: Vec<Option<&mut MeasureRecord>> = measures.iter_mut().map(Some).collect();
        share_machines(&machines, &mut shared);
        let used = measures.map(|measure| (measure.client.cpu_share, measure.client.peak_memory_bytes));
        assert_eq!(
            used,
            [(0.75, 200), (0.4, 100), (0.75, 200), (1.0, 200), (1.0, 200)]
        );
    }

    #[test]
    fn the_slow_one_is_named() {
        let well = GeneratorClock::default();
        let generators = [
            generator("a", 4, 4_000, well),
            generator("b", 2, 1_960, well),
            generator("c", 4, 2_000, well),
        ];
        let findings = slow(&generators);
        assert_eq!(findings.len(), 1, "{findings:?}");
        let text = findings[0].message();
        assert!(
            text.contains("`c` sent 500/s") && text.contains("1.00k/s"),
            "{text}"
        );
        assert!(slow(&generators[..1]).is_empty(), "alone nobody is slow");
    }

    #[test]
    fn at_a_rate_the_one_that_stood_still_is_named() {
        let with = |name: &str, p99_ns: u64, paced: bool| {
            let mut generator = generator(name, 2, 1_000, GeneratorClock::default());
            let measure = generator.measure.as_mut().unwrap();
            let mut latency = dbdyno_record::Latency::new();
            latency.record_many(p99_ns, 1_000);
            measure.operations.get_mut("read").unwrap().response = Some(latency);
            measure.pacing = paced.then(|| dbdyno_record::Pacing {
                asked_rate: 1_000.0,
                achieved_rate: 1_000.0,
                sustained: true,
                backlog: 0,
                scheduling_lag: dbdyno_record::Latency::new(),
            });
            generator
        };
        let of = |last_ns, paced| {
            let generators = [("a", 700_000), ("b", 650_000), ("c", last_ns)];
            late(&generators.map(|(name, p99_ns)| with(name, p99_ns, paced)))
        };
        let found = of(1_480_000_000, true);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].message().contains("`c`"), "{}", found[0].message());
        assert!(of(1_300_000, true).is_empty(), "less than a millisecond is near");
        assert!(of(1_480_000_000, false).is_empty());
    }

    #[test]
    fn a_clock_that_is_not_known_well_is_named() {
        let second_ns = 1_000_000_000;
        for (round_trip_ns, moved_ns, is_found) in [
            (300_000, 0, false),
            (30_000_000, 0, true),
            (300_000, -12_000_000, true),
        ] {
            let clock = GeneratorClock {
                round_trip_ns,
                uncertainty_ns: round_trip_ns / 2,
                moved_ns,
            };
            let found = start(&generator("a", 1, 1, clock), second_ns);
            assert_eq!(found.is_some(), is_found, "{clock:?}");
        }
    }

    #[test]
    fn a_slice_is_as_fast_as_all_clients_together() {
        let part = |ok, measured_ns, took_ns| SliceOutcome {
            ok,
            measured_ns,
            took_ns,
            head: None,
        };
        let whole = slice(&[(part(300, 100, 120), 3), (part(100, 140, 150), 1)]);
        assert_eq!((whole.ok, whole.measured_ns, whole.took_ns), (400, 110, 150));
        assert_eq!(whole.head, None);
    }
}
