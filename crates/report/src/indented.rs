//! JSON for programs, which people can read too.

use serde::Serialize;

/// Indented, with a final line feed.
pub(crate) fn json(value: &impl Serialize) -> String {
    let mut text =
        serde_json::to_string_pretty(value).expect("what is written holds only maps with text keys");
    text.push('\n');
    text
}
