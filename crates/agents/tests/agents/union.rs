//! What several agents send is what one process sends, operation by operation: Redis's MONITOR shows it.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use dbdyno_driver::Target;
use dbdyno_engine::{LoadGenerators, Pace, PreparedTrial, Stop, WarmUp};
use dbdyno_trial::Limit;
use dbdyno_workload::Arrivals;

use crate::{agents, fleet, plan, redis, server, workload};

const SENTINEL: &str = "dbdyno-no-more";

fn connect(target: &Target) -> TcpStream {
    TcpStream::connect(target.place.trim_start_matches('/')).unwrap()
}

/// The commands about records that a server was sent meanwhile, in an order that says nothing.
fn sent(target: &Target, work: impl FnOnce()) -> Vec<String> {
    let mut monitor = connect(target);
    monitor.write_all(b"MONITOR\r\n").unwrap();
    let mut lines = BufReader::new(monitor);
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    assert!(line.starts_with("+OK"), "{line}");
    let listener = std::thread::spawn(move || {
        let mut sent = Vec::new();
        for line in lines.lines() {
            let line = line.unwrap();
            if line.contains(SENTINEL) {
                break;
            }
            let command = line.split_once("] ").map_or("", |(_, command)| command);
            // The table before is dropped by the names of its records, and a manifest says what may be missing meanwhile.
            let is_other = ["\"UNLINK\"", "\"ZREM\"", "\"SET\" \"dbdyno:manifest"];
            if command.contains("user") && !is_other.iter().any(|words| command.starts_with(words)) {
                sent.push(command.to_owned());
            }
        }
        sent.sort_unstable();
        sent
    });
    work();
    let mut last = connect(target);
    last.write_all(format!("ECHO {SENTINEL}\r\n").as_bytes()).unwrap();
    BufReader::new(last).read_line(&mut line).unwrap();
    listener.join().unwrap()
}

fn counted(name: &str, rate: Option<f64>) -> PreparedTrial {
    let mut plan = plan(workload(name, 211), 7, std::time::Duration::ZERO);
    plan.spec.limit = Limit {
        operations: Some(1_003),
        duration: None,
    };
    plan.spec.warmup = WarmUp::fixed(std::time::Duration::ZERO);
    plan.spec.pace = rate.map(|rate| Pace {
        rate,
        arrivals: Arrivals::Poisson,
    });
    plan
}

#[test]
fn three_agents_send_what_one_process_does() {
    let server = server();
    let address = server.address().unwrap();
    let (_redis, target) = redis();
    let _agents = agents(&address, 3);
    let fleet = fleet(&address, 3);
    for (name, rate) in [
        ("a", None),
        ("b", None),
        ("c", Some(2_000.0)),
        ("d", None),
        ("d", Some(2_000.0)),
        ("e", None),
        ("f", None),
    ] {
        let plan = counted(name, rate);
        let stop = Stop::new();
        // A scan reads the records that it finds, and that depends on which inserts came before it.
        let own = |mut commands: Vec<String>| {
            commands.retain(|command| name != "e" || !command.starts_with("\"HGETALL\""));
            commands
        };
        let alone = sent(&target, || {
            dbdyno_registry::run_trial(&target, &plan, &mut (), &stop).unwrap();
        });
        let together = sent(&target, || {
            fleet.run_trial(&target, &plan, &mut (), &stop).unwrap();
        });
        assert!(alone.len() > 1_200, "{name}: {}", alone.len());
        let only = |own: &[String], others: &[String]| {
            let mut left = own.to_vec();
            for command in others {
                if let Ok(place) = left.binary_search(command) {
                    left.remove(place);
                }
            }
            left
        };
        let (alone, together) = (own(alone), own(together));
        let differences = [only(&alone, &together), only(&together, &alone)];
        assert!(alone == together, "{name}, {rate:?}: {differences:?}");
    }
}
