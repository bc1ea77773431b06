//! What YCSB calls its six workloads.

use dbdyno_record::WorkloadRecord;

/// Name, meaning, and the shares of reads, updates, inserts, scans and read-modify-writes. Source: YCSB's wiki, "Core Workloads".
const KINDS: [(&str, &str, [f64; 5]); 6] = [
    ("a", "A: update heavy", [0.5, 0.5, 0.0, 0.0, 0.0]),
    ("b", "B: read mostly", [0.95, 0.05, 0.0, 0.0, 0.0]),
    ("c", "C: read only", [1.0, 0.0, 0.0, 0.0, 0.0]),
    ("d", "D: read latest", [0.95, 0.0, 0.05, 0.0, 0.0]),
    ("e", "E: short ranges", [0.0, 0.0, 0.05, 0.95, 0.0]),
    ("f", "F: read-modify-write", [0.5, 0.0, 0.0, 0.0, 0.5]),
];

const SHARES: [&str; 5] = [
    "readproportion",
    "updateproportion",
    "insertproportion",
    "scanproportion",
    "readmodifywriteproportion",
];

/// `A: update heavy` for a workload that is called `a` and mixes its operations as YCSB's does; any other by its name.
pub fn label(workload: &WorkloadRecord) -> String {
    let shares = SHARES.map(|property| {
        let share = workload.properties.get(property);
        share.and_then(|share| share.parse().ok()).unwrap_or(0.0)
    });
    let known = KINDS.iter().find(|(name, _, mix)| {
        *name == workload.name
            && mix
                .iter()
                .zip(shares)
                .all(|(expected, share): (&f64, f64)| (expected - share).abs() < 1e-9)
    });
    known.map_or_else(|| workload.name.clone(), |(_, label, _)| (*label).to_owned())
}

/// The same as the beginning of a sentence: `Update heavy (A)`.
pub fn phrase(workload: &WorkloadRecord) -> String {
    let label = label(workload);
    let Some((letter, meaning)) = label.split_once(": ").filter(|(letter, _)| letter.len() == 1) else {
        return label;
    };
    let mut words = meaning.to_owned();
    words[..1].make_ascii_uppercase();
    format!("{words} ({letter})")
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
        assert_eq!(label(&workload("a", &half[..1])), "a");
        assert_eq!(label(&workload("mine", &half)), "mine");
        assert_eq!(phrase(&workload("a", &half)), "Update heavy (A)");
        assert_eq!(phrase(&workload("mine", &half)), "mine");
        assert_eq!(
            label(&workload("c", &[("readproportion", "1.0")])),
            "C: read only"
        );
    }
}
