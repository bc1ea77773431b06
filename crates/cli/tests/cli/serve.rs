//! Pages over HTTP while a real study runs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::Duration;

use crate::common::{Place, read_json, wait_for};

/// A server that ends with the test.
struct Served {
    child: Child,
    address: String,
    token: String,
}

impl Served {
    fn start(place: &Place, line: &str) -> Self {
        let mut child = place.start(line);
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut url)
            .unwrap();
        let rest = url
            .trim()
            .strip_prefix("http://")
            .unwrap_or_else(|| panic!("{url:?}"));
        let (address, query) = rest.split_once('/').unwrap();
        Self {
            address: address.replace("0.0.0.0", "127.0.0.1"),
            token: query.strip_prefix("?token=").unwrap_or_default().to_owned(),
            child,
        }
    }

    fn connect(&self, path: &str, headers: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n"
        )
        .unwrap();
        stream
    }

    fn get_with(&self, path: &str, headers: &str) -> String {
        let mut answer = String::new();
        self.connect(path, headers).read_to_string(&mut answer).unwrap();
        answer
    }

    fn get(&self, path: &str) -> String {
        self.get_with(path, &format!("Host: {}\r\n", self.address))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const STUDY: &str = "name = \"watched\"\nsystems = [\"memory\"]\nworkloads = [\"a\"]\nrecords = 500\ntrials = 2\n\
                     duration = \"4s\"\nwarmup = \"0s\"\n";

#[test]
fn a_running_study_is_followed_and_its_numbers_are_those_of_the_records() {
    let place = Place::new();
    place.write("watched.toml", STUDY);
    std::fs::create_dir(place.path("results")).unwrap();
    let served = Served::start(&place, "serve results --listen 127.0.0.1:0");
    assert!(served.get("/").contains("holds no results yet"));
    let mut study = place.start("study run watched.toml");
    wait_for("the study's page", || {
        served.get("/studies/watched").contains("HTTP/1.1 200")
    });
    // The stream of an open page: the running trial, second by second.
    let host = format!("Host: {}\r\n", served.address);
    let mut lines = BufReader::new(served.connect("/studies/watched/events", &host)).lines();
    let mut seen = |what: &str, found: &dyn Fn(&str) -> bool| {
        for line in lines.by_ref() {
            let line = line.unwrap();
            if found(&line) {
                return;
            }
            // What comes after that only keeps the connection open.
            let is_over = ["The study is over", "Nothing runs"]
                .iter()
                .any(|end| line.contains(end));
            assert!(!is_over, "{what} is not in the stream: {line}");
        }
        panic!("the stream ended before {what}");
    };
    seen("the phase", &|line| {
        line.contains("\"now\"") && line.contains("measure")
    });
    seen("a figure", &|line| {
        line.contains("\"now\"") && line.contains("<svg") && line.contains("Throughput")
    });
    seen("the end of the first trial", &|line| {
        line.contains("\"trials\"") && line.contains("completed")
    });
    assert!(served.get("/").contains(">running<"));
    assert!(study.wait().unwrap().success());
    seen("the end", &|line| {
        line.contains("The study is over: 2 of 2 planned trials are done.")
    });
    let page = served.get("/studies/watched");
    for trial in place.path("results/watched/trials").read_dir().unwrap() {
        let record = read_json(&trial.unwrap().path().join("record.json"));
        let operations = record["measure"]["operations"].as_object().unwrap().values();
        let ok: u64 = operations
            .map(|operation| operation["ok"].as_u64().unwrap() - operation["drained"].as_u64().unwrap_or(0))
            .sum();
        let duration_ns = record["measure"]["duration_ns"].as_u64().unwrap();
        let rate = dbdyno_vocabulary::number::rate(ok as f64 * 1e9 / duration_ns as f64);
        assert!(page.contains(&rate), "{rate}");
    }
    assert!(served.get("/studies/watched/report").contains("dbdyno"));
    assert!(!place.path("results/watched/live.jsonl").exists());
}

#[test]
fn a_study_is_paused_goes_on_and_is_stopped() {
    let place = Place::new();
    place.write(
        "watched.toml",
        &STUDY.replace("trials = 2", "trials = 50").replace("4s", "1s"),
    );
    std::fs::create_dir(place.path("results")).unwrap();
    let served = Served::start(&place, "serve results --listen 127.0.0.1:0");
    let mut study = place.start("study run watched.toml");
    let page = || served.get("/studies/watched");
    let control = |asked: &str, header: &str| {
        let mut stream = TcpStream::connect(&served.address).unwrap();
        let address = &served.address;
        write!(
            stream,
            "POST /studies/watched/{asked} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\nConnection: close\r\n{header}\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_whitespace().nth(1).unwrap_or_default().to_owned()
    };
    let own = "x-dbdyno-control: 1\r\n";
    // A study takes what was asked before its first trial for what was asked of an earlier run.
    wait_for("the first trial", || page().contains(">running<"));
    assert_eq!(
        control("pause", ""),
        "403",
        "a page of another site can send this"
    );
    assert_eq!(control("faster", own), "404");
    assert_eq!(control("pause", own), "204");
    wait_for("the pause", || page().contains("Paused between two trials"));
    assert_eq!(control("run", own), "204");
    wait_for("the next trial", || !page().contains("Paused"));
    assert_eq!(control("stop", own), "204");
    assert_eq!(study.wait().unwrap().code(), Some(130));
    wait_for("the end", || page().contains("Nothing runs"));
    assert_eq!(control("pause", own), "409");
    assert!(!place.path("results/watched/.asked").exists());
}

#[test]
fn nobody_else_gets_an_answer() {
    let place = Place::new();
    std::fs::create_dir(place.path("results")).unwrap();
    place.write("secret", "a secret");
    let local = Served::start(&place, "serve results --listen 127.0.0.1:0");
    assert!(
        local
            .get_with("/", "Host: evil.example\r\n")
            .starts_with("HTTP/1.1 403")
    );
    for path in [
        "/studies/..%2F",
        "/studies/../secret",
        "/studies/%2e%2e",
        "/studies/secret",
        "/secret",
    ] {
        let answer = local.get(path);
        assert!(
            answer.starts_with("HTTP/1.1 40") && !answer.contains("a secret"),
            "{path}: {answer}"
        );
    }
    let open = Served::start(&place, "serve results --listen 0.0.0.0:0");
    assert_eq!(open.token.len(), 32);
    assert!(open.get("/").starts_with("HTTP/1.1 403"));
    let shown = open.get(&format!("/?token={}", open.token));
    assert!(
        shown.starts_with("HTTP/1.1 200") && shown.contains("HttpOnly"),
        "{shown}"
    );
    let cookie = format!("Host: x\r\nCookie: dbdyno_token={}\r\n", open.token);
    assert!(open.get_with("/", &cookie).starts_with("HTTP/1.1 200"));
}

#[test]
fn what_cannot_be_served_is_refused() {
    let place = Place::new();
    let missing = place.run("serve nowhere");
    assert_eq!(missing.code, 6, "{missing:?}");
    assert!(missing.stderr.contains("nowhere is not a folder"), "{missing:?}");
    std::fs::create_dir(place.path("results")).unwrap();
    let served = Served::start(&place, "serve results --listen 127.0.0.1:0");
    let taken = place.run(&format!("serve results --listen {}", served.address));
    assert_eq!(taken.code, 2, "{taken:?}");
    assert!(taken.stderr.contains("--listen"), "{taken:?}");
}

#[test]
fn a_study_serves_its_own_page_until_it_ends() {
    let place = Place::new();
    place.write("watched.toml", STUDY);
    let mut study = place.start("study run watched.toml --serve=127.0.0.1:0");
    let mut line = String::new();
    BufReader::new(study.stderr.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    let rest = line.split_once("http://").unwrap_or_else(|| panic!("{line:?}")).1;
    let address = rest.split_once('/').unwrap().0.to_owned();
    let get = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(&address)?;
        write!(
            stream,
            "GET /studies/watched HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    wait_for("the running trial", || {
        get().is_ok_and(|page| page.contains("measure"))
    });
    drop(study.stderr.take());
    assert!(study.wait().unwrap().success());
    assert!(get().is_err(), "the page ends with the study");
}
