//! What a commit of this server waits for, and what of that a session may choose (`synchronous_commit`). Source:
//! PostgreSQL's manual, "Write Ahead Log" and "Replication" of the server's configuration.

use dbdyno_driver::{Consistency, DbError, Durability, ErrorClass, Target};

/// The settings of the live server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    /// Whether the log is synced at all.
    pub(crate) fsync: bool,
    /// The level that sessions have by themselves.
    pub(crate) synchronous_commit: String,
    /// `synchronous_standby_names`.
    pub(crate) standby_names: String,
    /// Replicas that follow it now.
    pub(crate) replicas: usize,
    /// Those of them that `synchronous_standby_names` names; `None` where the server does not show it, or is a replica itself.
    pub(crate) named: Option<usize>,
}

/// What is promised, and the `synchronous_commit` of the sessions that makes it so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guarantee {
    pub(crate) durability: Durability,
    pub(crate) consistency: Consistency,
    pub(crate) synchronous_commit: String,
    /// Copies that acknowledge a write, and copies that there are.
    pub(crate) acknowledged_by: (usize, usize),
}

/// The guarantee for what was asked.
///
/// # Errors
/// `Rejected`, when the server's settings do not give it, with the setting that would.
pub(crate) fn guarantee(server: &Server, target: &Target, hosts: &str) -> Result<Guarantee, DbError> {
    let refuse = |asked: String, remedy: &str| {
        Err(DbError::new(
            ErrorClass::Rejected,
            format!("PostgreSQL at {hosts} does not give {asked}; {remedy}"),
        ))
    };
    let copies = server.replicas.saturating_add(1);
    let by_itself = server.synchronous_commit.as_str();
    let waits = |level: &str| !matches!(level, "off" | "local");
    let awaited = awaited(&server.standby_names);
    let level = match (target.durability, target.consistency) {
        (Some(Durability::None), _) => "off",
        (Some(_), Some(Consistency::One)) => "local",
        // The primary syncs its log all the same; the replicas only have to write theirs.
        (Some(Durability::Buffered), _) if server.fsync && awaited > 0 => "remote_write",
        (Some(Durability::Synced), _) if by_itself == "remote_write" => "on",
        (Some(_), _) if by_itself == "off" => "on",
        (_, Some(Consistency::Quorum | Consistency::All)) if copies > 1 && !waits(by_itself) => "on",
        (None, Some(Consistency::One)) if waits(by_itself) => "local",
        _ => by_itself,
    };
    let durability = match (level, server.fsync) {
        ("off", _) => Durability::None,
        (_, false) => Durability::Buffered,
        // A level is that of every copy that acknowledges.
        ("remote_write", true) if awaited > 0 => Durability::Buffered,
        (_, true) => Durability::Synced,
    };
    if let Some(asked) = target.durability
        && asked != durability
    {
        let setting = if asked == Durability::Buffered {
            "off"
        } else {
            "on"
        };
        return refuse(
            format!("durability `{asked}`"),
            &format!("start the server with `fsync = {setting}`"),
        );
    }
    let acknowledging = if waits(level) {
        awaited.saturating_add(1)
    } else {
        1
    };
    if let Some(named) = server.named
        && named < acknowledging - 1
    {
        return Err(DbError::new(
            ErrorClass::Rejected,
            format!(
                "PostgreSQL at {hosts} has no commit that ends: it waits for {awaited} of the replicas in \
                 `synchronous_standby_names`, and {named} of them are connected; start them, name connected ones, or ask for \
                 consistency `one`"
            ),
        ));
    }
    let in_force = if copies > 1 && acknowledging >= copies {
        Consistency::All
    } else if acknowledging > copies / 2 {
        Consistency::Quorum
    } else {
        Consistency::One
    };
    // One copy is all copies.
    if let Some(asked) = target.consistency
        && asked > in_force
        && copies > 1
    {
        return refuse(
            format!("consistency `{asked}`: {acknowledging} of {copies} copies acknowledge a write"),
            "name more replicas in `synchronous_standby_names`, and ask for a durability above `none`",
        );
    }
    Ok(Guarantee {
        durability,
        consistency: target.consistency.unwrap_or(in_force),
        synchronous_commit: level.to_owned(),
        acknowledged_by: (acknowledging, copies),
    })
}

/// Replicas that a commit waits for: `FIRST 2 (a, b, c)`, `ANY 2 (...)`, `2 (...)`, or a bare list, which means one.
fn awaited(names: &str) -> usize {
    let names = names.trim();
    if names.is_empty() {
        return 0;
    }
    names
        .split_once('(')
        .and_then(|(before, _)| before.split_whitespace().last()?.parse().ok())
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guaranteed(server: &Server, options: &str) -> Result<(Durability, Consistency, String), String> {
        let target = Target::parse(&format!("postgres://h/d{options}")).unwrap();
        guarantee(server, &target, "h:5432")
            .map(|given| (given.durability, given.consistency, given.synchronous_commit))
            .map_err(|error| error.message)
    }

    fn server(fsync: bool, names: &str, replicas: usize) -> Server {
        Server {
            fsync,
            synchronous_commit: "on".to_owned(),
            standby_names: names.to_owned(),
            replicas,
            named: None,
        }
    }

    #[test]
    fn one_server_gives_what_its_log_gives() {
        use Consistency::{All, One, Quorum};
        let on = |durability, consistency| Ok((durability, consistency, "on".to_owned()));
        let alone = server(true, "", 0);
        assert_eq!(guaranteed(&alone, ""), on(Durability::Synced, Quorum));
        assert_eq!(
            guaranteed(&alone, "?consistency=all"),
            on(Durability::Synced, All)
        );
        assert_eq!(
            guaranteed(&alone, "?durability=none"),
            Ok((Durability::None, Quorum, "off".to_owned()))
        );
        assert_eq!(
            guaranteed(&alone, "?durability=synced&consistency=one"),
            Ok((Durability::Synced, One, "local".to_owned()))
        );
        assert!(
            guaranteed(&alone, "?durability=buffered")
                .unwrap_err()
                .contains("fsync = off")
        );
        let careless = server(false, "", 0);
        assert_eq!(guaranteed(&careless, ""), on(Durability::Buffered, Quorum));
        assert!(
            guaranteed(&careless, "?durability=synced")
                .unwrap_err()
                .contains("fsync = on")
        );
    }

    #[test]
    fn a_replica_that_only_writes_its_log_is_not_one_that_syncs_it() {
        let of = |level: &str, names: &str, options: &str| {
            let set = Server {
                synchronous_commit: level.to_owned(),
                ..server(true, names, 1)
            };
            guaranteed(&set, options)
        };
        let both = |durability, level: &str| Ok((durability, Consistency::All, level.to_owned()));
        for level in ["on", "remote_apply"] {
            assert_eq!(of(level, "*", ""), both(Durability::Synced, level));
        }
        let written = both(Durability::Buffered, "remote_write");
        assert_eq!(of("remote_write", "*", ""), written);
        // A client can have less than the server does by itself, and more.
        assert_eq!(of("on", "*", "?durability=buffered"), written);
        let asked = of("remote_write", "*", "?durability=synced");
        assert_eq!(asked, both(Durability::Synced, "on"));
        // Without replicas that are waited for, there is only the primary's log.
        let alone = of("remote_write", "", "");
        let expected = (Durability::Synced, Consistency::One, "remote_write".to_owned());
        assert_eq!(alone, Ok(expected));
        assert!(
            of("on", "", "?durability=buffered")
                .unwrap_err()
                .contains("fsync = off")
        );
    }

    #[test]
    fn replicas_that_are_named_and_not_connected_are_no_copies() {
        let of = |named, options: &str| {
            let set = Server {
                named,
                ..server(true, "ANY 1 (a)", 1)
            };
            guaranteed(&set, options).map(|(_, consistency, _)| consistency)
        };
        assert_eq!(of(Some(1), ""), Ok(Consistency::All));
        assert_eq!(of(None, ""), Ok(Consistency::All), "not shown to this user");
        // The one that follows is another.
        for options in ["", "?durability=synced", "?consistency=all"] {
            let message = of(Some(0), options).unwrap_err();
            for expected in ["waits for 1", "0 of them are connected", "consistency `one`"] {
                assert!(message.contains(expected), "{message}");
            }
        }
        for options in ["?consistency=one", "?durability=none"] {
            assert_eq!(of(Some(0), options), Ok(Consistency::One), "{options}");
        }
    }

    #[test]
    fn replicas_count_when_a_commit_waits_for_them() {
        let level = |names: &str, replicas, options: &str| {
            guaranteed(&server(true, names, replicas), options).map(|(_, consistency, _)| consistency)
        };
        assert_eq!(level("", 1, ""), Ok(Consistency::One));
        assert_eq!(level("*", 1, ""), Ok(Consistency::All));
        assert_eq!(level("ANY 1 (a, b)", 2, ""), Ok(Consistency::Quorum));
        assert_eq!(
            level("FIRST 2 (a, b)", 2, "?consistency=all"),
            Ok(Consistency::All)
        );
        assert_eq!(level("2 (a, b)", 2, "?consistency=one"), Ok(Consistency::One));
        assert!(
            level("", 1, "?consistency=quorum")
                .unwrap_err()
                .contains("1 of 2 copies")
        );
        // What waits for no disk waits for no replica either.
        assert!(
            level("*", 1, "?consistency=all&durability=none")
                .unwrap_err()
                .contains("above `none`")
        );
    }
}
