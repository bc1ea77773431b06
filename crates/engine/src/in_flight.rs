//! What each client has in flight, for those who look at it from outside while the client is held up.

use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

use dbdyno_workload::OperationKind;

const NOTHING: u64 = u64::MAX;

/// One client's operation in flight. Alone on its cache lines: only its client writes it.
#[repr(align(128))]
pub(crate) struct InFlight {
    since_ns: AtomicU64,
    kind: AtomicU8,
}

impl InFlight {
    /// An operation of the measured phase is sent. `since_ns`: its intended start, or the send without a pace.
    #[inline(always)]
    pub(crate) fn begin(&self, since_ns: u64, kind: OperationKind) {
        self.kind.store(kind as u8, Ordering::Relaxed);
        self.since_ns.store(since_ns, Ordering::Relaxed);
    }

    /// It was answered.
    #[inline(always)]
    pub(crate) fn end(&self) {
        self.since_ns.store(NOTHING, Ordering::Relaxed);
    }
}

/// The operations in flight of all clients.
pub(crate) struct Board {
    places: Box<[InFlight]>,
    taken: AtomicUsize,
}

impl Board {
    pub(crate) fn new(clients: u32) -> Self {
        let place = |_| InFlight {
            since_ns: AtomicU64::new(NOTHING),
            kind: AtomicU8::new(0),
        };
        Self {
            places: (0..clients.max(1)).map(place).collect(),
            taken: AtomicUsize::new(0),
        }
    }

    /// The place of one more client.
    pub(crate) fn enlist(&self) -> &InFlight {
        &self.places[self.taken.fetch_add(1, Ordering::Relaxed) % self.places.len()]
    }

    /// The operations in flight: since when each is, and its kind.
    pub(crate) fn in_flight(&self) -> impl Iterator<Item = (u64, OperationKind)> {
        self.places.iter().filter_map(|place| {
            let since_ns = place.since_ns.load(Ordering::Relaxed);
            let kind = usize::from(place.kind.load(Ordering::Relaxed));
            (since_ns != NOTHING).then(|| (since_ns, OperationKind::ALL[kind]))
        })
    }
}
