//! Time to revoke: a grant or a password is withdrawn, and the same thing is tried until it is refused.

use std::time::Duration;

use dbdyno_record::audit::{
    AuditFinding, AuditSeverity, Feature, ProtectionLevel, Revocation, UnknownReason,
};
use dbdyno_stats::median_interval::median_interval;

use crate::channel::ChannelError;
use crate::clock::{Deadline, Stopwatch};
use crate::scene::Scene;

/// Repetitions of each measurement: the least from which a 95% interval of the median can be had.
pub const REPETITIONS: usize = 6;
/// Between two tries.
const STEP: Duration = Duration::from_millis(10);

/// Tries again and again until it is refused; seconds since the first try, or `None` when it still worked at the end.
///
/// # Errors
/// When a try neither works nor is refused: the server went away, say.
pub fn seconds_until_refused(
    patience: Duration,
    still_works: &mut dyn FnMut() -> Result<bool, ChannelError>,
) -> Result<Option<f64>, ChannelError> {
    let watch = Stopwatch::start();
    let deadline = Deadline::within(patience);
    loop {
        if !still_works()? {
            return Ok(Some(watch.seconds()));
        }
        if deadline.left().is_none() {
            return Ok(None);
        }
        std::thread::sleep(STEP);
    }
}

/// Measures [`REPETITIONS`] times; `once` gets the number of the repetition, from zero. It stops at the second measurement in
/// which the server never refused: each of those waits until the deadline, and more of them would show nothing new.
///
/// # Errors
/// The first of the measurements.
pub fn repeat<E>(once: &mut dyn FnMut(usize) -> Result<Option<f64>, E>) -> Result<Vec<Option<f64>>, E> {
    let mut seconds = Vec::with_capacity(REPETITIONS);
    while seconds.len() < REPETITIONS && seconds.iter().filter(|one: &&Option<f64>| one.is_none()).count() < 2
    {
        seconds.push(once(seconds.len())?);
    }
    Ok(seconds)
}

/// Measures each case, which is named for people; `once` measures it one time, and looks no longer than `patience`.
///
/// # Errors
/// The first that could not be measured, noted as evidence of `probe`.
pub fn revocations<Case: Copy>(
    scene: &mut Scene<'_>,
    probe: &str,
    cases: &[(Case, &str)],
    patience: Duration,
    once: impl Fn(&Scene<'_>, Case) -> Result<Option<f64>, ChannelError>,
) -> Result<Vec<Revocation>, ChannelError> {
    let mut all = Vec::with_capacity(cases.len());
    for &(case, what) in cases {
        match repeat(&mut |_| once(scene, case)) {
            Ok(seconds) => all.push(revocation(what, seconds, patience)),
            Err(error) => {
                scene.note(probe, what, error.to_string());
                return Err(error);
            }
        }
    }
    Ok(all)
}

/// The finding where something could not be measured.
#[must_use]
pub fn not_measured(why: &ChannelError) -> AuditFinding {
    AuditFinding::unknown(
        Feature::AuthenticationCaching,
        UnknownReason::NoPrivilege,
        format!("Not measured: {why}."),
    )
}

/// The summary of some repetitions.
#[must_use]
pub fn revocation(what: impl Into<String>, seconds: Vec<Option<f64>>, patience: Duration) -> Revocation {
    // What was never refused took longer than anything that was.
    let mut sorted: Vec<f64> = seconds.iter().map(|one| one.unwrap_or(f64::INFINITY)).collect();
    sorted.sort_by(f64::total_cmp);
    let finite = |value: f64| value.is_finite().then_some(value);
    let middle = sorted.len() / 2;
    let median = match sorted.len() {
        0 => None,
        length if length % 2 == 1 => finite(sorted[middle]),
        _ => finite(f64::midpoint(sorted[middle - 1], sorted[middle])),
    };
    let interval = median_interval(&sorted, 0.95).filter(|(low, high)| low.is_finite() && high.is_finite());
    Revocation {
        what: what.into(),
        seconds,
        patience_seconds: patience.as_secs_f64(),
        median_seconds: median,
        interval_seconds: interval,
    }
}

/// A revocation that takes longer is a finding: the old login can still do harm, seconds.
const AT_ONCE: f64 = 1.0;

/// The finding from all measurements: enforced when everything was refused at once, in every repetition.
pub fn time_to_revoke(scene: &mut Scene<'_>, all: Vec<Revocation>, fix: &str) -> AuditFinding {
    for one in &all {
        let shown = |seconds: &Option<f64>| match seconds {
            Some(seconds) => format!("{seconds:.3} s"),
            None => format!("not within {} s", one.patience_seconds),
        };
        let seconds: Vec<String> = one.seconds.iter().map(shown).collect();
        scene.note("revoke", one.what.as_str(), seconds.join(", "));
    }
    let slowest = |one: &Revocation| {
        let seconds = one.seconds.iter().map(|seconds| seconds.unwrap_or(f64::INFINITY));
        seconds.fold(0.0, f64::max)
    };
    let slow: Vec<&Revocation> = all.iter().filter(|one| slowest(one) > AT_ONCE).collect();
    let worst = slow.iter().map(|one| slowest(one)).fold(0.0, f64::max);
    let finding = |level, summary: String| AuditFinding::new(Feature::AuthenticationCaching, level, summary);
    let mut finding = if slow.is_empty() {
        let all_refused = "Withdrawn access was refused within a second, in every repetition.";
        finding(ProtectionLevel::Enforced, all_refused.to_owned())
    } else {
        let names: Vec<&str> = slow.iter().map(|one| one.what.as_str()).collect();
        let (how_long, severity) = if worst.is_finite() {
            (format!("still worked for up to {worst:.1} s"), AuditSeverity::Low)
        } else {
            (
                "still worked when the audit stopped checking".to_owned(),
                AuditSeverity::Medium,
            )
        };
        finding(
            ProtectionLevel::Partial,
            format!("Withdrawn access {how_long}: {}.", names.join("; ")),
        )
        .mend(severity, fix)
    };
    finding.revocations = all;
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_refused_is_no_number() {
        let patience = Duration::from_secs(10);
        let all = revocation("x", vec![Some(1.0), Some(2.0), Some(4.0)], patience);
        assert_eq!((all.median_seconds, all.interval_seconds), (Some(2.0), None));
        let half = revocation("x", vec![Some(1.0), None, None], patience);
        assert_eq!(half.median_seconds, None);
        let six = revocation("x", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(Some).to_vec(), patience);
        let (low, high) = six.interval_seconds.unwrap();
        assert!(six.median_seconds == Some(3.5) && 1.0 < low && low < 1.5 && 5.5 < high && high < 6.0);
    }

    #[test]
    fn a_server_that_forgets_to_revoke_is_waited_for_and_no_longer() {
        let mut tries = 0;
        let never = seconds_until_refused(Duration::from_millis(50), &mut || {
            tries += 1;
            Ok(true)
        });
        assert_eq!(never, Ok(None));
        assert!(tries > 1);
        let mut left = 3;
        let soon = seconds_until_refused(Duration::from_secs(10), &mut || {
            left -= 1;
            Ok(left > 0)
        });
        assert!(matches!(soon, Ok(Some(_))));
        let forgotten = repeat::<ChannelError>(&mut |_| Ok(None));
        assert_eq!(forgotten, Ok(vec![None, None]));
        let numbers = repeat::<ChannelError>(&mut |number| Ok((number > 0).then_some(0.1)));
        assert_eq!(numbers.map(|all| all.len()), Ok(REPETITIONS));
        let gone = seconds_until_refused(Duration::from_secs(1), &mut || Err(ChannelError::Closed));
        assert_eq!(gone, Err(ChannelError::Closed));
    }
}
