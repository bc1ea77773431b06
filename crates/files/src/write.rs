//! Writes the files.

use serde::Serialize;

use crate::{CostFile, NeedFile, PlannedTable, StudyFile};

/// How the first line of a file names the schema by which editors complete and check it: the convention of Taplo and Even Better TOML.
const DIRECTIVE: &str = "#:schema ";

impl StudyFile {
    /// The text of the file, below these lines of comments.
    #[must_use]
    pub fn to_text(&self, comments: &str) -> String {
        text(self, comments)
    }
}

impl NeedFile {
    /// The text of the file, below these lines of comments.
    #[must_use]
    pub fn to_text(&self, comments: &str) -> String {
        text(self, comments)
    }
}

impl CostFile {
    /// The text of the file, below these lines of comments.
    #[must_use]
    pub fn to_text(&self, comments: &str) -> String {
        text(self, comments)
    }
}

fn text(file: &impl Serialize, comments: &str) -> String {
    let keys = toml::to_string(file).expect("every value of a file can be written as TOML");
    format!("{comments}{keys}")
}

impl PlannedTable {
    /// The line that goes before the other keys of a study.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut table = String::new();
        self.serialize(toml::ser::ValueSerializer::new(&mut table))
            .expect("every value of a plan can be written as TOML");
        format!("planned = {table} # Chosen for this budget.")
    }
}

/// The text of a file with a line more, before its first key and below the line that names its schema.
#[must_use]
pub fn with_first_line(text: &str, line: &str) -> String {
    match text.split_once('\n') {
        Some((first, rest)) if first.starts_with(DIRECTIVE) => format!("{first}\n{line}\n{rest}"),
        _ => format!("{line}\n{text}"),
    }
}

/// The text of a file with a comment above one of its tables, which is named as it is written: `[paper.records]`.
#[must_use]
pub fn with_comment_above(text: &str, header: &str, comment: &str) -> String {
    // What looks like the header in a text of the file stands further up: tables of tables come last.
    match text.rfind(&format!("\n{header}\n")) {
        Some(end_of_line) => {
            let (above, below) = text.split_at(end_of_line + 1);
            format!("{above}{comment}\n{below}")
        }
        None => text.to_owned(),
    }
}
