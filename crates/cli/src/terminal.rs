//! Where text goes and how it is dressed, decided once per process.

use std::borrow::Cow;
use std::io::{self, BufRead, IsTerminal, Write};
use std::os::fd::AsFd;

use dbdyno_engine::Stop;
use dbdyno_report::Style;
use dbdyno_vocabulary::visible;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, poll};

use crate::arguments::{ColorChoice, GlobalArguments};
use crate::problem::Problem;
use crate::{screen, wrapped};

/// Columns of text that is not written to a terminal.
const WIDTH_OF_FILES: usize = 100;
/// The widest lines that are still pleasant to read.
const WIDEST: usize = 140;
/// Narrower terminals are taken for ones that do not know their size.
const NARROWEST: usize = 40;

/// The process's two outputs.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// Dress of what goes to stdout.
    pub stdout: Style,
    /// Dress of what goes to stderr.
    pub stderr: Style,
    /// Whether lines on stderr are broken where it ends: a log keeps a note on one line.
    breaks_lines: bool,
    /// Whether stderr is a terminal that can redraw lines.
    pub live: bool,
    /// Whether only results, warnings and errors are wanted.
    pub quiet: bool,
}

impl Terminal {
    /// Decides: flag, else not a terminal, else `NO_COLOR` and `TERM=dumb`, else colours.
    pub fn decide(global: &GlobalArguments) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let unwanted = dumb || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let color = |is_terminal: bool| match global.color.unwrap_or(ColorChoice::Auto) {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => is_terminal && !unwanted,
        };
        let (out, err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let width = |is_terminal: bool| {
            let of_terminal = is_terminal.then(terminal_width).flatten();
            of_terminal
                .or_else(stated_width)
                .unwrap_or(WIDTH_OF_FILES)
                .min(WIDEST)
        };
        Self {
            stdout: Style {
                color: color(out),
                width: width(out),
            },
            stderr: Style {
                color: color(err),
                width: width(err),
            },
            breaks_lines: err || stated_width().is_some(),
            live: err && !dumb && !global.quiet,
            quiet: global.quiet,
        }
    }

    /// For a command line that cannot be read: nobody knows its flags.
    pub fn of_mistakes() -> Self {
        Self::decide(&GlobalArguments {
            color: None,
            quiet: false,
        })
    }

    /// Whether a view can take the whole screen; `what` wants to.
    ///
    /// # Errors
    /// When an output is no terminal, or one that cannot move its cursor, and with `--quiet`.
    pub fn full_screen(&self, what: &str) -> Result<(), Problem> {
        if self.quiet {
            return Err(
                Problem::usage(format!("{what} and --quiet contradict each other"))
                    .help("omit `--quiet` to see the view"),
            );
        }
        let reason = match (io::stdout().is_terminal(), io::stderr().is_terminal()) {
            (false, _) => "standard output is not one",
            (_, false) => "standard error is not one",
            _ if !self.live => "TERM=dumb is one that cannot move its cursor",
            _ => return Ok(()),
        };
        Err(
            Problem::usage(format!("{what} needs a terminal, and {reason}")).help(
                "start it in a terminal without redirecting its output, or use `dbdyno serve` and a browser",
            ),
        )
    }

    /// Where lines on stderr are broken; `None` in a log, which keeps a note on one line.
    pub fn broken_at(&self) -> Option<usize> {
        self.breaks_lines.then_some(self.stderr.width)
    }

    /// Prints a result on stdout.
    ///
    /// # Errors
    /// When stdout cannot be written (a full disk). A reader that went away (`| head`) is no error: what it wanted
    /// it has.
    pub fn print(&self, text: &str) -> Result<(), Problem> {
        let text = seen(text, self.stdout);
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Problem::files("cannot write to standard output").caused_by(error))
            }
            _ => Ok(()),
        }
    }

    /// Says something on stderr that is not a result, unless `--quiet`. A failure of that goes unreported: there is no
    /// place left to tell it.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.tell(text);
        }
    }

    /// Says something on stderr that was asked for or must be seen, `--quiet` or not.
    pub fn tell(&self, text: &str) {
        let text = seen(text, self.stderr);
        let text = if self.breaks_lines {
            Cow::Owned(wrapped::lines(&text, self.stderr.width))
        } else {
            text
        };
        if !screen::hold(&text) {
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
    }

    /// Warns on stderr, `--quiet` or not.
    pub fn warn(&self, text: &str) {
        self.tell(&format!("{} {text}", self.stderr.warn("Warning:")));
    }

    /// Asks on stderr and waits for a line on stdin. Anything but yes is no; so are the end of stdin and a requested stop.
    pub fn ask(&self, question: &str, stop: &Stop) -> bool {
        const LOOK_MS: u8 = 100;
        let _ = write!(io::stderr().lock(), "{} [y/N] ", seen(question, self.stderr));
        let stdin = io::stdin();
        while !stop.is_requested() {
            match poll(&mut [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)], LOOK_MS) {
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(_) => {
                    let mut answer = String::new();
                    let read = stdin.lock().read_line(&mut answer);
                    // The end of stdin leaves the cursor behind the question.
                    if !answer.ends_with('\n') {
                        let _ = writeln!(io::stderr().lock());
                    }
                    return read.is_ok() && is_yes(&answer);
                }
                Err(_) => return false,
            }
        }
        false
    }

    /// Shows an error on stderr.
    pub fn problem(&self, problem: &Problem) {
        let text = problem.render(self.stderr.color, self.stderr.width);
        let _ = io::stderr().lock().write_all(seen(&text, self.stderr).as_bytes());
    }
}

fn is_yes(answer: &str) -> bool {
    ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str())
}

/// What names and messages of others may hold is shown, and commands no terminal.
fn seen(text: &str, style: Style) -> Cow<'_, str> {
    if style.color {
        visible::dressed(text)
    } else {
        visible::text(text)
    }
}

fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size()
        .map(|(width, _)| usize::from(width.0))
        .filter(|&width| width >= NARROWEST)
}

/// The width that COLUMNS states, by which clap's help goes, too.
fn stated_width() -> Option<usize> {
    let width = std::env::var("COLUMNS").ok()?.parse().ok()?;
    Some(width).filter(|&width| width >= NARROWEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_but_yes_is_no() {
        for (answer, expected) in [
            ("y\n", true),
            (" Yes\r\n", true),
            ("", false),
            ("\n", false),
            ("n\n", false),
            ("yeah\n", false),
        ] {
            assert_eq!(is_yes(answer), expected, "{answer:?}");
        }
    }
}
