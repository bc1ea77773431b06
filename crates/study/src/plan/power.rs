//! What a study will be able to show, in words, before it runs: see `stats::power`.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_files::Scalar;
use dbdyno_files::values::Noise;
use dbdyno_record::{Severity, TrialRecord, TrialStatus};
use dbdyno_stats::covariate::{Observation, slope};
use dbdyno_stats::pooled::FEWEST_BLOCKS;
use dbdyno_stats::power::{self, Design};
use dbdyno_stats::{MARGIN, Sample};
use dbdyno_vocabulary::number;

use crate::file::comparisons::{independent_comparisons, one_start};
use crate::file::definition::Study;
use crate::plan::analysis::{self, Cell, value};

pub use crate::file::comparisons::comparisons;

/// Noise that is shown where none is known.
const USUAL_NOISE: [f64; 4] = [0.02, 0.05, 0.1, 0.2];

/// The fewest blocks with which every comparison of the study could be decided.
#[must_use]
pub fn fewest_blocks(study: &Study) -> u32 {
    match comparisons(study) {
        0 => 1,
        _ => FEWEST_BLOCKS as u32,
    }
}

/// The noise of earlier results, as reports analyse them: the standard deviation of the logarithm of a trial around what its
/// block shares, without what the speed of the machine explains where comparisons leave that out, too. Of one system alone,
/// around its own level. `None` without two trials of a cell.
#[must_use]
pub fn noise(records: &[TrialRecord]) -> Option<f64> {
    let measured = || {
        records
            .iter()
            .filter(|record| !record.spec.is_pilot() && value(record).is_some())
    };
    let mut cells: BTreeMap<(Cell<'_>, &str), Vec<&TrialRecord>> = BTreeMap::new();
    for record in measured().filter(|record| record.status == TrialStatus::Completed) {
        let own = (record.spec.cell(), record.system.name.as_str());
        cells.entry(own).or_default().push(record);
    }
    let slope = slope_of_speed(&cells.values().cloned().collect::<Vec<_>>());
    let usual = |record: &TrialRecord| {
        let value = value(record)?;
        let slope = slope.filter(|_| record.spec.rate().is_none());
        Some(slope.map_or(value, |slope| {
            value * (-slope * reading(record).unwrap_or_default()).exp()
        }))
    };
    // Latency at a rate that one system missed compares no systems.
    let missed: BTreeSet<Cell<'_>> = cells
        .iter()
        .filter(|(_, trials)| has_missed_its_rate(trials))
        .map(|((cell, _), _)| cell.clone())
        .collect();
    let sound = cells
        .iter()
        .filter(|((cell, _), trials)| !is_doubtful(trials) && !missed.contains(cell))
        .map(|(_, trials)| trials);
    let metrics = analysis::metrics(sound.flatten().copied(), usual)?;
    let of_ratios = metrics
        .iter()
        .filter_map(|metric| Some(metric.analyse().noise?.of_trial()))
        .max_by(f64::total_cmp);
    of_ratios.or_else(|| {
        let samples: Vec<Sample> = cells
            .values()
            .filter_map(|cell| Sample::new(cell.iter().filter_map(|record| usual(record)).collect()).ok())
            .collect();
        power::noise(&samples)
    })
}

/// Whether no verdict rests on the trials of a system in a cell, so that reports leave their noise out.
fn is_doubtful(trials: &[&TrialRecord]) -> bool {
    let mut findings = trials.iter().flat_map(|record| &record.findings);
    let restless = trials.iter().filter(|record| record.conditions.never_steady());
    findings.any(|finding| finding.severity == Severity::Invalid) || 2 * restless.count() >= trials.len()
}

/// Whether half of the trials or more did not sustain their rate.
fn has_missed_its_rate(trials: &[&TrialRecord]) -> bool {
    let pacing = |record: &&&TrialRecord| {
        record
            .measure
            .as_ref()?
            .pacing
            .as_ref()
            .map(|pacing| pacing.sustained)
    };
    let missed = trials.iter().filter(|record| pacing(record) == Some(false));
    2 * missed.count() >= trials.len()
}

/// How closed loops followed the speed of the machine, where every one of them has a reading: what comparisons of their throughputs
/// leave out.
fn slope_of_speed(cells: &[Vec<&TrialRecord>]) -> Option<f64> {
    let observation = |record: &&TrialRecord| {
        Some(Observation {
            covariate: reading(record)?,
            value: value(record)?.ln(),
        })
    };
    let closed_loops = cells.iter().filter(|cell| cell[0].spec.rate().is_none());
    let cells: Option<Vec<Vec<Observation>>> = closed_loops
        .map(|cell| cell.iter().map(observation).collect())
        .collect();
    Some(slope(&cells?)?.slope)
}

/// The logarithm of the time that the reference work took around a trial.
fn reading(record: &TrialRecord) -> Option<f64> {
    Some(record.conditions.reference?.mean_ns()?.ln())
}

/// Reads noise as people write it: `8%`.
///
/// # Errors
/// When it is no share between 0 and 100%.
pub fn parse_noise(text: &str) -> Result<f64, String> {
    Noise::read(text).map(|noise| noise.0)
}

/// What the study will be able to show at this noise; where none is known, at several.
#[must_use]
pub fn sentence(study: &Study, noise: Option<f64>) -> Option<String> {
    let comparisons = comparisons(study);
    if comparisons == 0 {
        return None;
    }
    if one_start(study) {
        return Some(
            "The study cannot detect differences of a lab system: `restart = \"study\"` starts its servers once, and trials on one start count \
             as one value"
                .to_owned(),
        );
    }
    let design = |noise| design(study, noise);
    let among = among(comparisons);
    let blocks = match study.trials {
        1 => "1 block".to_owned(),
        all => format!("{all} blocks"),
    };
    if !design(0.0).can_decide() {
        return Some(format!(
            "{blocks} cannot show any difference {among}, however large: at least {} blocks are needed",
            fewest_blocks(study)
        ));
    }
    let at = |noise: f64| match design(noise).smallest_difference() {
        Some(difference) => format!(
            "{} at {} noise",
            number::whole_share(difference),
            number::whole_share(noise)
        ),
        None => format!("none at {} noise", number::whole_share(noise)),
    };
    Some(match noise {
        Some(noise) => match design(noise).smallest_difference() {
            Some(difference) => format!(
                "{blocks} at {} noise: differences of {} and more in 9 of 10 cases ({among})",
                number::whole_share(noise),
                number::whole_share(difference)
            ),
            None => format!(
                "{blocks} at {} noise: no difference is detected in 9 of 10 cases ({among})",
                number::whole_share(noise)
            ),
        },
        None => format!(
            "{blocks} detect, in 9 of 10 cases ({among}), differences from {}",
            USUAL_NOISE.map(at).join(", ")
        ),
    })
}

/// The study as a design at this noise.
pub(crate) fn design(study: &Study, noise: f64) -> Design {
    Design {
        blocks: study.trials as usize,
        comparisons: comparisons(study),
        independent: independent_comparisons(study),
        noise,
        margin: MARGIN,
    }
}

pub(crate) fn among(comparisons: usize) -> String {
    if comparisons == 1 {
        "in the one comparison".to_owned()
    } else {
        format!("in any of {comparisons} comparisons")
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use dbdyno_record::ReferenceWork;

    use super::*;
    use crate::file::parse;
    use crate::test_record::completed;

    fn study(keys: &str) -> Study {
        let text = format!("name = \"x\"\nworkloads = [\"a\", \"b\", \"c\"]\n{keys}");
        parse(&text, Path::new(".")).unwrap_or_else(|mistake| panic!("{mistake:?}"))
    }

    #[test]
    fn a_study_that_can_decide_nothing_says_how_many_blocks_could() {
        let study = study("systems = [\"memory\", \"null\"]\naa = true\ntrials = 3\n");
        assert_eq!(comparisons(&study), 3, "the twin is compared with nothing");
        assert_eq!(
            sentence(&study, Some(0.05)).unwrap(),
            "3 blocks cannot show any difference in any of 3 comparisons, however large: at least 4 blocks are needed"
        );
    }

    #[test]
    fn one_start_for_the_study_decides_nothing() {
        let kept = "systems = [\"lab:redis\", \"lab:mongodb\"]\nrestart = \"study\"\ntrials = 8\n";
        let of_kept = sentence(&study(kept), Some(0.05)).unwrap();
        assert!(
            of_kept.starts_with("The study cannot detect differences of a lab system"),
            "{of_kept}"
        );
        let anew = study(&kept.replace("\"study\"", "\"block\""));
        assert!(sentence(&anew, Some(0.05)).unwrap().contains("differences of"));
        assert!(crate::plan::budget::refusal(&study(kept)).is_some());
    }

    #[test]
    fn noise_that_the_speed_of_the_machine_explains_is_left_out_where_comparisons_leave_it_out() {
        let blocks = |blocks: u32, has_readings: bool| -> Vec<TrialRecord> {
            let trial = |number: u32| {
                let slower = [1.0, 1.06, 0.97, 1.1, 1.02, 0.94][(number / 4 % 6) as usize];
                let own = if (number / 4).is_multiple_of(2) {
                    1.01
                } else {
                    0.99
                };
                let mut record = completed(&number.to_string(), (1e5 * own / f64::powi(slower, 3)) as u64);
                record.spec.workload = (number % 4).to_string();
                record.conditions.reference = has_readings.then_some(ReferenceWork {
                    before_ns: 2e5 * slower,
                    after_ns: 2e5 * slower,
                });
                record
            };
            (0..4 * blocks).map(trial).collect()
        };
        let measured = noise(&blocks(7, false)).unwrap();
        assert!((0.1..0.3).contains(&measured), "{measured}");
        let usual = noise(&blocks(7, true)).unwrap();
        assert!((0.005..0.02).contains(&usual), "{usual}");
        assert_eq!(
            noise(&blocks(6, true)),
            noise(&blocks(6, false)),
            "too few for a slope"
        );
    }

    #[test]
    fn more_noise_shows_less_and_one_system_shows_nothing() {
        let two = study("systems = [\"memory\", \"null\"]\ntrials = 8\n");
        let quiet = sentence(&two, Some(0.02)).unwrap();
        assert!(
            quiet.starts_with("8 blocks at 2% noise: differences of "),
            "{quiet}"
        );
        assert_ne!(quiet, sentence(&two, Some(0.2)).unwrap());
        assert!(sentence(&two, None).unwrap().contains(" at 20% noise"));
        assert_eq!(sentence(&study("systems = [\"memory\"]\n"), None), None);
    }

    #[test]
    fn without_trials_there_are_enough_for_one_wild_block() {
        assert_eq!(study("systems = [\"memory\", \"null\"]\n").trials, 6);
        let many = study("systems = [\"memory\", \"null\"]\nclients = [1, 2, 4]\n");
        assert_eq!((comparisons(&many), many.trials), (9, 6));
        assert_eq!(
            study("systems = [\"memory\", \"null\"]\nclients = [1, 2, 4]\ntrials = 5\n").trials,
            5
        );
    }

    /// One system in three cells, another one that is measured beside it and shares the blocks' noise.
    #[test]
    fn noise_that_blocks_share_is_no_noise_of_comparisons() {
        let records = |systems: &[&str]| -> Vec<TrialRecord> {
            let mut all = Vec::new();
            for (place, system) in systems.iter().enumerate() {
                for number in 0..24_u32 {
                    let (cell, block) = (number % 3, number / 3);
                    let slow = if (block + cell) % 4 == 0 { 0.52 } else { 1.0 };
                    let own = 1.0 + 0.02 * f64::from(number * 7 + place as u32 * 5).sin();
                    let mut record = completed(&format!("{system}-{number}"), (1e6 * slow * own) as u64);
                    record.spec.workload = cell.to_string();
                    record.block = block;
                    record.system.name = (*system).to_owned();
                    all.push(record);
                }
            }
            all
        };
        let together = noise(&records(&["memory", "null"])).unwrap();
        assert!((0.01..0.03).contains(&together), "{together}");
        // A system that gets no verdict lends no noise.
        let mut with_wild = records(&["memory", "null", "wild"]);
        for record in with_wild.iter_mut().filter(|record| record.system.name == "wild") {
            let measure = record.measure.as_mut().unwrap();
            measure.duration_ns <<= record.block % 5;
        }
        assert!(noise(&with_wild).unwrap() > 0.1);
        let finding = dbdyno_record::Finding::in_words(Severity::Invalid, "x", "", "");
        for cell in 0..3 {
            let wild = |record: &&mut TrialRecord| {
                record.system.name == "wild" && record.spec.workload == cell.to_string()
            };
            let first = with_wild.iter_mut().find(wild);
            first.unwrap().findings.push(finding.clone());
        }
        assert_eq!(noise(&with_wild), Some(together));
        let alone = noise(&records(&["memory"])).unwrap();
        assert!(alone > 0.2, "{alone}");
    }
}
