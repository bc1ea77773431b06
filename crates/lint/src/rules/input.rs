//! `input-as-result`: counts of operations by kind that are the configured mix, within chance. They tell what the client was
//! asked to do, and nothing of the database.

use crate::words::{counted, list};
use crate::{Certainty, Finding, Line, Printed, Rule};

/// Standard deviations of a binomial count that chance explains.
const CHANCE: f64 = 4.0;

pub fn check(printed: &Printed) -> Vec<Finding> {
    let lines: Vec<&Line> = printed.lines.iter().filter(|line| is_mix(line)).collect();
    let mut tables: Vec<String> = lines.iter().map(|line| line.table.clone()).collect();
    tables.dedup();
    let Some(first) = lines.first() else {
        return Vec::new();
    };
    let shares = first.parts.iter().map(|part| {
        let share = part.count / first.parts.iter().map(|part| part.count).sum::<f64>();
        let asked = first
            .mix
            .iter()
            .find(|(kind, _)| *kind == part.kind)
            .map_or(0.0, |(_, asked)| *asked);
        format!("{} {:.2}% of {:.0}%", part.kind, share * 100.0, asked * 100.0)
    });
    vec![Finding {
        rule: Rule::InputAsResult,
        place: list(&tables),
        certainty: Certainty::Notice,
        arithmetic: format!(
            "the counts of operations by kind are the configured mix, within {CHANCE} standard deviations of chance, in {}; \
             in {}: {}",
            counted(lines.len(), "line"),
            first.place,
            list(&shares.collect::<Vec<_>>())
        ),
        explanation: "how many operations of a kind there were is what the client was asked for, no result"
            .to_owned(),
    }]
}

/// Whether every count is what the mix asks for, within chance, and there is something to choose.
fn is_mix(line: &Line) -> bool {
    let total: f64 = line.parts.iter().map(|part| part.count).sum();
    line.parts.len() > 1
        && line.parts.iter().all(|part| {
            let asked = line.mix.iter().find(|(kind, _)| *kind == part.kind);
            asked.is_some_and(|(_, share)| {
                let deviation = (total * share * (1.0 - share)).sqrt();
                (part.count - total * share).abs() <= CHANCE * deviation
            })
        })
}
