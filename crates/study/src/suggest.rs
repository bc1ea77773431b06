//! "Did you mean": the known word nearest to a mistyped one.

/// The known word that `word` was probably meant to be; `None` when nothing is near enough.
///
/// Nearness is the Damerau-Levenshtein distance (insertions, deletions, replacements and swaps of neighbours); one
/// mistake in three letters is still taken for a typing mistake.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    known
        .into_iter()
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&word, &candidate.to_ascii_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, candidate)| *distance <= candidate.len().max(word.len()).div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// "; did you mean `x`?", or nothing.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let known = ["trials", "systems", "workloads", "aa"];
        assert_eq!(nearest("trails", known), Some("trials"));
        assert_eq!(nearest("Workload", known), Some("workloads"));
        assert_eq!(nearest("banana", known), None);
    }
}
