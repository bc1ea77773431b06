//! Claims of published studies beside an answer.

use dbdyno_document::{Column, Row, Table, TableCell};

use crate::advice::{Lead, Published, Standing};
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
            TableCell::new(these_results(claim)),
        ])
    });
    Table::new("What was published", columns, rows.collect()).remark(
        "These results: among the databases that the study compared, for the goals and requirements of this need. In brackets: the 95% \
         interval.",
    )
}

/// How these results stand to a claim, and by how much.
fn these_results(claim: &Published) -> String {
    let standing = standing(claim.standing);
    claim.lead.as_ref().map_or_else(
        || standing.to_owned(),
        |Lead { first, other, times }| {
            let lead = format!(
                "{standing}: {first} is {} as good as {other} ({} to {})",
                number::ratio(times.0),
                number::ratio_digits(times.1),
                number::ratio_digits(times.2)
            );
            match claim.standing {
                Standing::AgreesInPart => format!(
                    "{lead}; {} {} behind {other}",
                    number::list(&claim.behind),
                    number::agreeing(&claim.behind.len(), "is", "are")
                ),
                _ => lead,
            }
        },
    )
}

const fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Agrees => "agree",
        Standing::AgreesInPart => "agree in part",
        Standing::Disagrees => "disagree",
        Standing::Open => "leave it open",
        Standing::NotMeasured => "did not measure both sides",
    }
}
