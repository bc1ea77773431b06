//! Which names are those of secrets, and lists of settings without the values of such names.

use crate::suggest;
use crate::visible::HIDDEN;

/// Parts of names whose values are secrets.
const SECRET: [&str; 10] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "token",
    "credential",
    "apikey",
    "api_key",
    "primarykey",
];

/// Whether something with this name is a secret for certain: the value of `auth` may be a switch, and that of `num_tokens` a number.
#[must_use]
pub fn names_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET.iter().any(|word| {
        let after = name.find(word).map(|at| &name[at + word.len()..]);
        after.is_some_and(|after| !after.starts_with('s'))
    })
}

/// Whether the value of something with this name is not shown, since it may be a secret.
#[must_use]
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET.iter().any(|word| name.contains(word)) || name.split(['.', '_', '-']).any(|word| word == "auth")
}

/// Whether a name is that of a secret, perhaps mistyped.
#[must_use]
pub fn resembles_secret(name: &str) -> bool {
    is_secret(name)
        || name
            .split(['.', '_', '-'])
            .any(|word| word.len() > 3 && suggest::nearest(word, SECRET).is_some())
}

/// Whether the value of this option lists settings of its own, separated by blanks: `java_options=-Xint -Dstore.password=...`.
#[must_use]
pub fn lists_settings(option: &str) -> bool {
    let option = option.to_ascii_lowercase();
    option == "settings" || option.ends_with("options")
}

/// A list of `NAME=VALUE` or `NAME:VALUE` without the values whose names are those of secrets.
#[must_use]
pub fn without_secret_words(list: &str) -> String {
    let words = list.split(' ').map(|word| {
        // A value may hold names itself: `-javaagent:a.jar=token:...`.
        let mut ends = word.match_indices(['=', ':']).map(|(end, _)| end);
        match ends.find(|end| is_secret(&word[..*end])) {
            Some(end) => format!("{}{HIDDEN}", &word[..=end]),
            None => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_a_list_are_hidden_wherever_their_names_stand() {
        for (list, seen) in [
            (
                "-Xint  -Dstore.password=a=b c:1",
                "-Xint  -Dstore.password=*** c:1",
            ),
            (
                "-javaagent:a.jar=port:1,token:x",
                "-javaagent:a.jar=port:1,token:***",
            ),
            ("a:1%20b.secret:x", "a:1%20b.secret:***"),
            ("a:1 secret", "a:1 secret"),
        ] {
            assert_eq!(without_secret_words(list), seen);
        }
    }

    #[test]
    fn a_switch_and_a_number_are_not_secrets_for_certain() {
        for (name, is_secret) in [
            ("password", true),
            ("client_secret", true),
            ("keyPassword", true),
            ("auth", false),
            ("num_tokens", false),
            ("encryption", false),
        ] {
            assert_eq!(names_secret(name), is_secret, "{name}");
        }
    }
}
