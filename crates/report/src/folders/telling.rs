//! How a comparison of two folders is told.

use std::collections::BTreeMap;

use super::FolderComparison;
use crate::Style;
use crate::metrics::Unit;
use crate::model::Word;
use crate::{number, text_table};

impl FolderComparison {
    /// One line that says how it ended.
    #[must_use]
    pub fn summary(&self) -> String {
        format!(
            "{} faster, {} slower, {} equivalent within {}, {} undecided, {} not comparable; {} not compared",
            self.count(Word::Faster),
            self.count(Word::Slower),
            self.count(Word::Equivalent),
            number::share(self.margin),
            self.count(Word::Undecided),
            self.count(Word::NotComparable),
            number::plural(self.refused(), "cell", "cells"),
        )
    }

    /// What the cells of several have in common, e.g. `clients = 4`: said once, and not in every row.
    fn shared(&self) -> Vec<&str> {
        let Some((first, others)) = self.cells.split_first().filter(|(_, others)| !others.is_empty()) else {
            return Vec::new();
        };
        let levels = parts(&first.cell).filter(|part| part.contains(" = "));
        levels
            .filter(|level| {
                others
                    .iter()
                    .all(|other| parts(&other.cell).any(|part| part == *level))
            })
            .collect()
    }

    /// The rows; a cell is named in its first one.
    fn rows(&self) -> Vec<[String; 6]> {
        let (mut rows, shared) = (Vec::new(), self.shared());
        for cell in &self.cells {
            let own: Vec<&str> = parts(&cell.cell).filter(|part| !shared.contains(part)).collect();
            let mut name = own.join(", ");
            for metric in &cell.metrics {
                let value = |value: f64, at_least: bool| number::bounded(metric.unit.format(value), at_least);
                let quantity = match metric.unit {
                    Unit::Rate => number::Quantity::Speed,
                    Unit::Nanoseconds => number::Quantity::Level,
                };
                rows.push([
                    std::mem::take(&mut name),
                    metric.metric.clone(),
                    value(metric.before, metric.at_least.0),
                    value(metric.after, metric.at_least.1),
                    number::times(metric.ratio, metric.interval, quantity, None),
                    metric.verdict.name().to_owned(),
                ]);
            }
        }
        rows
    }

    fn everywhere(&self) -> Option<String> {
        let shared = self.shared();
        (!shared.is_empty()).then(|| format!("everywhere: {}", shared.join(", ")))
    }

    /// What was refused, and what only one folder has.
    fn remarks(&self) -> Vec<String> {
        let different = self.cells.iter().filter(|cell| !cell.differences.is_empty());
        let told = different.map(|cell| {
            let word = if cell.metrics.is_empty() {
                "not comparable"
            } else {
                "compared all the same"
            };
            format!("{}: {word}: {}", cell.cell, cell.differences.join("; "))
        });
        told.chain(self.reasons())
            .chain(self.more_trials())
            .chain(self.unmatched.iter().cloned())
            .collect()
    }

    /// Why metrics have no verdict: one sentence for each reason.
    fn reasons(&self) -> Vec<String> {
        let mut reasons: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        let metrics = self.cells.iter().flat_map(|cell| &cell.metrics);
        for metric in metrics.filter(|metric| metric.verdict == Word::NotComparable || metric.withheld) {
            let named = reasons
                .entry((&metric.reason, metric.verdict.name()))
                .or_default();
            if !named.contains(&metric.metric.as_str()) {
                named.push(&metric.metric);
            }
        }
        let tell = |((reason, word), metrics): ((&str, &str), Vec<&str>)| {
            format!("{}: {word}: {reason}", number::list(&metrics))
        };
        reasons.into_iter().map(tell).collect()
    }

    /// What would decide the undecided: one sentence, for the number of trials is that of the whole study.
    fn more_trials(&self) -> Option<String> {
        let metrics = || self.cells.iter().flat_map(|cell| &cell.metrics);
        let undecided = metrics().filter(|metric| metric.verdict == Word::Undecided && !metric.withheld);
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
                "; {} nearer to the margin than any number of trials would tell",
                number::plural(unknown.len(), "lies", "lie")
            )
        };
        Some(format!(
            "about {trials} on either side would decide {} of the undecided{near}",
            known.len()
        ))
    }

    /// For people.
    #[must_use]
    pub fn text(&self, style: Style) -> String {
        let mut text = String::new();
        let rows = self.rows();
        if !rows.is_empty() {
            let mut table = text_table::new(&HEADER, style);
            for row in rows {
                table.add_row(row);
            }
            text = text_table::finish(table, 2) + "\n\n";
        }
        if let Some(everywhere) = self.everywhere() {
            for line in crate::terminal::wrap(&everywhere, style.width, "  ") {
                text.push_str(&style.dim(&line));
                text.push('\n');
            }
        }
        for remark in self.remarks() {
            for line in crate::terminal::wrap(&remark, style.width, "  ") {
                text.push_str(&style.warn(&line));
                text.push('\n');
            }
        }
        text + &style.bold(&self.summary()) + "\n"
    }

    /// For a summary page of a continuous integration.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("**{}**\n\n| {} |\n", self.summary(), HEADER.join(" | "));
        text.push_str(&format!("|{}\n", "---|".repeat(HEADER.len())));
        for row in self.rows() {
            text.push_str(&format!(
                "| {} |\n",
                row.map(|cell| cell.replace('|', "\\|")).join(" | ")
            ));
        }
        for remark in self.everywhere().into_iter().chain(self.remarks()) {
            text.push_str(&format!("\n- {remark}"));
        }
        text.trim_end().to_owned() + "\n"
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("it holds only maps with text keys");
        text.push('\n');
        text
    }
}

/// The parts of a cell's name: system, workload, levels of factors.
fn parts(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(", ")
}

const HEADER: [&str; 6] = ["what", "metric", "before", "after", "ratio", "verdict"];
