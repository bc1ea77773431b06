//! Typed reading of properties, with one way of saying what is wrong.

use std::time::Duration;

use crate::properties::{Origin, Properties, Property, PropertyError};
use dbdyno_vocabulary::suggest::nearest;
use dbdyno_vocabulary::{Count, Time, parse_number};

pub(crate) struct Reader<'a>(pub(crate) &'a Properties);

impl Reader<'_> {
    /// A refusal that points at where `key` was set, if it was.
    pub(crate) fn refuse(&self, key: &str, problem: String, advice: &str) -> PropertyError {
        PropertyError {
            origin: self
                .0
                .get(key)
                .map_or(Origin::Absent, |property| property.origin.clone()),
            key: Some(key.to_owned()),
            problem,
            advice: (!advice.is_empty()).then(|| advice.to_owned()),
        }
    }

    fn parse<T>(
        &self,
        key: &str,
        parse: impl FnOnce(&Property) -> Result<T, String>,
    ) -> Result<Option<T>, PropertyError> {
        let Some(property) = self.0.get(key) else {
            return Ok(None);
        };
        match parse(property) {
            Ok(value) => Ok(Some(value)),
            Err(problem) => Err(self.refuse(key, format!("{key}: {problem}"), "")),
        }
    }

    pub(crate) fn count(&self, key: &str) -> Result<Option<u64>, PropertyError> {
        self.parse(key, |property| {
            Count::parse(&property.value)
                .map(Count::get)
                .map_err(|error| error.to_string())
        })
    }

    /// A whole number within limits, `default` when absent.
    pub(crate) fn small(&self, key: &str, least: u32, most: u32, default: u32) -> Result<u32, PropertyError> {
        let Some(value) = self.count(key)? else {
            return Ok(default);
        };
        match u32::try_from(value) {
            Ok(value) if (least..=most).contains(&value) => Ok(value),
            _ => Err(self.refuse(
                key,
                format!("{key} is {value}"),
                &format!("it must be {least} to {most}"),
            )),
        }
    }

    /// A number within limits, `default` when absent.
    pub(crate) fn number(
        &self,
        key: &str,
        least: f64,
        most: f64,
        default: f64,
    ) -> Result<f64, PropertyError> {
        let value = self.parse(key, |property| {
            parse_number(&property.value).map_err(|error| error.to_string())
        })?;
        match value {
            None => Ok(default),
            Some(value) if (least..=most).contains(&value) => Ok(value),
            Some(value) => Err(self.refuse(
                key,
                format!("{key} is {value}"),
                &format!("it must be {least} to {most}"),
            )),
        }
    }

    pub(crate) fn boolean(&self, key: &str) -> Result<Option<bool>, PropertyError> {
        self.parse(key, |property| {
            if property.value.eq_ignore_ascii_case("true") {
                Ok(true)
            } else if property.value.eq_ignore_ascii_case("false") {
                Ok(false)
            } else {
                Err(format!("`{}` is neither true nor false", property.value))
            }
        })
    }

    /// One of some words; the first is the default.
    pub(crate) fn choice<T: Copy>(&self, key: &str, choices: &[(&str, T)]) -> Result<T, PropertyError> {
        let Some(property) = self.0.get(key) else {
            return Ok(choices[0].1);
        };
        if let Some((_, value)) = choices.iter().find(|(word, _)| *word == property.value) {
            return Ok(*value);
        }
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let advice = match nearest(&property.value, words.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it must be one of {}", words.join(", ")),
        };
        Err(self.refuse(key, format!("{key}: unknown value `{}`", property.value), &advice))
    }

    /// A time: a bare number has YCSB's unit, else units are written.
    pub(crate) fn duration(&self, key: &str, bare_unit: &str) -> Result<Option<Duration>, PropertyError> {
        self.parse(key, |property| {
            let bare = property
                .value
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.');
            let text = if bare && !property.value.is_empty() {
                format!("{}{bare_unit}", property.value)
            } else {
                property.value.clone()
            };
            Time::parse(&text)
                .map(Time::get)
                .map_err(|error| error.to_string())
        })
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|property| property.value.as_str())
    }
}
