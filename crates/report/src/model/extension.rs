//! What a reader has to know of a study whose trials were added when the results of the first ones could be seen.

use dbdyno_record::study::Kind;
use dbdyno_record::{PlannedStudy, TrialRecord};

/// In which steps the trials were planned, and what follows; `None` where they were planned at once.
#[must_use]
pub fn added_trials(asked: &PlannedStudy, trials: &[TrialRecord]) -> Option<String> {
    // With a target precision, `trials` is the least.
    let begun = trials.iter().map(|trial| trial.block + 1).max();
    let (all, of_each) = match asked.kind {
        Kind::Comparison => (asked.trials.max(begun.unwrap_or(0)), "trials per test"),
        Kind::Capacity(_) => (asked.trials, "trials per confirmed rate"),
        Kind::Sweep(_) => (asked.trials, "trials per step"),
    };
    let before: Vec<u32> = asked
        .extended_after
        .iter()
        .copied()
        .filter(|&trials| trials < all)
        .collect();
    let first = before.first()?;
    let after = before.iter().skip(1).chain([&all]);
    let added: Vec<String> = before
        .iter()
        .zip(after)
        .map(|(before, after)| {
            format!(
                "then {} more after all {before} had run",
                after.saturating_sub(*before)
            )
        })
        .collect();
    Some(format!(
        "{all} {of_each} were planned in {} steps ({first}, {}); looking at results in between makes a chance verdict more \
         likely than the stated 5%.",
        before.len() + 1,
        added.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(trials: u32, extended_after: &[u32]) -> PlannedStudy {
        PlannedStudy {
            trials,
            extended_after: extended_after.to_vec(),
            ..PlannedStudy::default()
        }
    }

    #[test]
    fn the_steps_are_told_with_their_sizes() {
        assert_eq!(added_trials(&asked(5, &[]), &[]), None);
        assert_eq!(
            added_trials(&asked(5, &[5]), &[]),
            None,
            "none was added in the end"
        );
        assert_eq!(
            added_trials(&asked(12, &[5]), &[]).unwrap(),
            "12 trials per test were planned in 2 steps (5, then 7 more after all 5 had run); looking at results in between \
             makes a chance verdict more likely than the stated 5%."
        );
        let thrice = added_trials(&asked(20, &[5, 12]), &[]).unwrap();
        assert!(
            thrice.contains(
                "in 3 steps (5, then 7 more after all 5 had run, then 8 more after all 12 had run)"
            ),
            "{thrice}"
        );
    }
}
