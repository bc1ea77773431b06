//! Errors of benchmark results that arithmetic alone finds. Results come as they were printed, whoever printed them
//! ([`Printed`]); what cannot be true, or should not be believed as it stands, goes out as [`Finding`]s with the arithmetic
//! written out. Nothing is read or written here, and nothing is known of papers, files or databases.

mod figure;
mod finding;
mod place;
mod printed;
mod quantity;
mod rules;
mod table;
mod words;

pub use figure::Figure;
pub use finding::{Case, Certainty, Doubt, Finding, Rule};
pub use place::{Place, Rows};
pub use printed::{
    Better, Change, Claim, Clients, Comparison, ComparisonRow, Copies, Difference, Line, Memory, Part,
    Placement, Printed, Properties, Protocol, Range, Rates, Ratio, Repeats, Trend,
};
pub use quantity::{Number, OfChange, OfKind, Quantity, Side};
pub use table::{
    PrintedCell, Table, TableFile, TableFileError, Unchecked, UnreadableCell, number_in, table_of_csv,
};

/// Lines that share their numbers to the last digit, be they of one author or of several.
#[must_use]
pub fn copied(printed: &Printed) -> Vec<Finding> {
    finding::grouped(rules::copied(&printed.measured()))
}

/// Everything that the rules find, the surest first, and in the order of the rules and the results otherwise. What one rule finds
/// in several places in the same words is one finding.
#[must_use]
pub fn check(printed: &Printed) -> Vec<Finding> {
    let impossible = rules::impossible_values(printed);
    let measured = printed.measured();
    let mut findings: Vec<Finding> = rules::ALL.iter().flat_map(|rule| rule(&measured)).collect();
    findings.splice(..0, impossible);
    let mut findings = finding::grouped(findings);
    findings.sort_by_key(|finding| finding.certainty);
    findings
}
