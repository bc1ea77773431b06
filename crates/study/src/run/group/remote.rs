//! What a trial on a thread of its own sends to the thread that watches it.

use std::sync::mpsc;

use dbdyno_engine::{EngineError, Event, Observer, Outcome, TurnReport};

/// One message of a trial.
pub(super) enum Message {
    /// The engine says what happens.
    Event(Box<Event>),
    /// Whether the warm-up has lasted long enough: the trial waits for the answer.
    IsWarm(mpsc::Sender<bool>),
    /// It is ready for its first turn, or one is over.
    Turn(TurnReport),
    /// It is over.
    Ended(Box<Result<Outcome, EngineError>>),
}

/// Sends the messages of all trials.
pub(super) struct Messages(mpsc::Sender<(usize, Message)>);

/// Receives them, in the order in which each trial sent them.
pub(super) struct Receiver(mpsc::Receiver<(usize, Message)>);

/// Sends the messages of one trial.
#[derive(Clone)]
pub(super) struct Own {
    number: usize,
    sender: mpsc::Sender<(usize, Message)>,
}

impl Messages {
    pub(super) fn channel() -> (Self, Receiver) {
        let (sender, receiver) = mpsc::channel();
        (Self(sender), Receiver(receiver))
    }

    /// Those of the trial of this number.
    pub(super) fn of(&self, number: usize) -> Own {
        Own {
            number,
            sender: self.0.clone(),
        }
    }
}

impl Receiver {
    /// The next message, and whose it is.
    pub(super) fn next(&self) -> Option<(usize, Message)> {
        self.0.recv().ok()
    }
}

impl Own {
    pub(super) fn send(&self, message: Message) {
        // The receiver outlives all trials.
        let _ = self.sender.send((self.number, message));
    }
}

/// The observer of a trial, on its own thread.
pub(super) struct Remote(Own);

impl Remote {
    pub(super) fn new(own: Own) -> Self {
        Self(own)
    }

    /// Whatever became of the trial, its last message: that of one whose driver panicked, too.
    pub(super) fn end(self, outcome: Result<Outcome, EngineError>) {
        self.0.send(Message::Ended(Box::new(outcome)));
    }
}

impl Observer for Remote {
    fn event(&mut self, event: &Event) {
        self.0.send(Message::Event(Box::new(event.clone())));
    }

    fn warm(&mut self) -> bool {
        let (reply, answer) = mpsc::channel();
        self.0.send(Message::IsWarm(reply));
        answer.recv().unwrap_or(false)
    }
}
