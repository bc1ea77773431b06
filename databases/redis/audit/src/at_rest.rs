//! A canary, stored and then looked for in the server's files.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use dbdyno_audit::{
    Canary, Channel, ChannelError, Scene, Traces, Writer, at_rest, entries_below, listens_on, not_stored,
    stored, without_files,
};
use dbdyno_record::audit::{AuditFinding, ProtectionLevel};

use crate::client::{administrator, log_in, setting};
use crate::resp::{Reply, ask, has_line};

const PERSISTENCE: &str = "https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/";
const FIX: &str = "put the data directory on an encrypted volume; Redis itself encrypts no file";
/// A node that serves one slot in a hundred is found by then, with a chance of one in twenty thousand that it is not.
const MOST_KEYS: u32 = 1_000;
/// How long the canary lives where nobody removes it.
const LIFETIME_SECONDS: &str = "3600";
/// Between two tries of a cluster that is down, and two looks at a snapshot.
const STEP: Duration = Duration::from_millis(100);

/// Whether the files hold values in clear text.
pub fn encryption(scene: &mut Scene<'_>) -> AuditFinding {
    if let Some(finding) = without_files(scene) {
        return finding;
    }
    let canary = Canary::new();
    // File systems keep times less exactly than the clock shows them.
    let began = SystemTime::now() - Duration::from_secs(1);
    let stored = stored(scene, |scene, writer| {
        let mut channel = match writer {
            Writer::Application => log_in(scene, scene.remote)?,
            Writer::Administrator => administrator(scene)?,
        };
        let key = store(scene, &mut channel, &canary)?;
        Ok((channel, key))
    });
    let (mut channel, key) = match stored {
        Ok(stored) => stored,
        Err(error) => return not_stored(&error),
    };
    let flushed = flush(scene, &mut channel);
    let is_flushed = flushed == Flush::Seen;
    channel.renew(scene.deadline());
    let is_own = is_own(scene, &mut channel, began);
    let traces = Traces { is_flushed, is_own };
    let mut finding = at_rest(scene, &canary, traces, FIX, PERSISTENCE);
    if finding.level == ProtectionLevel::SupportedOff {
        // There is nothing in Redis to switch on.
        finding.level = ProtectionLevel::Unsupported;
    }
    if flushed == Flush::Failed {
        finding.summary.push_str(
            " The server could not write the snapshot that the audit requested. Unless stop-writes-on-bgsave-error is set to no, it refuses writes until a snapshot succeeds.",
        );
    }
    channel.renew(scene.deadline());
    ask(&mut channel, &["DEL", &key]).ok();
    finding
}

/// Stores the canary, and returns its key. A node of a cluster takes keys of its own slots only, so others are tried until one is.
/// One that has just lost sight of the others takes none until it sees them again.
fn store(scene: &Scene<'_>, channel: &mut Channel, canary: &Canary) -> Result<String, ChannelError> {
    let mut elsewhere = String::new();
    let deadline = scene.deadline();
    for number in 1..=MOST_KEYS {
        let key = format!("{}:canary{number}", scene.own_name());
        // It goes by itself where the audit is cut off, and out of a snapshot that has it.
        match ask(channel, &["SET", &key, canary.text(), "EX", LIFETIME_SECONDS])? {
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

/// What became of the canary's way to the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flush {
    /// The server says that everything written so far is in its files.
    Seen,
    NotSeen,
    /// It began a snapshot and could not write it.
    Failed,
}

/// Why no snapshot was seen.
enum NoSnapshot {
    /// It could not be written.
    Failed,
    /// It was not begun, or not seen to end.
    NotSeen(String),
}

fn flush(scene: &mut Scene<'_>, writer: &mut Channel) -> Flush {
    let mut managing = administrator(scene);
    let channel = managing.as_mut().unwrap_or(writer);
    // With a log of writes every second at most; without one, nothing is written before the next snapshot.
    if !has_line(&persistence(channel), "aof_enabled:1") {
        let written = snapshot(scene, channel);
        let (flush, got) = match written {
            Ok(()) => (Flush::Seen, "written".to_owned()),
            Err(NoSnapshot::Failed) => (Flush::Failed, "the server could not write it".to_owned()),
            Err(NoSnapshot::NotSeen(why)) => (Flush::NotSeen, why),
        };
        let sent = "BGSAVE, then INFO persistence until it is done";
        scene.note("redis.snapshot", sent, got);
        return flush;
    }
    std::thread::sleep(Duration::from_millis(1_500));
    let text = persistence(channel);
    let is_written =
        has_line(&text, "aof_last_write_status:ok") && !has_line(&text, "aof_pending_bio_fsync:1");
    if is_written { Flush::Seen } else { Flush::NotSeen }
}

/// What the server says of its files; empty where it says nothing.
fn persistence(channel: &mut Channel) -> String {
    ask(channel, &["INFO", "persistence"])
        .map(|reply| reply.text())
        .unwrap_or_default()
}

/// Has the server write a snapshot that begins now; otherwise why none was seen. A server that takes none by itself is not asked: its
/// data would lie on a disk that was to have none, and come back when it starts again. A server whose last snapshot failed is not asked either.
fn snapshot(scene: &Scene<'_>, channel: &mut Channel) -> Result<(), NoSnapshot> {
    let not_seen = |error: ChannelError| NoSnapshot::NotSeen(error.to_string());
    let deadline = scene.deadline();
    channel.renew(deadline);
    let not_asked = |why: &str| Err(NoSnapshot::NotSeen(format!("not asked for: {why}")));
    let times = setting(channel, "save").map_err(not_seen)?;
    if times.is_none_or(|times| times.is_empty()) {
        return not_asked("the server takes no snapshots by itself");
    }
    if !has_line(&persistence(channel), "rdb_last_bgsave_status:ok") {
        return not_asked("the server's last snapshot failed");
    }
    let mut is_begun = false;
    let mut before = None;
    while deadline.left().is_some() {
        if !is_begun {
            before = saved_at(&persistence(channel));
            match ask(channel, &["BGSAVE"]).map_err(not_seen)? {
                Reply::Simple(_) => is_begun = true,
                // It may have begun before the text was stored.
                Reply::Error(text) if text.contains("in progress") || text.contains("child process") => {}
                refused => return Err(NoSnapshot::NotSeen(refused.shown())),
            }
        }
        let text = persistence(channel);
        if is_begun && has_line(&text, "rdb_bgsave_in_progress:0") {
            if !has_line(&text, "rdb_last_bgsave_status:ok") {
                return Err(NoSnapshot::Failed);
            }
            if saved_at(&text) > before {
                return Ok(());
            }
            // It was given up, or done in the second of the one before: then another shows that it was.
            is_begun = false;
        }
        std::thread::sleep(STEP);
    }
    Err(NoSnapshot::NotSeen(
        "not seen to be done within the deadline".to_owned(),
    ))
}

/// When the last snapshot was done, in seconds since 1970.
fn saved_at(text: &str) -> Option<u64> {
    text.lines()
        .find_map(|line| line.trim().strip_prefix("rdb_last_save_time:")?.parse().ok())
}

/// Whether the server works in one of the named directories.
fn is_own(scene: &Scene<'_>, writer: &mut Channel, began: SystemTime) -> bool {
    let mut managing = administrator(scene);
    let channel = managing.as_mut().unwrap_or(writer);
    let mut text = |words: &[&str]| ask(channel, words).map(|reply| reply.text()).unwrap_or_default();
    let information = text(&["INFO", "server"]);
    let process = information
        .lines()
        .find_map(|line| line.trim().strip_prefix("process_id:")?.parse::<u32>().ok());
    // Redis changes into its directory when it starts.
    let process = process.filter(|process| listens_on(*process, scene.host().port));
    let works_in = process.and_then(|process| std::fs::read_link(format!("/proc/{process}/cwd")).ok());
    if works_in.is_some_and(|directory| has_directory(&scene.place.data, &directory)) {
        return true;
    }
    // Only the process's owner may see where it works. Its name for the directory is no proof: a server elsewhere may use the same.
    let named = text(&["CONFIG", "GET", "dir"]);
    let named = named
        .strip_prefix("dir ")
        .map(|path| Path::new(path).canonicalize());
    named.is_some_and(|directory| {
        directory.is_ok_and(|directory| has_new_file(&scene.place.data, &directory, began))
    })
}

fn has_directory(places: &[PathBuf], directory: &Path) -> bool {
    let found = entries_below(places, &|path, metadata| metadata.is_dir() && path == directory);
    !found.is_empty()
}

/// Whether a directory among those named has a file that was changed since the canary's writing began.
fn has_new_file(places: &[PathBuf], directory: &Path, began: SystemTime) -> bool {
    let found = entries_below(places, &|path, metadata| {
        let is_recent = metadata.modified().is_ok_and(|changed| changed >= began);
        metadata.is_file() && path.starts_with(directory) && is_recent
    });
    !found.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_the_last_snapshot_is_read() {
        let text = "# Persistence\r\nrdb_last_save_time:1795000000\r\naof_enabled:0\r\n";
        assert_eq!(saved_at(text), Some(1_795_000_000));
        assert_eq!(saved_at("NOPERM this user has no permissions"), None);
    }

    #[test]
    fn only_a_file_changed_in_the_servers_own_directory_shows_whose_it_is() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        for directory in ["redis", "busy"] {
            std::fs::create_dir(place.join(directory)).unwrap();
        }
        let began = SystemTime::now() - Duration::from_secs(1);
        let places = [place.clone()];
        std::fs::write(place.join("busy/file"), "x").unwrap();
        let has = |directory: &str, began| has_new_file(&places, &place.join(directory), began);
        assert!(has("busy", began) && !has("busy", began + Duration::from_secs(60)));
        assert!(!has("redis", began));
        assert!(has_directory(&places, &place.join("redis")));
        assert!(!has_directory(&[place.join("busy")], &place.join("redis")));
    }
}
