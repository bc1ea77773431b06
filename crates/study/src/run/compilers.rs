//! Whether the compilers of Java servers are idle.
//!
//! The throughput of a server that still compiles can be steady for longer than any warm-up watches, and then double: on two
//! processors Cassandra does 4k/s for seventeen seconds, 7k/s for twenty more, and 16k/s when its compilers are done after 75
//! (docs/decisions/steadiness.md). So a warm-up that waits for a steady throughput waits for them, too.

use dbdyno_machine::CompilerTime;
use dbdyno_record::Finding;
use dbdyno_record::finding::StillCompiling;

/// Compilers are idle when they take no more of their processes' CPU time than this: 18-28% while a cold server warms up, 0-4% later.
const MOST_WHEN_IDLE: f64 = 0.05;
/// CPU time is counted in hundredths of a second: less than this is too little for a share.
const FEWEST_SECONDS: f64 = 0.5;

/// The compilers of a system's servers.
#[derive(Debug, Default)]
pub(crate) struct CompilerWatch {
    /// The latest look during the warm-up, and how long that had lasted, nanoseconds.
    latest: Option<(u64, CompilerTime)>,
    /// The share between the last two looks.
    share: Option<f64>,
    /// At both ends of the measured phase.
    before: Option<CompilerTime>,
    after: Option<CompilerTime>,
}

impl CompilerWatch {
    /// Whether they have been idle for the latest `span_ns` of a warm-up that has lasted for `length_ns`. To be asked again and again;
    /// it reads the counters once in a span.
    pub fn are_idle(&mut self, length_ns: u64, span_ns: u64, look: impl FnOnce() -> CompilerTime) -> bool {
        let due = self
            .latest
            .as_ref()
            .is_none_or(|(at_ns, _)| length_ns >= at_ns + span_ns);
        if due {
            let now = look();
            // Where too little CPU time was used for a share, the span goes on.
            let is_long_enough = self.latest.as_ref().is_none_or(|(_, before)| {
                now.threads_seconds.is_empty() || now.whole_seconds - before.whole_seconds >= FEWEST_SECONDS
            });
            if is_long_enough {
                self.share = self
                    .latest
                    .as_ref()
                    .and_then(|(_, before)| now.share_since(before));
                self.latest = Some((length_ns, now));
            }
        }
        match (&self.latest, self.share) {
            (_, Some(share)) => share <= MOST_WHEN_IDLE,
            (Some((_, now)), None) => now.threads_seconds.is_empty(),
            (None, None) => false,
        }
    }

    /// The share that they took at last while the system was warmed up, where they were not idle.
    pub fn busy(&self) -> Option<f64> {
        self.share.filter(|share| *share > MOST_WHEN_IDLE)
    }

    /// The measured phase begins.
    pub fn begin(&mut self, now: CompilerTime) {
        self.before = Some(now);
    }

    /// The measured phase ends.
    pub fn end(&mut self, now: CompilerTime) {
        self.after = Some(now);
    }

    /// The share of CPU time that they took in the measured phase; `None` without compilers, or where it was too short to tell.
    pub fn measured_share(&self) -> Option<f64> {
        let (before, after) = (self.before.as_ref()?, self.after.as_ref()?);
        if after.whole_seconds - before.whole_seconds < FEWEST_SECONDS {
            return None;
        }
        after.share_since(before)
    }
}

/// The finding about compilers that took this share of a measured phase.
pub(crate) fn finding(share: f64) -> Option<Finding> {
    (share > StillCompiling::MOST_WHEN_WARM).then(|| Finding::warning(StillCompiling { share }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(whole_seconds: f64, compiling: f64) -> CompilerTime {
        CompilerTime {
            whole_seconds,
            threads_seconds: [((1, 2), compiling)].into(),
        }
    }

    #[test]
    fn compilers_are_idle_after_a_span_in_which_they_did_little() {
        let mut watch = CompilerWatch::default();
        let never = || -> CompilerTime { panic!("one look in a span is enough") };
        assert!(
            !watch.are_idle(0, 1_000, || time(10.0, 9.0)),
            "one look gives no share"
        );
        assert!(!watch.are_idle(999, 1_000, never));
        assert!(!watch.are_idle(1_000, 1_000, || time(12.0, 9.4)), "a fifth of it");
        assert_eq!(watch.busy().map(|share| (share * 100.0).round()), Some(20.0));
        assert!(!watch.are_idle(1_500, 1_000, never));
        assert!(watch.are_idle(2_000, 1_000, || time(14.0, 9.45)));
        assert_eq!(watch.busy(), None);
    }

    #[test]
    fn a_span_goes_on_until_enough_cpu_time_was_used() {
        let mut watch = CompilerWatch::default();
        assert!(!watch.are_idle(0, 1_000, || time(10.0, 9.0)));
        assert!(
            !watch.are_idle(1_000, 1_000, || time(10.1, 9.01)),
            "one tick of ten"
        );
        assert_eq!(watch.busy(), None);
        assert!(watch.are_idle(6_000, 1_000, || time(10.6, 9.02)));
    }

    #[test]
    fn servers_without_compilers_are_not_waited_for() {
        assert!(CompilerWatch::default().are_idle(0, 1_000, CompilerTime::default));
    }

    #[test]
    fn a_measured_phase_of_cold_servers_has_a_finding() {
        let mut watch = CompilerWatch::default();
        watch.begin(time(10.0, 1.0));
        watch.end(time(20.0, 3.0));
        let share = watch.measured_share().unwrap();
        assert!(finding(share).unwrap().message().contains("took 20% of"));
        assert!(finding(0.04).is_none());
        watch.end(time(10.4, 1.4));
        assert_eq!(watch.measured_share(), None, "too short for a share");
    }
}
