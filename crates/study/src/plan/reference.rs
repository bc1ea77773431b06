//! For which studies, and for how long, the speed of the machine is measured between trials.
//!
//! [`dbdyno_machine::time_reference_work`] runs while the system is idle, so the system's own load does not affect it.

use std::time::Duration;

use dbdyno_record::study::Kind;

use crate::file::definition::Study;

/// The share of a measured phase that a look takes, spread over it so that no burst of something else is all that is seen.
const SHARE: f64 = 0.05;
/// The shortest and the longest look.
const SPAN: std::ops::RangeInclusive<Duration> = Duration::from_millis(50)..=Duration::from_millis(500);

/// Whether trials of this study look at the machine. Rising load asks for rates, which no speed of the machine adjusts.
#[must_use]
pub fn is_looked_at(study: &Study) -> bool {
    study.kind == Kind::Comparison
}

/// How long to look around a trial whose measured phase is to take so long.
#[must_use]
pub fn span(measured: Option<Duration>) -> Duration {
    let wanted = measured.map_or(*SPAN.start(), |measured| measured.mul_f64(SHARE));
    wanted.clamp(*SPAN.start(), *SPAN.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_takes_a_twentieth_of_the_phase_within_bounds() {
        let seconds = Duration::from_secs;
        let spans = [None, Some(seconds(0)), Some(seconds(4)), Some(seconds(60))].map(span);
        assert_eq!(spans.map(|span| span.as_millis()), [50, 50, 200, 500]);
    }
}
