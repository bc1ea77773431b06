//! Pages over HTTP while a real study runs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::Duration;

use crate::common::{Place, read_json, wait_for};

/// A server that ends with the test.
pub struct Served {
    child: Child,
    pub address: String,
    token: String,
}

impl Served {
    pub fn start(place: &Place, line: &str) -> Self {
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

    /// The address of a page.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn connect(&self, path: &str, headers: &str) -> TcpStream {
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

    pub fn get(&self, path: &str) -> String {
        self.get_with(path, &format!("Host: {}\r\n", self.address))
    }
}

/// What our page's own requests have.
const OWN_HEADER: &str = "x-dbdyno-control: 1\r\n";

impl Served {
    /// Asks a study to do something; the status of the answer.
    fn ask(&self, study: &str, asked: &str, header: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let address = &self.address;
        write!(
            stream,
            "POST /studies/{study}/{asked} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\nConnection: close\r\n{header}\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_whitespace().nth(1).unwrap_or_default().to_owned()
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
fn damaged_results_are_listed_with_the_reason() {
    let place = Place::new();
    for name in ["cut", "bare", "sound"] {
        place.succeed(&format!(
            "run memory --records 10 --operations 10 --warmup 0s --output results/{name}"
        ));
    }
    place.write("results/cut/folder.json", "{\"format\"");
    std::fs::remove_file(place.path("results/bare/folder.json")).unwrap();
    let served = Served::start(&place, "serve results --listen 127.0.0.1:0");
    let list = served.get("/");
    assert_eq!(list.matches("cannot be read").count(), 2, "{list}");
    for (name, reason) in [
        ("cut", "folder.json is damaged"),
        ("bare", "it is missing, and there are trials"),
    ] {
        assert!(list.contains(&format!("href=\"/studies/{name}\"")), "{list}");
        let page = served.get(&format!("/studies/{name}"));
        assert!(
            page.contains(reason) && !page.contains("There are no results named"),
            "{page}"
        );
    }
    let told = place
        .run("report results -o index.html")
        .stderr
        .replace('\n', " ");
    assert_eq!(told.matches("Skipped").count(), 2, "{told}");
}

#[test]
fn an_address_without_a_page_gets_one_that_says_so() {
    let place = Place::new();
    std::fs::create_dir(place.path("results")).unwrap();
    let served = Served::start(&place, "serve results --listen 127.0.0.1:0");
    for path in ["/nothing", "/studies/x/nothing", "/studies/x/y/z", "/studies/%FF"] {
        let page = served.get(path);
        assert!(
            page.starts_with("HTTP/1.1 40") && page.contains("all results"),
            "{path}: {page}"
        );
    }
}

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
    let control = |asked: &str, header: &str| served.ask("watched", asked, header);
    let own = OWN_HEADER;
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
    let mut told = String::new();
    study.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(told.matches("Paused between two trials").count(), 1, "{told}");
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

/// A thousand connections: every other one sends half a request, and the others ask for what changes on a page and read nothing.
#[test]
fn a_thousand_idle_connections_take_neither_the_memory_nor_the_places() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut files = getrlimit(Resource::Nofile);
    files.current = files.maximum;
    setrlimit(Resource::Nofile, files).unwrap();
    let place = Place::new();
    place.write(
        "long.toml",
        "name = \"long\"\nsystems = [\"memory\"]\nworkloads = [\"a\", \"b\", \"c\"]\nrecords = 50\ntrials = 20\noperations = 50\n\
         warmup = \"0s\"\nrepeat_disturbed = 0\n",
    );
    place.succeed("study run long.toml");
    let served = Served::start(&place, "serve results --listen 127.0.0.1:0");
    let half = format!("GET / HTTP/1.1\r\nHost: {}\r\n", served.address);
    let follow = format!(
        "GET /studies/long/events HTTP/1.1\r\nHost: {}\r\n\r\n",
        served.address
    );
    let mut connections = Vec::new();
    for number in 0..1000 {
        let mut connection = TcpStream::connect(&served.address).unwrap();
        let request = if number % 2 == 0 { &half } else { &follow };
        // One of those for whom there was no place may be closed already.
        let _ = connection.write_all(request.as_bytes());
        connections.push(connection);
        if number % 250 == 249 {
            let page = served.get("/studies/long");
            assert!(page.starts_with("HTTP/1.1 200"), "{number}: {page}");
        }
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", served.child.id())).unwrap();
    let number = |name: &str| -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    };
    assert!(number("VmHWM:") < 100_000, "{status}");
    assert!(number("Threads:") < 30, "{status}");
    drop(connections);
}

/// Those without the token take no place from those who have it, whatever they ask for.
#[test]
fn connections_without_the_token_lock_nobody_out() {
    let place = Place::new();
    place.write("watched.toml", STUDY);
    place.succeed("study run watched.toml");
    let served = Served::start(&place, "serve results --listen 0.0.0.0:0");
    let strangers: Vec<TcpStream> = (0..300)
        .map(|number| {
            let mut connection = TcpStream::connect(&served.address).unwrap();
            let request = match number % 3 {
                0 => "GET / HTTP/1.1\r\nHost: x\r\n",
                1 => "GET /studies/watched/events HTTP/1.1\r\nHost: x\r\n\r\n",
                _ => "GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n",
            };
            let _ = connection.write_all(request.as_bytes());
            connection
        })
        .collect();
    let shown = served.get(&format!("/?token={}", served.token));
    assert!(shown.starts_with("HTTP/1.1 200"), "{shown}");
    drop(strangers);
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
    place.write("watched.toml", STUDY);
    let taken = place.run(&format!("study run watched.toml --serve={}", served.address));
    assert_eq!(taken.code, 2, "{taken:?}");
    assert!(taken.stderr.contains("--serve=127.0.0.1:0"), "{taken:?}");
    for listen in ["7979", "localhost:7979"] {
        let refused = place.run(&format!("serve results --listen {listen}"));
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(
            refused
                .stderr
                .contains("write an IP address and a port, e.g. 127.0.0.1:7979"),
            "{refused:?}"
        );
    }
}

#[test]
fn a_study_serves_its_own_page_until_it_ends() {
    let place = Place::new();
    place.write("watched.toml", STUDY);
    // The address is what was asked for: `--quiet` does not hide it.
    let mut study = place.start("study run watched.toml --quiet --serve=127.0.0.1:0");
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

#[test]
fn a_single_run_is_watched_and_stopped() {
    let place = Place::new();
    std::fs::create_dir(place.path("results")).unwrap();
    let served = Served::start(&place, "serve results --listen 127.0.0.1:0");
    let mut run = place.start("run memory --records 500 --duration 60s --warmup 0s --output results/single");
    let page = || served.get("/studies/single");
    wait_for("the run", || page().contains("Throughput"));
    assert!(served.get("/").contains(">running<"));
    assert_eq!(
        served.ask("single", "pause", OWN_HEADER),
        "409",
        "one trial has no end to wait for"
    );
    assert_eq!(served.ask("single", "stop", OWN_HEADER), "204");
    assert!(!run.wait().unwrap().success());
    wait_for("the end", || page().contains("The run did not complete."));
    assert!(page().contains(">interrupted<"));
    for left in ["live.jsonl", ".asked"] {
        assert!(!place.path("results/single").join(left).exists(), "{left}");
    }
}

#[test]
fn a_single_run_serves_its_own_page_until_it_ends() {
    let place = Place::new();
    let mut run =
        place.start("run memory --records 500 --duration 5s --warmup 0s --output single --serve=127.0.0.1:0");
    let mut notes = BufReader::new(run.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let line = notes.find(|line| line.contains("http://")).unwrap();
    let rest = line.split_once("http://").unwrap().1;
    let address = rest.split_once('/').unwrap().0.to_owned();
    let get = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(&address)?;
        write!(
            stream,
            "GET /studies/single HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    wait_for("the run", || get().is_ok_and(|page| page.contains("measure")));
    run.wait().unwrap();
    assert!(get().is_err(), "the page ends with the run");
}

#[test]
fn two_results_are_compared() {
    let place = Place::new();
    for (name, durability) in [("old", "buffered"), ("new", "buffered"), ("other", "none")] {
        place.succeed(&format!(
            "run redb --records 200 --operations 400 --durability {durability} --output results/{name}"
        ));
    }
    let served = Served::start(&place, "serve results --listen 127.0.0.1:0");
    let page = served.get("/compare?before=old&after=new");
    assert!(page.contains("HTTP/1.1 200"), "{page}");
    assert!(
        page.contains(": before and after</h1>") && page.contains("comparisons are undecided"),
        "{page}"
    );
    let json = place
        .succeed("compare results/old results/new --format json")
        .stdout;
    let all: serde_json::Value = serde_json::from_str(&json).unwrap();
    let metrics = all["cells"][0]["metrics"].as_array().unwrap();
    assert!(!metrics.is_empty());
    for metric in metrics {
        let name = metric["metric"].as_str().unwrap();
        assert!(page.contains(&format!(">{name}<")), "{name} is not in {page}");
    }
    let refused = served.get("/compare?before=old&after=other");
    assert!(
        refused.contains("Compare anyway") && refused.contains("durability: buffered and none"),
        "{refused}"
    );
    let anyway = served.get("/compare?before=old&after=other&anyway=1");
    assert!(
        !anyway.contains("Compare anyway") && anyway.contains("Compared anyway"),
        "{anyway}"
    );
    assert!(served.get("/compare?before=old").contains("HTTP/1.1 400"));
    // The list, which needs no script: its rows are ticked and sent by a form, the newest first, the older one is the baseline.
    let list = served.get("/");
    assert!(
        list.contains("<form class=\"ticks\" action=\"/compare\">"),
        "{list}"
    );
    let row = |name: &str| list.find(&format!("value=\"{name}\"")).unwrap();
    assert!(row("other") < row("new") && row("new") < row("old"), "{list}");
    assert!(
        list.contains("workload A: update heavy") && list.contains(">finished<"),
        "{list}"
    );
    for query in ["results=old&results=new", "results=new&results=old"] {
        let ticked = served.get(&format!("/compare?{query}"));
        assert!(
            ticked.contains("before: <a href=\"/studies/old\">")
                && ticked.contains(": before and after</h1>"),
            "{ticked}"
        );
    }
    // Anything else is explained on a page that leads back.
    for (query, status, said) in [
        ("", "400", "None was ticked"),
        ("results=old", "400", "Only &quot;old&quot; was ticked"),
        ("results=old&results=new&results=other", "400", "3 were ticked"),
        (
            "results=old&results=gone",
            "404",
            "There are no results named &quot;gone&quot;",
        ),
        (
            "results=old&results=..%2Fresults%2Fnew",
            "404",
            "There are no results named",
        ),
        ("results=old&results=%2Fetc", "404", "There are no results named"),
        (
            "results=old&results=new%2Ftrials",
            "404",
            "There are no results named",
        ),
        ("results=old&results=%3Cscript%3E", "404", "&lt;script&gt;"),
    ] {
        let page = served.get(&format!("/compare?{query}"));
        assert!(page.contains(&format!("HTTP/1.1 {status}")), "{query}: {page}");
        assert!(
            page.contains(said) && page.contains("<a href=\"/\">all results</a>"),
            "{query}: {page}"
        );
        assert!(!page.contains("<script>&"), "{query}: {page}");
    }
    std::fs::remove_dir_all(place.path("results/other")).unwrap();
    assert!(
        served
            .get("/compare?results=old&results=other")
            .contains("HTTP/1.1 404")
    );
    assert!(!served.get("/").contains("value=\"other\""));
    // A run's page is its own, not that of a study.
    let report = served.get("/studies/old/report");
    assert!(
        report.contains("<dt>Throughput</dt>") && !report.contains("Verdict"),
        "{report}"
    );
    assert!(
        served
            .get("/compare?before=old&after=..%2Fold")
            .contains("HTTP/1.1 404")
    );
}
