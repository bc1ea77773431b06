//! What is wrong with it, as asked for in the address.

use std::time::Duration;

use dbdyno_driver::{DbError, DriverInfo, Target, options};

use crate::{deferred, error};

/// The defects of one connection. The default is healthy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Defects {
    /// Time that every operation takes beside the work itself.
    pub delay: Duration,
    /// How much longer `delay` is than it says, as a share: the same defect in every trial.
    pub slowdown: f64,
    /// How much `delay` has grown after each thousand operations of a session, as a share.
    pub drift: f64,
    /// Every which connection of this process to this address is an outlier, ten times as slow (0: none).
    pub outlier_every: u64,
    /// How long all sessions stand still at a stall.
    pub stall: Duration,
    /// Every how many operations of a session it causes a stall (0: none).
    pub stall_every: u64,
    /// CPU time that every write leaves behind, for later.
    pub deferred: Duration,
    /// How much of it gathers before it is done while operations arrive.
    pub deferred_limit: Duration,
    /// Every how many acknowledged inserts of a session one is not stored (0: none).
    pub lose_every: u64,
    /// Every how many reads of a session one answers as a replica that lacks the last writes (0: none).
    pub stale_every: u64,
    /// Every how many reads of a session one gives wrong bytes (0: none).
    pub corrupt_every: u64,
    /// Every how many reads of a session one gives the first field only (0: none).
    pub drop_every: u64,
    /// Where the driver itself panics.
    pub panic: Panic,
}

/// Where the driver panics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panic {
    #[default]
    Nowhere,
    /// When it connects.
    Connect,
    /// When it closes: after everything was measured, on the thread of the trial.
    Close,
}

impl Panic {
    fn read(info: &DriverInfo, target: &Target) -> Result<Self, DbError> {
        const NOWHERE: &str = "never";
        Ok(
            match options::choice(info, target, "panic", &["connect", "close"], NOWHERE)? {
                "connect" => Self::Connect,
                "close" => Self::Close,
                _ => Self::Nowhere,
            },
        )
    }

    /// Panics if this is the place.
    pub fn strike(self, place: Self) {
        if self == place {
            panic!("planted: the address asks the driver to panic here");
        }
    }
}

/// How many times slower an outlier is.
pub const OUTLIER: f64 = 10.0;

/// How many operations lie between two stalls unless the address says otherwise.
const STALL_EVERY: u64 = 1_000;

/// How much deferred work gathers unless the address says otherwise.
const DEFERRED_LIMIT: Duration = Duration::from_secs(1);

impl Defects {
    /// What the address asks for.
    pub fn read(info: &DriverInfo, target: &Target) -> Result<Self, DbError> {
        if target.options.contains_key("lie") {
            return Err(error::audit_only());
        }
        let stall = options::duration(info, target, "stall", Duration::ZERO)?;
        let deferred = options::duration(info, target, "deferred", Duration::ZERO)?;
        Ok(Self {
            delay: options::duration(info, target, "delay", Duration::ZERO)?,
            slowdown: percent(target, "slowdown")?,
            drift: percent(target, "drift")?,
            outlier_every: count(target, "outlier_every", 0)?,
            stall,
            stall_every: match count(target, "stall_every", STALL_EVERY)? {
                _ if stall.is_zero() => 0,
                every => every,
            },
            deferred,
            deferred_limit: match options::duration(info, target, "deferred_limit", DEFERRED_LIMIT)? {
                _ if deferred.is_zero() => Duration::ZERO,
                limit => limit,
            },
            lose_every: count(target, "lose_every", 0)?,
            stale_every: count(target, "stale_every", 0)?,
            corrupt_every: count(target, "corrupt_every", 0)?,
            drop_every: count(target, "drop_every", 0)?,
            panic: Panic::read(info, target)?,
        })
    }

    /// How long operation number `operation` (from 1) of a session waits.
    pub fn wait(&self, operation: u64, outlier: bool) -> Duration {
        let drifted = 1.0 + self.drift * (operation / 1_000) as f64;
        let factor = (1.0 + self.slowdown) * drifted * if outlier { OUTLIER } else { 1.0 };
        self.delay.mul_f64(factor)
    }

    /// The defects in words, for the facts: nothing for a healthy one.
    pub fn symptoms(&self) -> Vec<(&'static str, String)> {
        let mut symptoms = Vec::new();
        let mut note = |there: bool, name, text: String| {
            if there {
                symptoms.push((name, text));
            }
        };
        note(
            !self.delay.is_zero(),
            "delay",
            format!("{:?} an operation", self.delay),
        );
        note(
            self.slowdown > 0.0,
            "slowdown",
            format!("{}%", self.slowdown * 100.0),
        );
        note(
            self.drift > 0.0,
            "drift",
            format!("{}% in a thousand operations", self.drift * 100.0),
        );
        note(
            self.outlier_every > 0,
            "outlier_every",
            format!("{} connections", self.outlier_every),
        );
        note(
            self.stall_every > 0,
            "stall",
            format!("{:?} every {} operations", self.stall, self.stall_every),
        );
        note(
            !self.deferred.is_zero(),
            "deferred",
            format!(
                "{:?} of CPU time a write, done after {:?} without an operation, or from {:?} of it on",
                self.deferred,
                deferred::QUIET,
                self.deferred_limit
            ),
        );
        note(
            self.lose_every > 0,
            "lose_every",
            format!("{} inserts", self.lose_every),
        );
        note(
            self.stale_every > 0,
            "stale_every",
            format!("{} reads", self.stale_every),
        );
        note(
            self.corrupt_every > 0,
            "corrupt_every",
            format!("{} reads", self.corrupt_every),
        );
        note(
            self.drop_every > 0,
            "drop_every",
            format!("{} reads", self.drop_every),
        );
        note(self.panic != Panic::Nowhere, "panic", format!("{:?}", self.panic));
        symptoms
    }
}

fn count(target: &Target, name: &str, default: u64) -> Result<u64, DbError> {
    let Some(text) = target.options.get(name) else {
        return Ok(default);
    };
    text.parse().map_err(|_| error::no_count(name, text))
}

/// `10%`, or `10`.
fn percent(target: &Target, name: &str) -> Result<f64, DbError> {
    let Some(text) = target.options.get(name) else {
        return Ok(0.0);
    };
    let number: Option<f64> = text.strip_suffix('%').unwrap_or(text).parse().ok();
    number
        .filter(|percent| (0.0..=10_000.0).contains(percent))
        .map(|percent| percent / 100.0)
        .ok_or_else(|| error::no_percentage(name, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Defects, DbError> {
        Defects::read(&crate::info::INFO, &Target::parse(text).unwrap())
    }

    #[test]
    fn nothing_asked_for_is_healthy() {
        let healthy = read("sick").unwrap();
        assert_eq!(healthy, Defects::default());
        assert!(healthy.symptoms().is_empty());
        assert_eq!(healthy.wait(1_000_000, false), Duration::ZERO);
    }

    #[test]
    fn waits_grow_as_they_are_reported_to() {
        let ill = read("sick?delay=1ms&slowdown=10%&drift=50").unwrap();
        assert_eq!(ill.wait(1, false), Duration::from_micros(1_100));
        assert_eq!(ill.wait(2_000, false), Duration::from_micros(2_200));
        assert_eq!(ill.wait(1, true), Duration::from_micros(11_000));
        assert_eq!(ill.symptoms().len(), 3);
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_an_example() {
        for (text, hint) in [
            ("sick?lose_every=often", "lose_every=100"),
            ("sick?slowdown=-5", "slowdown=10%"),
            ("sick?stall=3", "stall=500ms"),
            ("sick?deferred=20", "deferred=500ms"),
            ("sick?panic=always", "`connect`, `close`"),
            ("sick?lie=tls", "dbdyno audit"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.message.contains(hint), "{error}");
        }
        assert_eq!(read("sick?stall_every=5").unwrap().stall_every, 0);
        assert_eq!(read("sick?deferred_limit=2s").unwrap(), Defects::default());
    }
}
