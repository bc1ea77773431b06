//! Bindings of our own, compiled here.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use dbdyno_database_ycsb::core_jars;

/// The directory of the classes in `tests/java`.
pub fn classes() -> &'static str {
    static CLASSES: OnceLock<String> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let classes = concat!(env!("CARGO_TARGET_TMPDIR"), "/bindings");
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/java");
        let mut javac = Command::new(match std::env::var_os("JAVA_HOME") {
            Some(home) => PathBuf::from(home).join("bin/javac"),
            None => PathBuf::from("javac"),
        });
        javac.arg("-cp").arg(core_jars().unwrap().join("*"));
        javac.args(["-d", classes]);
        for file in std::fs::read_dir(sources).unwrap() {
            javac.arg(file.unwrap().path());
        }
        let output = javac.output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        classes.to_owned()
    })
}

/// The address of one of them, with further options.
pub fn address(class: &str, options: &str) -> String {
    let manifests = concat!(env!("CARGO_TARGET_TMPDIR"), "/manifests");
    format!(
        "ycsb:{class}?class_path={}&manifests={manifests}&{options}",
        classes()
    )
}
