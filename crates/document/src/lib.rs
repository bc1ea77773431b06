//! One tree for everything that people read, and one writer for each format.
//!
//! A report section builds [`Block`]s out of plain values and knows nothing about formats. [`terminal()`], [`markdown()`],
//! [`html()`] and [`latex()`] write the same [`Document`]; each escapes every text in exactly one place, so that a name from
//! a server, a study file or a log cannot end a cell, start markup or drive a terminal.

mod block;
mod figure;
mod html;
mod latex;
mod markdown;
mod medium;
mod render;
mod style;
mod table;
mod terminal;

pub use dbdyno_vocabulary::{Inline, Mark, Target, Text, Tone, named};

pub use block::{
    Block, Document, Finding, Item, List, ListStyle, Notice, Paragraph, Role, Section, Tile, Verdict,
};
pub use figure::{Figure, FigureFile, Lane, LaneGroup};
pub use html::{figures, html, live_html, policy, row_html, section_html};
pub use latex::{escape as escape_latex, latex};
pub use markdown::markdown;
pub use medium::Media;
pub use render::Render;
pub use style::Style;
pub use table::{Align, Column, Explanation, Filter, Order, Row, RowGroup, Table, TableCell, Ticks};
pub use terminal::{terminal, wrap};
