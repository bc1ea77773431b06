//! Guarantees of servers by their logs, their replicas and their version.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use Consistency::{All, One, Quorum};
use Durability::{Buffered, None as Nothing, Synced};

use super::*;

/// A server of version 7.0 with replicas whose logs are as its own.
fn server(log: Log, replicas: u32) -> Server {
    Server {
        version: "7.0.15".to_owned(),
        is_cluster: false,
        log,
        replicas,
        logs_of_replicas: vec![log; replicas as usize],
        has_waitaof: false,
    }
}

/// A newer one.
fn newer(log: Log, replicas: u32) -> Server {
    Server {
        version: "7.2.0".to_owned(),
        has_waitaof: true,
        ..server(log, replicas)
    }
}

type Given = (Durability, Option<Consistency>, Option<Copies>);

fn given(server: &Server, options: &str) -> Result<Given, String> {
    let target = Target::parse(&format!("redis://h{options}")).unwrap();
    guarantee(server, &target, "h:6379")
        .map(|given| (given.durability, given.consistency, given.awaited))
        .map_err(|error| error.message)
}

#[track_caller]
fn assert_refuses(server: &Server, options: &str, expected: &[&str]) {
    let message = given(server, options).unwrap_err();
    for expected in expected {
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn one_server_gives_what_its_log_gives() {
    for (log, level) in [
        (Log::of("no", "always"), Nothing),
        (Log::of("", ""), Nothing),
        (Log::of("yes", "everysec"), Nothing),
        (Log::of("yes", "no"), Buffered),
        (Log::of("yes", "always"), Synced),
    ] {
        assert_eq!(given(&server(log, 0), ""), Ok((level, None, None)), "{log:?}");
    }
    let alone = server(Log::Always, 0);
    // One copy is all copies.
    assert_eq!(given(&alone, "?consistency=all"), Ok((Synced, Some(All), None)));
    let other = ["is set to durability `synced`, not `none`", "appendonly no"];
    assert_refuses(&alone, "?durability=none", &other);
}

#[test]
fn writes_wait_for_so_many_replicas_that_the_level_is_kept() {
    for (replicas, options, consistency, awaited) in [
        (2, "", One, None),
        (2, "?consistency=one", One, None),
        (1, "?consistency=quorum", Quorum, Some(1)),
        (2, "?consistency=quorum", Quorum, Some(1)),
        (3, "?consistency=quorum", Quorum, Some(2)),
        (4, "?consistency=quorum", Quorum, Some(2)),
        (4, "?consistency=all", All, Some(4)),
    ] {
        let expected = (Nothing, Some(consistency), awaited.map(Copies::Received));
        let server = server(Log::EverySecond, replicas);
        assert_eq!(given(&server, options), Ok(expected), "{replicas} {options}");
    }
}

#[test]
fn a_cluster_cannot_wait_for_replicas() {
    let cluster = |replicas| Server {
        is_cluster: true,
        ..server(Log::Off, replicas)
    };
    assert_eq!(given(&cluster(3), ""), Ok((Nothing, Some(One), None)));
    assert_eq!(
        given(&cluster(0), "?consistency=quorum"),
        Ok((Nothing, Some(Quorum), None))
    );
    assert_refuses(
        &cluster(3),
        "?consistency=quorum",
        &["cluster", "consistency `one`"],
    );
}

#[test]
fn the_weakest_copy_decides_where_any_may_acknowledge() {
    let waits = Some(Copies::Received(1));
    let safe = server(Log::Always, 2);
    let quorum = "?consistency=quorum";
    assert_eq!(given(&safe, quorum), Ok((Synced, Some(Quorum), waits)));
    for logs_of_replicas in [
        vec![Log::Always, Log::EverySecond],
        // One of two was not named in the address.
        vec![Log::Always],
    ] {
        let mixed = Server {
            logs_of_replicas,
            ..safe.clone()
        };
        assert_eq!(given(&mixed, quorum), Ok((Nothing, Some(Quorum), waits)));
        // The master by itself syncs.
        let alone = given(&mixed, "?durability=synced");
        assert_eq!(alone, Ok((Synced, Some(One), None)));
        let expected = [
            "1 of its 2 replicas",
            "redis://MASTER,REPLICA",
            "consistency `one`",
        ];
        assert_refuses(&mixed, "?consistency=quorum&durability=synced", &expected);
    }
}

#[test]
fn newer_servers_sync_what_they_are_asked_to() {
    let synced = |replicas| Some(Copies::Synced(replicas));
    let both = "?consistency=quorum&durability=synced";
    for log in [Log::EverySecond, Log::Always] {
        assert_eq!(given(&newer(log, 2), both), Ok((Synced, Some(Quorum), synced(1))));
    }
    // Where the log is synced before each answer, there is nothing to wait for.
    let alone = "?durability=synced";
    assert_eq!(given(&newer(Log::Always, 0), alone), Ok((Synced, None, None)));
    assert_eq!(
        given(&newer(Log::EverySecond, 0), alone),
        Ok((Synced, None, synced(0)))
    );
    // A replica that nobody could ask has to sync all the same, or the write fails.
    let unnamed = Server {
        logs_of_replicas: Vec::new(),
        ..newer(Log::Always, 2)
    };
    assert_eq!(given(&unnamed, both), Ok((Synced, Some(Quorum), synced(1))));
    // Nobody asked for a sync.
    assert_eq!(
        given(&newer(Log::EverySecond, 2), "?consistency=quorum"),
        Ok((Nothing, Some(Quorum), Some(Copies::Received(1))))
    );
}

#[test]
fn what_is_not_synced_cannot_be_waited_for() {
    let before = ["is set to durability `none`", "needs Redis 7.2", "this is 7.0.15"];
    assert_refuses(&server(Log::EverySecond, 0), "?durability=synced", &before);
    // No sync would ever come.
    for log in [Log::Off, Log::Never] {
        let message = given(&newer(log, 0), "?durability=synced").unwrap_err();
        assert!(message.contains("`appendfsync always`"), "{message}");
        assert!(!message.contains("WAITAOF"), "{message}");
    }
    let cluster = Server {
        is_cluster: true,
        ..newer(Log::EverySecond, 0)
    };
    assert_refuses(&cluster, "?durability=synced", &["is set to durability `none`"]);
    let replica_without = Server {
        logs_of_replicas: vec![Log::Off],
        ..newer(Log::Always, 1)
    };
    let both = "?consistency=quorum&durability=synced";
    assert_refuses(&replica_without, both, &["0 of its 1 replicas"]);
}
