//! The built-in workload files, by name.

use crate::properties::Properties;
use dbdyno_vocabulary::suggest::nearest;

/// One built-in workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, which is its file's: `workloada`.
    pub name: &'static str,
    /// A shorter name that also finds it: `a`.
    pub short: &'static str,
    /// Its meaning, in a few words.
    pub title: &'static str,
    /// The property file.
    pub text: &'static str,
}

macro_rules! entry {
    ($name:literal, $short:literal, $title:literal) => {
        Entry {
            name: $name,
            short: $short,
            title: $title,
            text: include_str!(concat!("../../../workloads/", $name)),
        }
    };
}

/// All of them: YCSB's six, then those of published studies.
pub const ENTRIES: &[Entry] = &[
    entry!("workloada", "a", "update heavy: 50% reads, 50% updates"),
    entry!("workloadb", "b", "read mostly: 95% reads, 5% updates"),
    entry!("workloadc", "c", "read only"),
    entry!(
        "workloadd",
        "d",
        "read latest: 95% reads of new records, 5% inserts"
    ),
    entry!("workloade", "e", "short ranges: 95% scans, 5% inserts"),
    entry!(
        "workloadf",
        "f",
        "read-modify-write: 50% reads, 50% read-modify-writes"
    ),
    entry!("abramova-g", "abramova-g", "update mostly: 5% reads, 95% updates"),
    entry!("abramova-h", "abramova-h", "update only"),
    entry!("altoros-g", "altoros-g", "insert mostly: 10% reads, 90% inserts"),
];

/// A name that is no built-in workload's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no built-in workload is called `{name}`; {advice}")]
pub struct UnknownWorkload {
    /// The name asked for.
    pub name: String,
    /// The nearest name, or the list.
    pub advice: String,
}

/// The built-in workload of that name or short name, in any case.
///
/// # Errors
/// [`UnknownWorkload`], with the nearest name.
pub fn find(name: &str) -> Result<&'static Entry, UnknownWorkload> {
    let lower = name.to_lowercase();
    ENTRIES
        .iter()
        .find(|entry| entry.name == lower || entry.short == lower)
        .ok_or_else(|| {
            let advice = match nearest(&lower, ENTRIES.iter().map(|entry| entry.name)) {
                Some(near) => format!("did you mean `{near}`? (or give the path of a property file)"),
                None => {
                    let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.short).collect();
                    format!(
                        "there are {}; or give the path of a property file",
                        names.join(", ")
                    )
                }
            };
            UnknownWorkload {
                name: name.to_owned(),
                advice,
            }
        })
}

impl Entry {
    /// The properties of the file.
    ///
    /// # Panics
    /// Never: a test parses every built-in file.
    #[must_use]
    pub fn properties(&self) -> Properties {
        let mut properties = Properties::new();
        properties
            .parse_file(self.text, &format!("workloads/{}", self.name))
            .expect("built-in workload files are well-formed");
        properties
    }
}
