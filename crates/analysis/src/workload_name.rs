//! Names of workloads that mean one thing: YCSB's letters in any case, and the names of their files.

use dbdyno_vocabulary::workload_name::ycsb_letter;

/// Whether two results that call their workloads so mean the same one: `A` and `a`, `workloada` and `a`. Any other name is its own.
#[must_use]
pub fn is_same_workload(one: &str, other: &str) -> bool {
    one == other || ycsb_letter(one).is_some_and(|own| ycsb_letter(other) == Some(own))
}

/// The name of a workload that all its writings share: `a` for `A` and `workloada`.
#[must_use]
pub fn common_name(name: &str) -> String {
    ycsb_letter(name).map_or_else(|| name.to_owned(), String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_ycsb_are_one_in_any_case_and_other_names_are_their_own() {
        for (one, other, same) in [
            ("a", "A", true),
            ("workloadA", "a", true),
            ("a", "b", false),
            ("Mine", "mine", false),
            ("g", "G", false),
            ("ä", "Ä", false),
            ("workload", "Workload", false),
        ] {
            assert_eq!(is_same_workload(one, other), same, "{one} {other}");
        }
        assert_eq!(
            (common_name("WORKLOADB").as_str(), common_name("G").as_str()),
            ("b", "G")
        );
    }
}
