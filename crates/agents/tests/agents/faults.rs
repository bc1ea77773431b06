//! Agents, coordinators and servers that are gone.

use std::time::Duration;

use dbdyno_agents::{AgentsErrorKind, Fleet};
use dbdyno_engine::{EngineErrorClass, LoadGenerators, Stop};
use dbdyno_lab::Signal;
use futures_util::StreamExt as _;

use crate::{AgentThread, agents, fleet, plan, request, run, server, target, workload};

const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_trial_ends_when_an_agent_does() {
    let server = server();
    let address = server.address().unwrap();
    let _first = AgentThread::start(&address, "first", &[], &[]);
    let second = AgentThread::start(&address, "second", &[], &[]);
    let fleet = fleet(&address, 2);
    let long = plan(workload("c", 100), 2, LONG);
    let target = target("null");
    std::thread::scope(|scope| {
        let trial = scope.spawn(|| fleet.run_trial(&target, &long, &mut (), &Stop::new()));
        std::thread::sleep(Duration::from_secs(1));
        drop(second);
        let error = trial.join().unwrap().unwrap_err();
        assert_eq!(error.class(), EngineErrorClass::Generators, "{error}");
        assert!(error.to_string().contains("second"), "{error}");
    });
    // Another one takes its place, and the first has ended its share.
    let _third = AgentThread::start(&address, "third", &[], &[]);
    let short = plan(workload("c", 100), 2, Duration::from_millis(300));
    let (outcome, _) = run(&fleet, &target, &short);
    assert!(outcome.unwrap().measure.unwrap().ok_in_time() > 0);
    assert_eq!(fleet.names(), ["first", "third"]);
}

/// Has one agent believe that its coordinator said more than it heard.
async fn deceive_one(url: &str) -> Result<(), Box<dyn std::error::Error>> {
    let (token, place) = url
        .trim_start_matches("nats://")
        .split_once('@')
        .ok_or("no token")?;
    let client = async_nats::ConnectOptions::with_token(token.to_owned())
        .connect(place)
        .await?;
    let mut asked = client.subscribe("dbdyno.agent.*").await?;
    while let Some(message) = asked.next().await {
        let mut ask: serde_json::Value = serde_json::from_slice(&message.payload)?;
        if let Some(beat) = ask.get_mut("Beat") {
            beat["said"] = 1_000_000.into();
            // What the second one says has been said is owed since the first.
            for _ in 0..2 {
                client
                    .request(message.subject.clone(), ask.to_string().into())
                    .await?;
            }
            break;
        }
    }
    Ok(())
}

#[test]
fn a_trial_ends_when_one_agent_misses_messages() {
    let server = server();
    let address = server.address().unwrap();
    let _agents = agents(&address, 2);
    let fleet = fleet(&address, 2);
    let long = plan(workload("c", 100), 2, LONG);
    let (stop, target) = (Stop::new(), target("null"));
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let trial = scope.spawn(|| {
            let error = fleet.run_trial(&target, &long, &mut (), &stop).err();
            done.send(()).unwrap();
            error
        });
        std::thread::sleep(Duration::from_secs(1));
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(deceive_one(server.url())).unwrap();
        let patience = ended.recv_timeout(Duration::from_secs(20));
        // So that a defect fails this test and does not hang it.
        stop.request();
        let error = trial.join().unwrap().unwrap();
        assert!(patience.is_ok(), "the other agent waits: {error}");
        assert_eq!(error.class(), EngineErrorClass::Generators, "{error}");
        assert!(error.to_string().contains("were lost"), "{error}");
    });
}

#[test]
fn nobody_gets_an_agent_that_is_anothers() {
    let server = server();
    let address = server.address().unwrap();
    let _agents = agents(&address, 1);
    let first = fleet(&address, 1);
    let stop = Stop::new();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| Fleet::recruit(request(&address, 1), None, &stop));
        std::thread::sleep(Duration::from_secs(2));
        stop.request();
        let error = second.join().unwrap().err().unwrap();
        assert_eq!(error.kind, AgentsErrorKind::Interrupted);
    });
    drop(first);
    assert_eq!(fleet(&address, 1).names(), ["agent-1"]);
}

#[test]
fn a_server_that_restarts_is_waited_for() {
    let mut server = server();
    let address = server.address().unwrap();
    let _agents = agents(&address, 2);
    let fleet = fleet(&address, 2);
    let name = server.lab().servers()[0].name.clone();
    server.lab().restart(&name).unwrap();
    let short = plan(workload("c", 100), 2, Duration::from_millis(300));
    // A trial waits until all agents are back. Its messages may still be lost with a connection that nobody has found broken.
    let ok = (0..2).find_map(|_| run(&fleet, &target("null"), &short).0.ok());
    assert!(ok.unwrap().measure.unwrap().ok_in_time() > 0);
}

#[test]
fn a_stop_ends_the_wait_for_a_server_that_stays_away() {
    let mut server = server();
    let address = server.address().unwrap();
    let _agents = agents(&address, 2);
    let fleet = fleet(&address, 2);
    let name = server.lab().servers()[0].name.clone();
    // One that stands still keeps its connections, and answers nobody.
    server.lab().signal(&name, Signal::Pause).unwrap();
    let short = plan(workload("c", 100), 2, Duration::from_millis(300));
    let (stop, target) = (Stop::new(), target("null"));
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let (fleet, stop) = (&fleet, &stop);
        scope.spawn(move || {
            let error = fleet.run_trial(&target, &short, &mut (), stop).unwrap_err();
            done.send(error.class()).unwrap();
        });
        std::thread::sleep(Duration::from_secs(5));
        stop.request();
        let class = ended.recv_timeout(Duration::from_secs(60));
        // Whoever waits for it goes on, so that a failure ends the test.
        server.lab().signal(&name, Signal::Resume).unwrap();
        assert_eq!(class, Ok(EngineErrorClass::Generators));
    });
    server.lab().signal(&name, Signal::Kill).unwrap();
    // Letting the agents go does not wait for a server that is gone.
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        drop(fleet);
        done.send(()).unwrap();
    });
    assert!(ended.recv_timeout(Duration::from_secs(60)).is_ok());
}

#[test]
fn a_stop_ends_a_trial_at_all_agents() {
    let server = server();
    let address = server.address().unwrap();
    let _agents = agents(&address, 2);
    let fleet = fleet(&address, 2);
    let long = plan(workload("c", 100), 2, LONG);
    let (stop, target) = (Stop::new(), target("null"));
    std::thread::scope(|scope| {
        let trial = scope.spawn(|| fleet.run_trial(&target, &long, &mut (), &stop));
        std::thread::sleep(Duration::from_secs(1));
        stop.request();
        let outcome = trial.join().unwrap().unwrap();
        assert!(outcome.interrupted);
        assert!(outcome.measure.unwrap().ok_in_time() > 0);
    });
}

#[test]
fn no_outage_of_the_server_hangs_a_trial() {
    let mut server = server();
    let address = server.address().unwrap();
    let _agents = agents(&address, 2);
    let fleet = fleet(&address, 2);
    let name = server.lab().servers()[0].name.clone();
    let short = plan(workload("c", 100), 2, Duration::from_millis(200));
    // Restarts fall into every part of a trial: it ends well, or it is said why not.
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let fleet = &fleet;
        let trials = scope.spawn(move || {
            let mut ok = 0;
            for _ in 0..12 {
                match run(fleet, &target("null"), &short).0 {
                    Ok(outcome) => ok += u32::from(outcome.measure.unwrap().ok_in_time() > 0),
                    Err(error) => assert_eq!(error.class(), EngineErrorClass::Generators, "{error}"),
                }
            }
            done.send(()).unwrap();
            ok
        });
        for number in 0..6 {
            std::thread::sleep(Duration::from_millis(300 + 170 * number));
            server.lab().restart(&name).unwrap();
        }
        let patience = ended.recv_timeout(Duration::from_secs(120));
        assert!(patience.is_ok(), "a trial hangs");
        assert!(trials.join().unwrap() > 0);
    });
}
