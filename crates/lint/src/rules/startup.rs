//! `startup-in-runtime`: a single client that is not in an operation does something else. Where that time does not grow with
//! the operations it is the time of connecting, counted as work.

use super::busy::{busy_s, count, timed};
use crate::words::{number, whole_share};
use crate::{Certainty, Finding, Line, Place, Printed, Rule};

/// Share of the shortest run from which on it bends what is printed.
const SHARE: f64 = 0.02;
/// Time outside of operations may grow so much while the operations grow by more than that.
const GROWTH: f64 = 2.0;

pub fn check(printed: &Printed) -> Vec<Finding> {
    let of_one_client = |lines: &&[Line]| {
        let mut clients = lines.iter().map(|line| printed.clients_of(line));
        clients.all(|clients| clients.is_some_and(|clients| clients.number == 1.0))
    };
    let tables = printed.lines.chunk_by(|a, b| a.table == b.table);
    tables.filter(of_one_client).filter_map(of_table).collect()
}

fn of_table(lines: &[Line]) -> Option<Finding> {
    // Times in whole seconds say nothing of a gap of less.
    let outside: Vec<(&Line, f64, f64)> = lines
        .iter()
        .filter_map(|line| {
            let (parts, time) = (timed(line), line.run_time_s?);
            let (gap, open) = (time.value() - busy_s(&parts).value(), time.high() - time.low());
            (!parts.is_empty() && gap > open).then_some((line, time.value(), gap))
        })
        .collect();
    if outside.len() < lines.iter().filter(|line| !timed(line).is_empty()).count() {
        return None;
    }
    let (shortest, time, gap) = *outside.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (longest, longest_time, _) = *outside.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    // Of equally many operations that took longer nothing is to be learnt: what each of them costs outside is the same.
    let operations = |line: &Line| count(&timed(line)).value();
    let grown = operations(longest) > operations(shortest) * GROWTH && longest_time > time * GROWTH;
    let largest = outside.iter().map(|(_, _, gap)| *gap).fold(gap, f64::max);
    let smallest = outside.iter().map(|(_, _, gap)| *gap).fold(gap, f64::min);
    let constant = smallest > 0.0 && largest <= smallest * GROWTH && grown;
    (constant && gap > time * SHARE).then(|| {
        let arithmetic = format!(
            "{}: {} s of run time, {} s of it in operations; {} s ({}) are neither. Over the table that is {} to {} s, \
             while the run time grows to {} s",
            shortest.place,
            number(time),
            number(time - gap),
            number(gap),
            whole_share(gap / time),
            number(smallest),
            number(largest),
            number(longest_time)
        );
        let explanation = "connecting is counted as work: short runs look slower than they are";
        Finding::new(
            Rule::StartupInRuntime,
            Certainty::Likely,
            &Place::around(&lines[0].table, lines.iter().map(|line| &line.place)),
            arithmetic,
            explanation,
        )
    })
}
