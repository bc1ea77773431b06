//! What is known of a recipe before it does anything, and the software that it finds.

use std::path::PathBuf;
use std::time::Duration;

/// The constant facts about a recipe.
#[derive(Clone, Copy, Debug)]
pub struct RecipeInfo {
    /// Name, that of the database's folder.
    pub name: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// Versions it can fetch, the default first.
    pub versions: &'static [&'static str],
    /// Options, with a line of help each.
    pub options: &'static [(&'static str, &'static str)],
    /// The files that its servers can encrypt themselves (`at_rest=engine`); `None`: none.
    pub encrypts_files: Option<&'static str>,
    /// How long one node usually takes until it answers, for estimates.
    pub usual_start: Duration,
    /// How long its clients usually have to work until it is warm, for estimates.
    pub usual_warmup: Duration,
}

/// The option of recipes whose servers can be set to speak TLS only.
pub const TLS_OPTION: (&str, &str) = (
    "tls",
    "directory with server.pem, server.key and ca.pem; clients must show a certificate of that authority",
);

/// The options by which recipes with an option `password` take it where nobody else sees it: other users of the machine can read a
/// command line.
pub const PASSWORD_FILE_OPTION: (&str, &str) = ("password_file", "file whose first line is the password");

/// See [`PASSWORD_FILE_OPTION`].
pub const PASSWORD_ENV_OPTION: (&str, &str) =
    ("password_env", "environment variable that holds the password");

/// Software that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// The directory or binary, as the recipe understands it.
    pub path: PathBuf,
    /// Where it came from, for people: `named by home=`, `found on PATH`, `fetched from Maven Central`.
    pub origin: String,
}
