//! Compiles the bridge class at its first use; the result is kept in the user's cache.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::{ClassPath, JvmError};

/// The class that every bridge extends, and what it needs.
const CHANNEL: [(&str, &str); 2] = [
    ("Channel.java", include_str!("../java/Channel.java")),
    ("Watch.java", include_str!("../java/Watch.java")),
];

/// A directory that holds the compiled classes.
pub fn compiled(sources: &[(String, &str)], class_path: &ClassPath) -> Result<PathBuf, JvmError> {
    let mut hasher = DefaultHasher::new();
    (CHANNEL, sources, class_path.joined(), env!("CARGO_PKG_VERSION")).hash(&mut hasher);
    let cache = cache_directory()?;
    let home = cache.join(format!("{:016x}", hasher.finish()));
    // Another thread of this process may be at it, and would write to the same place aside.
    static COMPILING: Mutex<()> = Mutex::new(());
    let _alone = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    if home.is_dir() {
        return Ok(home);
    }
    let refuse = |path: &Path, error: &std::io::Error| {
        JvmError(format!(
            "cannot write the compiled Java bridge to {}: {error}; set XDG_CACHE_HOME to a place that can be written",
            path.display()
        ))
    };
    // Made aside and renamed when complete: another process may be at it.
    let aside = cache.join(format!("{:016x}.{}", hasher.finish(), std::process::id()));
    std::fs::create_dir_all(&aside).map_err(|error| refuse(&aside, &error))?;
    let mut command = Command::new(javac());
    command.args(["-nowarn", "-encoding", "UTF-8", "-cp", &class_path.joined(), "-d"]);
    command.arg(&aside);
    let sources = sources.iter().map(|(name, text)| (name.as_str(), *text));
    let names: Vec<&str> = sources.clone().map(|(name, _)| name).collect();
    for (name, text) in CHANNEL.into_iter().chain(sources) {
        let path = aside.join(name);
        std::fs::write(&path, text).map_err(|error| refuse(&path, &error))?;
        command.arg(path);
    }
    let output = command.stdin(Stdio::null()).output().map_err(|error| {
        let _ = std::fs::remove_dir_all(&aside);
        JvmError(format!(
            "cannot run {}: {error}; a JDK is needed (sudo apt-get install default-jdk-headless), found through \
             JAVA_HOME or PATH",
            javac().display()
        ))
    })?;
    if !output.status.success() {
        let _ = std::fs::remove_dir_all(&aside);
        let stated = String::from_utf8_lossy(&output.stderr);
        let first: Vec<&str> = stated.lines().take(6).collect();
        return Err(JvmError(format!(
            "the class path does not hold what {} needs; check that it names all jars of the client: {}",
            names.join(" and "),
            first.join(" | ")
        )));
    }
    match std::fs::rename(&aside, &home) {
        Ok(()) => Ok(home),
        Err(_) if home.is_dir() => {
            let _ = std::fs::remove_dir_all(&aside);
            Ok(home)
        }
        Err(error) => Err(refuse(&home, &error)),
    }
}

fn javac() -> PathBuf {
    match std::env::var_os("JAVA_HOME") {
        Some(home) if !home.is_empty() => PathBuf::from(home).join("bin/javac"),
        _ => PathBuf::from("javac"),
    }
}

/// Only the user can write to it: these classes run in this process.
fn cache_directory() -> Result<PathBuf, JvmError> {
    let refuse = |path: &Path, error: std::io::Error| {
        JvmError(format!(
            "cannot keep the compiled Java bridge in {}: {error}; set XDG_CACHE_HOME to a directory of yours",
            path.display()
        ))
    };
    let cache = dbdyno_owned::cache()
        .map_err(|error| refuse(&std::env::temp_dir(), error))?
        .join("dbdyno/jvm");
    dbdyno_owned::directory(&cache, 0o700).map_err(|error| refuse(&cache, error))?;
    Ok(cache)
}
