//! What the servers of a trial use while it runs: looked at once a second, and when the measured phase begins and ends. Of a trial
//! that takes turns, what they use between its slices is left out.

use dbdyno_driver::Target;
use dbdyno_engine::{Event, Interval, Observer, Phase, ServerUse};
use dbdyno_lab::Usage;
use dbdyno_record::ServerCost;

use crate::run::labs::Labs;

/// Between two looks within a phase.
const LOOK_NS: u64 = 1_000_000_000;

/// Passes everything on, adds what the servers used, and looks at them at the right moments.
pub(crate) struct ServerWatch<'a> {
    labs: &'a Labs,
    name: &'a str,
    target: &'a Target,
    observer: &'a mut dyn Observer,
    before: Option<Usage>,
    after: Option<Usage>,
    phase: Option<WatchedPhase>,
}

/// A phase whose use is passed on.
struct WatchedPhase {
    phase: Phase,
    /// As of the last report.
    reported: Usage,
    /// As of the end of the last slice, until the next one starts.
    paused: Option<Usage>,
    /// At the end of the phase; its last intervals may come later.
    end: Option<Usage>,
    /// Begin of the last interval.
    start_ns: u64,
    next_look_ns: u64,
}

impl<'a> ServerWatch<'a> {
    /// Watches the servers of the system of this name.
    pub(crate) fn new(
        labs: &'a Labs,
        name: &'a str,
        target: &'a Target,
        observer: &'a mut dyn Observer,
    ) -> Self {
        Self {
            labs,
            name,
            target,
            observer,
            before: None,
            after: None,
            phase: None,
        }
    }

    /// Takes an event of a trial that runs on another thread.
    pub(crate) fn event_of(&mut self, event: &Event) {
        self.event(event);
    }

    /// Whether its warm-up has lasted long enough.
    pub(crate) fn is_warm(&mut self) -> bool {
        self.warm()
    }

    /// Ends the watch. What the measured phase cost; `None` without one, or when the lab does not run the system.
    pub(crate) fn finish(mut self) -> Option<ServerCost> {
        self.report_end();
        let (before, after) = (self.before?, self.after?);
        Some(ServerCost {
            cpu_seconds: after.cpu_seconds - before.cpu_seconds,
            resident_bytes: after.resident_bytes,
            read_bytes: after.read_bytes.saturating_sub(before.read_bytes),
            written_bytes: difference(after.written_bytes, before.written_bytes),
            disk_bytes: after.disk_bytes,
        })
    }

    fn begin(&mut self, phase: Phase) {
        self.report_end();
        let usage = match phase {
            Phase::Measure => {
                self.before = self.labs.usage(self.name, self.target);
                self.before
            }
            _ => self.labs.usage_without_disk(self.name, self.target),
        };
        self.phase = usage.map(|reported| WatchedPhase {
            phase,
            reported,
            paused: None,
            end: None,
            start_ns: 0,
            next_look_ns: LOOK_NS,
        });
    }

    fn end(&mut self, phase: Phase) {
        let usage = match phase {
            Phase::Measure => {
                self.after = self.labs.usage(self.name, self.target);
                self.after
            }
            _ => self.labs.usage_without_disk(self.name, self.target),
        };
        if let Some(watched) = self.phase.as_mut().filter(|watched| watched.phase == phase) {
            watched.end = usage;
        }
    }

    /// A slice is over.
    fn pause(&mut self) {
        let now = self.labs.usage_without_disk(self.name, self.target);
        if let Some(watched) = self.phase.as_mut().filter(|watched| watched.end.is_none()) {
            watched.paused = now;
        }
    }

    /// A slice starts: what was used since the last one, or since the phase began with the head of the first, is not the phase's.
    fn resume(&mut self) {
        let now = self.labs.usage_without_disk(self.name, self.target);
        if let (Some(watched), Some(now)) = (&mut self.phase, now) {
            let before = watched.paused.take().unwrap_or(watched.reported);
            let reported = &mut watched.reported;
            reported.cpu_seconds += (now.cpu_seconds - before.cpu_seconds).max(0.0);
            reported.read_bytes += now.read_bytes.saturating_sub(before.read_bytes);
            let written = difference(now.written_bytes, before.written_bytes);
            reported.written_bytes = reported
                .written_bytes
                .zip(written)
                .map(|(bytes, more)| bytes + more);
        }
    }

    fn interval(&mut self, interval: &Interval) {
        let Some(watched) = &mut self.phase else { return };
        if interval.late || interval.phase != watched.phase {
            return;
        }
        watched.start_ns = interval.start_ns;
        if watched.end.is_some() {
            self.report_end();
        } else if interval.start_ns + interval.duration_ns >= watched.next_look_ns {
            while watched.next_look_ns <= interval.start_ns + interval.duration_ns {
                watched.next_look_ns += LOOK_NS;
            }
            if let Some(now) = self.labs.usage_without_disk(self.name, self.target) {
                self.report(now);
            }
        }
    }

    /// Passes on what was used until the end of the phase, which is over then.
    fn report_end(&mut self) {
        if let Some(end) = self.phase.as_ref().and_then(|watched| watched.end) {
            self.report(end);
            self.phase = None;
        }
    }

    fn report(&mut self, now: Usage) {
        let Some(watched) = &mut self.phase else { return };
        let now = watched.paused.unwrap_or(now);
        let before = std::mem::replace(&mut watched.reported, now);
        self.observer.event(&Event::Servers(ServerUse {
            phase: watched.phase,
            start_ns: watched.start_ns,
            // A server that ended takes its time along.
            cpu_seconds: (now.cpu_seconds - before.cpu_seconds).max(0.0),
            resident_bytes: now.resident_bytes,
            read_bytes: now.read_bytes.saturating_sub(before.read_bytes),
            written_bytes: difference(now.written_bytes, before.written_bytes),
        }));
    }
}

fn difference(after: Option<u64>, before: Option<u64>) -> Option<u64> {
    after
        .zip(before)
        .map(|(after, before)| after.saturating_sub(before))
}

impl Observer for ServerWatch<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::PhaseStarted {
                phase: phase @ (Phase::Load | Phase::WarmUp | Phase::Measure),
                ..
            } => self.begin(*phase),
            Event::PhaseEnded {
                phase: phase @ (Phase::Load | Phase::WarmUp | Phase::Measure),
            } => self.end(*phase),
            Event::PhaseEnded { phase: Phase::Drain } => self.report_end(),
            Event::SliceStarted => self.resume(),
            Event::SliceEnded => self.pause(),
            _ => {}
        }
        self.observer.event(event);
        if let Event::Interval(interval) = event {
            self.interval(interval);
        }
    }

    fn warm(&mut self) -> bool {
        self.observer.warm()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Keeps the begin and processor time of every report.
    #[derive(Default)]
    struct Reports(Vec<(Phase, u64, f64)>);

    impl Observer for Reports {
        fn event(&mut self, event: &Event) {
            if let Event::Servers(servers) = event {
                self.0
                    .push((servers.phase, servers.start_ns, servers.cpu_seconds));
            }
        }
    }

    fn interval(phase: Phase, start_ms: u64) -> Event {
        Event::Interval(Interval {
            phase,
            start_ns: start_ms * 1_000_000,
            duration_ns: 500_000_000,
            operations: BTreeMap::new(),
            client_cpu_seconds: 0.0,
            resident_memory_bytes: 0,
            late: false,
        })
    }

    fn started(phase: Phase) -> Event {
        Event::PhaseStarted {
            phase,
            expected_operations: None,
            expected_duration: None,
        }
    }

    /// Something for this process, which plays the server here, to use.
    fn work() {
        let mut sum = 0_u64;
        for number in 0..30_000_000_u64 {
            sum = std::hint::black_box(sum.wrapping_add(number));
        }
    }

    /// This process plays the servers: what they cost, and what was reported, while a trial does this.
    fn watched(act: impl FnOnce(&mut ServerWatch<'_>)) -> (Option<ServerCost>, Reports) {
        let own = std::process::id();
        let target = Target::parse(&format!("redis://host?server_pids={own}")).unwrap();
        let labs = Labs::default();
        let mut reports = Reports::default();
        let mut watch = ServerWatch::new(&labs, "redis", &target, &mut reports);
        act(&mut watch);
        let cost = watch.finish();
        (cost, reports)
    }

    #[test]
    fn reports_add_up_to_the_cost_of_the_phase() {
        let (cost, reports) = watched(|watch| {
            watch.event(&started(Phase::WarmUp));
            watch.event(&interval(Phase::WarmUp, 0));
            watch.event(&Event::PhaseEnded { phase: Phase::WarmUp });
            watch.event(&started(Phase::Measure));
            for start_ms in [0, 500, 1000, 1500] {
                work();
                watch.event(&interval(Phase::Measure, start_ms));
            }
            work();
            watch.event(&Event::PhaseEnded {
                phase: Phase::Measure,
            });
            watch.event(&started(Phase::Drain));
            // Resources that are used while draining are not the measured phase's.
            work();
            watch.event(&interval(Phase::Measure, 2000));
            watch.event(&Event::PhaseEnded { phase: Phase::Drain });
        });
        let cost = cost.unwrap();
        let places: Vec<(Phase, u64)> = reports
            .0
            .iter()
            .map(|(phase, start_ns, _)| (*phase, start_ns / 1_000_000))
            .collect();
        assert_eq!(
            places,
            [
                (Phase::WarmUp, 0),
                (Phase::Measure, 500),
                (Phase::Measure, 1500),
                (Phase::Measure, 2000)
            ]
        );
        let measured = reports.0.iter().filter(|(phase, ..)| *phase == Phase::Measure);
        let sum: f64 = measured.map(|(.., cpu_seconds)| cpu_seconds).sum();
        assert!(
            cost.cpu_seconds > 0.0 && (sum - cost.cpu_seconds).abs() < 1e-6,
            "{sum} {cost:?}"
        );
    }

    #[test]
    fn a_phase_whose_last_interval_came_before_its_end_is_whole_too() {
        let (cost, reports) = watched(|watch| {
            watch.event(&started(Phase::Measure));
            work();
            watch.event(&interval(Phase::Measure, 0));
            watch.event(&Event::PhaseEnded {
                phase: Phase::Measure,
            });
        });
        assert!(cost.is_some());
        assert_eq!(reports.0.len(), 1);
        assert!(reports.0[0].2 > 0.0);
    }

    #[test]
    fn what_is_used_between_slices_is_not_the_phases() {
        let (cost, reports) = watched(|watch| {
            watch.event(&started(Phase::Measure));
            watch.event(&Event::SliceStarted);
            work();
            watch.event(&Event::SliceEnded);
            // Others have their turns, and each of them takes longer than its own.
            for _ in 0..5 {
                work();
            }
            // The interval arrives during the head of the next slice.
            watch.event(&interval(Phase::Measure, 500));
            watch.event(&Event::SliceStarted);
            work();
            watch.event(&Event::PhaseEnded {
                phase: Phase::Measure,
            });
        });
        let whole = cost.unwrap().cpu_seconds;
        let reported: f64 = reports.0.iter().map(|(.., cpu_seconds)| cpu_seconds).sum();
        assert_eq!(reports.0.len(), 2);
        assert!(reported > 0.0 && reported < whole / 2.0, "{reported} of {whole}");
    }

    #[test]
    fn nothing_is_reported_of_servers_that_nobody_knows() {
        let target = Target::parse("redis://host").unwrap();
        let labs = Labs::default();
        let mut reports = Reports::default();
        let mut watch = ServerWatch::new(&labs, "redis", &target, &mut reports);
        watch.event(&started(Phase::Measure));
        watch.event(&interval(Phase::Measure, 1000));
        watch.event(&Event::PhaseEnded {
            phase: Phase::Measure,
        });
        assert!(watch.finish().is_none());
        assert_eq!(reports.0, []);
    }
}
