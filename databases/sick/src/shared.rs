//! State that the sessions of one connection share.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, RwLock};

use dbdyno_driver::Row;

use crate::defects::Defects;
use crate::deferred::Deferred;

/// State that the sessions of one connection share.
pub(crate) struct Shared {
    pub(crate) defects: Defects,
    pub(crate) outlier: bool,
    /// Held for reading by whoever works, for writing by whoever makes all stand still.
    pub(crate) standstill: RwLock<()>,
    /// What stale reads find; empty unless there are any.
    pub(crate) overtaken: Mutex<Overtaken>,
    /// Where writes leave work behind.
    pub(crate) deferred: Option<Arc<Deferred>>,
}

/// The last writes, the newest last: table, key, and what the record was before; nothing when the write made it.
pub(crate) type Overtaken = VecDeque<(String, Vec<u8>, Option<Row>)>;
