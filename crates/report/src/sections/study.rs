//! A study as a document: the answer first, then how sure it is, then every figure behind it.

mod about;
mod answer;
mod brief;
mod cell;
mod cell_details;
mod cost;
mod cost_plot;
pub(super) mod distribution;
mod factors;
mod findings;
mod glance;
mod lanes;
mod paper;
mod paper_cost;
mod paper_tables;
pub(super) mod plots;
mod price;
mod rates;
mod resource;
mod rising_load;
mod run_order;
pub(super) mod usage;

use std::collections::BTreeMap;

use dbdyno_document::{Block, Document, FigureFile, Media, Render, Tone, figures, latex, markdown};

use super::audit::beside_speed;
use crate::model::{ReportModel, Tone as Statement};

/// How medians and merged percentiles are to be read, where the page's own section on that is missing.
const READING: &str = "Throughput counts successful operations only. Throughput, p50 and p99 are medians over trials, with 95% intervals \
                       from six trials on; merged percentiles are of the operations of all trials together.";

impl ReportModel {
    /// Every figure of the page, in its order.
    #[must_use]
    pub fn figures(&self) -> Vec<FigureFile> {
        figures(&self.document())
    }

    /// As LaTeX tables for a paper: one for each cell, to be `\input` into a document with `booktabs`.
    #[must_use]
    pub fn latex(&self) -> String {
        latex(&paper_tables::document(self))
    }

    /// The answer with one table and one chart of characters, as Markdown: for a pull request, or the summary page of a CI job.
    #[must_use]
    pub fn brief(&self) -> String {
        markdown(&brief::document(self))
    }
}

impl Render for ReportModel {
    fn document(&self) -> Document {
        let mut body = vec![answer::section(self).into()];
        // What the study was made for comes before its systems at a glance.
        body.extend(price::section(self).map(Block::from));
        body.extend(glance::section(self).map(Block::from));
        body.extend(paper::section(self).map(Block::from));
        body.extend(rising_load::sections(self).into_iter().map(Block::from));
        body.extend(cost::of_prices(self).map(Block::from));
        let stretches = usage::stretches(&self.cells);
        let cells = self.cells.iter();
        body.extend(cells.map(|cell| cell::section(cell, stretches).into()));
        if !self.cells.is_empty() {
            let reading = vec![Block::note(READING)];
            body.push(Block::Only(Media::TERMINAL | Media::MARKDOWN, reading));
        }
        body.extend(rates::section(self).map(Block::from));
        body.extend(factors::sections(self).into_iter().map(Block::from));
        body.extend(cost::of_usage(self).map(Block::from));
        body.extend(beside_speed(&self.audits, &self.foreign_audits).map(Block::from));
        body.extend(run_order::section(self).map(Block::from));
        body.extend(findings::section(self).map(Block::from));
        body.extend(about::sections(self).into_iter().map(Block::from));
        Document {
            kind: "report".to_owned(),
            name: self.study.clone(),
            title: title(self),
            about: about::extent(self).into(),
            body,
            colors: colors(self),
            footer: "Made by dbdyno from the records of the study. It loads nothing from elsewhere: keep it, mail it, commit it."
                .to_owned(),
            has_contents: true,
            ..Document::default()
        }
    }
}

/// The colour of each system.
fn colors(model: &ReportModel) -> BTreeMap<String, usize> {
    let systems = model.systems.iter();
    systems
        .map(|system| (system.name.clone(), system.color))
        .collect()
}

/// A quick look says so in its title.
fn title(model: &ReportModel) -> String {
    if model.title.is_empty() {
        format!("Study {}", model.study)
    } else {
        model.title.clone()
    }
}

/// How a statement looks.
const fn tone(statement: Statement) -> Tone {
    match statement {
        Statement::Shown => Tone::Good,
        Statement::Same | Statement::Bounded => Tone::Same,
        Statement::Undecided => Tone::Faint,
        Statement::NotComparable => Tone::Warning,
        Statement::Plain => Tone::Plain,
    }
}
