//! What is pressed, as long as there is a terminal.

use std::io::{self, IsTerminal as _};
use std::os::fd::AsFd as _;
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, poll};
use ratatui::crossterm::event::{self, Event};
use rustix::termios::tcgetwinsize;

/// How soon the view notices that it has to go.
const NOTICE_MS: u8 = 100;

/// What was pressed, after a short wait for it.
///
/// # Errors
/// When the terminal has gone away. The library would read its end again and again, without an end of its own, so it is asked only
/// when there is something to read.
pub fn pressed() -> io::Result<Vec<Event>> {
    let (stdin, stdout) = (io::stdin(), io::stdout());
    let terminal = if stdin.is_terminal() {
        stdin.as_fd()
    } else {
        stdout.as_fd()
    };
    let mut waiting = [PollFd::new(terminal, PollFlags::POLLIN)];
    match poll(&mut waiting, NOTICE_MS) {
        Ok(0) | Err(Errno::EINTR) => return Ok(Vec::new()),
        Ok(_) => {}
        Err(error) => return Err(error.into()),
    }
    let found = waiting[0].revents().unwrap_or(PollFlags::empty());
    if found.intersects(PollFlags::POLLHUP | PollFlags::POLLERR) {
        return Err(io::Error::other("it has gone away"));
    }
    let mut events = Vec::new();
    while event::poll(Duration::ZERO)? {
        events.push(event::read()?);
    }
    if events.is_empty() {
        // A part of a key: the rest follows.
        thread::sleep(Duration::from_millis(u64::from(NOTICE_MS)));
    }
    Ok(events)
}

/// Rows and columns of the terminal.
pub fn size() -> Option<(u16, u16)> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    Some((size.ws_row, size.ws_col))
}
