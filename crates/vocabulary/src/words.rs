//! Number words: `1 trial`, `3 trials`, `a, b and c`.

use std::fmt::Display;

/// `1 trial`, `3 trials`.
#[must_use]
pub fn plural<N: Display + PartialEq + From<u8>>(number: N, one: &str, many: &str) -> String {
    let form = agreeing(&number, one, many);
    format!("{number} {form}")
}

/// The word that agrees with a number: `is` with 1, `are` with any other.
#[must_use]
pub fn agreeing<'a, N: PartialEq + From<u8>>(number: &N, one: &'a str, many: &'a str) -> &'a str {
    if *number == N::from(1) { one } else { many }
}

/// `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn list<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [head @ .., last] => {
            let head: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", head.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_like_sentences() {
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b"]), "a and b");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(list::<&str>(&[]), "");
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(plural(1, "trial", "trials"), "1 trial");
        assert_eq!(plural(0, "trial", "trials"), "0 trials");
        assert_eq!(plural(2_usize, "trial was", "trials were"), "2 trials were");
        assert_eq!(agreeing(&1_u64, "is", "are"), "is");
    }
}
