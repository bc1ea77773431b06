//! Watches the conditions of a trial while it runs: its windows, and the machine at both ends of the measured phase.

use std::collections::BTreeMap;
use std::time::Duration;

use dbdyno_driver::Target;
use dbdyno_engine::{Event, Observer, Phase};
use dbdyno_machine::{BusyWork, CompilerTime, HostSnapshot, OwnUsage, own_threads, time_reference_work};
use dbdyno_record::{BusyReference, Conditions, Finding, TrialRecord, TrialStatus};

use crate::address::is_server;
use crate::judge::disturbance::{self, Own};
use crate::judge::steadiness_findings;
use crate::judge::steady::Windows;
use crate::run::compilers::{self, CompilerWatch};
use crate::run::labs::Labs;

/// Where the machine's counters come from.
pub trait Machine {
    /// Its counters now.
    fn snapshot(&mut self) -> HostSnapshot;

    /// CPU time that these processes, and compilers in them, have used so far. Nothing, where that is not known.
    fn compilers(&mut self, _processes: &[u32]) -> CompilerTime {
        CompilerTime::default()
    }

    /// Work that fills all CPUs, timed between two slices. `None` if it is not measured.
    fn busy_reference(&mut self) -> Option<BusyReference> {
        None
    }

    /// CPU time of each thread of this process so far.
    fn own_threads(&mut self) -> BTreeMap<u32, Duration> {
        BTreeMap::new()
    }

    /// CPU time of this process so far, with threads that have ended.
    fn own_cpu(&mut self) -> Duration {
        self.own_threads().values().sum()
    }

    /// CPU time of the [reference work](time_reference_work), nanoseconds, repeated for so long. `None` if it is not measured.
    fn reference_work(&mut self, _span: Duration) -> Option<f64> {
        None
    }
}

/// The machine this runs on.
#[derive(Default)]
pub struct ThisMachine {
    busy: BusyWork,
}

impl Machine for ThisMachine {
    fn snapshot(&mut self) -> HostSnapshot {
        HostSnapshot::take()
    }

    fn compilers(&mut self, processes: &[u32]) -> CompilerTime {
        CompilerTime::of(processes)
    }

    fn busy_reference(&mut self) -> Option<BusyReference> {
        self.busy.time()
    }

    fn own_threads(&mut self) -> BTreeMap<u32, Duration> {
        own_threads()
    }

    fn own_cpu(&mut self) -> Duration {
        Duration::from_secs_f64(OwnUsage::until(0).cpu_seconds().max(0.0))
    }

    fn reference_work(&mut self, span: Duration) -> Option<f64> {
        Some(time_reference_work(span))
    }
}

/// A system that is watched in a trial.
pub(crate) struct WatchedSystem<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its address.
    pub target: &'a Target,
    /// The systems whose servers run in turns with its own, so that what they do is no disturbance: names and addresses.
    pub beside: &'a [(&'a str, &'a Target)],
}

/// By what the steadiness of a trial is judged.
pub(crate) struct JudgedWindows {
    /// The windows of the measured phase.
    pub measured: Windows,
    /// Those of the warm-up.
    pub warming: Windows,
    /// The warm-up ends when the system is steady, judged with or without a rate.
    pub warms_until_rest: Option<bool>,
}

/// Passes everything on, and takes its notes.
pub(crate) struct ConditionsWatch<'a> {
    observer: &'a mut dyn Observer,
    machine: &'a mut dyn Machine,
    own: Own,
    /// The processes of the system's own servers.
    compiling: Vec<u32>,
    windows: Windows,
    warming: Windows,
    /// The warm-up ends when the system is steady, judged with or without a rate.
    warms_until_rest: Option<bool>,
    /// The servers had been warmed up by an earlier trial.
    again: bool,
    came_to_rest: bool,
    compilers: CompilerWatch,
    before: Option<HostSnapshot>,
    after: Option<HostSnapshot>,
}

impl<'a> ConditionsWatch<'a> {
    /// Watches a trial of this system.
    pub(crate) fn new(
        labs: &Labs,
        system: &WatchedSystem<'_>,
        windows: JudgedWindows,
        machine: &'a mut dyn Machine,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let WatchedSystem { name, target, beside } = *system;
        let servers = labs.server_processes(name, target);
        let compiling = servers.clone().unwrap_or_default();
        let processes_beside = |(name, target): &(&str, &Target)| labs.server_processes(name, target);
        let in_turns: Vec<u32> = beside.iter().filter_map(processes_beside).flatten().collect();
        let mut others = labs.processes_of_others(name);
        others.retain(|process| !in_turns.contains(process));
        let generators = labs.generators();
        let unknown = |(name, target): &(&str, &Target)| {
            is_server(target) && labs.server_processes(name, target).is_none()
        };
        Self {
            observer,
            machine,
            own: Own {
                process: std::process::id(),
                unknown_servers: unknown(&(name, target)) || beside.iter().any(unknown),
                servers: servers
                    .into_iter()
                    .flatten()
                    .chain(in_turns)
                    .chain(
                        generators
                            .iter()
                            .flat_map(|generators| generators.processes_here()),
                    )
                    .collect(),
                others,
            },
            compiling,
            windows: windows.measured,
            warming: windows.warming,
            warms_until_rest: windows.warms_until_rest,
            again: labs.is_warm(name),
            came_to_rest: false,
            compilers: CompilerWatch::default(),
            before: None,
            after: None,
        }
    }

    /// CPU time that the servers, and compilers in them, have used so far.
    fn compiler_time(&mut self) -> CompilerTime {
        self.machine.compilers(&self.compiling)
    }

    /// Writes what was seen into the record of the trial.
    pub(crate) fn judge(self, record: &mut TrialRecord) {
        let Some(measure) = &record.measure else { return };
        if record.status != TrialStatus::Completed {
            return;
        }
        let asked = record.spec.limit.duration.unwrap_or(Duration::MAX);
        let asked_ns = u64::try_from(asked.as_nanos()).unwrap_or(u64::MAX);
        let measured_ns = measure.duration_ns.min(asked_ns);
        let steady = self.windows.judge(measured_ns, record.spec.rate().is_some());
        let host = self
            .before
            .zip(self.after)
            .map(|(before, after)| disturbance::between(&before, &after, &self.own));
        let mut outside = host.as_ref().map_or(Vec::new(), disturbance::findings);
        outside.extend(disturbance::of_generators(&record.generators));
        let disturbed_by = disturbance::exogenous(&outside);
        let whole = measure.throughput_per_second().unwrap_or(0.0);
        let warming_ns = self.warms_until_rest.map(|_| self.warming.length_ns());
        let never_warm = warming_ns
            .filter(|_| !self.came_to_rest)
            .map(|length_ns| steadiness_findings::never_warm(length_ns, self.compilers.busy(), self.again));
        let compilers_share = self.compilers.measured_share();
        let found: Vec<Finding> = never_warm
            .into_iter()
            .chain(compilers_share.and_then(compilers::finding))
            .chain(steadiness_findings::findings(&steady, whole))
            .chain(outside)
            .collect();
        record.findings.extend(found);
        record
            .findings
            .sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        record.conditions = Conditions {
            steady: Some(steady),
            warmup_ns: warming_ns,
            compilers_share,
            host,
            disturbed_by,
            ..record.conditions.clone()
        };
    }
}

impl Observer for ConditionsWatch<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::PhaseStarted {
                phase: Phase::Measure,
                ..
            } => {
                self.before = Some(self.machine.snapshot());
                let now = self.compiler_time();
                self.compilers.begin(now);
            }
            Event::PhaseEnded {
                phase: Phase::Measure,
            } => {
                self.after = Some(self.machine.snapshot());
                let now = self.compiler_time();
                self.compilers.end(now);
            }
            event => {
                self.windows.event(event);
                self.warming.event(event);
            }
        }
        self.observer.event(event);
    }

    fn warm(&mut self) -> bool {
        let Some(with_rate) = self.warms_until_rest else {
            return false;
        };
        let (length_ns, span_ns) = (self.warming.length_ns(), self.warming.rest_ns());
        let (machine, servers) = (&mut *self.machine, &self.compiling);
        let idle = self
            .compilers
            .are_idle(length_ns, span_ns, || machine.compilers(servers));
        self.came_to_rest = idle && self.warming.at_rest(with_rate);
        self.came_to_rest
    }
}
