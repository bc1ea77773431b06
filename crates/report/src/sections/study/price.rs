//! What each level of the options that a study varies costs.

use dbdyno_document::{Block, Column, Media, Row, Section, Table, TableCell};

use super::names::Names;
use crate::model::{Price, PriceFigure, PriceLevel, PriceQuantity, ReportModel};

/// The section; `None` where the study varies nothing.
pub fn section(model: &ReportModel, names: &Names) -> Option<Section> {
    if model.prices.is_empty() {
        return None;
    }
    let page = model.prices.iter().map(|price| Block::Table(table(price, names)));
    let terminal = Block::bullets(model.prices.iter().flat_map(|price| {
        price
            .levels
            .iter()
            .map(|level| names.mark(&sentence(price, level)))
    }));
    let about = "Every level compared with its baseline only: ratios of medians with 95% intervals. Throughput, load \
                 throughput and latency have verdicts, corrected for all comparisons of the metric; latency has them at a common \
                 rate alone. Run time and processor time are estimates.";
    Some(Section::new(
        "price",
        "What each level costs",
        vec![
            Block::note(about),
            Block::Only(Media::PAGE | Media::MARKDOWN, page.collect()),
            Block::Only(Media::TERMINAL, vec![terminal]),
        ],
    ))
}

/// The quantities that any level of the price has.
fn quantities(price: &Price) -> Vec<PriceQuantity> {
    let has = |quantity: &PriceQuantity| {
        let mut figures = price.levels.iter().flat_map(|level| &level.figures);
        figures.any(|figure| figure.quantity == *quantity)
    };
    PriceQuantity::ALL.into_iter().filter(has).collect()
}

fn table(price: &Price, names: &Names) -> Table {
    let quantities = quantities(price);
    let columns = std::iter::once(Column::header("level"))
        .chain(quantities.iter().map(|quantity| Column::words(quantity.name())))
        .collect();
    let of_baseline = |quantity: &PriceQuantity| {
        let known = price.baseline.iter().find(|(own, _)| own == quantity);
        TableCell::new(known.map_or_else(|| "–".to_owned(), |(own, value)| own.format(*value)))
    };
    let baseline = Row::new(
        std::iter::once(TableCell::new(names.one(&price.base))).chain(quantities.iter().map(of_baseline)),
    );
    let level = |level: &PriceLevel| {
        let figure = |quantity: &PriceQuantity| {
            let known = level.figures.iter().find(|figure| figure.quantity == *quantity);
            TableCell::new(known.map_or_else(|| "–".to_owned(), PriceFigure::text))
        };
        Row::new(std::iter::once(TableCell::new(level.level.as_str())).chain(quantities.iter().map(figure)))
    };
    let rows = std::iter::once(baseline)
        .chain(price.levels.iter().map(level))
        .collect();
    Table::new(format!("{}, workload {}", price.base, price.at), columns, rows)
}

/// A level on a terminal, which has no room for its row.
fn sentence(price: &Price, level: &PriceLevel) -> String {
    let figures: Vec<String> = level
        .figures
        .iter()
        .map(|figure| format!("{} {}", figure.quantity.name(), figure.text()))
        .collect();
    format!(
        "{}, workload {}, {}: {}",
        price.base,
        price.at,
        level.level,
        figures.join("; ")
    )
}
