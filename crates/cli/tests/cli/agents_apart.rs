//! Agents on hosts of their own: network namespaces, each with its address. They need root, as in CI.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dbdyno_agents::LocalServer;
use dbdyno_engine::Stop;
use dbdyno_lab::{InstanceRequest, Keep, Lab, LabHome, Progress, ServerRequest, SystemPackages};
use dbdyno_testkit::namespace::OtherHost;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::common::{Ended, Place, ended, read_json, wait_for};

/// A way from other hosts to a port of this one, which can be cut.
struct Relay {
    port: u16,
    is_cut: Arc<AtomicBool>,
}

impl Relay {
    /// From a new port of an address of this machine to a port of its loopback address.
    fn new(here: Ipv4Addr, to: u16) -> Self {
        let listener = TcpListener::bind((here, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let is_cut = Arc::new(AtomicBool::new(false));
        let cut = Arc::clone(&is_cut);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", to)) else {
                    continue;
                };
                for (from, into) in [
                    (client.try_clone().unwrap(), server.try_clone().unwrap()),
                    (server, client),
                ] {
                    let cut = Arc::clone(&cut);
                    std::thread::spawn(move || pass_on(from, into, &cut));
                }
            }
        });
        Self { port, is_cut }
    }
}

/// Passes bytes on until an end; once it is cut, they go nowhere and neither side notices.
fn pass_on(mut from: TcpStream, mut into: TcpStream, is_cut: &AtomicBool) {
    let mut bytes = [0; 16 << 10];
    from.set_nodelay(true).unwrap();
    into.set_nodelay(true).unwrap();
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if !is_cut.load(Ordering::SeqCst) && into.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = into.shutdown(Shutdown::Both);
}

/// Says nothing, and permits nothing.
struct Quiet;

impl Progress for Quiet {
    fn say(&mut self, _: &str) {}

    fn may_install(&mut self, _: &SystemPackages<'_>) -> bool {
        false
    }
}

fn redis(home: &LabHome) -> Lab {
    let instance = InstanceRequest {
        recipe: dbdyno_registry::find_recipe("redis").unwrap(),
        request: &ServerRequest::parse("redis").unwrap(),
        home,
        keep: Keep::UntilDropped,
    };
    dbdyno_lab::up(&instance, &mut Quiet, &|| false).unwrap()
}

/// A server of NATS and one of Redis on this machine, and agents on other hosts.
struct Fleet {
    place: Place,
    agents: Vec<Agent>,
    nats: LocalServer,
    redis_port: u16,
    _redis: Lab,
}

struct Agent {
    process: Child,
    host: OtherHost,
    to_nats: Relay,
}

impl Fleet {
    /// With so many agents; `None` where this process is not root. `before` is what an agent's command begins with.
    fn start(count: usize, before: impl Fn(usize) -> Vec<&'static str>) -> Option<Self> {
        let hosts: Option<Vec<OtherHost>> = (0..count).map(|_| OtherHost::new()).collect();
        let hosts = hosts?;
        let home = LabHome::of_user().unwrap();
        let nats = LocalServer::start(&home, &mut Quiet, &Stop::new()).unwrap();
        let redis = redis(&home);
        let port = |address: &str| -> u16 { address.rsplit(':').next().unwrap().parse().unwrap() };
        let (token, _) = nats.url().trim_start_matches("nats://").split_once('@').unwrap();
        // One address for all: whichever host asks, it is this machine's.
        let shared = hosts[0].here();
        for host in &hosts[1..] {
            host.reach(shared);
        }
        let redis_port = Relay::new(shared, port(redis.address())).port;
        let agents = hosts
            .into_iter()
            .enumerate()
            .map(|(number, host)| {
                let to_nats = Relay::new(host.here(), port(nats.url()));
                let join = format!("nats://{token}@{}:{}", host.here(), to_nats.port);
                let mut command = Command::new("ip");
                command
                    .args(["netns", "exec", host.name()])
                    .args(before(number))
                    .arg(env!("CARGO_BIN_EXE_dbdyno"))
                    .args(["agent", "--join", &join, "--name", &format!("host-{number}")])
                    .stdout(Stdio::null())
                    .stderr(Stdio::null());
                Agent {
                    process: command.spawn().unwrap(),
                    host,
                    to_nats,
                }
            })
            .collect();
        let fleet = Self {
            place: Place::new(),
            agents,
            nats,
            redis_port,
            _redis: redis,
        };
        fleet.has_free(count);
        Some(fleet)
    }

    /// What `dbdyno agents` says.
    fn listed(&self) -> Vec<Value> {
        let listed = self
            .place
            .run(&format!("agents {} --format json", self.nats.url()));
        let listed: Value = serde_json::from_str(&listed.stdout).unwrap_or_default();
        listed.as_array().cloned().unwrap_or_default()
    }

    /// Waits until there are so many agents, and all of them are free. Each look takes some tenths of a second.
    fn has_free(&self, count: usize) {
        let mut listed = Vec::new();
        for _ in 0..100 {
            listed = self.listed();
            if listed.len() == count && listed.iter().all(|agent| agent["study"].is_null()) {
                return;
            }
        }
        panic!("not {count} free agents: {listed:?}");
    }

    fn redis(&self) -> String {
        format!("redis://{}:{}", self.agents[0].host.here(), self.redis_port)
    }

    /// A run at these agents, and what happens meanwhile.
    fn run(&self, line: &str, min: usize, meanwhile: impl FnOnce()) -> Ended {
        let line = format!("{line} --agents {},min={min}", self.nats.url());
        let child = self.place.start(&line);
        meanwhile();
        ended(child.wait_with_output().unwrap())
    }

    /// Waits until the trial measures.
    fn measures(&self, folder: &str) {
        let live = self.place.path(folder).join("live.jsonl");
        wait_for("a measured phase", || {
            std::fs::read_to_string(&live)
                .is_ok_and(|text| text.contains("\"phase\":\"measure\",\"start_s\""))
        });
    }

    /// The process of an agent; `ip` and what it was started with became it.
    fn process(&self, number: usize) -> Pid {
        Pid::from_raw(self.agents[number].process.id() as i32)
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for agent in &mut self.agents {
            let _ = agent.process.kill();
            let _ = agent.process.wait();
        }
    }
}

const RUN: &str = "-w a --records 2k --clients 8 --warmup 500ms";

#[test]
fn four_hosts_send_one_load_whatever_their_clocks_show() {
    // The clock of one host is a minute ahead.
    let ahead = |number: usize| match number {
        2 => vec!["unshare", "--time", "--monotonic", "60", "--boottime", "60"],
        _ => Vec::new(),
    };
    let Some(fleet) = Fleet::start(4, ahead) else {
        return;
    };
    let line = format!("run {} {RUN} --duration 3s --output r", fleet.redis());
    let ended = fleet.run(&line, 4, || {});
    assert!([0, 3].contains(&ended.code), "{ended:?}");
    let record = fleet.place.record("r");
    let generators = record["generators"].as_array().unwrap();
    assert_eq!(generators.len(), 4);
    let ok = |measure: &Value, kind: &str| measure["operations"][kind]["ok"].as_u64().unwrap();
    for kind in ["read", "update"] {
        let sum: u64 = generators.iter().map(|one| ok(&one["measure"], kind)).sum();
        assert_eq!(ok(&record["measure"], kind), sum, "{kind}");
    }
    for generator in generators {
        assert!(ok(&generator["measure"], "read") > 0, "{generator}");
        // A busy machine makes a start late by milliseconds; the clock, taken as it is, by a minute.
        let clock = &generator["clock"];
        let apart_ns = [
            &generator["late_ns"],
            &clock["uncertainty_ns"],
            &clock["moved_ns"],
        ]
        .map(|ns| ns.as_i64().unwrap().unsigned_abs());
        assert!(apart_ns.iter().all(|ns| *ns < 10_000_000_000), "{generator}");
    }
}

#[test]
fn an_agent_behind_a_slow_link_is_named() {
    let Some(fleet) = Fleet::start(3, |_| Vec::new()) else {
        return;
    };
    fleet.agents[1].host.limit("1mbit");
    let line = format!("run {} {RUN} --duration 4s --output r", fleet.redis());
    let ended = fleet.run(&line, 3, || {});
    let record = fleet.place.record("r");
    let findings = record["findings"].as_array().unwrap();
    let slow: Vec<String> = findings
        .iter()
        .filter(|finding| finding["code"] == "slow-generator")
        .map(Value::to_string)
        .collect();
    assert_eq!(slow.len(), 1, "{ended:?}");
    assert!(
        slow[0].contains("host-1") && !slow[0].contains("host-2"),
        "{slow:?}"
    );
    assert!(ended.stderr.contains("host-1"), "{ended:?}");
}

#[test]
fn where_a_host_is_frozen_cut_off_or_killed_the_trial_begins_anew_without_it() {
    let Some(mut fleet) = Fleet::start(4, |_| Vec::new()) else {
        return;
    };
    let line = format!("run {} {RUN} --duration 4s", fleet.redis());
    for (number, what) in [(3, "frozen"), (2, "cut"), (1, "killed")] {
        let line = format!("{line} --output {what}");
        let ended = fleet.run(&line, number, || {
            fleet.measures(what);
            match what {
                "frozen" => kill(fleet.process(number), Signal::SIGSTOP).unwrap(),
                "cut" => fleet.agents[number].to_nats.is_cut.store(true, Ordering::SeqCst),
                _ => kill(fleet.process(number), Signal::SIGKILL).unwrap(),
            }
        });
        assert!([0, 3].contains(&ended.code), "{what}: {ended:?}");
        let record =
            |trial: &str| read_json(&fleet.place.path(&format!("{what}/trials/{trial}/record.json")));
        let failed = record("001")["status"].to_string();
        assert!(failed.contains(&format!("host-{number}")), "{what}: {failed}");
        let again = record("001~2");
        assert_eq!(again["status"]["state"], "completed", "{what}");
        let generators = again["generators"].as_array().unwrap();
        assert_eq!(generators.len(), number, "{what}: {ended:?}");
        if what == "cut" {
            assert_sends_nothing(&fleet);
        }
        let mut gone = fleet.agents.pop().unwrap();
        kill(Pid::from_raw(gone.process.id() as i32), Signal::SIGKILL).unwrap();
        gone.process.wait().unwrap();
        fleet.has_free(number);
    }
}

#[test]
fn a_stop_while_agents_are_waited_for_keeps_what_there_is() {
    let Some(fleet) = Fleet::start(2, |_| Vec::new()) else {
        return;
    };
    let line = format!(
        "run {} {RUN} --duration 60s --output r --agents {},min=2",
        fleet.redis(),
        fleet.nats.url()
    );
    let child = fleet.place.start(&line);
    fleet.measures("r");
    kill(fleet.process(1), Signal::SIGKILL).unwrap();
    let second = fleet.place.path("r/trials/001~2");
    wait_for("a second attempt", || second.is_dir());
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let ended = ended(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{ended:?}");
    let status = |trial: &str| {
        let record = read_json(&fleet.place.path(&format!("r/trials/{trial}/record.json")));
        record["status"]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!([status("001"), status("001~2")], ["failed", "interrupted"]);
}

/// Soon no operation comes to the server any more, though the way there is open.
fn assert_sends_nothing(fleet: &Fleet) {
    let writes = || {
        let mut server = TcpStream::connect((fleet.agents[0].host.here(), fleet.redis_port)).unwrap();
        server.write_all(b"INFO stats\r\n").unwrap();
        let mut answer = vec![0; 16 << 10];
        let count = server.read(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer[..count]).into_owned();
        let (_, rest) = answer.split_once("total_commands_processed:").unwrap();
        rest.lines().next().unwrap().trim().parse::<u64>().unwrap()
    };
    wait_for("silence of a host that was cut off", || {
        let before = writes();
        std::thread::sleep(Duration::from_millis(300));
        writes() - before <= 2
    });
}

#[test]
fn a_command_that_was_killed_goes_on_from_its_folder() {
    let Some(fleet) = Fleet::start(2, |_| Vec::new()) else {
        return;
    };
    let line = format!(
        "run null {} -w c --records 1k --clients 4 --runs 3 --duration 1s --warmup 200ms --output study --agents {},min=2",
        fleet.redis(),
        fleet.nats.url()
    );
    let mut killed = fleet.place.start(&line);
    let trials = fleet.place.path("study/trials");
    let done = || {
        let trials = std::fs::read_dir(&trials).into_iter().flatten().flatten();
        trials
            .filter(|trial| trial.path().join("record.json").exists())
            .count()
    };
    wait_for("two trials", || done() >= 2);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let before = done();
    assert!(before < 6, "it was too fast to be killed");
    let study = "study run study/study.toml --output study";
    let ended = fleet.run(study, 2, || {});
    assert!([0, 3].contains(&ended.code), "{ended:?}");
    let mut complete = BTreeSet::new();
    for trial in std::fs::read_dir(&trials).unwrap().flatten() {
        let record = read_json(&trial.path().join("record.json"));
        if record["status"]["state"] == "completed" {
            let name = record["trial"].as_str().unwrap().to_owned();
            assert_eq!(record["generators"].as_array().unwrap().len(), 2, "{name}");
            complete.insert(name.split('~').next().unwrap().to_owned());
        }
    }
    assert_eq!(complete.len(), 6, "{complete:?}");
}
