//! What an audit may have left on the servers, for when they no longer let it look.
//!
//! A scene has no room for it and an auditor none for an audit, so it is kept beside both, by the audit's own name.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dbdyno_audit::Scene;

static OF_AUDITS: Mutex<BTreeMap<String, Footprint>> = Mutex::new(BTreeMap::new());

/// What an audit has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Footprint {
    has_connected: bool,
    has_named_a_table: bool,
}

fn of_audits() -> MutexGuard<'static, BTreeMap<String, Footprint>> {
    OF_AUDITS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A client of this audit's has connected.
pub fn connected(scene: &Scene<'_>) {
    of_audits()
        .entry(scene.own_name.clone())
        .or_default()
        .has_connected = true;
}

/// This audit is about to make its table.
pub fn named_a_table(scene: &Scene<'_>) {
    of_audits()
        .entry(scene.own_name.clone())
        .or_default()
        .has_named_a_table = true;
}

/// Whether this audit may have made something: it has a login, got in, and tried to.
pub fn may_be_left(scene: &Scene<'_>) -> bool {
    let has_login = scene.administrator_target.is_some() || scene.remote.user.is_some();
    let footprint = of_audits().get(&scene.own_name).copied().unwrap_or_default();
    has_login && footprint.has_connected && footprint.has_named_a_table
}
