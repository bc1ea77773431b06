//! The Java that the servers run on.

use std::path::PathBuf;
use std::process::Command;

/// The Java that all processes run on.
pub struct Java {
    pub program: PathBuf,
    pub jars: PathBuf,
    /// Further options, separated by blanks.
    pub options: String,
}

impl Java {
    /// A program of one file, or of a few jars, that runs to its end.
    pub fn tool(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(["-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
            .arg("-Djava.net.preferIPv4Stack=true");
        command
    }
}
