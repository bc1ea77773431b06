//! Tables in HTML.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::Page;
use super::inline::{color_class, mark, tone_class};
use super::sort;
use crate::{Align, Column, Explanation, Filter, Media, Order, Row, RowGroup, Table, TableCell};

impl Page {
    /// A table that scrolls by itself when it is wider than the page, below a remark that does not.
    pub(super) fn table(&mut self, table: &Table) -> Markup {
        let columns = table.shown(Media::PAGE, true);
        let orders = sort::orders(table, &columns);
        self.needs_script |= !table.filters.is_empty() || orders.iter().any(Option::is_some);
        let mut links = Links {
            table,
            sorts: vec![false; table.columns.len()],
            ids: self.cell_ids(table, &columns).into_iter(),
        };
        for (index, order) in columns.iter().zip(&orders) {
            links.sorts[*index] = order.is_some() && table.columns[*index].align == Align::Right;
        }
        let rows = html! {
            div class="scroll" tabindex="0" role="region" aria-label=(table.caption.flat()) {
                table class=[class(table)] {
                    (self.head(table, &columns, &orders))
                    @for group in &table.groups { (self.rows(group, &columns, &mut links)) }
                }
            }
        };
        html! {
            @if !table.remark.is_empty() { p class="remark" { (self.text(&table.remark)) } }
            @if !table.filters.is_empty() { (filters(table)) }
            @match &table.ticks {
                None => (rows),
                Some(ticks) => form class="ticks" action=(ticks.action) {
                    (rows)
                    p { button { (ticks.button) } " " (self.text(&ticks.hint)) }
                },
            }
        }
    }

    /// The ids of an overview's values, in their order: links lead to each. Other tables have none.
    fn cell_ids(&mut self, table: &Table, columns: &[usize]) -> Vec<String> {
        let mut ids = Vec::new();
        if !table.is_overview {
            return ids;
        }
        let header = columns.iter().find(|index| table.columns[**index].is_header);
        for row in table.groups.iter().flat_map(|group| &group.rows) {
            let cell = header.and_then(|index| row.cells.get(*index));
            let row = cell.map(|cell| cell.text.flat()).unwrap_or_default();
            for index in columns.iter().filter(|index| has_id(table, **index)) {
                let column = table.columns[*index].title.flat();
                let mut id = format!("cell-{}", sort::slug(&format!("{row} {column}")));
                while !self.cells.insert(id.clone()) {
                    id.push_str("-again");
                }
                ids.push(id);
            }
        }
        ids
    }

    fn head(&self, table: &Table, columns: &[usize], orders: &[Option<Order>]) -> Markup {
        html! {
            thead {
                @if !table.spans.is_empty() {
                    tr { @for (title, columns) in &table.spans { th scope="colgroup" class="span" colspan=(columns) { (self.text(title)) } } }
                }
                tr {
                    @for (column, sorted) in columns.iter().map(|index| &table.columns[*index]).zip(orders) {
                        th scope="col" class=[column_class(column)] data-order=[sorted.map(order)] { (self.text(&column.title)) }
                    }
                }
            }
        }
    }

    fn rows(&self, group: &RowGroup, columns: &[usize], links: &mut Links<'_>) -> Markup {
        html! {
            tbody data-keys=[keys(&group.keys)] {
                @if !group.title.is_empty() {
                    tr class="group" {
                        th colspan=(columns.len()) scope="rowgroup" { b { (self.text(&group.title)) } " " span { (self.text(&group.about)) } }
                    }
                }
                @for shown in &group.rows { (self.row(shown, columns, links)) }
            }
        }
    }

    /// A row of a table, in the columns that a page shows.
    pub(super) fn row_alone(&self, table: &Table, shown: &Row) -> Markup {
        // Whether the columns sort is known of a whole table only: a value too many does no harm.
        let mut links = Links {
            table,
            sorts: table
                .columns
                .iter()
                .map(|column| column.align == Align::Right)
                .collect(),
            ids: Vec::new().into_iter(),
        };
        self.row(shown, &table.shown(Media::PAGE, true), &mut links)
    }

    fn row(&self, row: &Row, columns: &[usize], links: &mut Links<'_>) -> Markup {
        let id = (!row.id.is_empty()).then_some(&row.id);
        html! {
            tr id=[id] class=[row.is_faint.then_some("faint")] data-keys=[keys(&row.keys)] {
                @for (place, index) in columns.iter().enumerate() { (self.cell(row, *index, place == 0, links)) }
            }
        }
    }

    fn cell(&self, row: &Row, index: usize, is_first: bool, links: &mut Links<'_>) -> Markup {
        let table = links.table;
        let column = &table.columns[index];
        // On a phone each value stands on a line of its own, with its column's title.
        let is_listed = table.is_overview || table.ticks.is_some();
        let label = is_listed.then(|| column.title.flat());
        let none = TableCell::default();
        let cell = row.cells.get(index).unwrap_or(&none);
        let mut classes: Vec<String> = Vec::new();
        classes.extend(column_class(column).map(str::to_owned));
        classes.extend(column.is_long.then(|| "long".to_owned()));
        classes.extend(tone_class(cell.tone).map(str::to_owned));
        classes.extend(cell.highlight.map(|color| format!("wins {}", color_class(color))));
        let class = (!classes.is_empty()).then(|| classes.join(" "));
        let id = if has_id(table, index) {
            links.ids.next()
        } else {
            None
        };
        let value = cell.value.or_else(|| {
            let is_said = sort::says_it(cell) && row.note.is_empty();
            (links.sorts[index] && !is_said)
                .then(|| sort::value(cell))
                .flatten()
        });
        let tick = table.ticks.as_ref().filter(|_| is_first).zip(row.tick.as_ref());
        let content = html! {
            @if let Some((ticks, value)) = tick {
                input type="checkbox" name=(ticks.name) value=(value) aria-label=(format!("{} {}", ticks.button, cell.text.flat()));
            }
            (self.content(cell))
            @if is_first && !row.note.is_empty() { div class="remark" { (self.text(&row.note)) } }
        };
        html! {
            @if column.is_header { th scope="row" class=[class] { (content) } }
            @else { td id=[id] class=[class] data-label=[label] data-value=[value] { (content) } }
        }
    }

    fn content(&self, cell: &TableCell) -> Markup {
        let value = html! { (self.text(&cell.text)) @if let Some(sign) = &cell.mark { (mark(sign)) } };
        html! {
            @match &cell.explanation {
                None => (value),
                Some(Explanation::Open(why)) => { (value) @if !why.is_empty() { ": " (self.text(why)) } }
                Some(Explanation::Folded(why)) if why.is_empty() => (value),
                Some(Explanation::Folded(why)) => details { summary { (value) } ul { @for line in why { li { (self.text(line)) } } } },
            }
            @if let Some((share, color)) = cell.bar { (bar(share, color)) }
            @if !cell.detail.is_empty() { small { (self.text(&cell.detail)) } }
        }
    }
}

/// A table, and what its cells have for links and for sorting.
struct Links<'a> {
    table: &'a Table,
    /// Whether a page sorts by the values of a column, for every column.
    sorts: Vec<bool>,
    /// The ids of the cells to come.
    ids: std::vec::IntoIter<String>,
}

/// Whether the values of a column have an id each.
fn has_id(table: &Table, index: usize) -> bool {
    let column = &table.columns[index];
    table.is_overview && !column.is_header && column.align == Align::Right
}

fn class(table: &Table) -> Option<&'static str> {
    if table.is_overview {
        Some("glance")
    } else if !table.filters.is_empty() {
        Some("filtered")
    } else {
        None
    }
}

const fn order(order: Order) -> &'static str {
    match order {
        Order::Ascending => "ascending",
        Order::Descending => "descending",
    }
}

fn column_class(column: &Column) -> Option<&'static str> {
    match column.align {
        Align::Right => Some("number"),
        Align::Left => None,
    }
}

fn bar(share: f64, color: usize) -> Markup {
    let width = format!("width: {:.1}%", share.clamp(0.0, 1.0) * 100.0);
    html! {
        span class=(format!("bar {}", color_class(color))) aria-hidden="true" { span style=(width) {} }
    }
}

/// Values of filters as a query string would hold them: names and values cannot be confused.
fn keys(keys: &[(&'static str, String)]) -> Option<String> {
    let quoted = |text: &str| {
        text.replace('%', "%25")
            .replace('&', "%26")
            .replace('=', "%3D")
            .replace('+', "%2B")
    };
    let pairs: Vec<String> = keys
        .iter()
        .map(|(key, value)| format!("{key}={}", quoted(value)))
        .collect();
    (!pairs.is_empty()).then(|| pairs.join("&"))
}

/// Choices that the page's script shows and applies.
fn filters(table: &Table) -> Markup {
    html! {
        form id="filters" hidden aria-label="Filters" {
            label { "Text" input type="search" name="text"; }
            @for filter in &table.filters {
                label { (filter.label)
                    select name=(filter.key) {
                        option value="" { "all" }
                        @for value in values(table, filter) { option { (value) } }
                    }
                }
            }
            button type="reset" { "All" }
            output id="shown" role="status" {}
        }
    }
}

fn values<'a>(table: &'a Table, filter: &Filter) -> BTreeSet<&'a str> {
    let groups = table.groups.iter();
    let keys = groups.flat_map(|group| {
        group
            .keys
            .iter()
            .chain(group.rows.iter().flat_map(|row| &row.keys))
    });
    keys.filter(|(key, value)| *key == filter.key && !value.is_empty())
        .map(|(_, value)| value.as_str())
        .collect()
}
