//! Tables of text: one look for all of them.

use comfy_table::{Cell, CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle};

use crate::Style;

/// An empty table with this header, fitted into the style's width.
pub fn new(header: &[&str], style: Style) -> Table {
    let look = TableStyle::new()
        .header_lines(ContentLineStyle::none().junction(' '))
        .header_separator(LineStyle::none().fill('─').junction('─'))
        .content_lines(ContentLineStyle::none().junction(' '));
    let mut table = Table::new();
    table
        .load_style(look)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(style.width).unwrap_or(u16::MAX));
    if style.color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table.set_header(header.iter().map(Cell::new));
    table
}

/// The finished table, all columns but the first `left` ones to the right, without spaces at line ends.
pub fn finish(mut table: Table, left: usize) -> String {
    for column in table.column_iter_mut().skip(left) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}
