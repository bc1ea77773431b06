//! The whole screen of the terminal: one view takes it, and every way out of the process gives it back.

use std::io::{self, BufWriter, Stdout, Write};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use ratatui::Frame;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

/// What leaves the other screen and shows the cursor, where nothing but writing is allowed.
const LEAVE: &[u8] = b"\x1b[?1049l\x1b[?25h";
/// How often the end waits for somebody who draws.
const TRIES: u32 = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// Whether a view has the screen. It changes under the lock of [`HELD`].
static IS_UP: AtomicBool = AtomicBool::new(false);
/// Lines that would have been written over the view: they follow when it has gone.
static HELD: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// Held while somebody draws.
static DRAWING: Mutex<()> = Mutex::new(());
/// How the terminal was before.
static BEFORE: OnceLock<Termios> = OnceLock::new();

/// The screen, until it is dropped.
pub struct Screen {
    /// Never dropped: it would write to a terminal that may have gone away, and panic there.
    terminal: ManuallyDrop<ratatui::Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
}

impl Screen {
    /// Takes the screen.
    ///
    /// # Errors
    /// When the terminal refuses.
    pub fn enter() -> io::Result<Self> {
        if let Ok(before) = tcgetattr(io::stdout()) {
            let _ = BEFORE.set(before);
        }
        {
            let _held = held();
            enable_raw_mode()?;
            IS_UP.store(true, Ordering::SeqCst);
        }
        let entered = execute!(io::stdout(), EnterAlternateScreen, Hide)
            .and_then(|()| ratatui::Terminal::new(CrosstermBackend::new(BufWriter::new(io::stdout()))));
        match entered {
            Ok(terminal) => Ok(Self {
                terminal: ManuallyDrop::new(terminal),
            }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    /// Draws, unless the screen was given back.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let _drawing = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
        if is_up() {
            self.terminal.draw(render)?;
        }
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn held() -> MutexGuard<'static, Vec<String>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a view has the screen.
pub fn is_up() -> bool {
    IS_UP.load(Ordering::SeqCst)
}

/// Keeps a line for stderr until the screen is given back. Returns `false` when no view has the screen: the caller writes it.
pub fn hold(line: &str) -> bool {
    let mut held = held();
    if is_up() {
        held.push(line.to_owned());
    }
    is_up()
}

/// Gives the screen back, and writes the lines that were kept. Any thread may do it, more than once.
pub fn restore() {
    if !is_up() {
        return;
    }
    // What is drawn later would stay on the screen that comes back. A thread that panicked while it drew never lets go.
    let _drawing = (0..TRIES).find_map(|_| match DRAWING.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => {
            thread::sleep(BETWEEN_TRIES);
            None
        }
    });
    let mut held = held();
    if is_up() {
        let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
        for line in held.drain(..) {
            let _ = writeln!(io::stderr().lock(), "{line}");
        }
        IS_UP.store(false, Ordering::SeqCst);
    }
}

/// Gives the screen back in a signal handler, where nothing may be locked or allocated. The kept lines are lost.
pub fn restore_in_signal_handler() {
    if is_up() {
        let _ = nix::unistd::write(io::stdout(), LEAVE);
        if let Some(before) = BEFORE.get() {
            let _ = tcsetattr(io::stdout(), OptionalActions::Now, before);
        }
    }
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
