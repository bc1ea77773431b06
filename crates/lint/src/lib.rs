//! Errors of benchmark results that arithmetic alone finds. Results come as they were printed, whoever printed them
//! ([`Printed`]); what cannot be true, or should not be believed as it stands, goes out as [`Finding`]s with the arithmetic
//! written out. Nothing is read or written here, and nothing is known of papers, files or databases.

mod finding;
mod printed;
mod rules;
mod words;

pub use finding::{Certainty, Finding, Rule};
pub use printed::{
    Better, Change, Claim, Clients, Copies, Line, Memory, Part, Printed, Properties, Protocol, Range, Rates,
    Repeats, Trend,
};

/// Everything that the rules find, the surest first, and in the order of the rules and the results otherwise.
#[must_use]
pub fn check(printed: &Printed) -> Vec<Finding> {
    let printed = printed.measured();
    let mut findings: Vec<Finding> = rules::ALL.iter().flat_map(|rule| rule(&printed)).collect();
    findings.sort_by_key(|finding| finding.certainty);
    findings
}
