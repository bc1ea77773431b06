//! What is known of a recipe before it does anything, and the software that it finds.

use std::path::PathBuf;
use std::time::Duration;

use dbdyno_trial::Durability;

/// The constant facts about a recipe.
#[derive(Clone, Copy, Debug)]
pub struct RecipeInfo {
    /// Name, that of the database's folder.
    pub name: &'static str,
    /// The product's own name.
    pub product: &'static str,
    /// One line about how its software is had.
    pub summary: &'static str,
    /// Versions it can fetch, the default first.
    pub versions: &'static [&'static str],
    /// Options of its own; [`all_options`](Self::all_options) has those of every recipe, too.
    pub options: &'static [RecipeOption],
    /// Where its software lies.
    pub software: Software,
    /// The option on which the servers' durability depends, and the level that each of its values gives, the default first;
    /// `None` where clients ask for it.
    pub durability_by: Option<(&'static str, &'static [(&'static str, Durability)])>,
    /// The files that its servers can encrypt themselves (`at_rest=engine`); `None`: none.
    pub encrypts_files: Option<&'static str>,
    /// The option, and its value, with which servers scan in the order of keys; `None` where no option decides that.
    pub scans_by_key: Option<(&'static str, &'static str)>,
    /// How long one node usually takes until it answers, for estimates.
    pub usual_start: Duration,
    /// How long its clients usually have to work until it is warm, for estimates.
    pub usual_warmup: Duration,
}

impl RecipeInfo {
    /// Its own options and those of every recipe.
    pub fn all_options(&self) -> impl Iterator<Item = &'static RecipeOption> + Clone {
        self.options.iter().chain(&COMMON)
    }
}

/// An option of a recipe.
#[derive(Clone, Copy, Debug)]
pub struct RecipeOption {
    /// Its name in an address.
    pub name: &'static str,
    /// Its values, and what they mean.
    pub values: &'static str,
    /// Its value where an address has none; empty: it has none.
    pub default: &'static str,
}

impl RecipeOption {
    /// An option; an empty `default` stands for none.
    #[must_use]
    pub const fn new(name: &'static str, values: &'static str, default: &'static str) -> Self {
        Self {
            name,
            values,
            default,
        }
    }
}

/// Where a recipe looks for its software, in this order.
#[derive(Clone, Copy, Debug)]
pub struct Software {
    /// The environment variable that names its directory.
    pub home: &'static str,
    /// Its program, on PATH.
    pub program: Option<&'static str>,
    /// Further directories of the program, as [`on_path`](crate::on_path) takes them.
    pub further: &'static [&'static str],
    /// How the names of what was fetched begin in the store, before the version.
    pub fetched: Option<&'static str>,
    /// How it comes to this machine where it is nowhere.
    pub otherwise: &'static str,
}

/// The option of recipes whose servers can be set to speak TLS only.
pub const TLS_OPTION: RecipeOption = RecipeOption::new(
    "tls",
    "directory with server.pem, server.key and ca.pem; clients must show a certificate of that authority",
    "",
);

/// The options by which recipes with an option `password` take it where nobody else sees it: other users of the machine can read a
/// command line.
pub const PASSWORD_FILE_OPTION: RecipeOption =
    RecipeOption::new("password_file", "file whose first line is the password", "");

/// See [`PASSWORD_FILE_OPTION`].
pub const PASSWORD_ENV_OPTION: RecipeOption =
    RecipeOption::new("password_env", "environment variable that holds the password", "");

/// The option that limits the CPU time of each server, or names its CPUs.
pub const CPUS_OPTION: RecipeOption = RecipeOption::new(
    "cpus",
    "CPUs of each server: a share of CPU time (0.5, 1, 2), or a list of CPU numbers (0,2 or 0-1; 0-0 for one)",
    "",
);

/// The option that limits the memory of each server.
pub const MEMORY_OPTION: RecipeOption = RecipeOption::new(
    "memory",
    "memory of each server, e.g. 2G; heaps and caches follow unless the address sets them",
    "",
);

/// The option that separates the load generator's CPUs from those of the servers.
pub const CLIENT_OPTION: RecipeOption = RecipeOption::new(
    "client",
    "shared; apart: half of the CPUs for the load generator alone, the others for the servers; or a list of its CPU numbers",
    "shared",
);

/// The options of every recipe, beside its own.
pub(crate) static COMMON: [RecipeOption; 3] = [CPUS_OPTION, MEMORY_OPTION, CLIENT_OPTION];

/// Software that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// The directory or binary, as the recipe understands it.
    pub path: PathBuf,
    /// Where it came from, for people: `named by home=`, `found on PATH`, `fetched from Maven Central`.
    pub origin: String,
}
