//! Two folders side by side as a document: the rows, what could not be compared, and how it ended.

use std::collections::BTreeMap;

use dbdyno_document::{Block, Column, Document, Media, Render, Row, Table, TableCell, Text, Tone, Verdict};

use dbdyno_record::CoreMode;
use dbdyno_stats::{BAND, Interval};

use crate::compared::{ComparedMetric, FolderComparison};
use crate::conditions::joined;
use crate::model::Word;
use crate::number;
use crate::test_name::{self, TestName, of_level};
use crate::text_chart::{self, Line};

/// More lines than these are no chart to look at; the table has all of them.
const MOST_LINES: usize = 24;

impl FolderComparison {
    /// One line that says how it ended.
    #[must_use]
    pub fn summary(&self) -> String {
        let on_one_side = match self.unmatched.len() {
            0 => String::new(),
            count => format!(", {count} on one side only"),
        };
        let bounded = match self.count(Word::Bounded) {
            0 => String::new(),
            count => format!("{count} bounded within {}, ", number::share(BAND)),
        };
        format!(
            "{} faster, {} slower, {} equivalent within {}, {bounded}{} undecided, {} not comparable; {} not compared{on_one_side}",
            self.count(Word::Faster),
            self.count(Word::Slower),
            self.count(Word::Equivalent),
            number::share(self.margin),
            self.count(Word::Undecided),
            self.count(Word::NotComparable),
            number::plural(self.refused(), "cell", "cells"),
        )
    }
}

impl Render for FolderComparison {
    fn document(&self) -> Document {
        let everywhere = self.everywhere();
        let remarks = self
            .remarks()
            .into_iter()
            .map(|remark| Text::new().toned(Tone::Warning, remark));
        let summary = Block::Verdict(Verdict {
            text: self.summary().into(),
            is_headline: true,
            ..Verdict::default()
        });
        Document {
            body: vec![
                // A page is read from its top; on a terminal the last line is in view.
                Block::Only(
                    Media::MARKDOWN | Media::PAGE | Media::LATEX,
                    vec![summary.clone()],
                ),
                Block::Table(self.table()),
                Block::Only(Media::MARKDOWN, self.chart().into_iter().collect()),
                Block::bullets(everywhere.into_iter().chain(remarks)),
                Block::Only(Media::TERMINAL, vec![summary]),
            ],
            ..Document::default()
        }
    }
}

impl FolderComparison {
    /// A row for each metric; a cell is named in its first one.
    fn table(&self) -> Table {
        let columns = vec![
            Column::header("what"),
            Column::words("metric"),
            Column::numbers("before"),
            Column::numbers("after"),
            Column::numbers("ratio"),
            Column::words("verdict"),
        ];
        let shared = self.shared();
        let rows = self.cells.iter().flat_map(|cell| {
            let mut name = cell.test.text(&shared).flat();
            cell.metrics
                .iter()
                .map(move |metric| row(std::mem::take(&mut name), metric))
        });
        Table::new("Before and after", columns, rows.collect())
    }

    /// The ratios that were judged, for where a log or a pull request shows text alone.
    fn chart(&self) -> Option<Block> {
        let shared = self.shared();
        let judged = self.cells.iter().flat_map(|cell| {
            let name = cell.test.text(&shared).flat();
            let metrics = cell.metrics.iter();
            let judged = metrics.filter(|metric| metric.found.word != Word::NotComparable);
            judged.map(move |metric| {
                let [.., ratio] = metric.figures();
                Line {
                    label: format!("{name}: {}", metric.metric),
                    point: metric.found.ratio,
                    interval: metric.found.interval.map(Interval::ends),
                    figures: format!("{ratio}: {}", metric.found.word.name()),
                }
            })
        });
        let mut lines: Vec<Line> = judged.collect();
        let more = lines.len().saturating_sub(MOST_LINES);
        lines.truncate(MOST_LINES);
        let mut text = text_chart::ratios(&lines, self.margin);
        if more > 0 {
            text.push_str(&format!("{more} more in the table\n"));
        }
        let caption = "After relative to before (●) with its 95% interval (├─┤). Between the dotted lines (┊), a difference does not \
                       matter.\nMore throughput is better; less latency is better.";
        (!lines.is_empty()).then(|| Block::Code("text", format!("{caption}\n\n{text}")))
    }

    /// The levels of factors that all tests share: shown once, and not in every row.
    fn shared(&self) -> Vec<(String, String)> {
        let tests: Vec<&TestName> = self.cells.iter().map(|cell| &cell.test).collect();
        test_name::shared(&tests)
    }

    fn everywhere(&self) -> Option<Text> {
        let levels: Vec<String> = self.shared().iter().map(of_level).collect();
        (!levels.is_empty())
            .then(|| Text::new().toned(Tone::Faint, format!("everywhere: {}", levels.join(", "))))
    }

    /// What was refused, and what only one folder has.
    fn remarks(&self) -> Vec<String> {
        let different = self.cells.iter().filter(|cell| !cell.differences.is_empty());
        let refused = different.map(|cell| {
            let word = if cell.metrics.is_empty() {
                "not comparable"
            } else {
                "compared anyway"
            };
            format!("{}: {word}: {}", cell.cell, joined(&cell.differences))
        });
        refused
            .chain(self.reasons())
            .chain(self.modes())
            .chain(self.more_trials())
            .chain(self.unmatched.iter().map(ToString::to_string))
            .collect()
    }

    /// Why metrics have no verdict: one sentence for each reason.
    fn reasons(&self) -> Vec<String> {
        let mut reasons: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        let metrics = self.cells.iter().flat_map(|cell| &cell.metrics);
        for metric in metrics.filter(|metric| metric.found.word == Word::NotComparable || metric.withheld) {
            let named = reasons
                .entry((&metric.found.reason, metric.found.word.name()))
                .or_default();
            if !named.contains(&metric.metric.as_str()) {
                named.push(&metric.metric);
            }
        }
        let sentence = |((reason, word), metrics): ((&str, &str), Vec<&str>)| {
            format!("{}: {word}: {reason}", number::list(&metrics))
        };
        reasons.into_iter().map(sentence).collect()
    }

    /// In which modes of the CPUs throughputs were compared, where these stood otherwise before than after.
    fn modes(&self) -> Vec<String> {
        let mut shares: BTreeMap<CoreMode, Vec<(f64, f64)>> = BTreeMap::new();
        let metrics = self.cells.iter().flat_map(|cell| &cell.metrics);
        for shared in metrics.filter_map(|metric| metric.mode) {
            let own = shares.entry(shared.mode).or_default();
            own.push((shared.before, shared.after));
        }
        let span = |shares: Vec<f64>| {
            let low = shares.iter().copied().fold(1.0, f64::min);
            let high = shares.iter().copied().fold(0.0, f64::max);
            let (low, high) = (number::whole_share(low), number::whole_share(high));
            if low == high {
                low
            } else {
                format!("{low} to {high}")
            }
        };
        let sentence = |(mode, shares): (CoreMode, Vec<(f64, f64)>)| {
            let (before, after) = shares.into_iter().unzip();
            format!(
                "throughput: compared only in slices in which the CPUs {} ({} of them before, {} after)",
                mode.in_words(),
                span(before),
                span(after)
            )
        };
        shares.into_iter().map(sentence).collect()
    }

    /// What would decide the undecided: one sentence, for the number of trials is that of the whole study.
    fn more_trials(&self) -> Option<String> {
        let metrics = || self.cells.iter().flat_map(|cell| &cell.metrics);
        let undecided = metrics().filter(|metric| metric.found.word == Word::Undecided && !metric.withheld);
        let (known, unknown): (Vec<_>, Vec<_>) = undecided.partition(|metric| metric.trials_needed.is_some());
        let needed = known.iter().filter_map(|metric| metric.trials_needed);
        let (least, most) = (needed.clone().min()?, needed.max()?);
        let trials = if least == most {
            format!("{most} trials")
        } else {
            format!("{least} to {most} trials")
        };
        let near = if unknown.is_empty() {
            String::new()
        } else {
            format!(
                "; {} too close to the margin for any number of trials to decide",
                number::plural(unknown.len(), "lies", "lie")
            )
        };
        Some(format!(
            "about {trials} on either side would decide {} of the undecided{near}",
            known.len()
        ))
    }
}

fn row(name: String, metric: &ComparedMetric) -> Row {
    let [before, after, ratio] = metric.figures();
    Row::new([
        TableCell::new(name),
        TableCell::new(&metric.metric),
        TableCell::new(before),
        TableCell::new(after),
        TableCell::new(ratio),
        TableCell::new(metric.found.word.name()).toned(tone(metric.found.word)),
    ])
}

const fn tone(verdict: Word) -> Tone {
    match verdict {
        Word::Faster => Tone::Good,
        Word::Slower => Tone::Bad,
        Word::Equivalent | Word::Bounded => Tone::Same,
        Word::Undecided => Tone::Faint,
        Word::NotComparable => Tone::Warning,
    }
}
