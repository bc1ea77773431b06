//! Where the lab keeps what it fetched and what it runs.

use std::path::{Path, PathBuf};

use crate::error::LabError;

/// Two directories: the cache of fetched software, and the running instances.
#[derive(Clone, Debug)]
pub struct LabHome {
    cache: PathBuf,
    instances: PathBuf,
}

/// Names both directories, for people with little room in the usual places.
pub const VARIABLE: &str = "DBDYNO_LAB_HOME";

/// The cache of root. Where the Filesystem Hierarchy Standard puts what an application of the machine fetches.
const CACHE_OF_ROOT: &str = "/var/cache/dbdyno";

impl LabHome {
    /// The user's: `$DBDYNO_LAB_HOME`, else the cache directory of the user and a directory of theirs in `/var/tmp`
    /// (not in the home, which other users' servers cannot enter). Root's cache is the machine's, because root's
    /// servers run as another user, too, and read their software there.
    ///
    /// # Errors
    /// When the directories cannot be made, or are not the user's own.
    pub fn of_user() -> Result<Self, LabError> {
        if let Some(home) = std::env::var_os(VARIABLE) {
            return Self::at(Path::new(&home));
        }
        let user = rustix::process::geteuid();
        let cache = if user.is_root() {
            let cache = PathBuf::from(CACHE_OF_ROOT);
            own(&cache, 0o755)?;
            cache.join("lab")
        } else {
            let cache = dbdyno_owned::cache();
            let cache = cache.map_err(|error| LabError::files("use", &std::env::temp_dir(), &error))?;
            cache.join("dbdyno/lab")
        };
        Self::new(
            cache,
            PathBuf::from(format!("/var/tmp/dbdyno-lab-{}", user.as_raw())),
        )
    }

    /// The user's cache, and instances of tests.
    pub(crate) fn beside_user() -> Result<Self, LabError> {
        let user = Self::of_user()?;
        let mut instances = user.instances.into_os_string();
        instances.push("-tests");
        Self::new(user.cache, PathBuf::from(instances))
    }

    /// Both under one directory.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn at(home: &Path) -> Result<Self, LabError> {
        // Servers start in directories of their own, where a relative path leads elsewhere.
        let home = std::path::absolute(home).map_err(|error| LabError::files("find", home, &error))?;
        Self::new(home.join("cache"), home.join("instances"))
    }

    fn new(cache: PathBuf, instances: PathBuf) -> Result<Self, LabError> {
        // Servers that run as users of their own pass through both, and read only what lies in the cache.
        own(&cache, 0o755)?;
        own(&instances, 0o711)?;
        Ok(Self { cache, instances })
    }

    /// Fetched software.
    #[must_use]
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// Running instances, one directory each.
    #[must_use]
    pub fn instances(&self) -> &Path {
        &self.instances
    }
}

/// Makes a directory that only this user can write to, or checks that it is one.
fn own(directory: &Path, mode: u32) -> Result<(), LabError> {
    dbdyno_owned::directory(directory, mode).map_err(|error| {
        LabError::files("use the lab's directory", directory, &error).help(format!(
            "the lab starts programs and removes files there, so only you may have write access: remove it, or name \
             another directory in {VARIABLE}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::LabErrorKind;

    #[test]
    fn the_cache_of_root_is_open_to_other_users() {
        use std::os::unix::fs::PermissionsExt;
        if !rustix::process::geteuid().is_root() || std::env::var_os(VARIABLE).is_some() {
            return;
        }
        let home = LabHome::of_user().unwrap();
        for directory in home.cache().ancestors() {
            let mode = directory.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o005, 0o005, "{} is closed", directory.display());
        }
    }

    #[test]
    fn a_relative_directory_is_relative_to_where_dbdyno_runs() {
        let here = std::env::current_dir().unwrap();
        let place = tempfile::tempdir_in(&here).unwrap();
        let home = LabHome::at(place.path().strip_prefix(&here).unwrap()).unwrap();
        assert_eq!(home.cache(), place.path().join("cache"));
    }

    #[test]
    fn a_symbolic_link_in_place_of_the_lab_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let elsewhere = place.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, place.path().join("instances")).unwrap();
        let error = LabHome::at(place.path()).unwrap_err();
        assert_eq!(error.kind, LabErrorKind::Files);
        assert!(error.message.contains("symbolic link"), "{error}");
        assert!(error.help.contains(VARIABLE), "{}", error.help);
    }
}
