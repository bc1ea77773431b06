use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcsetwinsize};

use super::*;
use crate::bug;

/// Set in the processes that these tests start, which take the screen and lose it.
const LOSES_SCREEN: &str = "DBDYNO_TEST_LOSES_SCREEN";
const LEFT: &str = "\u{1b}[?1049l";
const SHOWN: &str = "\u{1b}[?25h";

#[test]
fn without_a_view_nothing_is_kept_and_nothing_given_back() {
    assert!(!is_up());
    assert!(!hold("a line"));
    restore();
    restore_in_signal_handler();
    assert!(held().is_empty());
}

#[test]
fn a_panic_while_drawing_gives_the_terminal_back() {
    let test = "screen::tests::a_panic_while_drawing_gives_the_terminal_back";
    gives_the_terminal_back(test, &|mut screen: Screen| {
        screen.draw(|_| panic!("planted")).unwrap();
    });
}

#[test]
fn a_panic_of_another_thread_gives_the_terminal_back() {
    let test = "screen::tests::a_panic_of_another_thread_gives_the_terminal_back";
    gives_the_terminal_back(test, &|mut screen: Screen| {
        assert!(thread::spawn(panics).join().is_err());
        // The view finds its screen gone, and draws nothing more.
        screen.draw(|_| panic!("drawn")).unwrap();
        panic!("the end");
    });
}

#[test]
fn an_error_gives_the_terminal_back() {
    let test = "screen::tests::an_error_gives_the_terminal_back";
    gives_the_terminal_back(test, &|screen: Screen| {
        let error = fails_with(screen).unwrap_err();
        writeln!(io::stderr(), "{error}").unwrap();
        panic!("the end");
    });
}

fn panics() {
    panic!("planted");
}

/// As a view ends whose terminal cannot be read any more.
fn fails_with(_screen: Screen) -> io::Result<()> {
    Err(io::Error::other("planted"))
}

/// In a process that this starts in a terminal of its own, a view has the screen and ends with `lose`, a panic. What it says then
/// must stand on the screen that was there before.
fn gives_the_terminal_back(test: &str, lose: &dyn Fn(Screen)) {
    if std::env::var_os(LOSES_SCREEN).is_some() {
        bug::install_panic_hook();
        let screen = Screen::enter().unwrap();
        hold("a kept line");
        lose(screen);
        return;
    }
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let controller = openpt(flags).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let side = ioctl_tiocgptpeer(&controller, flags).unwrap();
    let size = Winsize {
        ws_row: 24,
        ws_col: 80,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&side, size).unwrap();
    let end = || Stdio::from(side.try_clone().unwrap());
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(LOSES_SCREEN, "1")
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .unwrap();
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        // The end of a terminal is an error.
        let _ = File::from(controller).read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let status = child.wait().unwrap();
    let modes = tcgetattr(&side).unwrap().local_modes;
    drop(side);
    let written = reader.join().unwrap();
    assert!(!status.success(), "it did not panic: {written:?}");
    assert!(
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG),
        "{modes:?}: {written:?}"
    );
    let (view, after) = written.split_once(LEFT).unwrap_or_else(|| panic!("{written:?}"));
    assert!(
        view.contains("\u{1b}[?1049h") && view.contains("\u{1b}[?25l"),
        "{written:?}"
    );
    assert!(
        after.contains(SHOWN) && !after.contains("\u{1b}[?1049h"),
        "{written:?}"
    );
    assert!(
        !view.contains("planted") && after.contains("planted"),
        "{written:?}"
    );
    assert!(
        after.contains("a kept line") && !written.contains("drawn"),
        "{written:?}"
    );
}
