//! Removes secrets from the text of a study file.

use std::ops::Range;

use dbdyno_driver::Target;
use dbdyno_driver::secrets::{HIDDEN, shown};
use dbdyno_files::values::Text;
use dbdyno_files::{Entry, Placed, StudyFile};

/// The text of a study file without the passwords in addresses and the secret options of systems; everything else is
/// left as it is. What is no study is returned unchanged: it is never stored.
#[must_use]
pub fn redact(text: &str) -> String {
    match dbdyno_files::read(text) {
        Ok(file) => without_secrets(text, &file),
        Err(_) => text.to_owned(),
    }
}

/// The text of this file without its secrets.
pub(crate) fn without_secrets(text: &str, file: &StudyFile) -> String {
    let tables = || file.system.0.iter().map(|table| &table.value);
    let addresses = file.systems.0.iter().chain(tables().map(|table| &table.address));
    let options = tables()
        .flat_map(|table| &table.options)
        .flat_map(|options| &options.value.0);
    let mut hidden: Vec<(&Range<usize>, String)> = addresses
        .filter_map(redacted_address)
        .chain(options.filter_map(redacted_option))
        .collect();
    hidden.sort_by_key(|(span, _)| span.start);
    let mut redacted = text.to_owned();
    for (span, instead) in hidden.into_iter().rev() {
        redacted.replace_range(span.clone(), &toml::Value::String(instead).to_string());
    }
    redacted
}

fn redacted_address(address: &Placed<Text>) -> Option<(&Range<usize>, String)> {
    let redacted = Target::parse(&address.value.0).ok()?.to_string();
    redacted.contains(HIDDEN).then_some((&address.span, redacted))
}

fn redacted_option((name, value): &Entry) -> Option<(&Range<usize>, String)> {
    let seen = shown(&name.value, &value.value);
    (seen != value.value).then_some((&value.span, seen))
}
