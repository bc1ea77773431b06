//! What is to be said of a trial that was measured in turns.

use dbdyno_record::{Finding, Interleaving, ParkedWork, Severity, TrialRecord, codes};
use dbdyno_vocabulary::number;

/// From this share of slices on, a shared core is worth a word.
const LEAST_SHARED: f64 = 0.05;
/// Work that was put off is worth a word from this share of the CPU time of the system's own slices on: decision 0067.
pub const MOST_DEFERRED: f64 = 0.05;

/// What its turns show.
pub fn findings(record: &TrialRecord) -> Vec<Finding> {
    let Some(turns) = &record.conditions.interleaving else {
        return Vec::new();
    };
    let deferred = turns
        .work
        .filter(|work| work.deferred_share() > MOST_DEFERRED)
        .map(|work| deferred_work(&work));
    shared_core(turns).into_iter().chain(deferred).collect()
}

fn shared_core(turns: &Interleaving) -> Option<Finding> {
    let share = turns.shared_core_share().filter(|share| *share >= LEAST_SHARED)?;
    Some(Finding {
        code: codes::SHARED_CORE.to_owned(),
        severity: Severity::Note,
        message: format!(
            "the CPUs of this machine shared one physical core in {} of the slices",
            number::whole_share(share)
        ),
        remedy: "nothing to do for a comparison, which rests on the slices of the mode that prevailed; for absolute figures, use a machine with cores of \
                 its own"
            .to_owned(),
    })
}

fn deferred_work(work: &ParkedWork) -> Finding {
    Finding {
        code: codes::DEFERRED_WORK.to_owned(),
        severity: Severity::Warning,
        message: format!(
            "work was put off: while others were measured, the system used {} as much CPU time as in its own slices; in a closed loop, \
             the time for that work was added to the measured time",
            number::whole_share(work.deferred_share())
        ),
        remedy: "measure for longer than it can put work off (`duration`), or one system after the other: order = \"blocks\"".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_record::{BusyReference, SliceRecord};

    use super::*;
    use crate::test_record::completed;

    fn with(shared: usize, deferred_cpu_seconds: f64) -> Vec<Finding> {
        let slice = |index: usize| SliceRecord {
            round: index as u32,
            ok: 10,
            measured_ns: 250_000_000,
            reference: Some(BusyReference {
                one_ns: 100.0,
                all_ns: if index < shared { 190.0 } else { 101.0 },
            }),
        };
        let mut record = completed("001-a", 1);
        record.conditions.interleaving = Some(Interleaving {
            beside: vec!["002-b".to_owned()],
            head_ns: 25_000_000,
            slice_ns: 250_000_000,
            slices: (0..10).map(slice).collect(),
            work: Some(ParkedWork {
                own_cpu_seconds: 4.0,
                parked_cpu_seconds: deferred_cpu_seconds,
                deferred_cpu_seconds,
                charged_ns: 0,
            }),
        });
        findings(&record)
    }

    #[test]
    fn a_shared_core_and_work_that_was_put_off_are_told() {
        assert_eq!(with(0, 0.1), []);
        let shared = with(4, 0.0);
        assert!(
            shared[0]
                .message
                .contains("one physical core in 40% of the slices"),
            "{shared:?}"
        );
        let deferred = with(0, 1.0);
        assert!(
            deferred[0]
                .message
                .contains("used 25% as much CPU time as in its own slices"),
            "{deferred:?}"
        );
    }
}
