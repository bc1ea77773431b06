//! Whether the records fit on the disk, said before anything starts.

use dbdyno_report::number;
use dbdyno_study::file::space::Need;

use crate::problem::Problem;
use crate::terminal::Terminal;

/// Refuses records that do not fit, and warns of those that may not. `lower` says how there are fewer.
pub fn check(need: Option<Need>, lower: &str, terminal: Terminal) -> Result<(), Problem> {
    let Some(need) = need else {
        return Ok(());
    };
    let size = |bytes: u64| number::bytes(bytes as f64);
    let (records, free) = (size(need.bytes), size(need.free_bytes));
    let (systems, place) = (number::list(&need.systems), need.place.display());
    if need.is_too_much() {
        return Err(Problem::usage(format!(
            "the disk of {place} is too full for the records of {systems}: they take {records} at least, and {free} are free"
        ))
        .help(format!("{lower}, or make room or name another path")));
    }
    terminal.warn(&format!(
        "the records of {systems} take {records}, databases often take three times as much, and the disk of {place} has {free} free; \
         {lower} if it fills up"
    ));
    Ok(())
}
