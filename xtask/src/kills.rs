//! `cargo xtask kills`: kills dbdyno at any moment of a server's life (SIGKILL), again and again, and looks at what is left. Too long
//! for CI: run it when the lab changes.
#![expect(
    clippy::disallowed_methods,
    reason = "how long a process took to end, not an operation"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use clap::Args;

use crate::process::{self, Result, cannot_start, output};

/// Started in turn.
const SYSTEMS: [&str; 4] = ["lab:redis", "lab:postgres", "lab:mongodb", "lab:cassandra"];
/// A server ends within this of the process that started it.
const PATIENCE: Duration = Duration::from_secs(2);
/// Shared memory of servers that were killed; each line after the first, and each file, is one piece.
const SEGMENTS: &str = "/proc/sysvipc/shm";
const FILES: &str = "/dev/shm";

#[derive(Args)]
pub struct Options {
    /// How many times.
    #[arg(long, default_value_t = 200)]
    times: u32,
}

pub fn run(options: &Options) -> Result<()> {
    let program = process::debug_program()?;
    let folder = process::cache("kills")?;
    let before = pieces_of_memory();
    let mut whole = [Duration::ZERO; SYSTEMS.len()];
    for time in 0..options.times {
        let which = time as usize % SYSTEMS.len();
        let run = Run {
            program: &program,
            home: folder.join(format!("lab{time}")),
            system: SYSTEMS[which],
        };
        // The first of each is not killed: it shows how long all of it takes.
        if whole[which].is_zero() {
            whole[which] = run.until_its_end()?;
        }
        let moment = whole[which].mul_f64(share());
        let left = run.killed_after(moment)?;
        println!(
            "{:>4}/{} {:<14} killed after {:>5.2} s of {:.2} s; {left}",
            time + 1,
            options.times,
            run.system,
            moment.as_secs_f64(),
            whole[which].as_secs_f64()
        );
        std::fs::remove_dir_all(&run.home).map_err(|error| format!("{}: {error}", run.home.display()))?;
    }
    // Files of shared memory go with the next server that is stopped, once they are old enough to be nobody's.
    sleep(Duration::from_secs(12));
    let last = Run {
        program: &program,
        home: folder.join("last"),
        system: SYSTEMS[1],
    };
    last.until_its_end()?;
    std::fs::remove_dir_all(&last.home).ok();
    let more: Vec<String> = pieces_of_memory().difference(&before).cloned().collect();
    if more.is_empty() {
        return Ok(());
    }
    Err(format!("shared memory was left: {}", more.join(", ")))
}

/// A short measurement on a server of a lab of its own.
struct Run<'r> {
    program: &'r Path,
    home: PathBuf,
    system: &'r str,
}

impl Run<'_> {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.program);
        command
            .args(words)
            .env("DBDYNO_LAB_HOME", &self.home)
            .env("DBDYNO_INSTALL", "1")
            .current_dir(process::root().join("target"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn start(&self) -> Result<Child> {
        let folder = self.home.with_extension("results").display().to_string();
        std::fs::remove_dir_all(&folder).ok();
        let mut command = self.command(&[
            "run",
            self.system,
            "--records",
            "500",
            "--duration",
            "1s",
            "--warmup",
            "0s",
            "--output",
            &folder,
        ]);
        command.spawn().map_err(|error| cannot_start(&command, &error))
    }

    fn until_its_end(&self) -> Result<Duration> {
        let began = Instant::now();
        let status = self.start()?.wait();
        let took = began.elapsed();
        // A debug build makes the result invalid, which is 5.
        match status.map(|status| status.code()) {
            Ok(Some(0 | 5)) => Ok(took),
            other => Err(format!("{} ended with {other:?}", self.system)),
        }
    }

    /// What was found after it, in words; an error where something stayed.
    fn killed_after(&self, moment: Duration) -> Result<String> {
        let mut child = self.start()?;
        sleep(moment);
        let ended = |error: std::io::Error| format!("{}: {error}", self.system);
        child.kill().map_err(ended)?;
        child.wait().map_err(ended)?;
        let began = Instant::now();
        let mut alive = self.processes();
        while !alive.is_empty() && began.elapsed() < PATIENCE {
            sleep(Duration::from_millis(20));
            alive = self.processes();
        }
        let killed_within = began.elapsed();
        let listed = alive.len();
        // What still lives, the next command must find.
        output(
            self.command(&["lab", "down", "--left-behind"])
                .stdout(Stdio::piped()),
        )?;
        let alive = self.processes();
        let instances = self.instances();
        if alive.is_empty() && instances.is_empty() {
            return Ok(match listed {
                0 => format!("all ended within {:.2} s", killed_within.as_secs_f64()),
                listed => format!("{listed} processes were left to `lab down`"),
            });
        }
        Err(format!(
            "{} killed after {:.2} s left processes {alive:?} and directories {instances:?}",
            self.system,
            moment.as_secs_f64()
        ))
    }

    /// Processes that work in the lab's directories, or were told of them.
    fn processes(&self) -> Vec<String> {
        let home = self.home.display().to_string();
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let own = entries.filter_map(|entry| {
            let path = entry.path();
            entry.file_name().to_str()?.parse::<u32>().ok()?;
            let words = std::fs::read(path.join("cmdline")).ok()?;
            let words = String::from_utf8_lossy(&words).replace('\0', " ");
            let works_there =
                std::fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&self.home));
            // One that has ended and is not waited for yet has no words.
            (!words.is_empty() && (works_there || words.contains(&home))).then_some(words)
        });
        own.collect()
    }

    fn instances(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.home.join("instances"))
            .into_iter()
            .flatten();
        entries.flatten().map(|entry| entry.path()).collect()
    }
}

/// A share of the whole, another one each time.
fn share() -> f64 {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    f64::from(since.subsec_micros() % 1_000) / 1_000.0
}

fn pieces_of_memory() -> BTreeSet<String> {
    let table = std::fs::read_to_string(SEGMENTS).unwrap_or_default();
    let segments = table.lines().skip(1).filter_map(|line| {
        let number = line.split_whitespace().nth(1)?;
        Some(format!("segment {number}"))
    });
    let files = std::fs::read_dir(FILES).into_iter().flatten().flatten();
    let files = files.map(|file| file.path().display().to_string());
    segments.chain(files).collect()
}
