//! Why candidates stand to requirements as they do, in words: clauses, which begin with a small letter and end without a dot.

use dbdyno_analysis::advice::why::{Beyond, Why};

use crate::number;

/// Why a candidate stands to a requirement as it does.
pub fn clause(why: &Why) -> String {
    match why {
        Why::AllInvalid => "all its trials are invalid".to_owned(),
        Why::NotRecorded { shown_by } => format!("no record contains it; {shown_by}"),
        Why::OtherProduct(name) => format!("it is no {name}"),
        Why::Version(version) => format!("version {version}, as read back"),
        Why::OpaqueVersion(version) => {
            format!("its version cannot be compared: {}", or_nothing(version))
        }
        Why::NoOperations => "no valid trial counts for it".to_owned(),
        Why::Failed {
            failed,
            operations,
            trials,
        } => format!(
            "{} of {} operations failed in {}",
            number::count(*failed),
            number::count(*operations),
            number::plural(*trials, "trial", "trials")
        ),
        Why::NoDurability => "its durability was not read back".to_owned(),
        Why::OneCopy => "it keeps one copy, which every operation meets".to_owned(),
        Why::Level { level, means, beyond } => of_level(level, means, beyond.as_ref()),
        Why::UnknownNodes(topology) => format!(
            "its topology does not state how many nodes there are: {}",
            or_nothing(topology)
        ),
        Why::Nodes { topology, beyond } => of_nodes(topology, beyond.as_ref()),
        Why::Words(words) => words.clone(),
    }
}

fn or_nothing(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}

fn of_level(level: &str, means: &str, beyond: Option<&Beyond>) -> String {
    let means = if means.is_empty() {
        String::new()
    } else {
        format!(": {means}")
    };
    let read_back = format!("{level}, as read back{means}");
    match beyond {
        None => read_back,
        Some(Beyond::Reached { by, wanted }) => format!("{read_back}; {by} was measured at `{wanted}`"),
        Some(Beyond::NotOffered) => format!("{read_back}; it offers no more"),
        Some(Beyond::NotMeasured { wanted }) => {
            format!("not measured at `{wanted}`: its trials ran at {read_back}")
        }
    }
}

fn of_nodes(topology: &str, beyond: Option<&Beyond>) -> String {
    let read_back = format!("topology as read back: {topology}");
    match beyond {
        None | Some(Beyond::NotOffered) => read_back,
        Some(Beyond::Reached { by, wanted }) => {
            format!("{read_back}; {by} was measured with {wanted} or more")
        }
        Some(Beyond::NotMeasured { wanted }) => format!("not measured with {wanted} nodes; {read_back}"),
    }
}
