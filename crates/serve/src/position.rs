//! How much of a running study is over, and how long it still takes.

use std::time::Duration;

use dbdyno_record::live::LiveTrial;

/// Where a study stands when a trial begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StudyPosition {
    /// The trial's place among all trials, from 1.
    pub number: usize,
    /// All trials.
    pub total: usize,
    /// About how long this trial and all later ones take.
    pub remaining: Duration,
    /// About how much longer repetitions of disturbed trials may make it.
    pub repeats: Duration,
}

impl StudyPosition {
    /// As the feed of a running study says.
    #[must_use]
    pub fn of(trial: &LiveTrial) -> Self {
        let duration = |seconds: f64| Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        Self {
            number: trial.number,
            total: trial.total,
            remaining: duration(trial.remaining_s),
            repeats: duration(trial.repeats_s),
        }
    }

    /// The time left this long after the trial began: without repetitions, and with as many as can be expected.
    #[must_use]
    pub fn time_left(&self, elapsed: Duration) -> (Duration, Duration) {
        let least = self.remaining.saturating_sub(elapsed);
        (least, least.saturating_add(self.repeats))
    }

    /// The one time left to show: between the time without repetitions and that with as many as can be expected, and no further
    /// from either than a fifth. Repetitions that a study has kept for later are no reason to wait at its end.
    #[must_use]
    pub fn expected_left(&self, elapsed: Duration) -> Duration {
        const MOST_REPEATED: f64 = 0.4;
        let (least, _) = self.time_left(elapsed);
        least + self.repeats.min(least.mul_f64(MOST_REPEATED)) / 2
    }

    /// How much of the study is over, 0 to 1: whole trials by their number, the current one by its time.
    #[must_use]
    pub fn share_done(&self, elapsed: Duration) -> f64 {
        let left = self.total.saturating_sub(self.number).saturating_add(1);
        let of_trial = if self.remaining.is_zero() {
            0.0
        } else {
            let one_s = self.remaining.as_secs_f64() / left as f64;
            (elapsed.as_secs_f64() / one_s).min(1.0)
        };
        let before = self.number.saturating_sub(1) as f64;
        ((before + of_trial) / self.total.max(1) as f64).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(number: usize, remaining_s: u64) -> StudyPosition {
        StudyPosition {
            number,
            total: 4,
            remaining: Duration::from_secs(remaining_s),
            repeats: Duration::from_secs(600),
        }
    }

    #[test]
    fn the_share_done_counts_whole_trials_and_a_part_of_this_one() {
        assert!((0.25..0.26).contains(&position(2, 3600).share_done(Duration::from_secs(10))));
        let late = position(4, 1).share_done(Duration::from_secs(9));
        assert_eq!(late, 1.0, "a trial that takes longer than thought");
        assert_eq!(position(1, 0).share_done(Duration::ZERO), 0.0);
    }

    /// Trials take as long as the estimate says, and each one may be repeated, as far as the repetitions go.
    #[test]
    fn the_time_that_is_shown_is_within_a_fifth_of_what_remains() {
        for remaining_s in [20, 600, 3600] {
            for repeats_s in [0, 60, 600, 1800] {
                let place = StudyPosition {
                    repeats: Duration::from_secs(repeats_s),
                    ..position(2, remaining_s)
                };
                for share_over in [0.0, 0.5, 0.9] {
                    let elapsed = Duration::from_secs(remaining_s).mul_f64(share_over);
                    let shown = place.expected_left(elapsed).as_secs_f64();
                    let without_s = remaining_s as f64 * (1.0 - share_over);
                    let repeated_s = (repeats_s as f64).min(0.4 * without_s);
                    for left_s in [without_s, without_s + repeated_s / 2.0, without_s + repeated_s] {
                        let error = (shown - left_s).abs() / left_s;
                        assert!(error <= 0.2001, "{shown} shown, {left_s} left");
                    }
                }
            }
        }
    }

    #[test]
    fn the_time_left_shrinks_and_keeps_the_repetitions() {
        let left = position(2, 3600).time_left(Duration::from_secs(600));
        assert_eq!(left, (Duration::from_secs(3000), Duration::from_secs(3600)));
        let late = position(2, 5).time_left(Duration::from_secs(9));
        assert_eq!(late, (Duration::ZERO, Duration::from_secs(600)));
    }
}
