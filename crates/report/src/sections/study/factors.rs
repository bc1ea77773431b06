//! Effects of factors and growth over sizes: what a study says across its cells.

use dbdyno_analysis::cells::slug;
use dbdyno_chart::Plot;
use dbdyno_chart::sizes::{Line, Point, sizes};
use dbdyno_document::{Block, Column, Figure, Media, Notice, Row, Section, Table, Text, Tone};

use super::names::Names;
use super::plots::{self, ends};
use crate::model::{Comparison, Effect, Effects, GrowthChart, GrowthOverSizes, ReportModel, Word, sentences};

/// The columns of effects.
const HEADER: [&str; 6] = ["factor", "at", "metric", "ratio (95%)", "p (Holm)", "effect"];

/// The sections after the workloads; none for a study of one level of everything.
pub fn sections(model: &ReportModel, names: &Names) -> Vec<Section> {
    let effects = model.effects.iter().map(|own| effects(own, names));
    let growth = model.growth.iter().map(|own| growth(own, names));
    effects.chain(growth).collect()
}

fn effects(effects: &Effects, names: &Names) -> Section {
    let mut body = Vec::new();
    if !effects.beside.is_empty() {
        body.push(Block::Notice(Notice {
            tone: Tone::Plain,
            label: "Noise".to_owned(),
            text: names.mark(&effects.beside),
        }));
    }
    body.extend(effects.machine_speed.iter().map(|sentence| {
        Block::Notice(Notice {
            tone: Tone::Plain,
            label: "Speed of the machine".to_owned(),
            text: names.mark(sentence),
        })
    }));
    body.extend(effects.notes.iter().map(|note| {
        Block::Notice(Notice {
            tone: Tone::Warning,
            label: String::new(),
            text: names.mark(note),
        })
    }));
    body.push(Block::Only(
        Media::PAGE | Media::MARKDOWN,
        vec![Block::Table(table(effects, names))],
    ));
    let sentences = Block::bullets(effects.rows.iter().map(sentence));
    body.push(Block::Only(Media::TERMINAL, vec![sentences]));
    Section::new("effects", "Effects", body)
}

fn is_open(effect: &Effect) -> bool {
    matches!(effect.word, Word::Undecided | Word::NotComparable)
}

fn table(effects: &Effects, names: &Names) -> Table {
    let columns = HEADER.map(Column::words).to_vec();
    let rows = effects
        .rows
        .iter()
        .map(|effect| Row::new(row(effect).map(|text| names.mark(&text))).faint(is_open(effect)));
    Table::new("Effects of factors", columns, rows.collect()).remark(
        "One level of a factor compared with another, everything else equal. A ratio above 1 is more throughput or more latency. Verdicts are \
         corrected for all effects of a metric (Holm).",
    )
}

/// Its row, by [`HEADER`].
fn row(effect: &Effect) -> [String; 6] {
    let p_adjusted = effect.comparison.p_adjusted;
    [
        format!("{}: {} against {}", effect.factor, effect.level, effect.base),
        effect.at.clone(),
        effect.comparison.metric.name().to_owned(),
        ratio(&effect.comparison),
        p_adjusted.map_or_else(|| "–".to_owned(), |p| format!("{p:.3}")),
        format!("{}: {}", effect.word.name(), effect.reason),
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
    let text = format!("{factor}, {at}, {metric}: {ratio}; {word}");
    if is_open(effect) {
        Text::new().toned(Tone::Faint, text)
    } else {
        text.into()
    }
}

fn growth(growth: &GrowthOverSizes, names: &Names) -> Section {
    let figures: Vec<Figure> = growth.charts.iter().filter_map(figure).collect();
    let mut body = vec![Block::Figures(figures)];
    body.extend(growth.charts.iter().map(|chart| {
        let title = format!("{}: {}", chart.title, chart.metric.name());
        let curves = chart.curves.iter().map(|curve| &curve.sentence);
        let sentences = curves.chain(chart.crossings.iter().map(|row| &row.sentence));
        let bullets = Block::bullets(sentences.map(|sentence| names.mark(sentence)));
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
                    interval: ends(point.interval),
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
