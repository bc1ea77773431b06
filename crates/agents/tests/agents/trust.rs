//! What agents refuse, and what ends nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dbdyno_agents::list;
use dbdyno_engine::{EngineErrorClass, Event};
use futures_util::StreamExt;

use crate::{AgentThread, agents, fleet, plan, redis, run, server, target, workload};

#[test]
fn an_agent_serves_what_it_is_allowed_to() {
    let server = server();
    let address = server.address().unwrap();
    let _agent = AgentThread::start(&address, "careful", &[], &["192.0.2.0/24"]);
    let fleet = fleet(&address, 1);
    let plan = plan(workload("c", 100), 1, Duration::from_millis(300));
    for (text, reason) in [
        ("redis://127.0.0.1:1", "does not name 127.0.0.1:1"),
        ("redb:/tmp/dbdyno-agents-never", "inside the process"),
    ] {
        let (outcome, _) = run(&fleet, &target(text), &plan);
        let error = outcome.unwrap_err();
        assert_eq!(error.class(), EngineErrorClass::Input, "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
    // It is as well as before.
    let (outcome, _) = run(&fleet, &target("null"), &plan);
    assert!(outcome.is_ok(), "{outcome:?}");
}

#[test]
fn an_agent_that_may_not_is_passed_over_where_others_are_enough() {
    let server = server();
    let address = server.address().unwrap();
    let _careful = AgentThread::start(&address, "careful", &[], &["192.0.2.0/24"]);
    let _open = AgentThread::start(&address, "open", &[], &[]);
    while list(&address).unwrap().len() < 2 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let fleet = fleet(&address, 1);
    assert_eq!(fleet.names().len(), 2);
    let plan = plan(workload("c", 100), 1, Duration::from_millis(300));
    // Nobody listens there: the one that may tries, and says so.
    let (outcome, heard) = run(&fleet, &target("redis://127.0.0.1:1"), &plan);
    let error = outcome.unwrap_err().to_string();
    assert!(
        error.contains("open") && !error.contains("does not name"),
        "{error}"
    );
    let is_told = |event: &Event| matches!(event, Event::Preparing(text) if text.contains("careful") && text.contains("127.0.0.1:1"));
    assert!(heard.0.iter().any(is_told), "{:?}", heard.0);
    assert_eq!(fleet.names(), ["open"]);
    assert!(run(&fleet, &target("null"), &plan).0.is_ok());
    // It is free for others.
    let other = crate::fleet(&address, 1);
    assert_eq!(other.names(), ["careful"]);
}

/// What an agent answers to anybody who can log in.
async fn answers(url: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let (token, place) = url
        .trim_start_matches("nats://")
        .split_once('@')
        .ok_or("no token")?;
    let client = async_nats::ConnectOptions::with_token(token.to_owned())
        .connect(place)
        .await?;
    let card = client.request("dbdyno.find", "".into()).await?;
    let card: serde_json::Value = serde_json::from_slice(&card.payload)?;
    let own = format!("dbdyno.agent.{}", card["Card"]["id"].as_str().ok_or("no id")?);
    let mut answers = Vec::new();
    let other = "0".repeat(32);
    for payload in [
        String::new(),
        "{".to_owned(),
        "[".repeat(900_000),
        "{\"Begin\":{\"coordinator\":\"x\",\"order\":{}}}".to_owned(),
        format!("{{\"Beat\":{{\"coordinator\":\"{other}\",\"said\":1,\"offset_ns\":5}}}}"),
        format!("{{\"Release\":{{\"coordinator\":\"{other}\"}}}}"),
        "{\"Lease\":{\"coordinator\":\">\",\"study\":\"s\",\"version\":\"x\"}}".to_owned(),
        format!("{{\"Lease\":{{\"coordinator\":\"{other}\",\"study\":\"s\",\"version\":\"0.0/0\"}}}}"),
    ] {
        let answer = client.request(own.clone(), payload.into()).await?;
        answers.push(String::from_utf8(answer.payload.to_vec())?);
    }
    for subject in [
        "dbdyno.find",
        "dbdyno.fleet.x",
        "dbdyno.report.x.now",
        "dbdyno.report.x.result.y.z",
    ] {
        client.publish(subject, "[[[".into()).await?;
    }
    client.flush().await?;
    Ok(answers)
}

/// Sends everything that a coordinator and its agents say to each other once more, until it is dropped.
struct Echo {
    runtime: tokio::runtime::Runtime,
    doubled: Arc<AtomicUsize>,
}

impl Echo {
    fn of(url: &str) -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let (token, place) = url.trim_start_matches("nats://").split_once('@').unwrap();
        let options = async_nats::ConnectOptions::with_token(token.to_owned());
        let client = runtime.block_on(options.connect(place)).unwrap();
        let doubled = Arc::new(AtomicUsize::new(0));
        for subject in ["dbdyno.fleet.*", "dbdyno.report.*.now"] {
            let mut messages = runtime.block_on(client.subscribe(subject)).unwrap();
            let (client, doubled) = (client.clone(), Arc::clone(&doubled));
            runtime.spawn(async move {
                let mut seen = std::collections::BTreeSet::new();
                while let Some(message) = messages.next().await {
                    if seen.insert(message.payload.clone()) {
                        let _ = client.publish(message.subject, message.payload).await;
                        doubled.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
        runtime.block_on(client.flush()).unwrap();
        Self { runtime, doubled }
    }
}

#[test]
fn what_is_said_twice_counts_once() {
    let server = server();
    let address = server.address().unwrap();
    let _agents = agents(&address, 2);
    while list(&address).unwrap().len() < 2 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let echo = Echo::of(server.url());
    let fleet = fleet(&address, 2);
    let plan = plan(workload("d", 200), 2, Duration::from_millis(600));
    let (_redis, target) = redis();
    let (outcome, _) = run(&fleet, &target, &plan);
    assert!(echo.doubled.load(Ordering::SeqCst) > 4, "nothing was said twice");
    drop(echo.runtime);
    assert!(outcome.unwrap().measure.unwrap().ok_in_time() > 0);
}

#[test]
fn what_others_send_ends_nothing() {
    let server = server();
    let address = server.address().unwrap();
    let _agent = AgentThread::start(&address, "calm", &[], &[]);
    let fleet = fleet(&address, 1);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let answers = runtime.block_on(answers(server.url())).unwrap();
    for (number, expected) in [
        "none of dbdyno's",
        "none of dbdyno's",
        "none of dbdyno's",
        "none of dbdyno's",
        "the lease has ended",
        "Done",
        "no name of dbdyno's",
        "it is of version",
    ]
    .into_iter()
    .enumerate()
    {
        assert!(
            answers[number].contains(expected),
            "{number}: {}",
            answers[number]
        );
    }
    // It is still this fleet's.
    let plan = plan(workload("c", 100), 1, Duration::from_millis(300));
    let (outcome, _) = run(&fleet, &target("null"), &plan);
    assert!(outcome.unwrap().measure.unwrap().ok_in_time() > 0);
}
