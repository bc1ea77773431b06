//! Watches the conditions of a trial while it runs: its windows, and the machine at both ends of the measured phase.

use dbdyno_driver::Target;
use dbdyno_engine::{Event, Observer, Phase};
use dbdyno_record::environment::Moment;
use dbdyno_record::{Conditions, Finding, TrialRecord, TrialStatus};

use crate::disturbance::{self, Own};
use crate::labs::{Labs, is_server};
use crate::steady::{self, Windows};

/// Where the machine's counters come from.
pub trait Machine {
    /// Its counters now.
    fn look(&mut self) -> Moment;
}

/// The machine this runs on.
pub struct ThisMachine;

impl Machine for ThisMachine {
    fn look(&mut self) -> Moment {
        Moment::look()
    }
}

/// Passes everything on, and takes its notes.
pub(crate) struct ConditionsWatch<'a> {
    observer: &'a mut dyn Observer,
    machine: &'a mut dyn Machine,
    own: Own,
    windows: Windows,
    warming: Windows,
    /// The warm-up ends when the system has come to rest, judged with or without a rate.
    warms_until_rest: Option<bool>,
    came_to_rest: bool,
    before: Option<Moment>,
    after: Option<Moment>,
}

impl<'a> ConditionsWatch<'a> {
    pub(crate) fn new(
        labs: &Labs,
        name: &str,
        target: &Target,
        (windows, warming): (Windows, Windows),
        warms_until_rest: Option<bool>,
        machine: &'a mut dyn Machine,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let servers = labs.server_processes(name, target);
        Self {
            observer,
            machine,
            own: Own {
                process: std::process::id(),
                unknown_servers: servers.is_none() && is_server(target),
                servers: servers.unwrap_or_default(),
                others: labs.processes_of_others(name),
            },
            windows,
            warming,
            warms_until_rest,
            came_to_rest: false,
            before: None,
            after: None,
        }
    }

    /// Writes what was seen into the record of the trial.
    pub(crate) fn judge(self, record: &mut TrialRecord) {
        let Some(measure) = &record.measure else { return };
        if record.status != TrialStatus::Completed {
            return;
        }
        let asked_ns = record.settings.duration_ns.unwrap_or(u64::MAX);
        let measured_ns = measure.duration_ns.min(asked_ns);
        let steady = self.windows.judge(measured_ns, record.settings.rate.is_some());
        let host = self
            .before
            .zip(self.after)
            .map(|(before, after)| disturbance::between(&before, &after, &self.own));
        let outside = host.as_ref().map_or(Vec::new(), disturbance::findings);
        let disturbed_by = disturbance::exogenous(&outside);
        let whole = measure.throughput_per_second().unwrap_or(0.0);
        let warming_ns = self.warms_until_rest.map(|_| self.warming.length_ns());
        let never_warm = warming_ns.filter(|_| !self.came_to_rest).map(steady::never_warm);
        let found: Vec<Finding> = never_warm
            .into_iter()
            .chain(steady::finding(&steady, whole))
            .chain(outside)
            .collect();
        record.findings.extend(found);
        record
            .findings
            .sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        record.conditions = Conditions {
            steady: Some(steady),
            warmup_ns: warming_ns,
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
            } => self.before = Some(self.machine.look()),
            Event::PhaseEnded {
                phase: Phase::Measure,
            } => self.after = Some(self.machine.look()),
            event => {
                self.windows.event(event);
                self.warming.event(event);
            }
        }
        self.observer.event(event);
    }

    fn warm(&mut self) -> bool {
        self.came_to_rest = self
            .warms_until_rest
            .is_some_and(|with_rate| self.warming.at_rest(with_rate));
        self.came_to_rest
    }
}
