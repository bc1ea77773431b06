//! `input-as-result`: counts of operations by kind that are the configured mix, within chance. They tell what the client was
//! asked to do, and nothing of the database.

use crate::words::{list, plural, share};
use crate::{Certainty, Finding, Line, Place, Printed, Rule};

/// Standard deviations of a binomial count that chance explains.
const CHANCE: f64 = 4.0;

pub fn check(printed: &Printed) -> Vec<Finding> {
    let lines: Vec<&Line> = printed.lines.iter().filter(|line| is_mix(line)).collect();
    let mut tables: Vec<String> = lines.iter().map(|line| line.table.clone()).collect();
    tables.dedup();
    let Some(first) = lines.first() else {
        return Vec::new();
    };
    let total = counted_operations(first);
    let shares = counts(first).map(|(kind, count)| {
        let asked = first.mix.iter().find(|(known, _)| known == kind);
        let asked = asked.map_or(0.0, |(_, asked)| *asked);
        format!("{kind} {:.2}% of {}", count / total * 100.0, share(asked))
    });
    let arithmetic = format!(
        "the counts of operations by kind are the configured mix, within {CHANCE} standard deviations of chance, in {}; in {}: {}",
        plural(lines.len(), "line", "lines"),
        first.place,
        list(&shares.collect::<Vec<_>>())
    );
    let explanation =
        "the number of operations of a kind is what the client was configured to send, not a result";
    vec![Finding::new(
        Rule::InputAsResult,
        Certainty::Notice,
        &Place::around(list(&tables), lines.iter().map(|line| &line.place)),
        arithmetic,
        explanation,
    )]
}

fn counts(line: &Line) -> impl Iterator<Item = (&str, f64)> {
    let counts = line.parts.iter();
    counts.filter_map(|part| Some((part.kind.as_str(), part.count?.value())))
}

fn counted_operations(line: &Line) -> f64 {
    counts(line).map(|(_, count)| count).sum()
}

/// Whether every count is what the mix asks for, within chance, and there is something to choose.
fn is_mix(line: &Line) -> bool {
    let total = counted_operations(line);
    counts(line).count() > 1
        && counts(line).all(|(kind, count)| {
            let asked = line.mix.iter().find(|(known, _)| known == kind);
            asked.is_some_and(|(_, share)| {
                let deviation = (total * share * (1.0 - share)).sqrt();
                (count - total * share).abs() <= CHANCE * deviation
            })
        })
}
