//! Claims of published studies beside an answer.

use dbdyno_document::{Column, Row, Table, TableCell};

use crate::advice::{Published, Standing};
use crate::number;

/// Claims of published studies beside the answer.
pub fn table(claims: &[Published]) -> Table {
    let columns = vec![
        Column::header("published"),
        Column::words("claim"),
        Column::words("speaks for"),
        Column::words("on its own numbers"),
        Column::words("these results"),
    ];
    let rows = claims.iter().map(|claim| {
        Row::new([
            TableCell::new(format!("{} {}", claim.paper, claim.claim)),
            TableCell::new(&claim.text),
            TableCell::new(number::list(&claim.favours)),
            TableCell::new(claim.printed.name()),
            TableCell::new(standing(claim.standing)),
        ])
    });
    Table::new("What was published", columns, rows.collect())
}

const fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Agrees => "agree",
        Standing::Disagrees => "disagree",
        Standing::Open => "leave it open",
        Standing::NotMeasured => "did not measure it",
    }
}
