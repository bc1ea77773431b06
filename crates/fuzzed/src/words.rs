//! What stands on command lines and in the values of files: addresses, quantities, metrics and expectations.

use std::fmt::{Debug, Display};

use dbdyno_driver::secrets::HIDDEN;
use dbdyno_driver::{DbError, Target, TargetError};
use dbdyno_vocabulary::{
    Count, Expectation, Metric, Rate, Share, Size, Time, parse_number, parse_up_to, visible,
};

use crate::memory::bounded;

/// A password. What contains it by itself is no input here.
const PASSWORD: &str = "correct-horse-battery-staple";

/// Addresses: what is shown means the same, and a password is never shown, whatever stands behind it.
pub fn addresses(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let hidden = (!text.contains(PASSWORD)).then(|| address(&format!("redis://user:{PASSWORD}@{text}")));
    for said in hidden.into_iter().flatten() {
        assert!(!said.contains(PASSWORD), "the password is shown: {said}");
    }
    let Ok(target) = bounded(bytes, || Target::parse(text)) else {
        return false;
    };
    let shown = target.to_string();
    if !shown.contains(HIDDEN) {
        assert_eq!(Target::parse(&shown).as_ref(), Ok(&target), "{shown}");
    }
    true
}

/// All that is said of an address.
fn address(text: &str) -> Vec<String> {
    let said = |error: &TargetError| vec![error.to_string(), format!("{error:?}")];
    let mut target = match Target::parse(text) {
        Ok(target) => target,
        Err(error) => return said(&error),
    };
    let shown = vec![target.to_string(), format!("{target:?}")];
    // Options name files and variables, and no input is to choose which ones are read.
    target.options.clear();
    let of_driver = |error: DbError| vec![error.message];
    let remote = dbdyno_database_redis::remote(&target);
    let read = remote.map_or_else(of_driver, |remote| {
        vec![format!("{remote:?}"), remote.hosts_text()]
    });
    [shown, read].concat()
}

/// Quantities, metrics and expectations: what is written is read as the same.
pub fn quantities(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let accepted = [
        written(text, Count::parse),
        written(text, Count::parse_positive),
        written(text, Rate::parse),
        written(text, Share::parse),
        written(text, Share::parse_proper),
        written(text, Size::parse),
        written(text, Time::parse),
        written(text, |text| parse_up_to(1 << 20, text)),
        number(text),
        metric(text),
        expectation(text),
    ];
    let is_seen = |letter: char| !letter.is_control() || ['\n', '\t'].contains(&letter);
    assert!(visible::text(text).chars().all(is_seen), "{text:?}");
    accepted.contains(&true)
}

fn written<T: Display + PartialEq + Debug, E: Debug>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, E>,
) -> bool {
    let Ok(quantity) = bounded(text.as_bytes(), || parse(text)) else {
        return false;
    };
    match parse(&quantity.to_string()) {
        Ok(again) => assert_eq!(again, quantity, "from {text:?}"),
        Err(error) => panic!("{text:?} is written as {quantity}, which is refused: {error:?}"),
    }
    true
}

fn number(text: &str) -> bool {
    let number = parse_number(text);
    assert!(number.as_ref().is_ok_and(|number| number.is_finite()) || number.is_err());
    number.is_ok()
}

fn metric(text: &str) -> bool {
    let Ok(metric) = bounded(text.as_bytes(), || Metric::parse(text)) else {
        return false;
    };
    assert_eq!(Metric::parse(&metric.name()).ok(), Some(metric), "{text:?}");
    true
}

/// The limit is a number, and a mistake has its place in the text.
fn expectation(text: &str) -> bool {
    match bounded(text.as_bytes(), || Expectation::parse(text)) {
        Ok(expectation) => {
            assert!(expectation.limit().number().is_finite(), "{text:?}");
            let again = format!(
                "{}{}",
                expectation.metric().name(),
                &text[text.find(['<', '>']).unwrap_or(0)..]
            );
            assert_eq!(
                Expectation::parse(&again).map(|again| again.limit()),
                Ok(expectation.limit())
            );
            true
        }
        Err(error) => {
            assert!(
                text.get(error.span.clone()).is_some(),
                "{text:?}: {:?}",
                error.span
            );
            false
        }
    }
}
