//! The answer in one or two sentences: what changed, worst first, and what could not be decided and why.

use std::collections::BTreeMap;

use dbdyno_analysis::Undecided;
use dbdyno_document::{Block, Text, Tone};
use dbdyno_stats::permutation::fewest_trials;
use dbdyno_stats::{BAND, CONFIDENCE, Interval};
use dbdyno_vocabulary::text;

use super::{Compared, conditions};
use crate::compared::{ComparedCell, FolderComparison, Unmatched};
use crate::model::Word;
use crate::number;
use crate::same_trials;
use crate::words::change::{change, undecided, undecided_alone};

/// So many are named; the others are counted.
const NAMED: usize = 3;

/// The answer, a headline for each kind of it. `names` are those of both sides, or empty.
pub fn headlines(comparison: &FolderComparison, names: &[&str]) -> Vec<Block> {
    let mut sentences: Vec<(Tone, Text)> = Vec::new();
    if comparison.identical {
        sentences.push((Tone::Plain, identical(names)));
        // Conditions that are not stated may differ even so.
        if comparison.refused() > 0 {
            let differing = conditions::sentences(comparison).into_iter();
            sentences.extend(differing.map(|sentence| (Tone::Warning, sentence)));
        }
    } else {
        sentences.extend(count(comparison).map(|sentence| (Tone::Same, sentence)));
        let of = |word: Word, label: Text| listed(comparison, &comparison.of_words(&[word]), label);
        let (slower, faster) = (
            Text::new().toned(Tone::Bad, "Slower"),
            Text::new().toned(Tone::Good, "Faster"),
        );
        sentences.extend(of(Word::Slower, slower).map(|sentence| (Tone::Bad, sentence)));
        sentences.extend(lost(comparison).into_iter().map(|sentence| (Tone::Bad, sentence)));
        sentences.extend(of(Word::Faster, faster).map(|sentence| (Tone::Good, sentence)));
        sentences.extend(open(comparison).map(|sentence| (Tone::Faint, sentence)));
        sentences.extend(same(comparison).map(|sentence| (Tone::Warning, sentence)));
        let differing = conditions::sentences(comparison).into_iter();
        sentences.extend(differing.map(|sentence| (Tone::Warning, sentence)));
        sentences.extend(
            unmatched(comparison)
                .into_iter()
                .map(|sentence| (Tone::Warning, sentence)),
        );
    }
    if let (Some((_, first)), Some(left_out)) = (sentences.first_mut(), left_out(comparison)) {
        *first = text![std::mem::take(first), left_out];
    }
    let headline = |(tone, text): (Tone, Text)| Block::headline(tone, text);
    sentences.into_iter().map(headline).collect()
}

/// How many tests the answer says nothing of.
fn left_out(comparison: &FolderComparison) -> Option<String> {
    let missing = comparison.refused() + comparison.unmatched.len();
    let all = comparison.cells.len() + comparison.unmatched.len();
    let were = if missing == 1 { "was" } else { "were" };
    let is_said = missing > 0 && comparison.judged() > 0;
    is_said.then(|| format!(" {missing} of {all} tests {were} not compared."))
}

fn identical(names: &[&str]) -> Text {
    match names {
        [before, after] if before == after => {
            text![format!("{before} is compared with itself: nothing can differ.")]
        }
        [before, after] => text![format!(
            "{before} and {after} hold the same trials: nothing can differ."
        )],
        _ => "Both sides hold the same trials: nothing can differ.".into(),
    }
}

/// How many comparisons show no change; `None` where there is none to count.
fn count(comparison: &FolderComparison) -> Option<Text> {
    let judged = comparison.judged();
    let unchanged = comparison.of_words(&[Word::Equivalent, Word::Bounded]).len();
    let open = comparison.count(Word::Undecided);
    let comparisons = |count: usize| number::plural(count, "comparison", "comparisons");
    let within = if comparison.count(Word::Bounded) > 0 {
        BAND.max(comparison.margin)
    } else {
        comparison.margin
    };
    let nothing = match left_out(comparison) {
        Some(_) => "Nothing changed in what was compared",
        None => "Nothing changed",
    };
    let sentence = match judged {
        0 if comparison.cells.is_empty() => "Both sides have no test in common.".to_owned(),
        0 if comparison.refused() > 0 => "Nothing was compared.".to_owned(),
        0 => "No metric can be compared: latency is compared at a rate that was sustained before and after."
            .to_owned(),
        1 if unchanged == 1 => format!(
            "{nothing}: the only comparison is within {}.",
            number::share(within)
        ),
        _ if unchanged == judged => {
            format!(
                "{nothing}: all {} are within {}.",
                comparisons(judged),
                number::share(within)
            )
        }
        _ if open == judged => return None,
        _ if unchanged == 0 => return changed_only(comparison, judged),
        _ if unchanged + open == judged => format!(
            "No change is shown: {} unchanged, {open} undecided.",
            number::plural(unchanged, "comparison is", "comparisons are")
        ),
        _ => format!("Nothing changed in {unchanged} of {}.", comparisons(judged)),
    };
    Some(sentence.into())
}

/// Nothing is shown to be unchanged.
fn changed_only(comparison: &FolderComparison, judged: usize) -> Option<Text> {
    let changed = comparison.slower() + comparison.faster();
    let all = number::plural(judged, "comparison", "comparisons");
    Some(format!("{changed} of {all} changed.").into())
}

/// `Slower: C: read only, full speed, fjall: throughput 12% lower (9 to 15); ...`. A repeat that changed alike is named with its original.
fn listed(comparison: &FolderComparison, found: &[Compared<'_>], label: Text) -> Option<Text> {
    let shared = comparison.shared();
    let repeats = |one: &Compared<'_>, other: &Compared<'_>| {
        let (own, its) = (&one.cell.test, &other.cell.test);
        own.system != own.original()
            && own.original() == its.system
            && own.work_and_load(&[]) == its.work_and_load(&[])
            && one.metric.metric == other.metric.metric
    };
    let is_told = |one: &&Compared<'_>| !found.iter().any(|other| repeats(one, other));
    let told: Vec<&Compared<'_>> = found.iter().filter(is_told).collect();
    let named = told.iter().take(NAMED).map(|compared| {
        let metric = compared.metric;
        let words = change(metric.found.ratio, metric.found.interval.map(Interval::ends));
        let is_repeated = found.iter().any(|other| repeats(other, compared));
        let repeat = if is_repeated { " and its repeat" } else { "" };
        text![
            compared.cell.test.text(&shared),
            format!("{repeat}: {} {words}", metric.metric)
        ]
    });
    (!told.is_empty()).then(|| text![label, ": ", and_more(named.collect(), told.len()), "."])
}

/// The named ones, and how many there are beside them.
fn and_more(named: Vec<Text>, all: usize) -> Text {
    let more = all.saturating_sub(named.len());
    let listed = Text::joined(named, "; ");
    if more > 0 {
        text![listed, format!("; and {more} more")]
    } else {
        listed
    }
}

/// Rates that are no longer sustained, and trials that are no longer sound.
fn lost(comparison: &FolderComparison) -> Vec<Text> {
    let of = |label: &'static str, is_lost: &dyn Fn(&ComparedCell) -> bool| {
        let shared = comparison.shared();
        let lost: Vec<&ComparedCell> = comparison.cells.iter().filter(|cell| is_lost(cell)).collect();
        let named = lost.iter().take(NAMED).map(|cell| cell.test.text(&shared));
        (!lost.is_empty()).then(|| text![format!("{label}: "), and_more(named.collect(), lost.len()), "."])
    };
    [
        of("No longer keeps its rate", &|cell| {
            cell.metrics.iter().any(|metric| metric.rate_lost)
        }),
        of("New failures or invalid trials", &|cell| {
            cell.metrics.iter().any(|metric| metric.answers_lost)
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// `Undecided: 3 with too few trials (about 6 on either side would decide), 1 without a steady state.`
fn open(comparison: &FolderComparison) -> Option<Text> {
    let mut kinds: BTreeMap<Undecided, Vec<Option<usize>>> = BTreeMap::new();
    for metric in comparison.all().map(|compared| compared.metric) {
        // Which tests have trials of both sides is a sentence of its own.
        if let Some(why) = metric.undecided().filter(|why| *why != Undecided::SameTrials) {
            kinds.entry(why).or_default().push(metric.trials_needed);
        }
    }
    let open: usize = kinds.values().map(Vec::len).sum();
    let is_all = open == comparison.judged();
    let parts: Vec<String> = kinds
        .iter()
        .map(|(why_kind, needed)| {
            let why = match is_all && kinds.len() == 1 {
                true => undecided_alone(*why_kind).to_owned(),
                false => format!("{} {}", needed.len(), undecided(*why_kind)),
            };
            let needed = match why_kind {
                Undecided::TooFewTrials => {
                    let fewest = fewest_trials(CONFIDENCE);
                    format!(" (a verdict takes {fewest} or more on either side)")
                }
                _ => would_decide(needed),
            };
            format!("{why}{needed}")
        })
        .collect();
    let label = match is_all {
        true if open == 1 => "The only comparison is undecided: ".to_owned(),
        true => format!("All {open} comparisons are undecided: "),
        false => "Undecided: ".to_owned(),
    };
    (open > 0).then(|| format!("{label}{}.", parts.join(", ")).into())
}

/// `6 trials are the same on both sides, so there is no verdict on C: read only, full speed, fjall.`
fn same(comparison: &FolderComparison) -> Option<Text> {
    let shared = comparison.shared();
    let own = comparison.cells.iter().filter(|cell| cell.same_trials > 0);
    let own: Vec<&ComparedCell> = own.collect();
    let trials: usize = own.iter().map(|cell| cell.same_trials).sum();
    let named = own.iter().take(NAMED).map(|cell| cell.test.text(&shared));
    (!own.is_empty()).then(|| {
        let label = format!("{}, so there is no verdict on ", same_trials::reason(trials));
        text![label, and_more(named.collect(), own.len()), "."]
    })
}

/// About how many trials would decide those that more trials can decide.
fn would_decide(needed: &[Option<usize>]) -> String {
    let known = || needed.iter().flatten();
    match (known().min(), known().max()) {
        (Some(least), Some(most)) if least == most => format!(" (about {most} on either side would decide)"),
        (Some(least), Some(most)) => format!(" (about {least} to {most} trials on either side would decide)"),
        _ => String::new(),
    }
}

/// Tests that only one side has.
pub fn unmatched(comparison: &FolderComparison) -> Vec<Text> {
    let of = |label: &str, is_before: bool| {
        let own = comparison
            .unmatched
            .iter()
            .filter(|test| test.is_before == is_before);
        let own: Vec<&Unmatched> = own.collect();
        let named = own
            .iter()
            .take(NAMED)
            .map(|test| test.test.text(&comparison.shared()));
        (!own.is_empty()).then(|| text![format!("{label}: "), and_more(named.collect(), own.len()), "."])
    };
    [of("Only before", true), of("Only after", false)]
        .into_iter()
        .flatten()
        .collect()
}
