//! The live view of a study on the whole screen of a terminal, from its result folder alone.

mod charts;
mod colors;
mod keys;
mod page;
mod trials;
mod view;
#[cfg(test)]
mod view_tests;

use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use dbdyno_engine::Stop;
use dbdyno_serve::Watched;
use dbdyno_vocabulary::visible;
use jiff::Timestamp;
use nix::sys::signal::{Signal, raise};
use ratatui::crossterm::event::{Event, KeyEventKind};
use ratatui::crossterm::style::force_color_output;

use crate::beside::Beside;
use crate::problem::Problem;
use crate::screen::{self, Screen};
use crate::terminal::Terminal;
use colors::Palette;
use view::{Then, View};

/// Between two looks at the folder: a running trial adds a line each second.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Shows the study in this folder, which this process runs until it ends or `stop` is requested, on a thread of its own.
/// The screen is given back with the returned value.
///
/// # Errors
/// When the folder cannot be read or the terminal refuses.
pub fn beside(output: &Path, stop: &Stop, terminal: Terminal) -> Result<Beside, Problem> {
    let mut view = View::new(open(output)?, stop.clone());
    let palette = palette(terminal);
    let mut screen = Screen::enter().map_err(refused)?;
    let over = Stop::new();
    let is_over = over.clone();
    let thread = thread::Builder::new()
        .name("view".to_owned())
        .spawn(move || {
            // Ctrl-C means the same with and without a view: what a raw terminal does not send is sent here.
            let interrupt = || {
                let _ = raise(Signal::SIGINT);
            };
            // The study goes on without a view when the terminal goes away.
            let _ = follow(&mut view, &mut screen, palette, &is_over, interrupt);
        })
        .map_err(refused)?;
    Ok(Beside::new(over, thread))
}

/// Shows the study in this folder, which another process runs, until a key or `stop` ends it.
///
/// # Errors
/// When the folder cannot be read or the terminal refuses.
pub fn watch(folder: &Path, stop: &Stop, terminal: Terminal) -> Result<(), Problem> {
    let mut view = View::new(open(folder)?, Stop::new());
    let mut screen = Screen::enter().map_err(refused)?;
    let interrupt = || stop.request();
    follow(&mut view, &mut screen, palette(terminal), stop, interrupt).map_err(refused)
}

fn open(folder: &Path) -> Result<Watched, Problem> {
    Watched::open(folder).map_err(|error| Problem::files(error.to_string()))
}

fn refused(error: io::Error) -> Problem {
    Problem::files("cannot use the terminal for the view").caused_by(error)
}

fn palette(terminal: Terminal) -> Palette {
    // The palette decides about colours. Where the library does it, it writes what turns bold text off instead.
    force_color_output(true);
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    Palette::decide(terminal.stdout.color, &variable("TERM"), &variable("COLORTERM"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the view follows the wall clock, far from any operation"
)]
fn now() -> Instant {
    Instant::now()
}

/// Draws the study each second and after each key, until a key, the end or another thread takes the screen away.
fn follow(
    view: &mut View,
    screen: &mut Screen,
    palette: Palette,
    is_over: &Stop,
    interrupt: impl Fn(),
) -> io::Result<()> {
    while !is_over.is_requested() && screen::is_up() {
        view.look(Timestamp::now());
        let looked = now();
        screen.draw(|frame| page::draw(frame, view, palette))?;
        let mut size = keys::size();
        while looked.elapsed() < LOOK_EVERY && !is_over.is_requested() && screen::is_up() {
            let events = keys::pressed()?;
            let before = std::mem::replace(&mut size, keys::size());
            if events.is_empty() && before == size {
                continue;
            }
            for event in events {
                let then = match event {
                    Event::Key(key) if key.kind != KeyEventKind::Release => view.key(key),
                    _ => Then::Stay,
                };
                match then {
                    Then::Stay => {}
                    Then::Leave => return Ok(()),
                    Then::Interrupt => interrupt(),
                }
            }
            screen.draw(|frame| page::draw(frame, view, palette))?;
        }
    }
    Ok(())
}

/// A text of others in one line, with nothing in it that commands a terminal.
fn one_line(text: &str) -> String {
    visible::text(text).replace(['\n', '\t'], " ")
}
