//! Trials that all missed the steady speed of their system, or that scatter widely: what the answer makes of them.

use crate::advice_certainty::{answer, feeds, flagged};
use crate::common::needs::why;
use crate::common::{self, FJALL, REDB, SQLITE, WORKLOADS, study};
use dbdyno_record::finding::StillCompiling;
use dbdyno_record::{Finding, Level, TrialRecord};
use dbdyno_report::advice::Word;

/// Two of four trials that differ are how the trials scatter, and nothing that stands out of them.
#[test]
fn outliers_are_few() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 4, 10);
    let other = results.trials.iter_mut();
    let other = other.filter(|trial| trial.system.name == "redb" && trial.block >= 2);
    for (trial, (times, share)) in other.zip([(4, 1), (1, 3)]) {
        let duration_ns = &mut trial.measure.as_mut().unwrap().duration_ns;
        *duration_ns = *duration_ns * times / share;
    }
    let advice = answer(&results);
    let redb = &advice.goals[0].systems[1];
    assert_eq!((redb.trials, redb.sound_trials), (4, 4), "{}", why(&advice));
}

/// Who loses at each of its levels keeps nobody from being recommended.
#[test]
fn a_system_that_never_settled_is_ranked_at_each_of_its_levels() {
    let at_levels = |slowest: f64, fastest: f64| {
        let mut results = study("s", &[FJALL, REDB, SQLITE], &WORKLOADS[..1], 8, 10);
        let redb = results
            .trials
            .iter_mut()
            .filter(|trial| trial.system.name == "redb");
        for trial in redb {
            common::never_settles(trial);
            let whole = trial.measure.as_ref().unwrap().throughput_per_second().unwrap();
            let levels = [slowest, fastest].into_iter().enumerate();
            let levels = levels.map(|(number, share)| Level {
                from_ns: number as u64 * 5_000_000_000,
                throughput_per_second: whole * share,
                latency_p50_ns: None,
            });
            trial.conditions.steady.as_mut().unwrap().levels = levels.collect();
        }
        answer(&results)
    };
    let behind = at_levels(0.8, 1.25);
    assert_eq!(
        (behind.word, &*behind.systems),
        (Word::Recommend, &["fjall".to_owned()][..])
    );
    let expected = "updates: redb never settled; the simulations take any level that was seen, from 0.80 to 1.25 times the median.";
    assert!(why(&behind).contains(expected), "{}", why(&behind));
    let open = at_levels(0.8, 8.0);
    assert_ne!(open.word, Word::Recommend, "{}", why(&open));
    assert!(open.systems.contains(&"redb".to_owned()), "{:?}", open.systems);
}

/// A server that was still compiling becomes faster: it may be the best one that it was not yet.
#[test]
fn a_system_that_was_still_compiling_may_be_faster_than_it_was() {
    let all = flagged("still-compiling", feeds);
    let advice = answer(&all);
    assert_ne!(advice.word, Word::Recommend, "{}", why(&advice));
    let expected = "updates: redb was still compiling; the simulations take any value from 1.00 to 3.";
    assert!(why(&advice).contains(expected), "{}", why(&advice));
    assert!(
        advice.systems.contains(&"redb".to_owned()),
        "{:?}",
        advice.systems
    );
    let few = answer(&flagged("still-compiling", |trial| {
        feeds(trial) && trial.block < 3
    }));
    assert!(!why(&few).contains("still compiling"), "{}", why(&few));
}

/// Compilers that take a little time change little, and where one trial had none of it, its speed is known.
#[test]
fn the_trial_in_which_compilers_did_least_bounds_what_a_server_may_become() {
    let at = |share: f64, is: fn(&TrialRecord) -> bool| {
        let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 8, 10);
        for trial in results
            .trials
            .iter_mut()
            .filter(|trial| feeds(trial) && is(trial))
        {
            trial.findings.push(Finding::warning(StillCompiling { share }));
        }
        answer(&results)
    };
    let slight = at(0.11, |_| true);
    assert_eq!(slight.systems, ["fjall"], "{}", why(&slight));
    assert!(
        why(&slight).contains("redb was still compiling"),
        "{}",
        why(&slight)
    );
    let much = at(0.3, |_| true);
    assert!(much.systems.contains(&"redb".to_owned()), "{}", why(&much));
    let once_warm = at(0.3, |trial| trial.block > 0);
    assert_eq!(once_warm.systems, ["fjall"], "{}", why(&once_warm));
}
