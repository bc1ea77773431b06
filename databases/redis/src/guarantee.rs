//! The guarantee of a write to this server, by its settings and by the `WAIT` or `WAITAOF` that a client sends behind it.
//!
//! Sources: redis.io, "Persistence", "Replication", `WAIT`, `WAITAOF`; the server's `flushAppendOnlyFile` and `beforeSleep`.

use dbdyno_driver::{Consistency, DbError, Durability, ErrorClass, Target};

use crate::wait::Copies;

/// A server's append-only file, by `appendonly` and `appendfsync`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Log {
    /// There is none, or the server does not show it.
    Off,
    Never,
    EverySecond,
    Always,
}

impl Log {
    pub(crate) fn of(appendonly: &str, appendfsync: &str) -> Self {
        match (appendonly, appendfsync) {
            ("yes", "always") => Self::Always,
            ("yes", "everysec") => Self::EverySecond,
            ("yes", "no") => Self::Never,
            _ => Self::Off,
        }
    }

    /// The level of a write that the server answers. With `appendfsync no` the log is written to the operating system before the
    /// answer is sent. With `everysec` that write is put off for up to two seconds while an earlier sync is under way, and the answer
    /// is sent all the same (`flushAppendOnlyFile` in `aof.c`): a write may be lost with the process.
    ///
    /// A replica's acknowledgement is an answer, too: it leaves after the log is flushed (`beforeSleep` in `server.c`).
    pub(crate) const fn level(self) -> Durability {
        match self {
            Self::Off | Self::EverySecond => Durability::None,
            Self::Never => Durability::Buffered,
            Self::Always => Durability::Synced,
        }
    }

    /// Whether the server syncs it by itself, so that waiting for it ends.
    const fn is_synced(self) -> bool {
        matches!(self, Self::EverySecond | Self::Always)
    }
}

/// The state of the live server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    pub(crate) version: String,
    pub(crate) is_cluster: bool,
    pub(crate) log: Log,
    /// Replicas that it feeds; of a cluster, those of all its masters.
    pub(crate) replicas: u32,
    /// The logs of those replicas that the address names.
    pub(crate) logs_of_replicas: Vec<Log>,
    /// Whether it knows `WAITAOF`.
    pub(crate) has_waitaof: bool,
}

/// The guarantee in force, and the copies that each write waits for to have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guarantee {
    pub(crate) durability: Durability,
    /// `None` where there is one copy and nothing was asked for.
    pub(crate) consistency: Option<Consistency>,
    pub(crate) copies: u32,
    pub(crate) awaited: Option<Copies>,
}

impl Guarantee {
    /// Copies that have a write before it is acknowledged.
    pub(crate) const fn acknowledging(&self) -> u32 {
        match self.awaited {
            Some(Copies::Received(replicas) | Copies::Synced(replicas)) => replicas.saturating_add(1),
            None => 1,
        }
    }
}

/// The guarantee for what was asked.
///
/// # Errors
/// `Rejected`, when the server does not give it, with what would.
pub(crate) fn guarantee(server: &Server, target: &Target, hosts: &str) -> Result<Guarantee, DbError> {
    let copies = server.replicas.saturating_add(1);
    let replicas = match target.consistency {
        None | Some(Consistency::One) => 0,
        Some(Consistency::Quorum) => copies / 2,
        Some(Consistency::All) => copies - 1,
    };
    if let Some(asked) = target.consistency
        && replicas > 0
        && server.is_cluster
    {
        return Err(rejected(format!(
            "the cluster of Redis at {hosts} does not give consistency `{asked}`: a write to a cluster cannot wait for replicas \
             (WAIT), because its masters share one connection of the client; ask for consistency `one`, or use one master with \
             replicas (`lab:redis?replicas=2`)"
        )));
    }
    let given = weakest(server, replicas);
    // A cluster's masters share one connection of the client: nothing can be sent behind a write on its own.
    let can_sync = server.has_waitaof
        && !server.is_cluster
        && server.log.is_synced()
        && (replicas == 0 || server.logs_of_replicas.iter().all(|log| log.is_synced()));
    let asks_synced = target
        .durability
        .map_or(replicas > 0 && given == Durability::Synced, |asked| {
            asked == Durability::Synced
        });
    let is_needed = replicas > 0 || given != Durability::Synced;
    let (durability, awaited) = if asks_synced && can_sync && is_needed {
        (Durability::Synced, Some(Copies::Synced(replicas)))
    } else {
        (given, (replicas > 0).then_some(Copies::Received(replicas)))
    };
    if let Some(asked) = target.durability
        && asked != durability
    {
        return Err(rejected(refusal(server, (asked, durability), replicas, hosts)));
    }
    Ok(Guarantee {
        durability,
        consistency: match server.replicas {
            0 => target.consistency,
            _ => Some(target.consistency.unwrap_or(Consistency::One)),
        },
        copies,
        awaited,
    })
}

/// The durability of every copy that may be among those that acknowledge. Of a replica that the address does not name, nothing is
/// known.
fn weakest(server: &Server, awaited: u32) -> Durability {
    let own = server.log.level();
    if awaited == 0 {
        return own;
    }
    if server.logs_of_replicas.len() < server.replicas as usize {
        return Durability::None;
    }
    let of_replicas = server.logs_of_replicas.iter().map(|log| log.level());
    of_replicas.fold(own, Durability::min)
}

fn rejected(message: String) -> DbError {
    DbError::new(ErrorClass::Rejected, message)
}

/// Why another level than the one in force cannot be had, and what gives it.
fn refusal(server: &Server, (asked, given): (Durability, Durability), replicas: u32, hosts: &str) -> String {
    if replicas > 0 && server.log.level() >= asked {
        return format!(
            "Redis at {hosts} gives durability `{given}`, not `{asked}`, where writes wait for replicas: {} of its {} replicas are \
             known to keep them as safely; start every replica with the log of the master, and name all servers in the address \
             (redis://MASTER,REPLICA), or ask for consistency `one`",
            server
                .logs_of_replicas
                .iter()
                .filter(|log| log.level() >= asked)
                .count(),
            server.replicas,
        );
    }
    let waitaof = match (asked, server.has_waitaof, server.log.is_synced()) {
        (Durability::Synced, false, true) => format!(
            ". WAITAOF, which waits for the sync of each write, needs Redis 7.2 or newer; this is {}",
            server.version
        ),
        _ => String::new(),
    };
    format!(
        "Redis at {hosts} is set to durability `{given}`, not `{asked}`; {}{waitaof}",
        how_to_set(asked)
    )
}

/// The settings that give a level.
fn how_to_set(level: Durability) -> &'static str {
    match level {
        Durability::None => {
            "start the server with `appendonly no`, or with `appendfsync everysec` (`lab:redis?appendfsync=off`, or `everysec`)"
        }
        Durability::Buffered => {
            "start the server with `appendonly yes` and `appendfsync no` (`lab:redis?appendfsync=no`)"
        }
        Durability::Synced => {
            "start the server with `appendonly yes` and `appendfsync always` (`lab:redis?appendfsync=always`)"
        }
    }
}

#[cfg(test)]
#[path = "guarantee_tests.rs"]
mod tests;
