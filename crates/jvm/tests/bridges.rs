//! Bridge classes, compiled and called in a real machine.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use dbdyno_jvm::{Bridge, ClassPath, open};

const LIBRARY: &str = "package library; public class Words { private static int calls; \
                       public static String say() { calls++; return \"call \" + calls; } }";

/// Asks a class of its class path for words.
const BRIDGE: Bridge = Bridge {
    name: "Parrot",
    source: "package dbdyno; public final class Parrot extends Channel { public Parrot() {} \
             protected void handle(int operation) { String said = library.Words.say(); begin(); writeText(said); } }",
};

/// A directory that holds the library. Its name is the same each time, and so is that of what is kept in the user's cache.
fn library(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).unwrap();
    let source = directory.join("Words.java");
    std::fs::write(&source, LIBRARY).unwrap();
    let home = std::env::var("JAVA_HOME").map(|home| home + "/bin/javac");
    let mut compiler = Command::new(home.unwrap_or_else(|_| "javac".to_owned()));
    assert!(
        compiler
            .arg("-d")
            .arg(&directory)
            .arg(source)
            .status()
            .unwrap()
            .success()
    );
    directory
}

fn said(class_path: &Path) -> String {
    let class_path = ClassPath::parse(class_path.to_str().unwrap()).unwrap();
    let mut channel = open(BRIDGE, &class_path).unwrap();
    channel.begin().call(0).unwrap().text()
}

#[test]
fn blanks_and_percent_signs_in_paths_are_letters_like_others() {
    assert_eq!(said(&library("with blanks, 100%41 and #")), "call 1");
}

#[test]
fn the_same_jars_are_loaded_once_and_others_apart() {
    let (one, other) = (library("one"), library("other"));
    assert_eq!(said(&one), "call 1");
    assert_eq!(said(&one), "call 2");
    assert_eq!(said(&other), "call 1");
}
