//! Effects of factors and growth over sizes: what a study says across its cells.

use dbdyno_chart::sizes::{Line, Point, sizes};
use dbdyno_chart::{Figure, Plot};
use maud::{Markup, html};

use super::Page;
use super::plots::ends;
use super::tables::scrolling;
use crate::model::cells::slug;
use crate::model::{EFFECT_HEADER, Effects, GrowthChart, GrowthOverSizes, ReportModel, Word};

/// The sections after the workloads; nothing for a study of one level of everything.
pub fn sections(model: &ReportModel, page: &mut Page) -> Markup {
    let growth = model.growth.as_ref().map(|told| growth(told, page));
    html! {
        @if let Some(told) = &model.effects { (effects(told, page)) }
        @if let Some(growth) = growth { (growth) }
    }
}

fn effects(effects: &Effects, page: &Page) -> Markup {
    let table = html! {
        table {
            thead { tr { @for name in EFFECT_HEADER { th scope="col" { (name) } } } }
            tbody {
                @for effect in &effects.rows {
                    tr class=[matches!(effect.word, Word::Undecided | Word::NotComparable).then_some("faint")] {
                        @for text in effect.row() { td { (page.names.mark(&text)) } }
                    }
                }
            }
        }
    };
    html! {
        section id="effects" {
            h2 { "Effects" }
            p class="noise" { strong { "Beside them (A/A). " } (page.names.mark(&effects.beside)) }
            @for note in &effects.notes { p class="flag" { (page.names.mark(note)) } }
            @if !effects.rows.is_empty() {
                (scrolling(
                    "Effects of factors",
                    "One level of a factor against another, everything else equal. A ratio above 1 is more throughput or more latency. \
                     Words count all effects of a metric (Holm), and no effect within the A/A is called one.",
                    &table,
                ))
            }
        }
    }
}

fn growth(growth: &GrowthOverSizes, page: &mut Page) -> Markup {
    let figures: Vec<Markup> = growth
        .charts
        .iter()
        .filter_map(figure)
        .map(|figure| page.figure("growth", figure))
        .collect();
    html! {
        section id="growth" {
            h2 { "Growth" }
            div class="figures" { @for figure in &figures { (figure) } }
            @for chart in &growth.charts {
                h3 { (chart.title) ": " (chart.metric.name()) }
                ul class="prose" {
                    @for curve in &chart.curves { li { (page.names.mark(&curve.sentence)) } }
                    @for crossing in &chart.crossings { li { (page.names.mark(&crossing.sentence)) } }
                }
            }
            @for note in &growth.notes { p class="note" { (note) } }
        }
    }
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
    sizes(&lines, &plot, "records")
}
