//! How much memory a reader takes: every allocation of the thread is counted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Of a reader whose memory is no multiple of what came, such as that of a table of counters.
const FIXED_BYTES: i64 = 2 << 20;
/// What one byte may take. The smallest entries have two to four bytes, and become a node of a tree or a column that is described.
const BYTES_FOR_ONE: i64 = 1 << 10;

thread_local! {
    static LIVE_BYTES: Cell<i64> = const { Cell::new(0) };
    static MOST_BYTES: Cell<i64> = const { Cell::new(0) };
}

struct Counted;

fn count(bytes: i64) {
    // A thread that ends has no counters any more.
    let live = LIVE_BYTES.try_with(|live| {
        live.set(live.get() + bytes);
        live.get()
    });
    if let Ok(live) = live {
        MOST_BYTES.try_with(|most| most.set(most.get().max(live))).ok();
    }
}

// SAFETY: everything is passed on to the system's allocator; counting touches no memory it hands out.
#[expect(unsafe_code, reason = "an allocator cannot be written without")]
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// Does the work on these bytes.
///
/// # Panics
/// When it takes more memory at once than so many bytes may.
pub fn bounded<T>(bytes: &[u8], work: impl FnOnce() -> T) -> T {
    let before = LIVE_BYTES.get();
    MOST_BYTES.set(before);
    let result = work();
    let taken = MOST_BYTES.get() - before;
    let most = FIXED_BYTES + BYTES_FOR_ONE * bytes.len() as i64;
    assert!(
        taken <= most,
        "{} bytes took {taken} of memory; at most {most} are expected",
        bytes.len()
    );
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_counted() {
        assert_eq!(bounded(b"few", || vec![1_u8; 1 << 20].len()), 1 << 20);
        let much = std::panic::catch_unwind(|| bounded(b"few", || vec![1_u8; 1 << 24].len()));
        assert!(much.is_err());
    }
}
