//! Hand-made studies: records with known histograms, no database, no clock, no chance.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]
#![allow(
    dead_code,
    reason = "tests and examples each use their own part of the builder"
)]

pub mod folder;
pub mod needs;
pub mod rising;

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use dbdyno_record::environment::{MemoryFacts, ProcessorFacts};
use dbdyno_record::finding::FewSamples;
use dbdyno_record::{
    BusyReference, ClientCost, Environment, Fact, Finding, Floor, Latency, LoadRecord, MeasureRecord,
    OperationRecord, Pacing, PlannedStudy, Severity, Skew, SliceRecord, Steadiness, SteadyState,
    SystemRecord, TrialRecord, TrialStatus, WorkloadRecord,
};
use dbdyno_report::{LatencyColumn, LatencyOverTime, StudyResults, TimelinePoint};
use dbdyno_trial::{
    Arrivals, Factor, LevelOrder, Limit, Pace, Purpose, SYSTEM_FACTOR, SystemSpec, TrialSpec, WarmUp,
};

/// The order of a study that lists no levels.
pub static UNLISTED: LazyLock<LevelOrder> = LazyLock::new(LevelOrder::default);

/// A database that never was: its speed and the shape of its latencies.
#[derive(Clone, Copy)]
pub struct Engine {
    pub name: &'static str,
    pub product: &'static str,
    pub version: &'static str,
    pub durability: &'static str,
    pub means: &'static str,
    /// Operations per second by kind.
    pub read: f64,
    pub write: f64,
    pub scan: f64,
    /// How much slower the slowest thousandth is than the median.
    pub tail: f64,
    /// Spread between trials, as a share.
    pub noise: f64,
}

pub const FJALL: Engine = Engine {
    name: "fjall",
    product: "fjall",
    version: "3.1.13",
    durability: "buffered",
    means: "PersistMode::Buffer",
    read: 412_000.0,
    write: 238_000.0,
    scan: 11_800.0,
    tail: 42.0,
    noise: 0.035,
};
pub const REDB: Engine = Engine {
    name: "redb",
    product: "redb",
    version: "4.4.0",
    durability: "buffered",
    means: "Durability::None, then a sync at the end",
    read: 655_000.0,
    write: 61_000.0,
    scan: 21_400.0,
    tail: 9.0,
    noise: 0.05,
};
pub const SQLITE: Engine = Engine {
    name: "sqlite",
    product: "SQLite",
    version: "3.51.1",
    durability: "buffered",
    means: "journal_mode=WAL, synchronous=OFF",
    read: 401_000.0,
    write: 74_000.0,
    scan: 9_400.0,
    tail: 14.0,
    noise: 0.09,
};

pub const SYSTEMS: [Engine; 3] = [FJALL, REDB, SQLITE];

/// Name, proportions of read, update, insert, scan, read-modify-write, and distribution.
pub type Mix = (&'static str, [f64; 5], &'static str);

pub const WORKLOADS: [Mix; 6] = [
    ("a", [0.5, 0.5, 0.0, 0.0, 0.0], "zipfian"),
    ("b", [0.95, 0.05, 0.0, 0.0, 0.0], "zipfian"),
    ("c", [1.0, 0.0, 0.0, 0.0, 0.0], "zipfian"),
    ("d", [0.95, 0.0, 0.05, 0.0, 0.0], "latest"),
    ("e", [0.0, 0.0, 0.05, 0.95, 0.0], "zipfian"),
    ("f", [0.5, 0.0, 0.0, 0.0, 0.5], "zipfian"),
];

const KINDS: [&str; 5] = ["read", "update", "insert", "scan", "read-modify-write"];

/// A number in [-1, 1) that is a pure function of the texts and numbers given.
pub fn wobble(name: &str, numbers: &[u64]) -> f64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let bytes = name.bytes().map(u64::from).chain(numbers.iter().copied());
    for value in bytes {
        hash = (hash ^ value).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    }
    hash = (hash ^ (hash >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// `count` latencies around `p50_ns` whose slowest thousandth is `tail` times slower, the same for the same arguments.
pub fn latencies(count: u64, p50_ns: f64, tail: f64) -> Latency {
    let mut latency = Latency::new();
    let mut recorded = 0;
    let steps = 400;
    for step in 0..steps {
        // Evenly on the scale of nines: the last step is the slowest 1 / 100 000.
        let (from, to) = (
            f64::from(step) / f64::from(steps) * 5.0,
            f64::from(step + 1) / f64::from(steps) * 5.0,
        );
        let beyond = |nines: f64| (count as f64 * 10_f64.powf(-nines)).round() as u64;
        let here = if step + 1 == steps {
            count - recorded
        } else {
            beyond(from) - beyond(to).min(beyond(from))
        };
        let middle = (from + to) / 2.0;
        let value = p50_ns * (0.72 + 0.93 * middle.min(1.0)) * tail.powf((middle / 3.0).powi(2));
        latency
            .0
            .record_n(value as u64, here.min(count - recorded))
            .unwrap();
        recorded += here.min(count - recorded);
    }
    latency
}

pub struct TrialPlan<'a> {
    pub study: &'a str,
    pub engine: &'a Engine,
    pub mix: &'a Mix,
    pub block: u32,
    pub position: u32,
    pub seconds: u64,
    pub rate: Option<f64>,
}

/// One completed trial.
#[allow(clippy::too_many_lines, reason = "one literal with every field of a trial")]
pub fn trial(plan: &TrialPlan<'_>) -> TrialRecord {
    let &TrialPlan {
        study,
        engine,
        mix,
        block,
        position,
        seconds,
        rate,
    } = plan;
    let (workload, proportions, distribution) = *mix;
    let speeds = [
        engine.read,
        engine.write,
        engine.write * 0.9,
        engine.scan,
        1.0 / (1.0 / engine.read + 1.0 / engine.write),
    ];
    let busy: f64 = proportions
        .iter()
        .zip(speeds)
        .map(|(share, speed)| share / speed)
        .sum();
    let luck = 1.0
        + engine.noise
            * wobble(
                engine.name,
                &[u64::from(block), u64::from(workload.as_bytes()[0])],
            );
    let capacity = luck / busy;
    let speed = rate.map_or(capacity, |rate| rate.min(capacity));
    let duration_ns = seconds * 1_000_000_000;
    let mut operations = BTreeMap::new();
    for ((kind, share), kind_speed) in KINDS.iter().zip(proportions).zip(speeds) {
        if share > 0.0 {
            let ok = (speed * seconds as f64 * share) as u64;
            let service = latencies(ok, 0.8e9 / kind_speed / luck, engine.tail);
            let response = rate.map(|_| latencies(ok, 1.1e9 / kind_speed / luck, engine.tail * 1.6));
            operations.insert(
                (*kind).to_owned(),
                OperationRecord {
                    ok,
                    service,
                    response,
                    ..Default::default()
                },
            );
        }
    }
    let names = [
        "readproportion",
        "updateproportion",
        "insertproportion",
        "scanproportion",
        "readmodifywriteproportion",
    ];
    let mut properties: BTreeMap<String, String> = names
        .iter()
        .zip(proportions)
        .map(|(name, share)| ((*name).to_owned(), share.to_string()))
        .collect();
    for (name, value) in [
        ("requestdistribution", distribution),
        ("fieldcount", "10"),
        ("fieldlength", "100"),
    ] {
        properties.insert(name.to_owned(), value.to_owned());
    }
    let loaded = 100_000;
    let load_speed = engine.write * 0.9 * luck;
    TrialRecord {
        format: dbdyno_record::trial::TRIAL_FORMAT.to_owned(),
        study: study.to_owned(),
        trial: format!("{position:03}-{}-{workload}-block{block}", engine.name),
        block,
        position,
        seed: 1_000 + u64::from(block),
        started_at: format!("2026-11-20T12:{:02}:{:02}Z", position / 60 % 60, position % 60),
        spec: TrialSpec {
            clients: 4,
            pace: rate.map(pace),
            warmup: WarmUp::fixed(Duration::from_secs(2)),
            limit: Limit {
                operations: None,
                duration: Some(Duration::from_nanos(duration_ns)),
            },
            ..TrialSpec::new(
                SystemSpec {
                    address: format!("{}:", engine.name),
                    ..SystemSpec::named(engine.name)
                },
                workload,
                loaded,
            )
        },
        threads: 1,
        system: SystemRecord {
            name: engine.name.to_owned(),
            driver: engine.name.to_owned(),
            address: format!("{}:", engine.name),
            product: engine.product.to_owned(),
            version: engine.version.to_owned(),
            topology: "embedded".to_owned(),
            nodes: None,
            replicas: None,
            durability: engine.durability.parse().unwrap(),
            durability_means: engine.means.to_owned(),
            consistency: Fact::Absent,
            consistency_means: String::new(),
            at_rest: None,
            resources: None,
            scan_order: "key".parse().unwrap(),
            protection: None,
            settings: BTreeMap::from([("cache".to_owned(), "32 MiB".to_owned())]),
        },
        workload: WorkloadRecord {
            name: workload.to_owned(),
            records: loaded,
            properties,
        },
        status: TrialStatus::Completed,
        load: Some(LoadRecord {
            duration_ns: (loaded as f64 / load_speed * 1e9) as u64,
            inserts: OperationRecord {
                ok: loaded,
                service: latencies(loaded, 0.9e9 / load_speed, engine.tail),
                ..Default::default()
            },
        }),
        measure: Some(MeasureRecord {
            duration_ns,
            tail: None,
            drain: dbdyno_record::Drain::default(),
            operations,
            pacing: rate.map(|asked_rate| Pacing {
                asked_rate,
                achieved_rate: speed,
                sustained: capacity > asked_rate,
                backlog: if capacity > asked_rate { 0 } else { 12_345 },
                scheduling_lag: latencies(10_000, 1_800.0, 8.0),
            }),
            server: None,
            client: ClientCost {
                cpu_seconds: seconds as f64 * 0.98,
                cpu_share: 0.49,
                peak_memory_bytes: 148_000_000 + u64::from(position) * 1_000_000,
                involuntary_switches: 120,
                busiest_thread: None,
            },
            clock_drift_ppm: None,
            error_samples: Vec::new(),
        }),
        floor: Floor {
            operation_ns: 86.0 + 4.0 * wobble("floor", &[u64::from(position)]),
            clock_ns: 9.6,
            latency_p50_ns: 24,
            latency_p99_ns: 41,
        },
        generators: Vec::new(),
        skew: (distribution == "zipfian").then_some(Skew {
            operations: 1_000_000,
            hottest_key: 0.0379,
            top_1_percent: 0.281,
            top_20_percent: 0.552,
        }),
        findings: Vec::new(),
        conditions: dbdyno_record::Conditions::default(),
    }
}

/// What one trial looked like over time.
pub fn timeline(trial: &TrialRecord) -> Vec<TimelinePoint> {
    let measure = trial.measure.as_ref().unwrap();
    let seconds = measure.duration_ns / 1_000_000_000;
    let ok: u64 = measure.operations.values().map(|operation| operation.ok).sum();
    let rate = ok as f64 / seconds as f64;
    let p99 = measure
        .operations
        .values()
        .filter_map(|operation| operation.known_latency().percentile_ns(99.0))
        .max()
        .unwrap() as f64;
    let point = |phase: &str, second: u64, climb: f64| {
        let noise = wobble(&trial.trial, &[second]);
        // A compaction, now and then.
        let dip = if trial.system.name == "fjall" && second % 7 == 5 {
            0.72
        } else {
            1.0
        };
        TimelinePoint {
            phase: phase.to_owned(),
            start_s: second as f64,
            duration_s: 1.0,
            rate: rate * climb * dip * (1.0 + 0.03 * noise),
            p99_ns: Some(p99 / dip.powi(4) / climb * (1.0 + 0.06 * noise)),
            errors: 0,
            client_cpu_seconds: Some(0.98 * (1.0 + 0.02 * noise)),
            client_memory_bytes: Some(140_000_000 + 1_000_000 * second),
            ..TimelinePoint::default()
        }
    };
    let warmup = (0..2).map(|second| point("warm-up", second, 0.6 + 0.2 * second as f64));
    warmup
        .chain((0..seconds).map(|second| point("measure", second, 1.0)))
        .collect()
}

/// What the interval log of a trial of so many seconds looked like, with a stall now and then.
pub fn over_time(name: &str, seconds: u64) -> LatencyOverTime {
    let column = |second: u64| {
        let tail = if second % 13 == 9 { 2_000.0 } else { 12.0 };
        let p50_ns = 20_000.0 * (1.0 + 0.1 * wobble(name, &[second]));
        let latency = latencies(5_000, p50_ns, tail);
        LatencyColumn {
            from_s: second as f64,
            to_s: (second + 1) as f64,
            p99_ns: latency.percentile_ns(99.0).unwrap(),
            counts: latency.counts().collect(),
        }
    };
    LatencyOverTime {
        columns: (0..seconds).map(column).collect(),
    }
}

/// A complete study: every system, every workload, every block.
pub fn study(name: &str, systems: &[Engine], workloads: &[Mix], blocks: u32, seconds: u64) -> StudyResults {
    let mut trials = Vec::new();
    let mut position = 0;
    for block in 0..blocks {
        for mix in workloads {
            for engine in systems {
                trials.push(trial(&TrialPlan {
                    study: name,
                    engine,
                    mix,
                    block,
                    position,
                    seconds,
                    rate: None,
                }));
                position += 1;
            }
        }
    }
    results(name, trials)
}

/// Of a trial's reads this share had no answer within ten seconds.
pub fn reads_fail(trial: &mut TrialRecord, share: f64) {
    let operations = &mut trial.measure.as_mut().unwrap().operations;
    let read = operations.get_mut("read").unwrap();
    let failures = (read.ok as f64 * share) as u64;
    read.errors.insert("timeout".to_owned(), failures);
    let mut waited = dbdyno_record::Latency::new();
    (0..failures).for_each(|_| waited.record(10_000_000_000));
    read.waited = Some(waited);
}

/// An open loop at this rate.
pub fn pace(rate: f64) -> Pace {
    Pace {
        rate,
        arrivals: Arrivals::Constant,
    }
}

/// Asks a trial for this level of a factor.
pub fn ask(trial: &mut TrialRecord, factor: &str, level: &str) {
    let spec = &mut trial.spec;
    let chosen = match factor {
        "records" => Some(Factor::Records),
        "rate" => Some(Factor::Rate),
        _ => None,
    };
    spec.factors.extend(chosen);
    match factor {
        "clients" => spec.clients = level.parse().unwrap(),
        "records" => spec.records = level.parse().unwrap(),
        "consistency" => spec.consistency = Some(level.parse().unwrap()),
        "rate" if level == "common" => spec.common_rate = true,
        "rate" => spec.pace = level.parse().ok().map(pace),
        "probe" => spec.purpose = Purpose::ALL.into_iter().find(|purpose| purpose.name() == level),
        name => {
            let name = name.strip_prefix(SYSTEM_FACTOR).unwrap();
            spec.system.factors.insert(name.to_owned(), level.to_owned());
        }
    }
}

/// A study made from these trials.
pub fn results(name: &str, trials: Vec<TrialRecord>) -> StudyResults {
    StudyResults {
        pilots: Vec::new(),
        name: name.to_owned(),
        asked: PlannedStudy {
            name: name.to_owned(),
            title: Some(format!("The {name} & its title")),
            ..PlannedStudy::default()
        },
        study_text: format!(
            "name = \"{name}\"\nsystems = [\"fjall\", \"redb\", \"sqlite\"]\nworkloads = [\"a\", \"b\"]\ntrials = 5\n"
        ),
        planned: trials.iter().map(|trial| trial.trial.clone()).collect(),
        timelines: trials
            .iter()
            .filter(|trial| trial.measure.is_some())
            .map(|trial| (trial.trial.clone(), timeline(trial)))
            .collect(),
        latency_over_time: BTreeMap::new(),
        trials,
        environment: Some(machine("Example 9000", 2, 24)),
        audits: Vec::new(),
        doubts: dbdyno_record::Doubts::default(),
        prices: None,
        across_promises: false,
    }
}

/// A machine of which its size is known.
pub fn machine(model: &str, processors: u64, gibibytes: u64) -> Environment {
    Environment {
        processor: ProcessorFacts {
            model: Some(model.to_owned()),
            usable: Some(processors),
            ..ProcessorFacts::default()
        },
        memory: MemoryFacts {
            total_bytes: Some(gibibytes << 30),
            ..MemoryFacts::default()
        },
        ..folder::environment()
    }
}

/// Rows about that machine that no release changes.
pub fn machine_rows() -> Vec<(String, String)> {
    [
        ("processor", "Example 9000, 2 cores"),
        ("memory", "24.0 GiB"),
        ("kernel", "Linux 6.18.0"),
        ("dbdyno", "0.1.0, release build"),
    ]
    .map(|(label, value)| (label.to_owned(), value.to_owned()))
    .to_vec()
}

/// The study of the quick start, with the accidents that real ones have: an outlier, findings, an A/A twin.
pub fn quickstart() -> StudyResults {
    let twin = Engine {
        name: "redb (A/A)",
        ..REDB
    };
    let mut results = study("quickstart", &[FJALL, REDB, SQLITE, twin], &WORKLOADS, 6, 10);
    for trial in &mut results.trials {
        if trial.system.name == "sqlite" && trial.block == 2 && trial.workload.name == "b" {
            let measure = trial.measure.as_mut().unwrap();
            measure.duration_ns = measure.duration_ns * 9 / 4;
        }
        if trial.workload.name == "e" {
            trial.findings.push(Finding::note(FewSamples {
                fewest: 1_000,
                operations: [("scan".to_owned(), u64::from(trial.position) + 900)].into(),
            }));
        }
        if trial.position % 3 == 1 {
            trial.findings.push(Finding::in_words(
                Severity::Warning,
                "noisy-machine",
                "Other processes used 14% of the processors during the measured phase.",
                "Stop them, or repeat the trial.",
            ));
        }
    }
    results
}

/// A thousand trials of a minute: four systems under every workload of `workloads`.
pub fn thousand(workloads: &[Mix]) -> StudyResults {
    let systems = [
        FJALL,
        REDB,
        SQLITE,
        Engine {
            name: "sqlite-big-cache",
            noise: 0.04,
            read: 455_000.0,
            ..SQLITE
        },
    ];
    let blocks = 1000 / (systems.len() * workloads.len());
    study(
        "thousand",
        &systems,
        workloads,
        u32::try_from(blocks).unwrap(),
        60,
    )
}

/// Gives it a finding that makes it invalid.
pub fn mark_invalid(trial: &mut TrialRecord, code: &str) {
    trial.findings.push(Finding::in_words(
        Severity::Invalid,
        code,
        "Values were lost.",
        "Load anew.",
    ));
}

/// Makes it a trial whose measured phase never reached a steady state.
pub fn never_settles(trial: &mut TrialRecord) {
    trial.conditions.steady = Some(SteadyState {
        steadiness: Steadiness::Never,
        judged_by: "throughput".to_owned(),
        windows: 60,
        window_ns: 1_000_000_000,
        levels: Vec::new(),
        pauses: None,
    });
}

/// A slice that was measured on CPUs that share a cache, or on far ones.
pub fn slice(round: u32, ok: u64, measured_ns: u64, is_far: bool) -> SliceRecord {
    let reference = Some(BusyReference {
        one_ns: 100.0,
        all_ns: 104.0,
        handoff_ns: Some(if is_far { 160.0 } else { 32.0 }),
    });
    SliceRecord {
        round,
        ok,
        measured_ns,
        reference,
        reference_after: reference,
        parked: None,
        head: None,
    }
}
