//! A terminal in memory in which the real binary runs.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use nix::poll::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::common::{Place, wait_for};

const ROWS: u16 = 24;
const COLUMNS: u16 = 80;
/// How long a text may take to appear.
const PATIENCE: Duration = Duration::from_secs(60);

/// 80 x 24 characters, and a command that has them.
pub struct PseudoTerminal {
    child: Child,
    keyboard: File,
    /// The command's end, by which the terminal's modes can be read after the command has gone.
    side: OwnedFd,
    seen: Arc<Mutex<Seen>>,
    reader: Option<JoinHandle<()>>,
    has_gone: Arc<AtomicBool>,
}

struct Seen {
    terminal: vt100::Parser,
    bytes: Vec<u8>,
}

impl PseudoTerminal {
    pub fn start(place: &Place, line: &str) -> Self {
        Self::start_with(place, line, &[])
    }

    pub fn start_with(place: &Place, line: &str, variables: &[(&str, &str)]) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let controller = openpt(flags).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let side = ioctl_tiocgptpeer(&controller, flags).unwrap();
        let size = Winsize {
            ws_row: ROWS,
            ws_col: COLUMNS,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&side, size).unwrap();
        let plain = place.command(line);
        // A session of its own, whose terminal this is: /dev/tty is not that of whoever runs the tests.
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait"]).arg(plain.get_program());
        command.args(plain.get_args()).current_dir(place.path(""));
        for (name, value) in plain.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let end = || Stdio::from(side.try_clone().unwrap());
        let child = command
            .env_remove("COLORTERM")
            .envs(variables.iter().copied())
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        let size = |number: u16| NonZeroU16::new(number).unwrap();
        let seen = Arc::new(Mutex::new(Seen {
            terminal: vt100::Parser::new(size(ROWS), size(COLUMNS), 0),
            bytes: Vec::new(),
        }));
        let keyboard = File::from(controller);
        let (mut output, sees) = (keyboard.try_clone().unwrap(), Arc::clone(&seen));
        let has_gone = Arc::new(AtomicBool::new(false));
        let goes = Arc::clone(&has_gone);
        let reader = std::thread::spawn(move || {
            const LOOK_MS: u8 = 20;
            let mut bytes = [0; 4096];
            while !goes.load(Ordering::SeqCst) {
                if poll(&mut [PollFd::new(output.as_fd(), PollFlags::POLLIN)], LOOK_MS) == Ok(0) {
                    continue;
                }
                let Ok(length @ 1..) = output.read(&mut bytes) else {
                    return;
                };
                let mut seen = sees.lock().unwrap();
                seen.terminal.process(&bytes[..length]);
                seen.bytes.extend_from_slice(&bytes[..length]);
            }
        });
        Self {
            child,
            keyboard,
            side,
            seen,
            reader: Some(reader),
            has_gone,
        }
    }

    /// What stands on the screen.
    pub fn contents(&self) -> String {
        self.seen.lock().unwrap().terminal.screen().contents()
    }

    /// Everything that was written.
    pub fn bytes(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().unwrap().bytes).into_owned()
    }

    pub fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Sends a signal to the command, as `kill` does.
    pub fn signal(&self, signal: Signal) {
        let command = i32::try_from(self.child.id()).unwrap();
        kill_process(Pid::from_raw(command).unwrap(), signal).unwrap();
    }

    /// Goes away, as a window that is closed or a connection that is lost.
    pub fn hang_up(&mut self) {
        self.has_gone.store(true, Ordering::SeqCst);
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        self.keyboard = File::open("/dev/null").unwrap();
    }

    pub fn wait_for(&self, what: &str) {
        let started = SystemTime::now();
        while !self.contents().contains(what) {
            assert!(
                started.elapsed().unwrap_or_default() < PATIENCE,
                "waited for {what:?}; the screen shows\n{}",
                self.contents()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether a view has the whole screen, and keys go to it one by one.
    pub fn is_taken(&self) -> (bool, bool) {
        let modes = tcgetattr(&self.side).unwrap().local_modes;
        let is_alternate = self.seen.lock().unwrap().terminal.screen().alternate_screen();
        (
            is_alternate,
            !modes.contains(LocalModes::ICANON | LocalModes::ECHO),
        )
    }

    /// Waits until the screen is given back, with its cursor.
    pub fn wait_until_restored(&self) {
        wait_for("the restored terminal", || {
            let is_hidden = self.seen.lock().unwrap().terminal.screen().hide_cursor();
            self.is_taken() == (false, false) && !is_hidden
        });
    }

    /// What was written since the last view left the other screen and showed the cursor.
    pub fn after_the_view(&self) -> String {
        const LEFT: &str = "\u{1b}[?1049l";
        const SHOWN: &str = "\u{1b}[?25h";
        let bytes = self.bytes();
        let (_, after) = bytes
            .rsplit_once(LEFT)
            .unwrap_or_else(|| panic!("no view left the other screen: {bytes:?}"));
        assert!(after.starts_with(SHOWN), "{after:?}");
        after.to_owned()
    }

    /// Waits for the end; its exit code.
    pub fn code(&mut self) -> i32 {
        let mut code = None;
        wait_for("the end of the command", || {
            let status = self.child.try_wait().unwrap();
            code = status.map(|status| status.code().unwrap_or(-1));
            code.is_some()
        });
        code.unwrap()
    }
}

impl Drop for PseudoTerminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
