//! What an audit calls its own things on a server, and which things of that kind it may remove.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::canary::unique;

/// How the names of everything begin that an audit makes on a server.
pub const PREFIX: &str = "dbdyno_audit_";
/// Hexadecimal digits behind it, which no two audits share: the second until which the audit may live, then chance.
const DIGITS: usize = 12;
const OF_TIME: usize = 8;
/// An audit is taken to live for so many times its patience, and within these bounds.
const LEASE: u32 = 360;
const SHORTEST: Duration = Duration::from_secs(15 * 60);
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// What an audit calls its own things on a server, and whether it called anything so.
#[derive(Debug)]
pub(crate) struct OwnName {
    text: String,
    is_handed_out: AtomicBool,
}

impl OwnName {
    pub(crate) const fn new(text: String) -> Self {
        Self {
            text,
            is_handed_out: AtomicBool::new(false),
        }
    }

    /// The name, for nothing that is made.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The name, for something that is about to be made.
    pub(crate) fn hand_out(&self) -> &str {
        self.is_handed_out.store(true, Ordering::Relaxed);
        &self.text
    }

    /// Whether something of this name may have been made.
    pub(crate) fn is_handed_out(&self) -> bool {
        self.is_handed_out.load(Ordering::Relaxed)
    }
}

/// How long an audit of this patience is taken to live.
pub(crate) fn lease(patience: Duration) -> Duration {
    patience.saturating_mul(LEASE).clamp(SHORTEST, LONGEST)
}

/// A name for an audit that begins at this second.
pub(crate) fn new_name(now: i64, patience: Duration) -> String {
    let until = now.saturating_add_unsigned(lease(patience).as_secs()) & i64::from(u32::MAX);
    format!("{PREFIX}{until:08x}{}", &unique()[..DIGITS - OF_TIME])
}

/// Whether something of this name was made by an audit: the prefix, twelve hexadecimal digits, and nothing or a sign before
/// whatever follows. A name with the prefix alone belongs to another user.
#[must_use]
pub fn is_own(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else {
        return false;
    };
    let digits = rest
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte))
        .count();
    let next = rest.as_bytes().get(DIGITS);
    digits == DIGITS && next.is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

/// Whether the audit called `own` may remove something: it is its own, or of an audit that no longer lives. A name that promises more
/// than the longest life was made by no audit that lives.
pub(crate) fn may_remove(name: &str, own: &str, now: i64) -> bool {
    if !is_own(name) {
        return false;
    }
    let until = &name[PREFIX.len()..PREFIX.len() + OF_TIME];
    let left = i64::from_str_radix(until, 16).map_or(0, |until| until.saturating_sub(now));
    let lives = 0 < left && left.unsigned_abs() <= LONGEST.as_secs();
    name.starts_with(own) || !lives
}

#[cfg(test)]
mod tests {
    use super::*;

    /// November 2026.
    const NOW: i64 = 1_795_411_200;

    #[test]
    fn only_what_an_audit_made_is_its_own() {
        for own in [
            "dbdyno_audit_0123456789ab",
            "dbdyno_audit_0123456789ab:key",
            "dbdyno_audit_0123456789ab_x",
        ] {
            assert!(is_own(own), "{own}");
        }
        for foreign in [
            "dbdyno_audit_mine",
            "dbdyno_audit_results",
            "dbdyno_audit_0123456789abc",
            "dbdyno_audit_0123456789abz",
            "dbdyno_audit_0123456789",
            "dbdyno_audit_",
            "usertable",
        ] {
            assert!(!is_own(foreign), "{foreign}");
        }
    }

    #[test]
    fn what_a_live_audit_made_is_left_alone_until_it_cannot_live() {
        let patience = Duration::from_secs(5);
        let (own, other) = (new_name(NOW, patience), new_name(NOW, patience));
        assert!(is_own(&own) && own != other);
        let theirs = format!("{other}:key");
        assert!(may_remove(&own, &own, NOW) && may_remove(&format!("{own}:key"), &own, NOW));
        assert!(!may_remove(&theirs, &own, NOW));
        assert!(!may_remove(&theirs, &own, NOW + 29 * 60));
        assert!(may_remove(&theirs, &own, NOW + 30 * 60));
        // Much patience makes a long life, but not one without end.
        let slow = new_name(NOW, Duration::from_secs(3600));
        assert!(!may_remove(&slow, &own, NOW + 23 * 3600));
        assert!(may_remove(&slow, &own, NOW + 24 * 3600));
        for left in ["dbdyno_audit_0123456789ab", "dbdyno_audit_ffffffffffff"] {
            assert!(may_remove(left, &own, NOW), "{left}");
        }
        assert!(!may_remove("dbdyno_audit_mine", &own, NOW));
    }
}
