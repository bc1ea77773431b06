//! Runs the real binary in a folder of its own.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// A folder to work in, removed afterwards.
pub struct Place(TempDir);

/// What a command printed and how it ended.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dbdyno"));
        command
            .args(words(line))
            .current_dir(self.0.path())
            .env_remove("COLUMNS")
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env("DBDYNO_INSTALL", "1")
            .env("TERM", "xterm");
        command
    }

    /// Runs to the end. Words are separated by blanks; 'single quotes' keep blanks together.
    pub fn run(&self, line: &str) -> Ended {
        ended(self.command(line).output().unwrap())
    }

    /// Runs, and expects success.
    pub fn succeed(&self, line: &str) -> Ended {
        let ended = self.run(line);
        assert_eq!(ended.code, 0, "{line}\n{}\n{}", ended.stdout, ended.stderr);
        ended
    }

    pub fn start(&self, line: &str) -> Child {
        self.command(line)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// The one record in a run's result folder.
    pub fn record(&self, folder: &str) -> serde_json::Value {
        read_json(&self.path(folder).join("trials/001/record.json"))
    }
}

pub fn ended(output: Output) -> Ended {
    Ended {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Changes a record on purpose, and its sum, which would tell.
pub fn write_record(path: &Path, record: &serde_json::Value) {
    std::fs::write(path, record.to_string()).unwrap();
    let sums = "sha256sum $(ls | grep -v SHA256SUMS) > SHA256SUMS";
    let summed = Command::new("sh")
        .args(["-c", sums])
        .current_dir(path.parent().unwrap())
        .status();
    assert!(summed.unwrap().success());
}

pub fn read_json(path: &Path) -> serde_json::Value {
    serde_json::from_str(
        &std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
    )
    .unwrap()
}

/// Waits for something that another process does; fails after a minute.
pub fn wait_for(what: &str, mut happened: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if happened() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("waited a minute for {what}");
}

fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Trials of a debug build are invalid, and those of a moment too short to be judged: takes these findings out of the records.
pub fn as_released(place: &Place, folder: &str) {
    for trial in place.path(folder).join("trials").read_dir().unwrap() {
        let path = trial.unwrap().path().join("record.json");
        let mut record = read_json(&path);
        let findings = record["findings"].as_array_mut().unwrap();
        findings.retain(|finding| finding["code"] != "debug-build" && finding["code"] != "too-short");
        write_record(&path, &record);
    }
}

/// Answers every connection with this; returns the port. It ends with the test's process.
pub fn serve(answer: impl Fn(TcpStream) -> std::io::Result<()> + Clone + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || answer(stream));
        }
    });
    port
}
