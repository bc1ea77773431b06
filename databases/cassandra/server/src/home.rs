//! A Cassandra that the user has unpacked: its jars lie in `lib`.

use std::path::Path;

use dbdyno_lab::{Installation, LabError, LabErrorKind, ServerRequest};

/// The named directory, made absolute, with the version that its jars have.
///
/// # Errors
/// When it holds no Cassandra, or another version than the request names.
pub(crate) fn checked(home: Installation, request: &ServerRequest) -> Result<Installation, LabError> {
    let path =
        std::fs::canonicalize(&home.path).map_err(|error| LabError::files("find", &home.path, &error))?;
    let Some(version) = version(&path.join("lib")) else {
        return Err(LabError::new(
            LabErrorKind::Request,
            format!(
                "{}, {}, has no jar of Cassandra in its directory lib",
                path.display(),
                home.origin
            ),
        )
        .help(
            "name the directory that Cassandra is unpacked in; it holds lib/apache-cassandra-VERSION.jar",
        ));
    };
    if let Some(wanted) = &request.version
        && version != *wanted
        && !version.starts_with(&format!("{wanted}."))
    {
        return Err(LabError::new(
            LabErrorKind::Request,
            format!(
                "{}, {}, holds Cassandra {version}, and {wanted} is asked for",
                path.display(),
                home.origin
            ),
        )
        .help(format!("leave out @{wanted} or name another directory")));
    }
    Ok(Installation {
        path,
        origin: format!("{version}, {}", home.origin),
    })
}

/// The version in the name of the server's own jar: `apache-cassandra-5.0.9.jar` where it was unpacked,
/// `cassandra-all-5.0.9.jar` where Maven brought it.
fn version(library: &Path) -> Option<String> {
    std::fs::read_dir(library).ok()?.flatten().find_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let name = name.strip_suffix(".jar")?;
        let version = name
            .strip_prefix("apache-cassandra-")
            .or_else(|| name.strip_prefix("cassandra-all-"))?;
        // Not that of apache-cassandra-thrift-3.11.jar and its like.
        version
            .starts_with(|first: char| first.is_ascii_digit())
            .then(|| version.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(path: &Path) -> Installation {
        Installation {
            path: path.to_owned(),
            origin: "named by home=".to_owned(),
        }
    }

    #[test]
    fn a_directory_is_known_by_its_jar() {
        let folder = tempfile::tempdir().unwrap();
        let plain = ServerRequest::parse("cassandra").unwrap();
        let error = checked(home(folder.path()), &plain).unwrap_err();
        assert!(
            error.message.contains("home=") && error.help.contains("lib/"),
            "{error}"
        );
        let library = folder.path().join("lib");
        std::fs::create_dir(&library).unwrap();
        std::fs::write(library.join("apache-cassandra-thrift-3.11.jar"), "").unwrap();
        checked(home(folder.path()), &plain).unwrap_err();
        std::fs::write(library.join("apache-cassandra-4.1.3.jar"), "").unwrap();
        assert_eq!(
            checked(home(folder.path()), &plain).unwrap().origin,
            "4.1.3, named by home="
        );
        checked(
            home(folder.path()),
            &ServerRequest::parse("cassandra@4.1").unwrap(),
        )
        .unwrap();
        let error = checked(
            home(folder.path()),
            &ServerRequest::parse("cassandra@5.0").unwrap(),
        )
        .unwrap_err();
        assert!(error.message.contains("holds Cassandra 4.1.3"), "{error}");
    }
}
