//! `startup-in-runtime`: a single client that is not in an operation does something else. Where that time does not grow with
//! the operations it is the time of connecting, counted as work.

use super::littles_law::{busy_s, own_parts};
use crate::words::number;
use crate::{Certainty, Finding, Line, Printed, Rule};

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
    let outside: Vec<(&Line, f64, f64)> = lines
        .iter()
        .filter(|line| !line.parts.is_empty())
        .filter_map(|line| {
            line.run_time_s
                .map(|time| (line, time, time - busy_s(&own_parts(line))))
        })
        .collect();
    let (shortest, time, gap) = *outside.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (longest, longest_time, _) = *outside.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    // Of equally many operations that took longer nothing is to be learnt: what each of them costs outside is the same.
    let operations = |line: &Line| own_parts(line).iter().map(|part| part.count).sum::<f64>();
    let grown = operations(longest) > operations(shortest) * GROWTH && longest_time > time * GROWTH;
    let largest = outside.iter().map(|(_, _, gap)| *gap).fold(gap, f64::max);
    let smallest = outside.iter().map(|(_, _, gap)| *gap).fold(gap, f64::min);
    let constant = smallest > 0.0 && largest <= smallest * GROWTH && grown;
    (constant && gap > time * SHARE).then(|| Finding {
        rule: Rule::StartupInRuntime,
        place: lines[0].table.clone(),
        certainty: Certainty::Likely,
        arithmetic: format!(
            "{}: {} s of run time, {} s of it in operations; {} s ({:.0}%) are neither. Over the table that is {} to {} s, \
             while the run time grows to {} s",
            shortest.place,
            number(time),
            number(time - gap),
            number(gap),
            gap / time * 100.0,
            number(smallest),
            number(largest),
            number(longest_time)
        ),
        explanation: "connecting is counted as work: short runs look slower than they are".to_owned(),
    })
}
