//! A canary, stored and then looked for in the server's files.

use dbdyno_audit::{Canary, Channel, ChannelError, Scene, at_rest, not_stored, without_files};
use dbdyno_record::audit::{AuditFinding, ProtectionLevel};

use crate::client::{administrator, log_in};
use crate::resp::{Reply, ask};

const PERSISTENCE: &str = "https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/";
const FIX: &str = "put the data directory on an encrypted volume; Redis itself encrypts no file";
/// A node that serves one slot in a hundred is found by then, with a chance of one in twenty thousand that it is not.
const MOST_KEYS: u32 = 1_000;
/// Between two tries of a cluster that is down.
const STEP: std::time::Duration = std::time::Duration::from_millis(100);

/// Whether the files hold values in clear text.
pub fn encryption(scene: &mut Scene<'_>) -> AuditFinding {
    if let Some(finding) = without_files(scene) {
        return finding;
    }
    let canary = Canary::new();
    let stored = writer(scene).and_then(|mut channel| {
        let key = store(scene, &mut channel, &canary)?;
        Ok((channel, key))
    });
    let (mut channel, key) = match stored {
        Ok(stored) => stored,
        Err(error) => return not_stored(&error),
    };
    let flushed = flush(scene, &mut channel);
    let mut finding = at_rest(scene, &canary, flushed, FIX, PERSISTENCE);
    if finding.level == ProtectionLevel::SupportedOff {
        // There is nothing in Redis to switch on.
        finding.level = ProtectionLevel::Unsupported;
    }
    ask(&mut channel, &["DEL", &key]).ok();
    finding
}

/// Stores the canary, and returns its key. A node of a cluster takes keys of its own slots only, so others are tried until one is.
/// One that has just lost sight of the others takes none until it sees them again.
fn store(scene: &Scene<'_>, channel: &mut Channel, canary: &Canary) -> Result<String, ChannelError> {
    let mut elsewhere = String::new();
    let deadline = scene.deadline();
    for number in 1..=MOST_KEYS {
        let key = format!("{}:canary{number}", scene.own_name);
        match ask(channel, &["SET", &key, canary.text()])? {
            Reply::Simple(_) => return Ok(key),
            moved if moved.is_error("MOVED") => elsewhere = moved.shown(),
            down if down.is_error("CLUSTERDOWN") && deadline.left().is_some() => {
                elsewhere = down.shown();
                std::thread::sleep(STEP);
                channel.renew(scene.deadline());
            }
            other => return Err(ChannelError::Unexpected(other.shown())),
        }
    }
    Err(ChannelError::Unexpected(elsewhere))
}

/// The user of the address may write; an administrator need not.
fn writer(scene: &Scene<'_>) -> Result<Channel, ChannelError> {
    log_in(scene, scene.remote).or_else(|_| administrator(scene))
}

/// Whether the server says that everything written so far is in its files.
fn flush(scene: &Scene<'_>, writer: &mut Channel) -> bool {
    let mut managing = administrator(scene);
    let mut persistence = || {
        let channel = match &mut managing {
            Ok(channel) => channel,
            Err(_) => &mut *writer,
        };
        ask(channel, &["INFO", "persistence"])
            .map(|reply| reply.text())
            .unwrap_or_default()
    };
    let has = |text: &str, line: &str| text.lines().any(|known| known.trim() == line);
    // With a log of writes every second at most; without one, nothing is written before the next snapshot.
    let text = persistence();
    if !has(&text, "aof_enabled:1") {
        return false;
    }
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    let text = persistence();
    has(&text, "aof_last_write_status:ok") && !has(&text, "aof_pending_bio_fsync:1")
}
