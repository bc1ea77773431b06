//! Which two results a request compares.

use axum::http::StatusCode;
use dbdyno_record::ResultFolder;

use crate::shared::{Failure, Shared, lock};

/// A side of a comparison.
pub(crate) struct Compared {
    /// The name in the list.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// The results.
    pub folder: ResultFolder,
}

/// Two results as a request names them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The first is the baseline.
    Ordered([String; 2]),
    /// The older is the baseline.
    Ticked([String; 2]),
}

/// What is asked: `before=NAME&after=NAME` of a link, or `results=NAME` twice of a list in which two are ticked.
pub(crate) fn asked(query: &[(String, String)]) -> Result<Asked, Failure> {
    let values = |name: &str| -> Vec<String> {
        let named = query
            .iter()
            .filter(|(own, value)| own == name && !value.is_empty());
        named.map(|(_, value)| value.clone()).collect()
    };
    let of = |text: String| Failure::Refused(StatusCode::BAD_REQUEST, text);
    let (before, after) = (values("before"), values("after"));
    if !before.is_empty() || !after.is_empty() {
        return match (before.as_slice(), after.as_slice()) {
            ([before], [after]) => Ok(Asked::Ordered([before.clone(), after.clone()])),
            _ => Err(of(
                "A comparison needs one result before and one after: /compare?before=NAME&after=NAME."
                    .to_owned(),
            )),
        };
    }
    let ticked = values("results");
    match <[String; 2]>::try_from(ticked) {
        Ok(both) => Ok(Asked::Ticked(both)),
        Err(ticked) => Err(of(match ticked.as_slice() {
            [] => "Tick two results in the list, then compare them. None was ticked.".to_owned(),
            [one] => format!("Tick two results in the list, then compare them. Only {one:?} was ticked."),
            more => format!(
                "A comparison takes two results; {} were ticked. Go back and leave two.",
                more.len()
            ),
        })),
    }
}

/// The results, the baseline first. Only those of the list have a name.
pub(crate) fn in_order(shared: &Shared, asked: Asked) -> Result<[Compared; 2], Failure> {
    let open = |name: String| -> Result<Compared, Failure> {
        let watched = shared.watch(&name)?;
        let watched = lock(&watched);
        Ok(Compared {
            title: watched.title(&name),
            started_at: watched.started_at().to_owned(),
            folder: ResultFolder::open(&shared.path(&name)?)?,
            name,
        })
    };
    let ([first, second], by_age) = match asked {
        Asked::Ordered(names) => (names, false),
        Asked::Ticked(names) => (names, true),
    };
    let (first, second) = (open(first)?, open(second)?);
    if by_age && second.started_at < first.started_at {
        Ok([second, first])
    } else {
        Ok([first, second])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Asked, String> {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        let query: Vec<(String, String)> = pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        asked(&query).map_err(|failure| match failure {
            Failure::Refused(status, reason) => format!("{} {reason}", status.as_u16()),
            _ => "another failure".to_owned(),
        })
    }

    #[test]
    fn two_are_compared_and_any_other_number_is_explained() {
        let both = || ["a".to_owned(), "b".to_owned()];
        assert_eq!(read("results=a&results=b"), Ok(Asked::Ticked(both())));
        assert_eq!(read("before=a&after=b&anyway=1"), Ok(Asked::Ordered(both())));
        for (query, reason) in [
            ("", "None was ticked"),
            ("results=", "None was ticked"),
            ("results=a", "Only \"a\" was ticked"),
            ("results=a&results=b&results=c", "3 were ticked"),
            ("before=a", "one result before and one after"),
            ("before=a&before=b&after=c", "one result before and one after"),
        ] {
            let refused = read(query).unwrap_err();
            assert!(
                refused.starts_with("400 ") && refused.contains(reason),
                "{query}: {refused}"
            );
        }
    }
}
