//! Who may see the pages. On loopback, every user of this machine; elsewhere, whoever has the token.

use std::net::SocketAddr;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE, HOST};

/// Bytes of chance in a token.
const TOKEN_BYTES: usize = 16;
/// The cookie that keeps the token out of later addresses.
pub(crate) const COOKIE_NAME: &str = "dbdyno_token";

/// What a reader from another machine has to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// When the operating system has no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// As it stands in an address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is this one; how long that takes does not depend on where they differ.
    fn is(&self, shown: &str) -> bool {
        self.0.len() == shown.len()
            && self
                .0
                .bytes()
                .zip(shown.bytes())
                .fold(0, |differing, (own, other)| differing | (own ^ other))
                == 0
    }
}

/// How a request may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// It may.
    Granted,
    /// It showed the token in its address: the answer keeps it as a cookie.
    GrantedByAddress,
    /// It may not.
    Refused,
}

/// Decides. Without a token, the server listens on loopback, and a page of another site must not reach it by a name that leads
/// here (DNS rebinding): only loopback's own names are answered.
pub(crate) fn access(token: Option<&Token>, headers: &HeaderMap, shown_in_address: Option<&str>) -> Access {
    if is_of_other_site(headers) {
        return Access::Refused;
    }
    let Some(token) = token else {
        return if is_loopback_name(headers) {
            Access::Granted
        } else {
            Access::Refused
        };
    };
    if shown_in_address.is_some_and(|shown| token.is(shown)) {
        return Access::GrantedByAddress;
    }
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &axum::http::HeaderValue| value.to_str().ok())
    };
    let bearer = text(AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    let cookies = text(COOKIE).unwrap_or_default().split(';');
    let mut cookies = cookies.filter_map(|cookie| cookie.trim().strip_prefix(COOKIE_NAME)?.strip_prefix('='));
    if bearer.is_some_and(|shown| token.is(shown)) || cookies.any(|shown| token.is(shown)) {
        Access::Granted
    } else {
        Access::Refused
    }
}

/// Whether a page of another site asks by itself, and not a person who followed a link. It could not read the answer, but making one
/// costs time on a machine that measures.
fn is_of_other_site(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_link = text("sec-fetch-mode") == Some("navigate") && text("sec-fetch-dest") == Some("document");
    matches!(text("sec-fetch-site"), Some("cross-site" | "same-site")) && !is_link
}

fn is_loopback_name(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(HOST).and_then(|host| host.to_str().ok()) else {
        return false;
    };
    if let Ok(address) = host.parse::<SocketAddr>() {
        return address.ip().is_loopback();
    }
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let without_port = || host.rsplit_once(':').map_or(host, |(name, _)| name);
    let name = bracketed.unwrap_or_else(without_port);
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(axum::http::HeaderName, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    #[test]
    fn on_loopback_only_its_own_names_are_answered() {
        for host in [
            "127.0.0.1:7979",
            "localhost:7979",
            "LOCALHOST",
            "[::1]:7979",
            "[::1]",
            "127.0.0.1",
        ] {
            assert_eq!(
                access(None, &headers(&[(HOST, host)]), None),
                Access::Granted,
                "{host}"
            );
        }
        for host in [
            "evil.example",
            "evil.example:7979",
            "127.0.0.1.evil.example",
            "10.0.0.1:7979",
            "[::2]",
            "[evil.example]",
        ] {
            assert_eq!(
                access(None, &headers(&[(HOST, host)]), None),
                Access::Refused,
                "{host}"
            );
        }
        assert_eq!(access(None, &HeaderMap::new(), None), Access::Refused);
    }

    #[test]
    fn pages_of_other_sites_may_link_and_nothing_else() {
        let asked = |site: &str, mode: &str, dest: &str| {
            let mut headers = headers(&[(HOST, "localhost:7979")]);
            for (name, value) in [
                ("sec-fetch-site", site),
                ("sec-fetch-mode", mode),
                ("sec-fetch-dest", dest),
            ] {
                let name = axum::http::HeaderName::from_bytes(name.as_bytes()).unwrap();
                headers.insert(name, HeaderValue::from_str(value).unwrap());
            }
            access(None, &headers, None)
        };
        for (site, mode, dest) in [
            ("same-origin", "cors", "empty"),
            ("none", "navigate", "document"),
            ("cross-site", "navigate", "document"),
        ] {
            assert_eq!(asked(site, mode, dest), Access::Granted, "{site} {mode} {dest}");
        }
        for (site, mode, dest) in [
            ("cross-site", "no-cors", "image"),
            ("cross-site", "navigate", "iframe"),
            ("same-site", "cors", "empty"),
        ] {
            assert_eq!(asked(site, mode, dest), Access::Refused, "{site} {mode} {dest}");
        }
    }

    #[test]
    fn elsewhere_the_token_decides_and_nothing_else() {
        let token = Token::random().unwrap();
        let other = Token::random().unwrap();
        assert_ne!(token, other);
        let with = |pairs: &[(axum::http::HeaderName, &str)], shown: Option<&str>| {
            access(Some(&token), &headers(pairs), shown)
        };
        assert_eq!(with(&[(HOST, "localhost")], None), Access::Refused);
        assert_eq!(with(&[], Some(token.as_str())), Access::GrantedByAddress);
        assert_eq!(with(&[], Some(other.as_str())), Access::Refused);
        assert_eq!(with(&[], Some("")), Access::Refused);
        let bearer = format!("Bearer {}", token.as_str());
        assert_eq!(with(&[(AUTHORIZATION, &bearer)], None), Access::Granted);
        let cookies = format!("a=b; {COOKIE_NAME}={}", token.as_str());
        assert_eq!(with(&[(COOKIE, &cookies)], None), Access::Granted);
        let cookies = format!("{COOKIE_NAME}={}", &token.as_str()[1..]);
        assert_eq!(with(&[(COOKIE, &cookies)], None), Access::Refused);
    }
}
