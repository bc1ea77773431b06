//! "Did you mean": the known word nearest to a mistyped one.

/// The known word that `word` was probably meant to be; `None` when nothing is near enough.
///
/// Nearness is the Damerau-Levenshtein distance (insertions, deletions, replacements and swaps of neighbours), whatever the case;
/// one mistake in three letters is still taken for a typing mistake. Where no word is near, the shortest one that begins
/// with three letters or more of `word` is taken for meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LEAST: usize = 3;
    let word = word.to_lowercase();
    let mut near: Option<(usize, &str)> = None;
    let mut longer: Option<&str> = None;
    for candidate in known {
        let lower = candidate.to_lowercase();
        let distance = strsim::damerau_levenshtein(&word, &lower);
        let is_near = distance <= candidate.len().max(word.len()).div_ceil(3);
        if is_near && near.is_none_or(|(least, _)| distance < least) {
            near = Some((distance, candidate));
        }
        let begins = word.len() >= LEAST && lower.starts_with(&word);
        if begins && longer.is_none_or(|longer| candidate.len() < longer.len()) {
            longer = Some(candidate);
        }
    }
    near.map(|(_, candidate)| candidate).or(longer)
}

/// "; did you mean `x`?" after what is wrong, or nothing.
pub fn after_message<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// "did you mean `x`? " before the list of what is known, or nothing.
pub fn before_list<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |near| format!("did you mean `{near}`? "))
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
        assert_eq!(nearest("zzz", known), None);
        assert_eq!(nearest("", known), None);
    }

    #[test]
    fn the_beginning_of_a_word_means_the_word() {
        let known = ["readproportion", "readallfieldsbyname", "readallfields"];
        assert_eq!(nearest("readprop", known), Some("readproportion"));
        assert_eq!(nearest("readall", known), Some("readallfields"));
        assert_eq!(nearest("re", known), None);
    }

    #[test]
    fn a_suggestion_stands_before_a_list_or_after_a_message() {
        assert_eq!(after_message("trails", ["trials"]), "; did you mean `trials`?");
        assert_eq!(before_list("trails", ["trials"]), "did you mean `trials`? ");
        assert_eq!(before_list("x", ["trials"]), "");
    }
}
