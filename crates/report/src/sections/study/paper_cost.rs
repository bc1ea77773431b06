//! Costs as tables for a paper: one for each cell with money, and in its caption the prices that it holds for.

use dbdyno_analysis::cells::slug;
use dbdyno_analysis::cost::{Amount, SystemCost};
use dbdyno_document::{Block, Column, Row, Table, TableCell, Text, named};

use super::cost::{about, by_cost, relative};
use crate::model::{CellCost, CostPrices, CostRate, ReportModel};
use crate::number;
use crate::words::cost::ends;

/// The tables; none without prices.
pub fn tables(model: &ReportModel) -> Vec<Block> {
    let Some(cost) = &model.cost else {
        return Vec::new();
    };
    let Some(prices) = &cost.prices else {
        return Vec::new();
    };
    let priced = cost.cells.iter().filter(|cell| {
        let mut systems = cell.systems.iter();
        systems.any(|system| system.per_million.is_some())
    });
    priced
        .map(|cell| Block::Table(table(model, cell, prices)))
        .collect()
}

fn table(model: &ReportModel, cell: &CellCost, prices: &CostPrices) -> Table {
    let currency = &prices.currency;
    let against = cell.comparisons.first().map(|first| first.a.as_str());
    let mut columns = vec![
        Column::header("System"),
        Column::numbers("an hour"),
        Column::numbers("a million operations"),
        Column::numbers("95% interval"),
    ];
    columns.extend(against.map(|first| Column::words(Text::from("relative to ").text(named(first)))));
    let mut spans = vec![(Text::new(), 1), (format!("Cost ({currency})").into(), 3)];
    spans.extend(against.map(|_| (Text::new(), 1)));
    let rows = by_cost(&cell.systems).into_iter().map(|system| {
        let mut cells = vec![TableCell::new(&system.system)];
        cells.extend(money(system).map(TableCell::new));
        cells.extend(against.map(|first| match first == system.system {
            true => TableCell::new("–"),
            false => relative(&system.system, first, &cell.comparisons),
        }));
        Row::new(cells)
    });
    Table {
        spans,
        label: format!("{}:cost-{}", slug(&model.study), cell.id),
        ..Table::new(caption(cell, prices), columns, rows.collect())
    }
}

fn money(system: &SystemCost) -> [String; 3] {
    let value =
        |amount: Option<Amount>| amount.map_or_else(|| "–".to_owned(), |amount| number::money(amount.value));
    let interval = system.per_million.map(|amount| ends(&amount, number::money));
    let interval = interval.filter(|interval| !interval.is_empty());
    [
        value(system.per_hour),
        value(system.per_million),
        interval.unwrap_or_else(|| "–".to_owned()),
    ]
}

fn caption(cell: &CellCost, prices: &CostPrices) -> Text {
    let mut caption = Text::from(format!("Cost of operations, {}. ", cell.title)).text(about(prices));
    if prices.is_example {
        caption = caption.plain(" The prices are examples.");
    }
    caption.plain(match cell.rate {
        CostRate::FullSpeed => {
            " Ratios are to the system that costs least as measured, with 95% intervals: * is a decided difference, = is equivalent, ≈ is \
             bounded, ? is undecided."
        }
        CostRate::OneRate => " All systems did the same work, at one rate.",
    })
}
