//! Bridge classes, compiled and called in a real machine.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use dbdyno_jvm::{Bridge, Channel, ClassPath, open, open_with};

/// A client library: one class that counts its calls, and something that looks like SLF4J and complains.
const LIBRARY: [(&str, &str); 2] = [
    (
        "Words.java",
        "package library; public class Words { private static int calls; \
         public static String say() { calls++; return \"call \" + calls; } }",
    ),
    (
        "LoggerFactory.java",
        "package org.slf4j; public class LoggerFactory { public static java.io.PrintStream complained; \
         public static Object getILoggerFactory() { complained = System.err; complained.println(\"SLF4J: ...\"); \
         return null; } }",
    ),
];

const BRIDGE: Bridge = Bridge {
    name: "Parrot",
    source: "package dbdyno;
public final class Parrot extends Channel {
    protected void handle(int operation) throws Exception {
        String said = \"\";
        switch (operation) {
            case 0: said = library.Words.say(); break;
            case 1: limit(readInt()); break;
            case 2: synchronized (this) { while (true) { wait(); } }
            case 3: for (int swallowed = 0; swallowed < 2;) {
                try { Thread.sleep(1000000); } catch (InterruptedException again) { swallowed++; }
            } throw new IllegalStateException(\"at last\");
            case 4: Thread.sleep(20); said = \"in time\"; break;
            case 5: said = org.slf4j.LoggerFactory.complained == System.err ? \"aloud\" : \"unheard\"; break;
            case 6: begin(); write(new byte[100000]); throw new IllegalStateException(\"after all\");
            case 7: said = readText(); said += said; break;
        }
        begin();
        writeText(said);
    }
}",
};

/// A directory that holds the library. Its name is the same each time, and so is that of what is kept in the user's
/// cache.
fn library(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).unwrap();
    let home = std::env::var("JAVA_HOME").map(|home| home + "/bin/javac");
    let mut compiler = Command::new(home.unwrap_or_else(|_| "javac".to_owned()));
    compiler.arg("-d").arg(&directory);
    for (name, text) in LIBRARY {
        let source = directory.join(name);
        std::fs::write(&source, text).unwrap();
        compiler.arg(source);
    }
    assert!(compiler.status().unwrap().success());
    directory
}

fn parrot(class_path: &Path) -> Channel {
    let class_path = ClassPath::parse(class_path.to_str().unwrap()).unwrap();
    open(BRIDGE, &class_path).unwrap()
}

fn stated(channel: &mut Channel, operation: u32) -> String {
    channel.begin().call(operation).unwrap().text()
}

#[test]
fn blanks_and_percent_signs_in_paths_are_letters_like_others() {
    let mut channel = parrot(&library("with blanks, 100%41 and #"));
    assert_eq!(stated(&mut channel, 0), "call 1");
}

#[test]
fn the_same_jars_are_loaded_once_and_others_apart() {
    let (one, other) = (library("one"), library("other"));
    assert_eq!(stated(&mut parrot(&one), 0), "call 1");
    assert_eq!(stated(&mut parrot(&one), 0), "call 2");
    assert_eq!(stated(&mut parrot(&other), 0), "call 1");
    let class_path = ClassPath::parse(one.to_str().unwrap()).unwrap();
    for call in ["call 1", "call 2"] {
        let mut apart = open_with(BRIDGE, &[], "apart", &class_path).unwrap();
        assert_eq!(stated(&mut apart, 0), call);
    }
}

#[test]
fn a_call_ends_at_its_limit_and_the_next_one_is_undisturbed() {
    let mut channel = parrot(&library("waits"));
    channel.begin().number(500).call(1).unwrap();
    for operation in [2, 3] {
        let failure = channel.begin().call(operation).map(drop).unwrap_err();
        assert!(failure.is("TimeoutException"), "{failure:?}");
        assert!(failure.message.contains("500 ms"), "{failure:?}");
        assert_eq!(stated(&mut channel, 4), "in time");
    }
}

#[test]
fn a_missing_logger_is_not_complained_of() {
    assert_eq!(stated(&mut parrot(&library("logs")), 5), "unheard");
}

#[test]
fn requests_and_answers_outgrow_the_memory() {
    let mut channel = parrot(&library("grows"));
    for length in [3, 5_000, 2_000, 40_000] {
        let text = "ab".repeat(length);
        let answer = channel.begin().bytes(text.as_bytes()).call(7).unwrap().text();
        assert_eq!(answer, text.repeat(2));
    }
    let mut channel = parrot(&library("grows"));
    let failure = channel.begin().call(6).map(drop).unwrap_err();
    assert_eq!(failure.message, "IllegalStateException: after all");
    assert_eq!(stated(&mut channel, 4), "in time");
}
