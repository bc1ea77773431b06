//! What YCSB calls its six workloads.

use dbdyno_record::WorkloadRecord;
use dbdyno_vocabulary::workload_name::ycsb_letter;

/// Letter, meaning, and the shares of reads, updates, inserts, scans and read-modify-writes. Source: YCSB's wiki, "Core Workloads".
const KINDS: [(char, &str, [f64; 5]); 6] = [
    ('A', "Update heavy", [0.5, 0.5, 0.0, 0.0, 0.0]),
    ('B', "Read mostly", [0.95, 0.05, 0.0, 0.0, 0.0]),
    ('C', "Read only", [1.0, 0.0, 0.0, 0.0, 0.0]),
    ('D', "Read latest", [0.95, 0.0, 0.05, 0.0, 0.0]),
    ('E', "Short ranges", [0.0, 0.0, 0.05, 0.95, 0.0]),
    ('F', "Read-modify-write", [0.5, 0.0, 0.0, 0.0, 0.5]),
];

const SHARES: [&str; 5] = [
    "readproportion",
    "updateproportion",
    "insertproportion",
    "scanproportion",
    "readmodifywriteproportion",
];

/// The letter and the meaning of a workload that is called `a` or `A` and mixes its operations as YCSB's does; nothing of any other.
fn known(workload: &WorkloadRecord) -> Option<(char, &'static str)> {
    let shares = SHARES.map(|property| {
        let share = workload.properties.get(property);
        share.and_then(|share| share.parse().ok()).unwrap_or(0.0)
    });
    let is_mix = |mix: &[f64; 5]| {
        let mut pairs = mix.iter().zip(shares);
        pairs.all(|(expected, share): (&f64, f64)| (expected - share).abs() < 1e-9)
    };
    let mut kinds = KINDS.iter();
    let (known, meaning, _) = kinds.find(|(known, _, mix)| {
        ycsb_letter(&workload.name) == Some(known.to_ascii_lowercase()) && is_mix(mix)
    })?;
    Some((*known, meaning))
}

/// `A: update heavy` for one of YCSB's workloads; any other by its name: `Workload mine`.
pub fn label(workload: &WorkloadRecord) -> String {
    with_meaning(workload).unwrap_or_else(|| unknown(&workload.name))
}

/// A workload of which nothing but the name is known.
pub fn unknown(name: &str) -> String {
    format!("Workload {name}")
}

/// What follows the word workload: `A: update heavy`, `mine`.
pub fn name(workload: &WorkloadRecord) -> String {
    with_meaning(workload).unwrap_or_else(|| workload.name.clone())
}

fn with_meaning(workload: &WorkloadRecord) -> Option<String> {
    known(workload).map(|(letter, meaning)| format!("{letter}: {}", meaning.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(name: &str, properties: &[(&str, &str)]) -> WorkloadRecord {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        WorkloadRecord {
            name: name.to_owned(),
            records: 1,
            properties: properties.iter().map(owned).collect(),
        }
    }

    #[test]
    fn only_a_workload_with_the_mix_of_ycsb_has_its_meaning() {
        let half = [("readproportion", "0.5"), ("updateproportion", "0.5")];
        assert_eq!(label(&workload("a", &half)), "A: update heavy");
        assert_eq!(label(&workload("A", &half)), "A: update heavy");
        assert_eq!(label(&workload("a", &half[..1])), "Workload a");
        assert_eq!(label(&workload("mine", &half)), "Workload mine");
        assert_eq!(name(&workload("mine", &half)), "mine");
        assert_eq!(name(&workload("a", &half)), "A: update heavy");
        assert_eq!(
            label(&workload("c", &[("readproportion", "1.0")])),
            "C: read only"
        );
    }
}
