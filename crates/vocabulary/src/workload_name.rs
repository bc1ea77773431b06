//! Names of workloads: YCSB's letters, and the files that hold a workload.

/// The name of a file of YCSB's workloads begins so, before its letter.
const FILE: &str = "workload";

/// The short name of a workload given as a name or a path: `workloada` is `a`, `mixes/hot.properties` is `hot`.
#[must_use]
pub fn short_name(text: &str) -> &str {
    let stem = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let stem = stem.strip_suffix(".properties").unwrap_or(stem);
    let start = stem.get(..FILE.len());
    let is_file = start.is_some_and(|start| start.eq_ignore_ascii_case(FILE));
    let rest = if is_file { &stem[FILE.len()..] } else { stem };
    match rest.trim_start_matches(['-', '_']) {
        "" => stem,
        rest => rest,
    }
}

/// The small letter of one of YCSB's six workloads, however it is written: `A`, `workloada`.
#[must_use]
pub fn ycsb_letter(name: &str) -> Option<char> {
    let mut letters = short_name(name).chars().map(|letter| letter.to_ascii_lowercase());
    match (letters.next(), letters.next()) {
        (Some(letter @ 'a'..='f'), None) => Some(letter),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_letters_follow_one_rule() {
        for (given, short, letter) in [
            ("a", "a", Some('a')),
            ("A", "A", Some('a')),
            ("workloada", "a", Some('a')),
            ("WORKLOADB", "B", Some('b')),
            ("workloads/workloadf", "f", Some('f')),
            ("mixes/workload-c.properties", "c", Some('c')),
            ("mixes/hot.properties", "hot", None),
            ("workload", "workload", None),
            ("workload_", "workload_", None),
            ("abramova-g", "abramova-g", None),
            ("G", "G", None),
            ("ä", "ä", None),
            ("", "", None),
        ] {
            assert_eq!(
                (short_name(given), ycsb_letter(given)),
                (short, letter),
                "{given}"
            );
        }
    }
}
