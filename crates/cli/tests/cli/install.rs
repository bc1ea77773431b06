//! What dbdyno installs system-wide: nothing without permission. An apt-get of this test stands for the real one.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::common;
use crate::common::{Ended, Place};

/// The packages of Redis, as apt-get gets them.
const PACKAGES: &str = "redis-server redis-tools";

/// A machine on which nothing is installed but an apt-get, which writes down its arguments and does nothing.
fn machine() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.path("bin")).unwrap();
    let program = place.write(
        "bin/apt-get",
        &format!("#!/bin/sh\necho \"$@\" >> '{}'\n", place.path("called").display()),
    );
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    place.write(
        "study.toml",
        "name = \"s\"\nsystems = [\"memory\", \"lab:redis\"]\nworkloads = [\"c\"]\nrecords = 100\noperations = 100\n",
    );
    place
}

fn command(place: &Place, line: &str) -> Command {
    let mut command = place.command(line);
    command
        .env("PATH", place.path("bin"))
        .env("DBDYNO_LAB_HOME", place.path("lab"))
        .env_remove("REDIS_HOME")
        .env_remove("DBDYNO_INSTALL");
    command
}

fn run(command: &mut Command) -> Ended {
    common::ended(command.output().unwrap())
}

/// What apt-get was asked to do.
fn called(place: &Place) -> Option<String> {
    std::fs::read_to_string(place.path("called")).ok()
}

/// Everything but blanks and the frame of messages: where lines break depends on nothing that matters here.
fn dense(text: &str) -> String {
    let is_kept = |letter: &char| !letter.is_whitespace() && *letter != '\u{2502}';
    text.chars().filter(is_kept).collect()
}

fn assert_says(ended: &Ended, expected: &str) {
    let said = dense(&ended.stderr);
    assert!(said.contains(&dense(expected)), "{expected}: {}", ended.stderr);
}

fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

#[test]
fn nothing_is_installed_unasked() {
    for line in [
        "run lab:redis --output r",
        "run lab:redis memory --runs 2 --output r",
        "load lab:redis --output r",
        "capacity lab:redis --slo 'p99<1s' --output r",
        "sweep lab:redis --output r",
        "study run study.toml --output r",
        "audit lab:redis",
        "lab up redis",
        "ycsb load lab:redis -p recordcount=100",
    ] {
        let place = machine();
        let ended = run(&mut command(&place, line));
        assert_eq!(ended.code, 4, "{line}: {ended:?}");
        assert_says(&ended, "Redis is not installed");
        assert_says(&ended, "--install");
        assert_says(&ended, &format!("`sudo apt-get install {PACKAGES}`"));
        assert_says(&ended, "home=DIR");
        if !is_root() {
            assert_says(&ended, "only root can install it");
        }
        assert_eq!(called(&place), None, "{line}");
        assert!(
            !place.path("r").exists(),
            "{line}: what did not begin leaves nothing"
        );
    }
}

#[test]
fn a_flag_or_the_variable_permits_it() {
    for (line, variable) in [
        ("run lab:redis --install", None),
        ("run lab:redis", Some("1")),
        ("study run study.toml --install", None),
        ("audit lab:redis --install", None),
        ("lab up redis --install", None),
        ("ycsb load lab:redis -p recordcount=100", Some("1")),
    ] {
        let place = machine();
        let mut command = command(&place, line);
        command.envs(variable.map(|value| ("DBDYNO_INSTALL", value)));
        let ended = run(&mut command);
        assert_eq!(ended.code, 4, "{line}: {ended:?}");
        let called = called(&place);
        if is_root() {
            assert!(called.unwrap().contains(&format!(" {PACKAGES}\n")), "{line}");
            assert_says(&ended, "brought no redis-server");
        } else {
            assert_eq!(called, None, "{line}");
            assert_says(&ended, "--install needs root");
        }
    }
}
