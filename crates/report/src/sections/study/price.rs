//! What each level of the options that a study varies costs.

use dbdyno_document::{Block, Column, Media, Row, Section, Table, TableCell};

use super::names::Names;
use crate::model::{Price, PriceFigure, PriceLevel, PriceQuantity, ReportModel};

/// The section; `None` where the study varies nothing.
pub fn section(model: &ReportModel, names: &Names) -> Option<Section> {
    if model.prices.is_empty() {
        return None;
    }
    let tables = by_cell(&model.prices).into_iter().map(|(cell, prices)| {
        let table = Block::Table(table(cell, &prices, names));
        Block::Section(Section::new("", format!("Workload {cell}"), vec![table]))
    });
    let terminal = Block::bullets(model.prices.iter().flat_map(|price| {
        price
            .levels
            .iter()
            .map(|level| names.mark(&sentence(price, level)))
    }));
    let about = "Every level compared with its baseline only: ratios of medians with 95% intervals. Throughput, load \
                 throughput and latency have verdicts, corrected for all comparisons of the metric; latency has them at a common \
                 rate alone. Run time and CPU time are estimates.";
    Some(Section::new(
        "price",
        "What each level costs",
        vec![
            Block::note(about),
            Block::Only(Media::PAGE | Media::MARKDOWN, tables.collect()),
            Block::Only(Media::TERMINAL, vec![terminal]),
        ],
    ))
}

/// The prices of each cell, one for each baseline.
fn by_cell(prices: &[Price]) -> Vec<(&str, Vec<&Price>)> {
    let mut cells: Vec<(&str, Vec<&Price>)> = Vec::new();
    for price in prices {
        match cells.iter_mut().find(|(cell, _)| *cell == price.at) {
            Some((_, own)) => own.push(price),
            None => cells.push((&price.at, vec![price])),
        }
    }
    cells
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
fn table(cell: &str, prices: &[&Price], names: &Names) -> Table {
    let quantities = quantities(prices);
    let columns = std::iter::once(Column::header("level"))
        .chain(quantities.iter().map(|quantity| Column::words(quantity.name())))
        .collect();
    let mut rows = Vec::new();
    for price in prices {
        rows.push(baseline(price, &quantities, names));
        rows.extend(price.levels.iter().map(|own| level(own, &quantities)));
    }
    Table::new(format!("What each level costs, workload {cell}"), columns, rows)
}

fn baseline(price: &Price, quantities: &[PriceQuantity], names: &Names) -> Row {
    let of_baseline = |quantity: &PriceQuantity| {
        let known = price.baseline.iter().find(|(own, _)| own == quantity);
        TableCell::new(known.map_or_else(|| "–".to_owned(), |(own, value)| own.format(*value)))
    };
    Row::new(
        std::iter::once(TableCell::new(names.one(&price.base))).chain(quantities.iter().map(of_baseline)),
    )
}

fn level(level: &PriceLevel, quantities: &[PriceQuantity]) -> Row {
    let figure = |quantity: &PriceQuantity| {
        let known = level.figures.iter().find(|figure| figure.quantity == *quantity);
        TableCell::new(known.map_or_else(|| "–".to_owned(), PriceFigure::text))
    };
    Row::new(std::iter::once(TableCell::new(level.level.as_str())).chain(quantities.iter().map(figure)))
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
