//! The names of comparisons in the evidence of a claim.

use std::collections::BTreeSet;

use crate::predicate::{Comparison, Factor, Predicate, Product, Word, described};

/// Names the comparisons of a claim, where there are several: without a name, nobody could tell the ratio of reads from that of updates.
pub(super) struct Names {
    has_several: bool,
}

impl Names {
    pub(super) fn of(predicate: &Predicate) -> Self {
        let comparisons = predicate.0.iter().flat_map(|sentence| &sentence.comparisons);
        let count: usize = comparisons
            .map(|comparison: &Comparison| comparison.rest.len())
            .sum();
        Self {
            has_several: count > 1,
        }
    }

    /// The columns of a comparison, and in what its sides differ; empty where it is the only one.
    pub(super) fn name(&self, left: &Product, right: &Product) -> String {
        if !self.has_several {
            return String::new();
        }
        let [of_left, of_right] = [words(left), words(right)];
        let only = |own: &[String], other: &[String]| -> Vec<String> {
            own.iter().filter(|word| !other.contains(word)).cloned().collect()
        };
        let (own, other) = (only(&of_left, &of_right), only(&of_right, &of_left));
        let mut columns: Vec<&str> = Vec::new();
        for column in cells(left).chain(cells(right)).map(|(column, _)| column) {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        let columns = columns.join(" / ");
        match own.is_empty() || other.is_empty() {
            true => columns,
            false => format!("{columns} of {} / {}", own.join(" "), other.join(" ")),
        }
    }
}

/// The name of a comparison with the chosen words in place of its variables, the other choices, and what the comparison says.
pub(super) fn told(name: &str, bound: &[(&str, &str)], what: &str) -> String {
    if name.is_empty() {
        return described(bound, what);
    }
    let is = |word: &str, variable: &str| word.strip_prefix('$') == Some(variable);
    let chosen = |word| {
        let choice = bound.iter().find(|(variable, _)| is(word, variable));
        choice.map_or(word, |(_, chosen)| *chosen)
    };
    let is_in_name = |variable: &str| name.split(' ').any(|word| is(word, variable));
    let words: Vec<&str> = name.split(' ').map(chosen).collect();
    let others: Vec<_> = bound
        .iter()
        .copied()
        .filter(|(variable, _)| !is_in_name(variable))
        .collect();
    let separator = if others.is_empty() { ": " } else { ", " };
    format!("{}{separator}{}", words.join(" "), described(&others, what))
}

fn cells(product: &Product) -> impl Iterator<Item = (&str, &[(String, Word)])> {
    let factors = std::iter::once(&product.first).chain(product.rest.iter().map(|(_, factor)| factor));
    factors.filter_map(|factor| match factor {
        Factor::Number(_) => None,
        Factor::Cell { column, conditions } => Some((column.as_str(), conditions.as_slice())),
    })
}

/// The words and variables of a side's conditions.
fn words(product: &Product) -> Vec<String> {
    let conditions = cells(product).flat_map(|(_, conditions)| conditions);
    let words: BTreeSet<String> = conditions
        .map(|(_, word)| match word {
            Word::Plain(word) => word.clone(),
            Word::Variable(name) => format!("${name}"),
        })
        .collect();
    words.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predicate::parse;

    fn names(text: &str) -> Vec<String> {
        let predicate = parse(text).unwrap();
        let names = Names::of(&predicate);
        let comparisons = predicate.0.iter().flat_map(|sentence| &sentence.comparisons);
        let of = |comparison: &Comparison| {
            let mut left = &comparison.first;
            let mut found = Vec::new();
            for (_, right) in &comparison.rest {
                found.push(names.name(left, right));
                left = right;
            }
            found
        };
        comparisons.flat_map(of).collect()
    }

    #[test]
    fn several_comparisons_have_names() {
        assert_eq!(names("f(system=a) < f(system=b)"), [""]);
        assert_eq!(
            names("f(system=a, workload=w) > f(system=b, workload=w) >= f(system=c, workload=w)"),
            ["f of a / b", "f of b / c"]
        );
        assert_eq!(
            names("for all s in x y: f(system=$s) < f(system=b) and g(system=$s) < 3; 1 <= h()"),
            ["f of $s / b", "g", "h"]
        );
        assert_eq!(told("f of a / b", &[("w", "A")], "2"), "f of a / b, w = A: 2");
        assert_eq!(told("f of a / b", &[], "2"), "f of a / b: 2");
        assert_eq!(told("", &[("w", "A")], "2"), "w = A: 2");
        assert_eq!(told("f of $s / b", &[("s", "a")], "2"), "f of a / b: 2");
        let bound = [("s", "a"), ("w", "A")];
        assert_eq!(told("f of $s / b", &bound, "2"), "f of a / b, w = A: 2");
    }
}
