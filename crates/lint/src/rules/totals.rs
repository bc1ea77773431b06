//! `order` and `counts` of a whole line: the mean of all operations against those of its kinds, and what succeeded against what was
//! done.

use super::busy::{TOLERANCE, count, timed};
use super::values::HISTOGRAM;
use crate::words::{list, number};
use crate::{Certainty, Figure, Finding, Line, OfKind, Printed, Quantity, Rule};

/// A mean of all operations is one of the means of their kinds, weighted: it lies between the smallest and the largest of them.
pub fn means(printed: &Printed) -> Vec<Finding> {
    printed.lines.iter().filter_map(of_means).collect()
}

fn of_means(line: &Line) -> Option<Finding> {
    let total = line.all.mean_latency_us?;
    let parts: Option<Vec<(&str, Figure)>> = line
        .parts
        .iter()
        .map(|part| Some((part.kind.as_str(), part.mean_latency_us?)))
        .collect();
    let parts = parts.filter(|parts| !parts.is_empty())?;
    let least = parts
        .iter()
        .map(|(_, mean)| mean.low())
        .fold(f64::INFINITY, f64::min);
    let most = parts.iter().map(|(_, mean)| mean.high()).fold(0.0, f64::max);
    let is_between = total.high() * (1.0 + HISTOGRAM) >= least && total.low() <= most * (1.0 + HISTOGRAM);
    let certainty = match are_all_printed(line) {
        _ if is_between => return None,
        Some(true) => Certainty::Certain,
        // What failed has a latency of its own.
        Some(false) => return None,
        // One kind alone may be one of several.
        None if parts.len() == 1 => return None,
        None => Certainty::Likely,
    };
    let kinds: Vec<String> = parts
        .iter()
        .map(|(kind, mean)| format!("{} us ({kind})", number(mean.value())))
        .collect();
    let arithmetic = format!(
        "the mean of all operations is {} us; those of their kinds are {}",
        number(total.value()),
        list(&kinds)
    );
    let explanation = "a mean of all lies between the means of its parts: one of these is of other runs, of another column, or in another unit";
    let finding = Finding::new(Rule::Order, certainty, &line.place, arithmetic, explanation);
    Some(finding.doubting(OfKind::Mean.of(""), None))
}

/// Whether the kinds make up all operations; `None` where their numbers are not printed.
fn are_all_printed(line: &Line) -> Option<bool> {
    let parts = timed(line);
    let sum = count(&parts).high();
    (!parts.is_empty()).then(|| {
        line.operations
            .is_none_or(|operations| sum >= operations.low() * (1.0 - TOLERANCE))
    })
}

/// No more operations succeed than there are.
pub fn successes(printed: &Printed) -> Vec<Finding> {
    printed.lines.iter().filter_map(of_successes).collect()
}

fn of_successes(line: &Line) -> Option<Finding> {
    let operations = line.operations?;
    let of_kinds = || {
        let counts: Option<Vec<Figure>> = line.parts.iter().map(|part| part.succeeded).collect();
        // YCSB counts the halves of read-modify-writes with the reads and with the updates, too.
        let has_halves = line.parts.iter().any(|part| part.kind == "read_modify_write");
        let sum = counts?.into_iter().reduce(|sum, count| sum + count);
        // Kinds that have more operations than there are in all are a finding of their own.
        let counted: Option<Vec<Figure>> = line.parts.iter().map(|part| part.count).collect();
        sum.filter(|_| !has_halves && counted.is_none())
    };
    let succeeded = line.all.succeeded.or_else(of_kinds)?;
    (succeeded.low() > operations.high()).then(|| {
        let arithmetic = format!(
            "{} of {} operations succeeded",
            number(succeeded.value()),
            number(operations.value())
        );
        let explanation =
            "no more can succeed than there are: one of these is of other runs, or was summed over several";
        let finding = Finding::new(
            Rule::Counts,
            Certainty::Certain,
            &line.place,
            arithmetic,
            explanation,
        );
        finding
            .doubting(OfKind::Succeeded.of(""), None)
            .doubting(Quantity::Operations, None)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Part;

    fn line(operations: Option<f64>, total_us: f64, kinds: &[(&str, Option<f64>, f64)]) -> Line {
        let part = |(kind, count, mean_us): &(&str, Option<f64>, f64)| Part {
            kind: (*kind).to_owned(),
            count: count.map(Figure::exact),
            mean_latency_us: Some(Figure::of_shortest_decimal(*mean_us)),
            ..Part::default()
        };
        Line {
            operations: operations.map(Figure::exact),
            all: Part {
                mean_latency_us: Some(Figure::of_shortest_decimal(total_us)),
                ..Part::default()
            },
            parts: kinds.iter().map(part).collect(),
            ..Line::default()
        }
    }

    fn certainty(line: Line) -> Option<Certainty> {
        of_means(&line).map(|finding| finding.certainty)
    }

    #[test]
    fn a_total_beyond_its_parts_is_found_as_surely_as_the_parts_are_all_of_it() {
        let both = [("read", Some(500.0), 100.0), ("update", Some(500.0), 300.0)];
        assert_eq!(certainty(line(Some(1000.0), 200.0, &both)), None);
        assert_eq!(
            certainty(line(Some(1000.0), 450.0, &both)),
            Some(Certainty::Certain)
        );
        assert_eq!(certainty(line(None, 50.0, &both)), Some(Certainty::Certain));
        // Digits leave it open.
        assert_eq!(certainty(line(Some(1000.0), 301.0, &both)), None);
        // A fifth of the operations is of a kind that is not printed, or failed.
        assert_eq!(certainty(line(Some(1250.0), 450.0, &both)), None);
        let without_counts = [("read", None, 100.0), ("update", None, 300.0)];
        assert_eq!(
            certainty(line(Some(1000.0), 450.0, &without_counts)),
            Some(Certainty::Likely)
        );
        assert_eq!(certainty(line(Some(1000.0), 450.0, &without_counts[..1])), None);
        let alone = [("read", Some(1000.0), 100.0)];
        assert_eq!(
            certainty(line(Some(1000.0), 140.0, &alone)),
            Some(Certainty::Certain)
        );
    }

    #[test]
    fn more_successes_than_operations_are_found() {
        let with = |ok: f64| {
            let mut line = line(Some(1000.0), 100.0, &[]);
            line.all.succeeded = Some(Figure::of_shortest_decimal(ok));
            of_successes(&line).is_some()
        };
        assert!(with(1200.0) && !with(1000.0) && !with(800.0));
        let mut kinds = line(
            Some(1000.0),
            100.0,
            &[("read", None, 100.0), ("update", None, 100.0)],
        );
        for part in &mut kinds.parts {
            part.succeeded = Some(Figure::exact(600.0));
        }
        assert!(of_successes(&kinds).is_some());
        // A read-modify-write succeeds as one, as a read and as an update.
        kinds.parts[1].kind = "read_modify_write".to_owned();
        assert!(of_successes(&kinds).is_none());
    }
}
