//! The Java side. A class path is loaded once in a process, so that what a binding keeps in static fields is shared as it
//! is in YCSB's own.

use std::path::{Path, PathBuf};

use dbdyno_driver::{DbError, ErrorClass};
use dbdyno_jvm::{Bridge, Channel, ClassPath, open};
use dbdyno_lab::{LabError, LabHome, Store, maven_jars};

const BRIDGE: Bridge = Bridge {
    name: "YcsbChannel",
    source: include_str!("../java/YcsbChannel.java"),
};

/// The class that every binding extends, as a file of a jar or directory.
const BASE_CLASS: &str = "site/ycsb/DB.class";

/// The release of YCSB that is fetched where the class path brings none.
const CORE: &str = "site.ycsb:core:0.17.0";

/// The bridge with the jars of this class path, and with YCSB's core where they bring none.
pub fn bridge(class_path: Option<&str>) -> Result<Channel, DbError> {
    let class_path = with_core(class_path, core_jars)?;
    Ok(open(BRIDGE, &ClassPath::parse(&class_path)?)?)
}

/// The directory with YCSB's core and what it needs, fetched by Maven at the first time.
///
/// # Errors
/// Without Maven, or when it fails.
pub fn core_jars() -> Result<PathBuf, LabError> {
    let store = Store::of(&LabHome::of_user()?);
    let entry = CORE.replace("site.ycsb:", "ycsb-").replace(':', "-");
    Ok(maven_jars(&store, &entry, &[CORE], &mut ())?.join("lib"))
}

fn with_core(
    class_path: Option<&str>,
    fetch: impl FnOnce() -> Result<PathBuf, LabError>,
) -> Result<String, DbError> {
    let given = class_path.unwrap_or_default();
    if !given.is_empty() {
        let parsed = ClassPath::parse(given)?;
        if parsed.entries().iter().any(|entry| brings_core(entry)) {
            return Ok(given.to_owned());
        }
    }
    let core = fetch().map_err(|error| {
        let lacking = if given.is_empty() {
            "names no class_path".to_owned()
        } else {
            format!("has no site.ycsb.DB in class_path={given}")
        };
        DbError::new(
            ErrorClass::Rejected,
            format!(
                "`ycsb` {lacking}, and YCSB's core cannot be fetched: {} ({}); or name the jars of {CORE} and of what \
                 it needs in class_path",
                error.message.replace('\n', " "),
                error.help
            ),
        )
    })?;
    let separator = if given.is_empty() { "" } else { ":" };
    Ok(format!("{given}{separator}{}", core.display()))
}

/// Whether the class is in this jar or directory. The names in an archive stand there as they are.
fn brings_core(entry: &Path) -> bool {
    if entry.is_dir() {
        return entry.join(BASE_CLASS).is_file();
    }
    let name = BASE_CLASS.as_bytes();
    std::fs::read(entry).is_ok_and(|bytes| bytes.windows(name.len()).any(|window| window == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_is_there_is_not_fetched() {
        let folder = tempfile::tempdir().unwrap();
        let jar = folder.path().join("all-in-one.jar");
        std::fs::write(&jar, format!("PK...{BASE_CLASS}...")).unwrap();
        let text = jar.display().to_string();
        let found = with_core(Some(&text), || panic!("it is there")).unwrap();
        assert_eq!(found, text);
    }

    #[test]
    fn a_core_that_is_missing_follows_the_class_path() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().display().to_string();
        let fetched = || Ok(PathBuf::from("/core/lib"));
        assert_eq!(
            with_core(Some(&own), fetched).unwrap(),
            format!("{own}:/core/lib")
        );
        assert_eq!(with_core(None, fetched).unwrap(), "/core/lib");
    }

    #[test]
    fn a_core_that_cannot_be_had_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().display().to_string();
        for given in [None, Some(own.as_str())] {
            let error = with_core(given, || {
                Err(LabError::new(
                    dbdyno_lab::LabErrorKind::Software,
                    "Maven is not installed",
                ))
            });
            let error = error.unwrap_err();
            assert_eq!(error.class, ErrorClass::Rejected);
            for expected in ["Maven is not installed", "site.ycsb:core:0.17.0", "class_path"] {
                assert!(error.message.contains(expected), "{error}");
            }
        }
    }
}
