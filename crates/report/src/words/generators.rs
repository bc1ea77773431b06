//! Load generators as a table.

use dbdyno_analysis::generators::GeneratorUse;
use dbdyno_document::{Column, Row, Table, TableCell};

use crate::number;

/// The load generators of a system, a row each.
pub fn table(caption: &str, generators: &[GeneratorUse]) -> Table {
    let columns = vec![
        Column::header("load generator"),
        Column::words("machine"),
        Column::numbers("clients"),
        Column::numbers("ok/s"),
        Column::numbers("p99"),
        Column::numbers("CPU"),
        Column::numbers("start within"),
    ];
    let rows = generators.iter().map(|generator| {
        Row::new(vec![
            TableCell::new(generator.name.as_str()),
            TableCell::new(generator.host.as_str()),
            TableCell::new(number::count(u64::from(generator.clients))),
            TableCell::new(generator.per_second.map_or("–".to_owned(), number::rate)),
            TableCell::new(number::latency(generator.p99_ns, false)),
            TableCell::new(number::share(generator.cpu_share)),
            TableCell::new(number::duration_ns(generator.apart_ns as f64)),
        ])
    });
    Table::new(caption, columns, rows.collect()).remark(
        "All of them together are the numbers above: counts and histograms were added. CPU is the share of the machine's processors; the \
         last column says how far from the agreed time a load generator may have begun.",
    )
}
