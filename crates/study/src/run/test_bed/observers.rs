//! Who hears what the engine says in a trial of a study.

use dbdyno_engine::{Event, Observer};

use crate::run::event::{StudyEvent, StudyObserver};
use crate::run::recording::Recording;

/// Tells whoever watches the study what the engine says.
pub(crate) struct Forward<'a>(pub &'a mut dyn StudyObserver);

impl Observer for Forward<'_> {
    fn event(&mut self, event: &Event) {
        self.0.event(&StudyEvent::Engine(event));
    }
}

/// Records what happens in a trial, and passes it on.
pub(super) struct Tee<'a> {
    pub(super) recording: Recording,
    pub(super) observer: &'a mut dyn Observer,
}

impl Observer for Tee<'_> {
    fn event(&mut self, event: &Event) {
        self.recording.event(event);
        self.observer.event(event);
    }
}
