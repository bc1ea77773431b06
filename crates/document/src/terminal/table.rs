//! Tables of text: one look for all of them.

use comfy_table::{
    Attribute, Cell as GridCell, CellAlignment, Color, ColumnConstraint, ContentArrangement,
    ContentLineStyle, LineStyle, Table as Grid, TableStyle, Width,
};

use unicode_width::UnicodeWidthStr;

use super::Writer;
use super::words::{Dress, visible};
use crate::{Align, Media, Row, Style, Table, TableCell, Text, Tone};

/// From this width on there is room for minor columns.
const WIDE: usize = 104;

impl Writer {
    /// One table for each group of rows, which share their columns.
    pub(super) fn table(&mut self, table: &Table) {
        let columns = table.shown(Media::TERMINAL, self.style.width >= WIDE);
        for group in table.groups.iter().filter(|group| !group.rows.is_empty()) {
            if !group.title.is_empty() {
                self.gap();
                self.text(&group.title, Dress::Bold, "", "");
            }
            self.text(&group.about, Dress::Toned(Tone::Faint), "  ", "  ");
            let mut grid = grid(table, &columns, self.style);
            for row in &group.rows {
                grid.add_row(columns.iter().map(|index| cell(row, *index, self.style)));
            }
            fit(&mut grid, table, &columns, &group.rows, self.style.width);
            self.lines.extend(finished(grid, table, &columns));
            for row in group.rows.iter().filter(|row| !row.note.is_empty()) {
                let name = row
                    .cells
                    .first()
                    .map(|cell| cell.text.clone())
                    .unwrap_or_default();
                let note = name.plain(": ").text(row.note.clone());
                self.text(&note, Dress::Toned(Tone::Faint), "", "  ");
            }
        }
        self.text(&table.remark, Dress::Toned(Tone::Faint), "", "");
    }
}

/// An empty table with its header, fitted into the style's width.
fn grid(table: &Table, columns: &[usize], style: Style) -> Grid {
    let look = TableStyle::new()
        .header_lines(ContentLineStyle::none().junction(' '))
        .header_separator(LineStyle::none().fill('─').junction('─'))
        .content_lines(ContentLineStyle::none().junction(' '));
    let mut grid = Grid::new();
    grid.load_style(look)
        .set_content_arrangement(ContentArrangement::Dynamic);
    grid.set_width(u16::try_from(style.width).unwrap_or(u16::MAX));
    if style.color {
        grid.enforce_styling();
    } else {
        grid.force_no_tty();
    }
    let titles = columns.iter().map(|index| visible(&table.full_title(*index)));
    grid.set_header(titles.map(GridCell::new));
    grid
}

/// Where the table is wider than the terminal, its columns move together and break between words only.
fn fit(grid: &mut Grid, table: &Table, columns: &[usize], rows: &[Row], width: usize) {
    const PADDING: usize = 2;
    let texts = |index: usize| {
        let cells = rows.iter().filter_map(move |row| row.cells.get(index));
        std::iter::once(visible(&table.full_title(index))).chain(cells.map(|cell| visible(&words(cell))))
    };
    let widest = |index: &usize| texts(*index).map(|text| text.width()).max().unwrap_or(0) + PADDING;
    // A blank stands between two columns.
    if columns.iter().map(widest).sum::<usize>() + columns.len().saturating_sub(1) <= width {
        return;
    }
    for (column, index) in grid.column_iter_mut().zip(columns) {
        let all = texts(*index);
        let longest = all.flat_map(|text| text.split(' ').map(UnicodeWidthStr::width).max());
        let longest = longest.max().unwrap_or(0) + 1;
        column.set_padding((0, 1));
        // A long name without a blank must not push the others out.
        if longest <= width / 4 {
            let least = Width::Fixed(u16::try_from(longest).unwrap_or(u16::MAX));
            column.set_constraint(ColumnConstraint::LowerBoundary(least));
        }
    }
}

fn cell(row: &Row, index: usize, style: Style) -> GridCell {
    let Some(cell) = row.cells.get(index) else {
        return GridCell::new("");
    };
    let shown = GridCell::new(visible(&words(cell)));
    if !style.color {
        return shown;
    }
    match cell.tone {
        Tone::Good => shown.fg(Color::Green),
        Tone::Bad => shown.fg(Color::Red),
        Tone::Warning => shown.fg(Color::Yellow),
        Tone::Faint => shown.add_attribute(Attribute::Dim),
        Tone::Plain | Tone::Same if row.is_faint => shown.add_attribute(Attribute::Dim),
        Tone::Plain | Tone::Same => shown,
    }
}

fn words(cell: &TableCell) -> String {
    let Text(parts) = cell.line();
    parts.iter().map(super::shown).collect()
}

/// The lines of the table, columns of numbers to the right, without spaces at line ends.
fn finished(mut grid: Grid, table: &Table, columns: &[usize]) -> Vec<String> {
    for (column, index) in grid.column_iter_mut().zip(columns) {
        if table.columns[*index].align == Align::Right {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    grid.lines().map(|line| line.trim_end().to_owned()).collect()
}
