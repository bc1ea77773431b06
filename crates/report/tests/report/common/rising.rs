//! Made-up systems at rising load: a queue whose response time grows as 1 / (1 - utilisation), searched as real ones are.

use dbdyno_record::study::{Capacity, Kind, Steps, Sweep};
use dbdyno_record::{Objective, PlannedStudy, TrialRecord};
use dbdyno_report::StudyResults;
use dbdyno_stats::capacity::{self, Probe, Role, Seen, Survey, Task};

use crate::common::{Engine, FJALL, REDB, TrialPlan, WORKLOADS, ask, latencies, results, trial, wobble};

const SECONDS: u64 = 10;

/// What the engine does of workload A in a closed loop of these trials, operations per second.
fn speed(engine: &Engine) -> f64 {
    2.0 / (1.0 / engine.read + 1.0 / engine.write)
}

/// One trial of workload A at a load.
fn at(
    engine: &Engine,
    purpose: &str,
    clients: u32,
    rate: Option<f64>,
    block: u32,
    position: u32,
) -> TrialRecord {
    let mut trial = trial(&TrialPlan {
        study: "rising",
        engine,
        mix: &WORKLOADS[0],
        block,
        position,
        seconds: SECONDS,
        rate,
    });
    trial.trial = format!("{position:03}-{}-{purpose}", engine.name);
    trial.spec.clients = clients;
    ask(&mut trial, "probe", purpose);
    if let Some(rate) = rate {
        ask(&mut trial, "rate", &rate.to_string());
        let today = speed(engine) * (1.0 + 0.02 * wobble(engine.name, &[u64::from(position)]));
        let utilisation = (rate / today).min(0.999);
        let measure = trial.measure.as_mut().unwrap();
        for operation in measure.operations.values_mut() {
            operation.ok = (rate.min(today) * SECONDS as f64 / 2.0) as u64;
            operation.response = Some(latencies(operation.ok, 20_000.0 / (1.0 - utilisation), 12.0));
        }
        let pacing = measure.pacing.as_mut().unwrap();
        pacing.sustained = rate < today;
        pacing.achieved_rate = rate.min(today);
    }
    let measure = trial.measure.as_mut().unwrap();
    let operations: u64 = measure.operations.values().map(|operation| operation.ok).sum();
    // In a closed loop clients are in operations for most of their time.
    let median_ns = match rate {
        Some(_) => 5000.0,
        None => {
            let typical = latencies(1000, 5000.0, 12.0).mean_ns().unwrap() / 5000.0;
            0.8 * f64::from(clients) * SECONDS as f64 * 1e9 / operations as f64 / typical
        }
    };
    for operation in measure.operations.values_mut() {
        // As many as succeeded, and no two trials alike.
        operation.service = latencies(operation.ok, median_ns + f64::from(position), 12.0);
    }
    trial
}

/// A finished search of two systems for the rate at which 99% of reads end within 1 ms.
pub fn capacity_study() -> StudyResults {
    capacity_study_on(|_| {})
}

/// The same, on a machine that does this to every trial.
pub fn capacity_study_on(machine: impl Fn(&mut TrialRecord)) -> StudyResults {
    let text = "name = \"rising\"\nkind = \"capacity\"\nslo = \"p99(read)<1ms\"\nsystems = [\"fjall\", \"redb\"]\n\
                workloads = [\"a\"]\n";
    let wanted = Capacity {
        objective: Objective::parse(["p99(read)<1ms"]).unwrap(),
        step: capacity::STEP,
        clients: None,
    };
    let mut trials: Vec<TrialRecord> = Vec::new();
    for engine in [FJALL, REDB] {
        let mut survey = Survey {
            clients: wanted.clients,
            step: wanted.step,
            trials: capacity::TRIALS,
            seen: Seen::default(),
        };
        loop {
            let position = trials.len() as u32;
            match survey.task() {
                Task::Pilot { clients } => {
                    let mut trial = at(&engine, "pilot", clients, None, 0, position);
                    machine(&mut trial);
                    let reached = trial.measure.as_ref().unwrap().throughput_per_second().unwrap();
                    survey.seen.pilots.push((clients, reached));
                    trials.push(trial);
                }
                Task::Probe { role, clients, rate } => {
                    let (name, asked) = match role {
                        Role::Search => ("search", survey.seen.probes.len()),
                        Role::Confirm => {
                            let before = survey.seen.probes.iter();
                            let same = before.filter(|probe| probe.role == role && probe.rate == rate);
                            ("confirm", same.count())
                        }
                    };
                    let mut trial = at(&engine, name, clients, Some(rate), asked as u32, position);
                    machine(&mut trial);
                    let outcome = wanted.objective.judge(&trial).outcome;
                    survey.seen.probes.push(Probe { role, rate, outcome });
                    trials.push(trial);
                }
                Task::Done => break,
            }
        }
    }
    with_kind(Kind::Capacity(wanted), text, trials)
}

/// Results of a study of this kind and text.
fn with_kind(kind: Kind, study_text: &str, trials: Vec<TrialRecord>) -> StudyResults {
    let results = results("rising", trials);
    StudyResults {
        study_text: study_text.to_owned(),
        asked: PlannedStudy {
            kind,
            trials: capacity::TRIALS,
            ..results.asked
        },
        ..results
    }
}

/// Ten steps of two systems, in six blocks.
pub fn sweep_study() -> StudyResults {
    let text = "name = \"rising\"\nkind = \"sweep\"\nsystems = [\"fjall\", \"redb\"]\nworkloads = [\"a\"]\nclients = 4\n";
    let mut trials: Vec<TrialRecord> = Vec::new();
    for block in 0..6 {
        for engine in [FJALL, REDB] {
            for tenth in 1..=10 {
                let rate = (speed(&engine) * f64::from(tenth) / 10_000.0).round() * 1000.0;
                let position = trials.len() as u32;
                trials.push(at(&engine, "step", 4, Some(rate), block, position));
            }
        }
    }
    let sweep = Sweep {
        steps: Steps::Automatic,
        clients: Some(4),
        objective: None,
    };
    with_kind(Kind::Sweep(sweep), text, trials)
}
