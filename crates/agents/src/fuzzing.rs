//! The reader of messages for `crates/fuzzed`; nothing else uses it.

use std::sync::Arc;

use dbdyno_engine::{Disbanded, Ensemble, Inserts, Meet, Said};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bus::{read, written};
use crate::wire::{Answer, Ask, Notice, Report};

/// Meets nobody.
struct Alone;

impl Ensemble for Alone {
    fn meet(&self, _: Said) -> Meet<'_> {
        Box::pin(std::future::ready(Err(Disbanded("nobody comes".to_owned()))))
    }

    fn warm_in(&self) -> Option<std::time::Duration> {
        None
    }

    fn has_one_ended(&self) -> bool {
        false
    }

    fn inserts(&self, own: Inserts) -> Inserts {
        own
    }
}

/// Reads the bytes as every kind of message; an order is planned as an agent does it. Returns whether what was read can be written and
/// is read again, and `None` when the bytes are no message.
#[must_use]
pub fn message(bytes: &[u8]) -> Option<bool> {
    if let Some(Ask::Begin { order, .. }) = read::<Ask>(bytes) {
        let _ = order.prepared(Arc::new(Alone), None);
    }
    let kinds = [
        again::<Ask>(bytes),
        again::<Answer>(bytes),
        again::<Notice>(bytes),
        again::<Report>(bytes),
    ];
    kinds.into_iter().flatten().reduce(|one, other| one && other)
}

fn again<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Option<bool> {
    let message: T = read(bytes)?;
    Some(written(&message).is_ok_and(|text| read::<T>(&text).is_some()))
}
