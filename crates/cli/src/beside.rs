//! What goes on beside a study that this process runs, and ends with it.

use std::thread::JoinHandle;

use dbdyno_engine::Stop;

/// A thread that ends with this value.
pub struct Beside {
    over: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Beside {
    /// The thread ends soon after `over` is requested.
    pub fn new(over: Stop, thread: JoinHandle<()>) -> Self {
        let thread = Some(thread);
        Self { over, thread }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.over.request();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
