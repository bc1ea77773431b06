//! Findings about a trial that was measured in turns.

use dbdyno_record::finding::{DeferredWork, FarCores, IoWhileParked, SharedCore, ShortHead};
use dbdyno_record::{CoreMode, Finding, Interleaving, TrialRecord, mode_shares};

/// From this share of slices on, it is worth a word where the CPUs were.
const LEAST_SHARED: f64 = 0.05;
/// Work that was put off is worth a word from this share of the CPU time of the system's own slices on: docs/decisions/turns.md.
pub const MOST_DEFERRED: f64 = 0.05;
/// At a low rate any process does more between its turns than in them: this part of one processor is worth no word, whose ever it is.
const LEAST_DEFERRED: f64 = 0.02;
/// Storage traffic while others were measured is worth a word from here on, bytes: less are a few lines of a server's log, which the
/// kernel counts by the folio.
const LEAST_PARKED_IO: u64 = 16 << 20;
/// From here on operations at the end of heads are slow: as a rule, so many times as long as measured ones,
const MOST_LATE: f64 = 1.10;
/// and in three of four slices at least so many times.
const MOST_LATE_IN_MOST: f64 = 1.05;
/// A system that comes back late loses at least this part of its heads: elsewhere it is the measured parts that scatter.
const LEAST_LOST: f64 = 0.1;

/// Findings about its turns.
pub fn findings(record: &TrialRecord) -> Vec<Finding> {
    let Some(turns) = &record.conditions.interleaving else {
        return Vec::new();
    };
    let own_ns: u64 = turns.slices.iter().map(|slice| slice.measured_ns).sum();
    let deferred = turns
        .work
        .filter(|work| work.deferred_share() > MOST_DEFERRED)
        .filter(|work| work.deferred_cpu_seconds * 1e9 > LEAST_DEFERRED * own_ns as f64)
        .map(|work| {
            Finding::warning(DeferredWork {
                share: work.deferred_share(),
                charged_ns: work.charged_ns,
                closed_loop: record.spec.rate().is_none(),
            })
        });
    let io = turns.work.and_then(|work| work.io).filter(|io| {
        let share = io.parked_bytes as f64 / io.own_bytes.max(1) as f64;
        io.parked_bytes >= LEAST_PARKED_IO && share > MOST_DEFERRED
    });
    let late = turns
        .late_in_heads()
        .filter(|late| late.median > MOST_LATE && late.in_three_of_four > MOST_LATE_IN_MOST)
        .filter(|_| {
            turns
                .lost_in_heads_ns()
                .is_some_and(|lost_ns| lost_ns > LEAST_LOST * turns.head_ns as f64)
        });
    slow_cores(turns)
        .chain(late.map(|late| {
            Finding::warning(ShortHead {
                late_ratio: late.median,
                head_ns: turns.head_ns,
            })
        }))
        .chain(deferred)
        .chain(io.map(|io| {
            Finding::note(IoWhileParked {
                parked_bytes: io.parked_bytes,
                own_bytes: io.own_bytes,
            })
        }))
        .collect()
}

/// Where the CPUs were for a part of the slices, if that makes systems slower.
fn slow_cores(turns: &Interleaving) -> impl Iterator<Item = Finding> {
    let told = mode_shares(&turns.slices)
        .into_iter()
        .filter(|(_, share)| *share >= LEAST_SHARED);
    told.filter_map(|(mode, share)| match mode {
        CoreMode::Near => None,
        CoreMode::Far => Some(Finding::note(FarCores { share })),
        CoreMode::Shared => Some(Finding::note(SharedCore { share })),
    })
}

#[cfg(test)]
mod tests {
    use dbdyno_record::{BusyReference, Facts, ParkedIo, ParkedWork, Severity, SliceHead, SliceRecord};

    use super::*;
    use crate::test_record::completed;

    /// Ten slices, the first of them on CPUs that share a core or share no cache.
    fn with(shared: usize, far: usize, deferred_cpu_seconds: f64, charged_ns: u64) -> Vec<Finding> {
        let slice = |index: usize| {
            let is_far = index >= shared && index < shared + far;
            let reference = Some(BusyReference {
                one_ns: 100.0,
                all_ns: if index < shared { 190.0 } else { 101.0 },
                handoff_ns: Some(if is_far { 160.0 } else { 32.0 }),
            });
            SliceRecord {
                round: index as u32,
                ok: 10,
                measured_ns: 250_000_000,
                reference,
                reference_after: reference,
                parked: None,
                head: None,
            }
        };
        let mut record = completed("001-a", 1);
        record.conditions.interleaving = Some(Interleaving {
            beside: vec!["002-b".to_owned()],
            head_ns: 25_000_000,
            slice_ns: 250_000_000,
            slices: (0..10).map(slice).collect(),
            work: Some(ParkedWork {
                own_cpu_seconds: 4.0,
                parked_cpu_seconds: deferred_cpu_seconds + 0.8,
                deferred_cpu_seconds,
                charged_ns,
                io: None,
            }),
        });
        findings(&record)
    }

    #[test]
    fn storage_traffic_in_the_slices_of_others_is_told_where_it_is_much() {
        let mut record = completed("001-a", 1);
        let mut with = |own_mib: u64, parked_mib: u64| {
            record.conditions.interleaving = Some(Interleaving {
                beside: Vec::new(),
                head_ns: 0,
                slice_ns: 1,
                slices: Vec::new(),
                work: Some(ParkedWork {
                    io: Some(ParkedIo {
                        own_bytes: own_mib << 20,
                        parked_bytes: parked_mib << 20,
                    }),
                    ..ParkedWork::default()
                }),
            });
            let found = findings(&record);
            assert!(found.iter().all(|finding| finding.severity == Severity::Note));
            found.first().map(|finding| finding.message())
        };
        assert_eq!((with(10, 15), with(1000, 40)), (None, None));
        let told = with(200, 40).unwrap();
        assert!(
            told.contains("read and wrote 40.0 MiB while other") && told.contains("200 MiB"),
            "{told}"
        );
        assert!(with(0, 40).is_some());
    }

    #[test]
    fn what_a_process_does_anyway_is_no_work_that_was_put_off() {
        let mut record = completed("001-a", 1);
        let mut told = |deferred_cpu_seconds: f64| {
            let slice = SliceRecord {
                round: 0,
                ok: 150,
                measured_ns: 1_000_000_000,
                reference: None,
                reference_after: None,
                parked: None,
                head: None,
            };
            record.conditions.interleaving = Some(Interleaving {
                beside: Vec::new(),
                head_ns: 0,
                slice_ns: 1_000_000_000,
                slices: vec![slice],
                work: Some(ParkedWork {
                    own_cpu_seconds: 0.015,
                    deferred_cpu_seconds,
                    ..ParkedWork::default()
                }),
            });
            findings(&record).len()
        };
        assert_eq!((told(0.014), told(0.03)), (0, 1));
    }

    #[test]
    fn slow_cores_and_work_that_was_put_off_are_told() {
        assert_eq!(with(0, 0, 0.1, 0), []);
        let slow = with(1, 4, 0.0, 0);
        assert_eq!(
            (slow[0].code(), slow[1].code()),
            (FarCores::CODE, SharedCore::CODE)
        );
        for (finding, words) in slow
            .iter()
            .zip(["shared no cache in 40%", "shared one physical core in 10%"])
        {
            assert!(finding.message().contains(words), "{finding:?}");
        }
        for (charged_ns, cost) in [(0, "so nothing was added"), (400_000_000, "0.40 s were added")] {
            let deferred = with(0, 0, 1.0, charged_ns);
            for words in ["25% of the CPU time that the system used in its own slices", cost] {
                assert!(deferred[0].message().contains(words), "{deferred:?}");
            }
        }
    }
    #[test]
    fn a_system_that_comes_back_to_speed_late_is_told() {
        let mut record = completed("001-a", 1);
        let mut with = |ratios: [f64; 8], lost_ns: i64| {
            let slice = |ratio: f64| SliceRecord {
                round: 0,
                ok: 10,
                measured_ns: 250_000_000,
                reference: None,
                reference_after: None,
                parked: None,
                head: Some(SliceHead {
                    lost_ns,
                    late_ratio: Some(ratio),
                }),
            };
            record.conditions.interleaving = Some(Interleaving {
                beside: Vec::new(),
                head_ns: 25_000_000,
                slice_ns: 250_000_000,
                slices: ratios.into_iter().map(slice).collect(),
                work: None,
            });
            findings(&record)
        };
        assert_eq!(with([1.08; 8], 9_000_000), []);
        // Half of the slices alone may be chance.
        assert_eq!(with([1.2, 1.0, 1.3, 0.9, 1.2, 1.0, 1.3, 1.2], 9_000_000), []);
        let slow = [1.2, 1.3, 1.2, 1.0, 1.2, 1.2, 1.3, 1.2];
        // Where heads lose nothing, it is the measured parts that were fast.
        assert_eq!(with(slow, -2_000_000), []);
        let late = with(slow, 9_000_000);
        assert!(late[0].is::<ShortHead>());
        let words = "the head of a slice (25.0 ms, not measured), operations took 1.20× as long as in the measured part";
        assert!(late[0].message().contains(words), "{late:?}");
    }
}
