//! One set-up of a paper: its figures, quantity by quantity, with the claims about each below them.

use std::collections::BTreeMap;

use dbdyno_document::{Block, Figure, Media, Section, Text};
use dbdyno_paper::{Rerun, Version};

use super::PaperPage;
use crate::model::{Bars, ClaimRow, PaperReport, PrintedQuantity, ReportModel, Side, product_color};
use crate::number;
use crate::sections::marked::marked;
use crate::sections::printed_and_now::{Source, by_workload, numbers, over_sizes, workload};

/// A set-up.
pub(super) struct Part {
    pub(super) rerun: Rerun,
    /// What its runs say; `None` where it was not measured again.
    pub(super) report: Option<PaperReport>,
    pub(super) colors: BTreeMap<String, usize>,
    sides: Vec<Side>,
    bars: Vec<Bars>,
}

/// A figure, printed and now.
struct Pair {
    printed: Option<Figure>,
    now: Option<Figure>,
    /// Its numbers as a table, where they are over sizes and were measured.
    numbers: Option<Block>,
}

impl Part {
    pub(super) fn new(rerun: Rerun, model: Option<ReportModel>, figures: (Vec<Side>, Vec<Bars>)) -> Self {
        let mut colors = colors(&rerun);
        let (mut sides, bars) = figures;
        if let Some(model) = &model {
            let known = model.systems.iter();
            colors.extend(known.map(|system| (system.name.clone(), system.color)));
        }
        let is_printed = |side: &Side| {
            let mut points = side.systems.iter().flat_map(|system| &system.points);
            points.any(|point| point.printed.is_some())
        };
        sides.retain(is_printed);
        Self {
            rerun,
            report: model.and_then(|model| model.paper),
            colors,
            sides,
            bars,
        }
    }

    /// The section, and the claims that it shows.
    pub(super) fn section(&self, page: &PaperPage, shown: &[String]) -> (Option<Section>, Vec<String>) {
        let mut claims: Vec<String> = Vec::new();
        let mut body: Vec<Block> = self.about(page);
        let before = body.len();
        for quantity in self.quantities() {
            let pairs = self.pairs(quantity);
            if pairs
                .iter()
                .all(|pair| pair.printed.is_none() && pair.now.is_none())
            {
                continue;
            }
            let own: Vec<&ClaimRow> = page
                .printed
                .iter()
                .filter(|row| !shown.contains(&row.id) && !claims.contains(&row.id))
                .filter(|row| is_about(row, quantity) && self.judges(page, row))
                .collect();
            let mut blocks = drawn(pairs);
            let words = sentence_case(&quantity.words());
            blocks.extend(page.claims(&format!("Claims about {}", quantity.words()), &own));
            claims.extend(own.iter().map(|row| row.id.clone()));
            let id = format!("{}-{}", self.id(), quantity.column().replace('_', "-"));
            body.push(
                Section {
                    is_subordinate: true,
                    ..Section::new(id, words, blocks)
                }
                .into(),
            );
        }
        if body.len() == before && self.report.is_none() {
            return (None, claims);
        }
        (Some(Section::new(self.id(), self.title(page), body)), claims)
    }

    /// The part's name as an anchor.
    fn id(&self) -> String {
        self.rerun.part.replace([' ', ','], "-")
    }

    /// The paper's set-up, and the part that measures it again.
    fn title(&self, page: &PaperPage) -> String {
        let topology = page.paper.topology.get(&self.rerun.topology);
        let name = topology.and_then(|topology| topology.name.clone());
        let name = sentence_case(&name.unwrap_or_else(|| self.rerun.topology.clone()));
        if self.report.is_none() || self.rerun.part == self.rerun.topology {
            name
        } else {
            format!("{name}, part {}", self.rerun.part)
        }
    }

    /// What is measured in place of what, and how it differs.
    fn about(&self, page: &PaperPage) -> Vec<Block> {
        let named = |id: &str| {
            let system = page.paper.systems.iter().find(|system| system.id == id);
            system.map_or_else(
                || id.to_owned(),
                |system| match &system.version {
                    Version::Stated(version) if system.db == id => format!("{id} {version}"),
                    Version::Stated(version) => format!("{id} ({} {version})", system.db),
                    Version::NotStated(_) => format!("{id} (version not stated)"),
                },
            )
        };
        let systems: Vec<String> = self
            .rerun
            .systems
            .iter()
            .map(|system| named(&system.id))
            .collect();
        let Some(report) = &self.report else {
            return vec![Block::about(format!("Printed of {}.", number::list(&systems)))];
        };
        let addresses: Vec<Text> = report
            .systems
            .iter()
            .map(|system| {
                Text::from(format!("{} by {} (", system.id, system.product))
                    .code(&system.address)
                    .plain(")")
            })
            .collect();
        let scale = if report.scale == 1.0 {
            String::new()
        } else {
            format!(", at {} of the sizes", number::share(report.scale))
        };
        let about = Text::from(format!(
            "Printed of {}. Measured again{scale}: ",
            number::list(&systems)
        ))
        .text(Text::joined(addresses, ", "))
        .plain(".");
        let notes = Block::bullets(report.notes.iter().map(|note| marked(note)));
        vec![
            Block::about(about),
            Block::Details("What was assumed, replaced and changed".into(), vec![notes]),
        ]
    }

    /// Run time first, then throughput, then latencies.
    fn quantities(&self) -> Vec<PrintedQuantity> {
        let all = self.sides.iter().map(|side| side.quantity);
        let mut all: Vec<PrintedQuantity> = all.chain(self.bars.iter().map(|bars| bars.quantity)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn pairs(&self, quantity: PrintedQuantity) -> Vec<Pair> {
        let color = |name: &str| self.colors.get(name).copied().unwrap_or_default();
        let words = quantity.words();
        let sides = self
            .sides
            .iter()
            .filter(|side| side.quantity == quantity)
            .map(|side| {
                let [printed, now] =
                    [(Source::Printed, "printed"), (Source::Measured, "now")].map(|(source, word)| {
                        let size = match side.size.as_str() {
                            "rate" => "requested rate",
                            size => size,
                        };
                        let workload = workload(&side.workload);
                        let title = format!("{workload}, {word}: {words} over {size}");
                        over_sizes(side, source, &title, &color)
                    });
                Pair {
                    printed,
                    now,
                    numbers: side.is_measured().then(|| {
                        let summary = format!("Numbers: {}", lower_case(&workload(&side.workload)));
                        Block::Details(summary.into(), vec![Block::Table(numbers(side))])
                    }),
                }
            });
        let bars = self
            .bars
            .iter()
            .filter(|bars| bars.quantity == quantity)
            .map(|bars| {
                let at = match &bars.size {
                    Some((size, of)) => format!(", at {} {of}", number::count(*size)),
                    None => String::new(),
                };
                let words = match quantity {
                    PrintedQuantity::Throughput => format!("highest {words}"),
                    _ => words.clone(),
                };
                let [printed, now] =
                    [(Source::Printed, "Printed"), (Source::Measured, "Now")].map(|(source, word)| {
                        by_workload(bars, source, &format!("{word}: {words} by workload{at}"), &color)
                    });
                Pair {
                    printed,
                    now,
                    numbers: None,
                }
            });
        bars.chain(sides).collect()
    }

    /// Whether a claim belongs to this part: its runs test it, or no runs of the page do.
    fn judges(&self, page: &PaperPage, claim: &ClaimRow) -> bool {
        let now = page.now(&claim.id);
        let mut parts = now.rows.iter().map(|(part, _)| *part);
        let is_tested_elsewhere = || {
            let mut tested = now.rows.iter().filter(|(_, row)| row.is_tested());
            tested.any(|(part, _)| page.parts.iter().any(|other| other.rerun.part == *part))
        };
        match &claim.topology {
            Some(topology) if *topology != self.rerun.topology => false,
            _ => {
                now.rows.is_empty()
                    || parts.any(|part| part == self.rerun.part)
                    || (self.report.is_none() && !is_tested_elsewhere())
            }
        }
    }
}

/// Whether the first thing that a claim is about is this quantity.
fn is_about(claim: &ClaimRow, quantity: PrintedQuantity) -> bool {
    let mut known = claim
        .columns
        .iter()
        .filter_map(|column| PrintedQuantity::of_column(column));
    known.next().is_some_and(|first| {
        let is_time = |quantity| matches!(quantity, PrintedQuantity::Seconds | PrintedQuantity::Milliseconds);
        first == quantity || (is_time(first) && is_time(quantity))
    })
}

/// Figures in pairs, each with its numbers; alone, side by side, where nothing was measured.
fn drawn(pairs: Vec<Pair>) -> Vec<Block> {
    if pairs.iter().all(|pair| pair.now.is_none()) {
        let printed: Vec<Figure> = pairs.into_iter().filter_map(|pair| pair.printed).collect();
        return vec![Block::Only(
            Media::PAGE | Media::LATEX,
            vec![Block::Figures(printed)],
        )];
    }
    let blocks = pairs.into_iter().flat_map(|pair| {
        let figures: Vec<Figure> = [pair.printed, pair.now].into_iter().flatten().collect();
        let drawn = Block::Only(Media::PAGE | Media::LATEX, vec![Block::Figures(figures)]);
        [Some(drawn), pair.numbers].into_iter().flatten()
    });
    blocks.collect()
}

fn lower_case(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_lowercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn sentence_case(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// The products' own colours, and others where several systems are of one product.
fn colors(rerun: &Rerun) -> BTreeMap<String, usize> {
    let mut colors: BTreeMap<String, usize> = BTreeMap::new();
    for system in &rerun.systems {
        let own = product_color([system.id.as_str(), system.address.as_str()]);
        let is_taken = |color: &usize| colors.values().any(|taken| taken == color);
        let free = || (0..).find(|color| !is_taken(color)).unwrap_or_default();
        let color = own.filter(|color| !is_taken(color)).unwrap_or_else(free);
        colors.insert(system.id.clone(), color);
    }
    colors
}
