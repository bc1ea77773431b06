//! A directory for the logs of writes on another disk than the data: each server has one of its own in it, which is removed with the
//! instance.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::error::{LabError, LabErrorKind};
use crate::recipe_info::RecipeOption;
use crate::request::ServerRequest;

/// The option of recipes whose servers can keep their log of writes apart from their data.
pub const LOG_DIRECTORY_OPTION: RecipeOption = RecipeOption::new(
    "commitlog_directory",
    "existing directory on another disk, for the commit logs",
    "beside the data",
);

/// The directory that a request names, absolute; `None`: the log lies beside the data.
///
/// # Errors
/// When it is no directory, or the request encrypts files in a volume, which would not hold the log.
pub fn log_directory(request: &ServerRequest) -> Result<Option<PathBuf>, LabError> {
    let Some(text) = request.option(LOG_DIRECTORY_OPTION.name) else {
        return Ok(None);
    };
    let refused = |why: &str, help: &str| {
        let message = format!(
            "{}={text} of {} is not possible: {why}",
            LOG_DIRECTORY_OPTION.name, request.name
        );
        LabError::new(LabErrorKind::Request, message).help(help)
    };
    if request.at_rest()?.has_image() {
        return Err(refused(
            "the files of `at_rest` lie in one volume",
            "leave out one of them",
        ));
    }
    match std::fs::canonicalize(text) {
        Ok(directory) if directory.is_dir() => Ok(Some(directory)),
        Ok(_) => Err(refused(
            "it is not a directory",
            "name a directory on the other disk",
        )),
        Err(error) => Err(refused(&error.to_string(), "make the directory, or name another")),
    }
}

fn prefix(instance: &str) -> String {
    format!("dbdyno-{instance}-")
}

/// Makes the directory of a server, which nobody else can enter.
pub(crate) fn make(base: &Path, instance: &str, server: &str) -> Result<PathBuf, LabError> {
    let directory = base.join(format!("{}{server}", prefix(instance)));
    DirBuilder::new()
        .mode(0o700)
        .create(&directory)
        .map_err(|error| LabError::files("make", &directory, &error))?;
    Ok(directory)
}

/// Removes the directories of an instance, which was started for this request.
pub(crate) fn remove(request: &str, instance: &str) {
    let base = ServerRequest::parse(request)
        .ok()
        .and_then(|request| log_directory(&request).ok().flatten());
    let entries = base.and_then(|base| std::fs::read_dir(base).ok());
    for entry in entries.into_iter().flatten().flatten() {
        let is_own = entry.file_name().to_string_lossy().starts_with(&prefix(instance));
        if is_own && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            std::fs::remove_dir_all(entry.path()).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_one_instance_come_and_go() {
        let place = tempfile::tempdir().unwrap();
        let text = format!("store?commitlog_directory={}", place.path().display());
        let request = ServerRequest::parse(&text).unwrap();
        let base = log_directory(&request).unwrap().unwrap();
        let own = make(&base, "store-x", "node1").unwrap();
        let other = make(&base, "store-xy", "node1").unwrap();
        std::fs::write(own.join("log"), "").unwrap();
        assert!(
            make(&base, "store-x", "node1").is_err(),
            "another user could have made it"
        );
        remove(&text, "store-x");
        assert!(!own.exists() && other.exists());
    }

    #[test]
    fn impossible_directories_end_before_a_start() {
        for (options, expected) in [
            ("commitlog_directory=/no/such", "is not possible"),
            ("commitlog_directory=/proc/version", "not a directory"),
            ("commitlog_directory=/tmp&at_rest=volume", "one volume"),
        ] {
            let request = ServerRequest::parse(&format!("store?{options}")).unwrap();
            let error = log_directory(&request).unwrap_err();
            assert!(error.message.contains(expected), "{options}: {error}");
            assert!(!error.help.is_empty());
        }
        assert_eq!(
            log_directory(&ServerRequest::parse("store").unwrap()).unwrap(),
            None
        );
    }
}
