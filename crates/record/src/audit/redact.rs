//! Secrets that a server sends back.

/// The text in the place of a secret.
const STARS: &str = "***";
/// From this length on, the beginning of a long secret is one, too: servers cut what they send back.
const PART: usize = 8;

/// The text without these secrets. A longer one is taken out before one that it contains.
#[must_use]
pub fn redacted(text: &str, secrets: &[String]) -> String {
    let mut secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
    secrets.retain(|secret| !secret.is_empty());
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    let whole = secrets.iter().fold(text.to_owned(), |text, secret| {
        if text.contains(secret) {
            text.replace(secret, STARS)
        } else {
            text
        }
    });
    secrets
        .iter()
        .fold(whole, |text, secret| without_beginnings(text, secret))
}

/// Takes out every beginning of a secret that is twice as long as the shortest that counts.
fn without_beginnings(mut text: String, secret: &str) -> String {
    let mut letters = secret.char_indices().map(|(place, _)| place).skip(PART);
    let Some(begin) = letters.next().filter(|_| secret.chars().count() >= 2 * PART) else {
        return text;
    };
    while let Some(place) = text.find(&secret[..begin]) {
        let same = text[place..].chars().zip(secret.chars());
        let length: usize = same
            .take_while(|(one, other)| one == other)
            .map(|(one, _)| one.len_utf8())
            .sum();
        text.replace_range(place..place + length, STARS);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, secrets: &[&str]) -> String {
        let secrets: Vec<String> = secrets.iter().map(|secret| (*secret).to_owned()).collect();
        redacted(text, &secrets)
    }

    #[test]
    fn of_two_secrets_the_longer_goes_first() {
        assert_eq!(
            of("got hunter2-admin", &["hunter2", "hunter2-admin", ""]),
            "got ***"
        );
    }

    #[test]
    fn what_a_server_has_cut_is_taken_out_as_well() {
        let token = "s3cret-token-of-many-letters-é-and-more";
        let cut = format!("with args beginning with: '{}'", &token[..20]);
        assert_eq!(of(&cut, &[token]), "with args beginning with: '***'");
        assert_eq!(of(&format!("{} {token}!", &token[..14]), &[token]), "*** ***!");
        assert_eq!(of("password is short", &["passwords"]), "password is short");
    }
}
