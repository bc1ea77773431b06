//! What each system used in its own slices, and what it used while others were measured.
//!
//! A store that puts work off (flushes, compactions, garbage collection) would have it done unpaid in the slices of others. What a
//! server uses is that of its processes; what an embedded store uses is that of the threads that began in its turns. A server
//! that nothing is asked of uses a little all the same: as much as between most of its slices, and up to [`MOST_IDLE`]; an embedded
//! store does not. Java's compilers put nothing off either: they end by themselves, and what they use during the turns is left out.
//!
//! Work that would have fitted into idle CPUs of its own slices costs a system nothing. What is more takes the time in which all CPUs
//! can do it, and in a closed loop that time is charged.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use dbdyno_driver::Target;
use dbdyno_machine::{CompilerTime, usable_cpus};
use dbdyno_record::{ParkedIo, ParkedWork, WhileParked};

use crate::address::is_server;
use crate::judge::turns::MOST_DEFERRED;
use crate::run::labs::Labs;

/// The most of one CPU that an idle system is taken to use.
const MOST_IDLE: f64 = 0.1;

/// CPU time of each thread of this process.
pub(super) type Threads = BTreeMap<u32, Duration>;

/// Where the CPU time of a system is read.
enum Source<'a> {
    Servers(&'a str, &'a Target),
    /// The threads of this process that are its own.
    Threads(BTreeSet<u32>),
}

/// One system's account.
struct Account<'a> {
    source: Source<'a>,
    /// CPU time as of the last look, by thread, or all of it under 0; `None`: it cannot be read.
    last: Option<BTreeMap<u32, Duration>>,
    /// Storage traffic as of the last look; `None`: nobody counts it for this system alone.
    last_io_bytes: Option<u64>,
    own: Duration,
    own_io_bytes: u64,
    /// CPU time that its slices took of the machine, its clients' included, and how long they were.
    slices: (Duration, Duration),
    /// Each gap between two of its slices, before the first one and after the last, while turns were taken; the pieces of it added up.
    gaps: Vec<Gap>,
    /// The latest look at its compilers.
    compilers: CompilerTime,
    /// CPU time that they used between the last two looks, seconds.
    compiled_seconds: f64,
}

/// A time in which others were measured.
#[derive(Clone, Copy, Debug, Default)]
struct Gap {
    /// CPU time that the system used.
    used: Duration,
    passed: Duration,
    io_bytes: u64,
}

/// Resources that a system used between two looks.
#[derive(Clone, Copy, Debug, Default)]
struct Look {
    used: Duration,
    io_bytes: u64,
}

/// The accounts of a group.
pub(super) struct Ledger<'a> {
    labs: &'a Labs,
    accounts: Vec<Account<'a>>,
    /// Threads that belong to nobody.
    known: BTreeSet<u32>,
    looked: Instant,
    /// Somebody had a slice.
    begun: bool,
    /// CPU time that this process had used then.
    own_cpu: Duration,
    cpus: u32,
}

/// CPU time that this process has used.
#[derive(Clone, Debug, Default)]
pub(super) struct Used {
    /// Each of its threads.
    pub(super) threads: Threads,
    /// All of it, with threads that have ended.
    pub(super) whole: Duration,
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long systems are parked, far from any operation"
)]
fn now() -> Instant {
    Instant::now()
}

impl<'a> Ledger<'a> {
    /// Nothing is booked yet. Systems are given by name and address.
    pub(super) fn new(
        systems: impl Iterator<Item = (&'a str, &'a Target)>,
        labs: &'a Labs,
        used: &Used,
    ) -> Self {
        let accounts = systems.map(|(name, target)| Account {
            source: match is_server(target) {
                true => Source::Servers(name, target),
                false => Source::Threads(BTreeSet::new()),
            },
            last: None,
            last_io_bytes: None,
            own: Duration::ZERO,
            own_io_bytes: 0,
            slices: (Duration::ZERO, Duration::ZERO),
            gaps: vec![Gap::default()],
            compilers: CompilerTime::default(),
            compiled_seconds: 0.0,
        });
        let mut ledger = Self {
            labs,
            accounts: accounts.collect(),
            known: used.threads.keys().copied().collect(),
            looked: now(),
            begun: false,
            own_cpu: used.whole,
            cpus: usable_cpus(),
        };
        ledger.book(None, used);
        ledger
    }

    /// Threads that have begun since the last time belong to this system: nobody else ran.
    pub(super) fn adopt(&mut self, number: usize, threads: &Threads) {
        let new = threads
            .keys()
            .copied()
            .filter(|thread| self.known.insert(*thread));
        if let Source::Threads(own) = &mut self.accounts[number].source {
            own.extend(new);
        }
    }

    /// Books what was used since the last time: this system ran meanwhile, or none did.
    pub(super) fn book(&mut self, running: Option<usize>, used: &Used) {
        let passed = std::mem::replace(&mut self.looked, now()).elapsed();
        let mut of_process = used.whole.saturating_sub(self.own_cpu);
        self.own_cpu = used.whole;
        let mut of_running = Duration::ZERO;
        self.begun |= running.is_some();
        for (number, account) in self.accounts.iter_mut().enumerate() {
            let Look { used, io_bytes } = account.look(self.labs, &used.threads);
            if running == Some(number) {
                of_running = used;
                account.own_io_bytes += io_bytes;
                account.gaps.push(Gap::default());
                continue;
            }
            if let Source::Threads(_) = account.source {
                of_process = of_process.saturating_sub(used);
            }
            // Before the first slice of all, others load.
            if let Some(gap) = account.gaps.last_mut().filter(|_| self.begun) {
                gap.used += used;
                gap.passed += passed;
                gap.io_bytes += io_bytes;
            }
        }
        if let Some(account) = running.map(|number| &mut self.accounts[number]) {
            // Its threads may have ended with its last slice, but the process knows what they used.
            let (own, all) = match account.source {
                Source::Threads(_) if account.last.is_some() => {
                    let own = of_running.max(of_process);
                    (own, own)
                }
                Source::Threads(_) => (Duration::ZERO, of_process),
                Source::Servers(..) => (of_running, of_running + of_process),
            };
            account.own += own;
            account.slices.0 += all;
            account.slices.1 += passed;
        }
    }

    /// Resources that a system has used since its last slice; `None` where that cannot be told.
    pub(super) fn since_slice_before(&self, number: usize) -> Option<WhileParked> {
        let account = &self.accounts[number];
        account.last.as_ref()?;
        let gap = account.gaps.last()?;
        Some(WhileParked {
            cpu_seconds: gap.used.as_secs_f64(),
            io_bytes: account.last_io_bytes.map(|_| gap.io_bytes),
        })
    }

    /// Looks at what compilers in servers have used: before the first slice, and after the last one.
    pub(super) fn look_at_compilers(&mut self, mut look: impl FnMut(&[u32]) -> CompilerTime) {
        for account in &mut self.accounts {
            let Source::Servers(name, target) = &account.source else {
                continue;
            };
            let now = look(&self.labs.server_processes(name, target).unwrap_or_default());
            let before = std::mem::replace(&mut account.compilers, now);
            let whole_seconds = account.compilers.whole_seconds - before.whole_seconds;
            account.compiled_seconds =
                whole_seconds.max(0.0) * account.compilers.share_since(&before).unwrap_or(0.0);
        }
    }

    /// The work of a system; `None` where it cannot be told. In a closed loop, the time that the work takes is charged. At a rate it is
    /// not: the time is that of the schedule, which leaves room for the work.
    pub(super) fn work_of(&self, number: usize, closed_loop: bool) -> Option<ParkedWork> {
        let account = &self.accounts[number];
        account.last.as_ref()?;
        // An embedded store that nothing is asked of has nothing to do but what it put off.
        let most_idle = match account.source {
            Source::Servers(..) => MOST_IDLE,
            Source::Threads(_) => 0.0,
        };
        let work = work(account.own, &account.gaps, account.compiled_seconds, most_idle);
        let (used, passed) = account.slices;
        let idle_seconds = passed.as_secs_f64() * f64::from(self.cpus) - used.as_secs_f64();
        Some(ParkedWork {
            charged_ns: match work.deferred_share() > MOST_DEFERRED && closed_loop {
                true => charged_ns(work.deferred_cpu_seconds, idle_seconds, self.cpus),
                false => 0,
            },
            io: account.last_io_bytes.map(|_| ParkedIo {
                own_bytes: account.own_io_bytes,
                parked_bytes: account.gaps.iter().map(|gap| gap.io_bytes).sum(),
            }),
            ..work
        })
    }
}

/// How long all CPUs take for the work that did not fit into so much idle CPU time, nanoseconds.
fn charged_ns(deferred_cpu_seconds: f64, idle_seconds: f64, cpus: u32) -> u64 {
    let unpaid_seconds = (deferred_cpu_seconds - idle_seconds.max(0.0)).max(0.0);
    (unpaid_seconds / f64::from(cpus.max(1)) * 1e9) as u64
}

/// What was put off among what was used in these gaps, of which compilers used so much at the most, and a system that nothing is asked of so
/// much of one CPU.
fn work(own: Duration, gaps: &[Gap], compiled_seconds: f64, most_idle: f64) -> ParkedWork {
    let mut rates: Vec<f64> = gaps
        .iter()
        .filter(|gap| !gap.passed.is_zero())
        .map(|gap| gap.used.as_secs_f64() / gap.passed.as_secs_f64())
        .collect();
    rates.sort_unstable_by(f64::total_cmp);
    let usual = rates.get(rates.len() / 2).copied().unwrap_or(0.0);
    let idle = usual.min(most_idle);
    let sum = |of: fn(&Gap) -> Duration| gaps.iter().map(of).sum::<Duration>().as_secs_f64();
    let (parked, passed) = (sum(|gap| gap.used), sum(|gap| gap.passed));
    ParkedWork {
        own_cpu_seconds: own.as_secs_f64(),
        parked_cpu_seconds: parked,
        deferred_cpu_seconds: (parked - idle * passed - compiled_seconds).max(0.0),
        ..ParkedWork::default()
    }
}

impl Account<'_> {
    /// Resources that it used since the last look.
    fn look(&mut self, labs: &Labs, threads: &Threads) -> Look {
        let (now, io_bytes): (BTreeMap<u32, Duration>, Option<u64>) = match &self.source {
            Source::Servers(name, target) => {
                let Some(usage) = labs.usage_without_disk(name, target) else {
                    return Look::default();
                };
                let used = Duration::from_secs_f64(usage.cpu_seconds.max(0.0));
                (
                    BTreeMap::from([(0, used)]),
                    Some(usage.read_bytes + usage.process_written_bytes),
                )
            }
            Source::Threads(_) if threads.is_empty() => return Look::default(),
            Source::Threads(own) => {
                let own = threads.iter().filter(|(thread, _)| own.contains(*thread));
                (own.map(|(thread, time)| (*thread, *time)).collect(), None)
            }
        };
        let before_io_bytes = std::mem::replace(&mut self.last_io_bytes, io_bytes);
        let before = self.last.replace(now);
        let (Some(before), Some(now)) = (before, &self.last) else {
            return Look::default();
        };
        // A thread that is new was born in its own turn, and one that ended took its last moments with it.
        let since = |(thread, time): (&u32, &Duration)| {
            time.saturating_sub(before.get(thread).copied().unwrap_or(Duration::ZERO))
        };
        let io_bytes = io_bytes.zip(before_io_bytes);
        Look {
            used: now.iter().map(since).sum(),
            // A process that ended takes what it had counted with it.
            io_bytes: io_bytes.map_or(0, |(now, before)| now.saturating_sub(before)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Of a second, so many milliseconds of CPU time.
    fn gap(used: u32) -> Gap {
        Gap {
            used: MS * used,
            passed: MS * 1000,
            io_bytes: 0,
        }
    }

    /// Something for this process to use.
    fn spin() {
        let mut sum = 0_u64;
        for number in 0..30_000_000_u64 {
            sum = black_box(sum.wrapping_add(number));
        }
    }

    /// Bytes that this process writes to storage.
    const WRITTEN: usize = 8 << 20;

    fn write() {
        use std::io::Write as _;
        let mut file = tempfile::tempfile_in("/var/tmp").unwrap();
        file.write_all(&vec![1; WRITTEN]).unwrap();
        file.sync_all().unwrap();
    }

    #[test]
    fn what_a_system_uses_in_the_only_slice_of_another_is_seen() {
        let server = Target::parse(&format!("redis://host?server_pids={}", std::process::id())).unwrap();
        let store = Target::parse("memory").unwrap();
        let (labs, used) = (Labs::default(), Used::default());
        let mut ledger = Ledger::new([("redis", &server), ("memory", &store)].into_iter(), &labs, &used);
        ledger.book(Some(0), &used);
        spin();
        write();
        ledger.book(Some(1), &used);
        let work = ledger.work_of(0, true).unwrap();
        assert!(work.parked_cpu_seconds > 0.0, "{work:?}");
        let io = work.io.unwrap();
        assert!(io.parked_bytes >= WRITTEN as u64 / 2, "{io:?}");
        let parked = ledger.since_slice_before(0).unwrap();
        assert_eq!(parked.cpu_seconds, work.parked_cpu_seconds);
        assert_eq!(parked.io_bytes, Some(io.parked_bytes));
        ledger.book(Some(0), &used);
        assert_eq!(
            ledger.since_slice_before(0),
            Some(WhileParked {
                io_bytes: Some(0),
                ..WhileParked::default()
            })
        );
        assert_eq!(ledger.since_slice_before(1), None, "nobody can tell");
    }

    #[test]
    fn what_an_idle_server_always_uses_was_not_put_off() {
        let gaps = [gap(20); 5];
        let idle = work(MS * 1000, &gaps, 0.0, MOST_IDLE);
        assert!(
            idle.deferred_cpu_seconds < 1e-9 && (idle.parked_cpu_seconds - 0.1).abs() < 1e-9,
            "{idle:?}"
        );
        let embedded = work(MS * 1000, &gaps, 0.0, 0.0);
        assert!((embedded.deferred_cpu_seconds - 0.1).abs() < 1e-9, "{embedded:?}");
    }

    #[test]
    fn work_is_charged_as_far_as_no_cpu_was_idle_for_it() {
        assert_eq!(charged_ns(0.5, 0.0, 2), 250_000_000);
        assert_eq!(charged_ns(0.5, -0.1, 2), 250_000_000);
        assert_eq!(charged_ns(0.5, 0.3, 2), 100_000_000);
        assert_eq!(charged_ns(0.5, 0.6, 2), 0);
    }

    #[test]
    fn work_in_some_gaps_or_in_all_of_them_was_put_off() {
        let mut gaps = [gap(20); 5];
        gaps[3] = gap(500);
        let once = work(MS * 1000, &gaps, 0.0, MOST_IDLE);
        assert!((once.deferred_cpu_seconds - 0.48).abs() < 1e-9, "{once:?}");
        let always = work(MS * 1000, &[gap(800); 5], 0.0, MOST_IDLE);
        assert!((always.deferred_cpu_seconds - 3.5).abs() < 1e-9, "{always:?}");
        assert_eq!(work(MS, &[], 0.0, MOST_IDLE).deferred_cpu_seconds, 0.0);
        let compiling = work(MS * 1000, &gaps, 0.4, MOST_IDLE);
        assert!(
            (compiling.deferred_cpu_seconds - 0.08).abs() < 1e-9,
            "{compiling:?}"
        );
    }
}
