//! A history as a document: a section for each series.

use dbdyno_document::{Block, Column, Document, Render, Row, Section, Table, TableCell, Tone};

use crate::conditions::joined;
use crate::history::{History, Point, Series};
use crate::number;

/// The level of a series' heading, for the summary page of a pull request has headings of its own.
const NESTING: usize = 2;

impl Render for History {
    fn document(&self) -> Document {
        Document {
            body: self.series.iter().map(|series| section(series).into()).collect(),
            nesting: NESTING,
            ..Document::default()
        }
    }
}

fn section(series: &Series) -> Section {
    let title = format!("{}: {}, {}", series.study, series.cell, series.metric);
    let columns = vec![
        Column::header("point"),
        Column::words("version"),
        Column::numbers("trials"),
        Column::numbers("median"),
        Column::numbers("95% interval"),
        Column::words("change"),
    ];
    let rows = series.points.iter().map(|point| row(series, point));
    let table = Table::new(title.as_str(), columns, rows.collect());
    let body = vec![Block::Table(table), Block::bullets(remarks(series))];
    Section::new("", title, body)
}

fn row(series: &Series, point: &Point) -> Row {
    let interval = point.interval.map_or_else(
        || "–".to_owned(),
        |(low, high)| format!("{} to {}", series.unit.format(low), series.unit.format(high)),
    );
    let change = point.change.map_or_else(TableCell::default, |change| {
        let (word, tone) = if change.slower {
            ("slower", Tone::Bad)
        } else {
            ("faster", Tone::Good)
        };
        let times = number::times(change.ratio, None, number::Quantity::Level);
        TableCell::new(format!("{word}: {times} than the previous level")).toned(tone)
    });
    Row::new([
        TableCell::new(&point.label),
        TableCell::new(&point.version),
        TableCell::new(point.trials.to_string()),
        TableCell::new(number::bounded(series.unit.format(point.median), point.at_least)),
        TableCell::new(interval),
        change,
    ])
}

fn remarks(series: &Series) -> Vec<String> {
    let different = series.points.iter().filter(|point| !point.differences.is_empty());
    let different = different.map(|point| {
        format!(
            "{} is not compared with the previous point: {}",
            point.label,
            joined(&point.differences)
        )
    });
    let unreliable = series.points.iter().filter_map(|point| {
        let why = point.unreliable.as_ref()?;
        Some(format!("{} belongs to no level: {why}", point.label))
    });
    let last = series
        .points
        .last()
        .zip(series.last.as_ref())
        .map(|(point, last)| {
            format!(
                "{} compared with the previous level: {}; {}",
                point.label,
                last.found.word.name(),
                last.found.reason
            )
        });
    different.chain(unreliable).chain(last).collect()
}
