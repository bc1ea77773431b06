//! What each level of the options that a study varies costs.

use dbdyno_analysis::grouped::grouped;
use dbdyno_chart::ratio;
use dbdyno_document::{
    Block, Column, Figure, Inline, Mark, Media, Row, Section, Table, TableCell, Text, Tone, named,
};

use super::plots::figure;
use crate::MARGIN;
use crate::model::{Interval, Metric, Price, PriceFigure, PriceLevel, PriceQuantity, ReportModel, Word};
use crate::number::{self, Quantity};
use crate::words::figures::MetricFigures;
use crate::words::names::Named;

/// What the figures beside the verdict show: what was compared with a verdict, and a reader asks for first.
const DRAWN: [(PriceQuantity, &str); 2] = [
    (PriceQuantity::Throughput, "Throughput"),
    (PriceQuantity::LatencyP50, "Median latency"),
];
/// More figures than these are no glance.
const MOST_FIGURES: usize = 6;

/// The section; `None` where the study varies nothing.
pub fn section(model: &ReportModel) -> Option<Section> {
    if model.prices.is_empty() {
        return None;
    }
    let about = "Rows of a system are medians without the option; the rows below are ratios to them with 95% intervals. Throughput, \
                 load throughput and latency are compared with verdicts, corrected for all comparisons of the metric, and latency \
                 at the same load only: * is a decided difference, = is equivalent, ≈ is bounded. CPU time and run time are estimates without \
                 verdicts.";
    let tables = by_cell(&model.prices).into_iter().map(|(cell, prices)| {
        let table = Block::Table(table(cell, &prices));
        Block::Section(Section::new("", cell, vec![table]))
    });
    let body = std::iter::once(Block::note(about)).chain(tables);
    Some(Section::new("price", "What each level costs", body.collect()))
}

/// The levels of every product beside its baseline; nothing where the study varies nothing, or has more cells than fit.
pub fn figures(model: &ReportModel) -> Option<Block> {
    let cells = by_cell(&model.prices);
    let drawn: Vec<Figure> = cells
        .iter()
        .enumerate()
        .flat_map(|(index, (cell, prices))| {
            DRAWN
                .into_iter()
                .filter_map(move |shown| drawn(index, cell, prices, shown))
        })
        .collect();
    let note = "Each line is a 95% interval; the shaded band is the margin within which a difference does not matter. A hollow point is \
                undecided.";
    let is_glance = !drawn.is_empty() && drawn.len() <= MOST_FIGURES;
    is_glance.then(|| Block::Only(Media::PAGE, vec![Block::Figures(drawn), Block::note(note)]))
}

fn drawn(
    index: usize,
    cell: &str,
    prices: &[&Price],
    (quantity, title): (PriceQuantity, &str),
) -> Option<Figure> {
    let levels = levels(prices);
    let rows: Vec<ratio::Row<'_>> = prices
        .iter()
        .map(|price| ratio::Row {
            title: &price.base,
            points: price
                .levels
                .iter()
                .filter_map(|level| point(level, &levels, quantity))
                .collect(),
        })
        .collect();
    let better = match words(quantity) {
        Quantity::Speed => "right is faster",
        Quantity::Level => "left is lower",
    };
    let colored: Vec<(&str, usize)> = levels
        .iter()
        .enumerate()
        .map(|(color, level)| (*level, color))
        .collect();
    let slug = name(quantity).replace(' ', "-");
    let ratios = ratio::Ratios {
        name: &format!("price-{slug}-{index}"),
        title: &format!("{title} relative to each baseline ({better}), {cell}"),
        value: &format!("{}_ratio", slug.replace('-', "_")),
        reference: "its baseline",
        quantity: words(quantity),
        margin: MARGIN,
        systems: &colored,
    };
    ratio::ratio(&rows, &ratios).map(figure)
}

/// Title of a quantity's column.
fn name(quantity: PriceQuantity) -> &'static str {
    match (quantity, quantity.metric()) {
        (_, Some(metric)) => metric.name(),
        (PriceQuantity::RunTime, None) => "run time",
        (PriceQuantity::ServerCpu, None) => "server CPU per operation",
        (_, None) => "client CPU per operation",
    }
}

/// A value with its unit.
fn format(quantity: PriceQuantity, value: f64) -> String {
    match quantity.metric() {
        Some(metric) => metric.format(value),
        None => number::duration_ns(value),
    }
}

/// The words for the ratios of a quantity.
fn words(quantity: PriceQuantity) -> Quantity {
    quantity.metric().map_or(Quantity::Level, Metric::quantity)
}

/// The levels of all baselines, each once. One that the first baseline lacks stands below the one that it follows at another.
fn levels<'a>(prices: &[&'a Price]) -> Vec<&'a str> {
    let mut levels: Vec<&str> = Vec::new();
    for price in prices {
        let mut next = 0;
        for level in &price.levels {
            let known = levels.iter().position(|known| *known == level.level);
            let place = known.unwrap_or_else(|| {
                levels.insert(next, &level.level);
                next
            });
            next = place + 1;
        }
    }
    levels
}

fn point<'a>(level: &'a PriceLevel, levels: &[&str], quantity: PriceQuantity) -> Option<ratio::Point<'a>> {
    let known = level.figures.iter().find(|figure| figure.quantity == quantity)?;
    let word = known.word?;
    known.ratio.is_finite().then_some(ratio::Point {
        system: &level.level,
        color: levels.iter().position(|own| *own == level.level)?,
        ratio: known.ratio,
        interval: known.interval.map(Interval::ends),
        verdict: word.name(),
        undecided: word == Word::Undecided,
    })
}

/// The prices of each cell, one for each baseline.
fn by_cell(prices: &[Price]) -> Vec<(&str, Vec<&Price>)> {
    grouped(prices.iter().map(|price| (price.at.as_str(), price)))
}

/// The quantities that any level has.
fn quantities(prices: &[&Price]) -> Vec<PriceQuantity> {
    let has = |quantity: &PriceQuantity| {
        let levels = prices.iter().flat_map(|price| &price.levels);
        let mut figures = levels.flat_map(|level| &level.figures);
        figures.any(|figure| figure.quantity == *quantity)
    };
    PriceQuantity::ALL.into_iter().filter(has).collect()
}

/// The baselines of a cell, each with its levels below it.
fn table(cell: &str, prices: &[&Price]) -> Table {
    let quantities = quantities(prices);
    let option = option(prices);
    let columns = std::iter::once(Column::header(option.unwrap_or("level")))
        .chain(quantities.iter().map(|quantity| Column::words(name(*quantity))))
        .collect();
    let mut rows = Vec::new();
    for price in prices {
        rows.push(baseline(price, &quantities));
        rows.extend(price.levels.iter().map(|own| level(own, option, &quantities)));
    }
    Table::new(format!("What each level costs, workload {cell}"), columns, rows)
}

fn baseline(price: &Price, quantities: &[PriceQuantity]) -> Row {
    let of_baseline = |quantity: &PriceQuantity| {
        let known = price.baseline.iter().find(|(own, _)| own == quantity);
        TableCell::new(known.map_or_else(|| "–".to_owned(), |(own, value)| format(*own, *value)))
    };
    Row::new(std::iter::once(TableCell::new(named(&price.base))).chain(quantities.iter().map(of_baseline)))
}

/// The option that alone distinguishes all levels from their baselines.
fn option<'a>(prices: &[&'a Price]) -> Option<&'a str> {
    let levels = prices.iter().flat_map(|price| &price.levels);
    let mut options = levels.map(|level| level.level.split_once('='));
    let (first, value) = options.next()??;
    let is_same = |option: Option<(&str, &str)>| matches!(option, Some((name, value)) if name == first && !value.contains('='));
    (!value.contains('=') && options.all(is_same)).then_some(first)
}

fn level(level: &PriceLevel, option: Option<&str>, quantities: &[PriceQuantity]) -> Row {
    let cell = |quantity: &PriceQuantity| {
        let known = level.figures.iter().find(|figure| figure.quantity == *quantity);
        known.map_or_else(|| TableCell::new("–"), ratio_cell)
    };
    let value = option.and_then(|option| level.level.strip_prefix(option)?.strip_prefix('='));
    let name = TableCell::new(value.unwrap_or(&level.level));
    Row::new(std::iter::once(name).chain(quantities.iter().map(cell)))
}

/// `0.70× (0.60–0.78) *`
fn ratio_cell(known: &PriceFigure) -> TableCell {
    let interval = known.interval.map_or_else(String::new, |interval| {
        let (low, high) = (
            number::ratio_digits(interval.low),
            number::ratio_digits(interval.high),
        );
        format!(" ({low}–{high})")
    });
    let text = Text::from(format!("{}×{interval}", number::ratio_digits(known.ratio)));
    let (sign, meaning, tone) = match known.word {
        Some(Word::Faster | Word::Slower) => ("*", "decided", Tone::Plain),
        Some(Word::Equivalent) => ("=", "equivalent", Tone::Plain),
        Some(Word::Bounded) => ("≈", "bounded", Tone::Plain),
        _ => return TableCell::new(text),
    };
    TableCell::new(text.plain(" ").with(Inline::Mark(Mark { sign, meaning, tone })))
}
