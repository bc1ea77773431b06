//! Typed reading of properties, which collects all that is wrong with them.

use std::time::Duration;

use crate::properties::{Origin, Properties, Property, PropertyError};
use dbdyno_vocabulary::suggest::nearest;
use dbdyno_vocabulary::{Count, Time, parse_number};

/// Reads values. Where one is refused, its default stands in for it, so that the rest is read, too.
pub(crate) struct Reader<'a> {
    properties: &'a Properties,
    /// Wrong whatever the other properties say.
    alone: Vec<PropertyError>,
    /// Properties that do not fit together.
    together: Vec<PropertyError>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(properties: &'a Properties) -> Self {
        Self {
            properties,
            alone: Vec::new(),
            together: Vec::new(),
        }
    }

    pub(crate) fn properties(&self) -> &'a Properties {
        self.properties
    }

    /// Refuses the value of `key`, whatever the other properties say.
    pub(crate) fn refuse(&mut self, key: &str, problem: String, advice: &str) {
        let error = self.error(key, problem, advice);
        // Some properties are read for the workload and for the client.
        if !self.alone.contains(&error) {
            self.alone.push(error);
        }
    }

    /// Refuses what `key` and other properties say together. It is forgotten if any value is refused alone: the contradiction may
    /// be with the default that stands in for it.
    pub(crate) fn refuse_together(&mut self, key: &str, problem: String, advice: &str) {
        let error = self.error(key, problem, advice);
        self.together.push(error);
    }

    /// All that was refused.
    pub(crate) fn refused(self) -> Vec<PropertyError> {
        if self.alone.is_empty() {
            self.together
        } else {
            self.alone
        }
    }

    /// Points at where `key` was set, if it was.
    fn error(&self, key: &str, problem: String, advice: &str) -> PropertyError {
        PropertyError {
            origin: self
                .properties
                .get(key)
                .map_or(Origin::Absent, |property| property.origin.clone()),
            key: Some(key.to_owned()),
            problem,
            advice: (!advice.is_empty()).then(|| advice.to_owned()),
        }
    }

    fn parse<T>(&mut self, key: &str, parse: impl FnOnce(&Property) -> Result<T, String>) -> Option<T> {
        match parse(self.properties.get(key)?) {
            Ok(value) => Some(value),
            Err(problem) => {
                self.refuse(key, format!("{key}: {problem}"), "");
                None
            }
        }
    }

    pub(crate) fn count(&mut self, key: &str) -> Option<u64> {
        self.parse(key, |property| {
            Count::parse(&property.value)
                .map(Count::get)
                .map_err(|error| error.to_string())
        })
    }

    /// A whole number within limits, `default` when absent.
    pub(crate) fn small(&mut self, key: &str, least: u32, most: u32, default: u32) -> u32 {
        let Some(value) = self.count(key) else {
            return default;
        };
        match u32::try_from(value) {
            Ok(value) if (least..=most).contains(&value) => value,
            _ => {
                self.refuse(
                    key,
                    format!("{key} is {value}"),
                    &format!("it must be {least} to {most}"),
                );
                default
            }
        }
    }

    /// A number within limits, `default` when absent.
    pub(crate) fn number(&mut self, key: &str, least: f64, most: f64, default: f64) -> f64 {
        let value = self.parse(key, |property| {
            parse_number(&property.value).map_err(|error| error.to_string())
        });
        match value {
            None => default,
            Some(value) if (least..=most).contains(&value) => value,
            Some(value) => {
                self.refuse(
                    key,
                    format!("{key} is {value}"),
                    &format!("it must be {least} to {most}"),
                );
                default
            }
        }
    }

    pub(crate) fn boolean(&mut self, key: &str) -> Option<bool> {
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
    pub(crate) fn choice<T: Copy>(&mut self, key: &str, choices: &[(&str, T)]) -> T {
        let default = choices[0].1;
        let Some(property) = self.properties.get(key) else {
            return default;
        };
        if let Some((_, value)) = choices.iter().find(|(word, _)| *word == property.value) {
            return *value;
        }
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let advice = match nearest(&property.value, words.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it must be one of {}", words.join(", ")),
        };
        self.refuse(key, format!("{key}: unknown value `{}`", property.value), &advice);
        default
    }

    /// A time: a bare number has YCSB's unit, else units are written.
    pub(crate) fn duration(&mut self, key: &str, bare_unit: &str) -> Option<Duration> {
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

    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        self.properties.get(key).map(|property| property.value.as_str())
    }
}
