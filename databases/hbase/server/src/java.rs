//! The Java that the servers run on.

use std::path::PathBuf;

/// The Java that all processes run on.
pub struct Java {
    pub program: PathBuf,
    pub jars: PathBuf,
    /// Further options, separated by blanks.
    pub options: String,
}
