//! What is shown: the study as of the last look, which rows of its table, and what keys do.

use std::time::Duration;

use dbdyno_engine::Stop;
use dbdyno_record::live::{self, Asked};
use dbdyno_serve::Watched;
use jiff::Timestamp;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::one_line;
use super::trials::{Scroll, Shown};

/// A study that is looked at.
pub struct View {
    /// Its name, for people.
    pub name: String,
    /// The study.
    pub watched: Watched,
    /// How long ago the running trial began.
    pub elapsed: Duration,
    /// What the study is asked to do.
    pub asked: Asked,
    /// Which rows of the table are wanted.
    pub scroll: Scroll,
    /// Which rows the last drawing had.
    pub shown: Shown,
    /// Whether the study should stop is the question.
    pub is_asking: bool,
    /// What a key could not do, or why the folder cannot be read; empty without either.
    pub failure: String,
    /// Whether this process was asked to stop the study that it runs.
    stop: Stop,
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The view stays.
    Stay,
    /// It goes.
    Leave,
    /// Ctrl-C: a raw terminal sends no signal for it.
    Interrupt,
}

impl View {
    /// Of a study that ends when `stop` is requested, if this process runs it.
    pub fn new(watched: Watched, stop: Stop) -> Self {
        let path = watched.folder().path();
        let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let name = whole.file_name().unwrap_or(whole.as_os_str());
        Self {
            name: one_line(&name.to_string_lossy()),
            watched,
            elapsed: Duration::ZERO,
            asked: Asked::Run,
            scroll: Scroll::default(),
            shown: Shown::default(),
            is_asking: false,
            failure: String::new(),
            stop,
        }
    }

    /// Takes in what happened until now.
    pub fn look(&mut self, now: Timestamp) {
        if let Err(error) = self.watched.look() {
            self.failure = one_line(&error.to_string());
        }
        self.asked = live::asked(self.watched.folder().path());
        self.elapsed = self
            .watched
            .current()
            .and_then(|current| current.trial.started_at.parse::<Timestamp>().ok())
            .and_then(|began| Duration::try_from(now.duration_since(began)).ok())
            .unwrap_or_default();
    }

    /// Whether it is about to end early.
    pub fn is_stopping(&self) -> bool {
        self.watched.is_running() && (self.asked == Asked::Stop || self.stop.is_requested())
    }

    /// Does what a key says.
    pub fn key(&mut self, key: KeyEvent) -> Then {
        self.failure.clear();
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        let was_asking = std::mem::take(&mut self.is_asking);
        match key.code {
            KeyCode::Char('c') if is_control => return Then::Interrupt,
            _ if is_control => {}
            KeyCode::Char('y' | 'Y') if was_asking => self.ask(Asked::Stop),
            // Anything but yes is no.
            _ if was_asking => {}
            KeyCode::Char('q') => return Then::Leave,
            KeyCode::Char('p') => self.ask(Asked::Pause),
            KeyCode::Char('r') => self.ask(Asked::Run),
            KeyCode::Char('s') => self.is_asking = self.is_running(),
            other => self.scroll_by(other),
        }
        Then::Stay
    }

    fn scroll_by(&mut self, key: KeyCode) {
        let Shown { first, fit } = self.shown;
        let page = fit.saturating_sub(1).max(1);
        self.scroll.first = match key {
            KeyCode::Up | KeyCode::Char('k') => Some(first.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => Some(first.saturating_add(1)),
            KeyCode::PageUp => Some(first.saturating_sub(page)),
            KeyCode::PageDown | KeyCode::Char(' ') => Some(first.saturating_add(page)),
            KeyCode::Home | KeyCode::Char('g') => Some(0),
            KeyCode::End | KeyCode::Char('G') => Some(usize::MAX),
            KeyCode::Char('f') => None,
            _ => return,
        };
    }

    fn is_running(&mut self) -> bool {
        let is_running = self.watched.is_running();
        if !is_running {
            "This study does not run.".clone_into(&mut self.failure);
        }
        is_running
    }

    fn ask(&mut self, asked: Asked) {
        if !self.is_running() {
            return;
        }
        if asked == Asked::Pause && self.watched.is_single() {
            "A single run has no trials to pause between; it can be stopped.".clone_into(&mut self.failure);
            return;
        }
        match live::ask(self.watched.folder().path(), asked) {
            Ok(()) => self.asked = asked,
            Err(error) => {
                self.failure = format!("The study cannot be asked: {}", one_line(&error.to_string()));
            }
        }
    }
}
