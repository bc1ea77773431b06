//! `dbdyno serve`, and the same beside a study.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use dbdyno_engine::Stop;
use dbdyno_serve::{Pages, Push, ServeError, Token, serve};

use crate::arguments::ServeArguments;
use crate::beside::Beside;
use crate::exit_code::ExitCode;
use crate::interrupt::end_on_signals;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// Serves until ctrl-C, which is how it is meant to end.
pub fn execute(arguments: &ServeArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let root = &arguments.results;
    if !root.is_dir() {
        return Err(Problem::files(format!("{} is not a folder", root.display())).help(
            "pass the folder of results, or start a study first: dbdyno study run studies/quickstart.toml",
        ));
    }
    let token = token(arguments.listen)?;
    let stop = end_on_signals()?;
    let note = note(arguments.listen);
    let announce = |url: &str| {
        // Whoever reads the address may have gone away; the pages are there all the same.
        let _ = terminal.print(&format!("{url}\n"));
        terminal.note(&format!("{note} Stop with ctrl-C."));
    };
    let push = arguments.otlp.clone().map(|endpoint| Push {
        endpoint,
        warn: Box::new(move |text: &str| terminal.warn(text)),
    });
    let pages = Pages {
        root: root.clone(),
        address: arguments.listen,
        token,
        push,
    };
    serve(pages, announce, move || stop.is_requested())
        .map_err(|error| problem(error, "pass another one with --listen; port 0 takes a free one"))?;
    Ok(ExitCode::Success)
}

/// Serves the pages of a study's folder, which may not be there yet, beside the study that this process runs.
///
/// # Errors
/// When the address is taken or not one of this machine.
pub fn beside(output: &Path, address: SocketAddr, terminal: Terminal) -> Result<Beside, Problem> {
    let token = token(address)?;
    let note = note(address);
    let pages = Pages {
        root: output.to_owned(),
        address,
        token,
        push: None,
    };
    let over = Stop::new();
    let (ready, became_ready) = mpsc::channel();
    let is_over = over.clone();
    let thread = thread::spawn(move || {
        let announce = |url: &str| {
            let _ = ready.send(Ok(url.to_owned()));
        };
        if let Err(error) = serve(pages, announce, move || is_over.is_requested()) {
            let _ = ready.send(Err(error));
        }
    });
    match became_ready.recv() {
        // Nobody could guess a token: the address is shown with `--quiet`, too.
        Ok(Ok(url)) => terminal.tell(&format!("Watch it at {url}. {note}")),
        Ok(Err(error)) => {
            let help = "pass another one, e.g. --serve=127.0.0.1:0 (port 0 takes a free one), or omit --serve and watch \
                        the study with `dbdyno serve`";
            return Err(problem(error, help));
        }
        Err(_) => return Err(Problem::files("the pages could not be served")),
    }
    Ok(Beside::new(over, thread))
}

/// Whoever is not on this machine has to show a token.
fn token(address: SocketAddr) -> Result<Option<Token>, Problem> {
    if address.ip().is_loopback() {
        return Ok(None);
    }
    Token::random().map(Some).map_err(|error| {
        Problem::files("cannot make a token").caused_by(std::io::Error::other(error.to_string()))
    })
}

/// What to do with the address that is shown.
fn note(address: SocketAddr) -> String {
    if address.ip().is_loopback() {
        return "Open this address in a browser on this machine.".to_owned();
    }
    let warning = "Whoever has this address sees all results, over an unencrypted connection.";
    if address.ip().is_unspecified() {
        format!(
            "From another machine, write the name of this one instead of {}. {warning}",
            address.ip()
        )
    } else {
        warning.to_owned()
    }
}

/// `help` says how to listen elsewhere.
fn problem(error: ServeError, help: &str) -> Problem {
    match error {
        ServeError::Listen { .. } => Problem::usage(error.to_string()).help(help),
        ServeError::System(_) => Problem::files(error.to_string()),
    }
}
