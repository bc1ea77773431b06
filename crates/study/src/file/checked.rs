//! A study file without mistakes, and the study that it describes.

use super::definition::Study;

/// A study and the file it was read from.
#[derive(Clone, Debug)]
pub struct CheckedStudy {
    /// The checked study.
    pub study: Study,
    /// The file's text without secrets, for the result folder.
    pub text: String,
}
