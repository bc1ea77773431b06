//! What agents refuse, and what ends nothing.

use std::time::Duration;

use dbdyno_engine::EngineErrorClass;

use crate::{AgentThread, fleet, plan, run, server, target, workload};

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
