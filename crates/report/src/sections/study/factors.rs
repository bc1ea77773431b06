//! Effects of factors and growth over sizes: what a study says across its cells.

use dbdyno_analysis::cells::slug;
use dbdyno_chart::Plot;
use dbdyno_chart::sizes::{Line, Point, sizes};
use dbdyno_document::{Block, Column, Figure, Media, Notice, Row, Section, Table, Text, Tone};
use dbdyno_vocabulary::text;

use super::plots;
use crate::model::{
    Comparison, Effect, Effects, GrowthChart, GrowthOverSizes, Interval, ReportModel, Word, sentences,
};
use crate::words::figures::MetricFigures;
use crate::words::names::Named;

/// The columns of effects.
const HEADER: [&str; 6] = ["factor", "at", "metric", "ratio (95%)", "p (Holm)", "effect"];

/// The sections after the workloads; none for a study of one level of everything.
pub fn sections(model: &ReportModel) -> Vec<Section> {
    let effects = model.effects.iter().map(effects);
    let growth = model.growth.iter().map(growth);
    effects.chain(growth).collect()
}

fn effects(effects: &Effects) -> Section {
    let mut body = Vec::new();
    if !effects.beside.is_empty() {
        body.push(Block::Notice(Notice {
            tone: Tone::Plain,
            label: "Noise".to_owned(),
            text: effects.beside.clone(),
        }));
    }
    body.extend(effects.machine_speed.iter().map(|sentence| {
        Block::Notice(Notice {
            tone: Tone::Plain,
            label: "Speed of the machine".to_owned(),
            text: sentence.into(),
        })
    }));
    body.extend(effects.notes.iter().map(|note| {
        Block::Notice(Notice {
            tone: Tone::Warning,
            label: String::new(),
            text: note.clone(),
        })
    }));
    body.push(Block::Only(
        Media::PAGE | Media::MARKDOWN,
        vec![Block::Table(table(effects))],
    ));
    let sentences = Block::bullets(effects.rows.iter().map(sentence));
    body.push(Block::Only(Media::TERMINAL, vec![sentences]));
    Section::new("effects", "Effects", body)
}

fn is_open(effect: &Effect) -> bool {
    matches!(effect.word, Word::Undecided | Word::NotComparable)
}

fn table(effects: &Effects) -> Table {
    let columns = HEADER.map(Column::words).to_vec();
    let rows = effects
        .rows
        .iter()
        .map(|effect| Row::new(row(effect)).faint(is_open(effect)));
    Table::new("Effects of factors", columns, rows.collect()).remark(
        "One level of a factor compared with another, everything else equal. A ratio above 1 is more throughput or more latency. Verdicts are \
         corrected for all effects of a metric (Holm).",
    )
}

/// Its row, by [`HEADER`].
fn row(effect: &Effect) -> [Text; 6] {
    let p_adjusted = effect.comparison.p_adjusted;
    [
        format!("{}: {} against {}", effect.factor, effect.level, effect.base).into(),
        effect.at.clone(),
        effect.comparison.metric.name().into(),
        ratio(&effect.comparison).into(),
        p_adjusted.map_or_else(|| "–".into(), |p| format!("{p:.3}").into()),
        format!("{}: {}", effect.word.name(), effect.reason).into(),
    ]
}

fn ratio(comparison: &Comparison) -> String {
    let none = if comparison.interval.is_none() {
        " (no interval)"
    } else {
        ""
    };
    format!("{}{none}", sentences::ratio(comparison))
}

/// An effect on a terminal, which has no room for its row.
fn sentence(effect: &Effect) -> Text {
    let [factor, at, metric, ratio, .., word] = row(effect);
    let text = text![factor, ", ", at, ", ", metric, ": ", ratio, "; ", word];
    if is_open(effect) {
        Text::new().toned(Tone::Faint, text.flat())
    } else {
        text
    }
}

fn growth(growth: &GrowthOverSizes) -> Section {
    let figures: Vec<Figure> = growth.charts.iter().filter_map(figure).collect();
    let mut body = vec![Block::Figures(figures)];
    body.extend(growth.charts.iter().map(|chart| {
        let title = format!("{}: {}", chart.title, chart.metric.name());
        let curves = chart.curves.iter().map(|curve| &curve.sentence);
        let sentences = curves.chain(chart.crossings.iter().map(|row| &row.sentence));
        let bullets = Block::bullets(sentences);
        Section::new("", title, vec![bullets]).into()
    }));
    body.extend(growth.notes.iter().map(Block::note));
    Section::new("growth", "Growth", body)
}

fn figure(chart: &GrowthChart) -> Option<Figure> {
    let lines: Vec<Line<'_>> = chart
        .curves
        .iter()
        .map(|curve| Line {
            name: &curve.system,
            color: curve.color,
            points: curve
                .points
                .iter()
                .map(|point| Point {
                    size: point.records as f64,
                    value: point.median,
                    at_least: point.at_least,
                    interval: point.interval.map(Interval::ends),
                })
                .collect(),
        })
        .collect();
    let plot = Plot {
        name: &slug(&format!("{} {}", chart.title, chart.metric.name())),
        title: &format!("{}: {} by number of records", chart.title, chart.metric.name()),
        value: chart.metric.column(),
        format: &|value| chart.metric.format(value),
    };
    sizes(&lines, &plot, "records").map(plots::figure)
}
