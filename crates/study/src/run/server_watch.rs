//! What the servers of a trial cost while it was measured: looked at when the measured phase begins and when it ends.

use dbdyno_driver::Target;
use dbdyno_engine::{Event, Observer, Phase};
use dbdyno_lab::Usage;
use dbdyno_record::ServerCost;

use crate::run::labs::Labs;

/// Passes everything on, and looks at the servers at the right moments.
pub(crate) struct ServerWatch<'a> {
    labs: &'a Labs,
    name: &'a str,
    target: &'a Target,
    observer: &'a mut dyn Observer,
    before: Option<Usage>,
    after: Option<Usage>,
}

impl<'a> ServerWatch<'a> {
    /// Watches the servers of the system of this name.
    pub(crate) fn new(
        labs: &'a Labs,
        name: &'a str,
        target: &'a Target,
        observer: &'a mut dyn Observer,
    ) -> Self {
        Self {
            labs,
            name,
            target,
            observer,
            before: None,
            after: None,
        }
    }

    /// What the measured phase cost; `None` without one, or when the lab does not run the system.
    pub(crate) fn cost(&self) -> Option<ServerCost> {
        let (before, after) = (self.before?, self.after?);
        Some(ServerCost {
            cpu_seconds: after.cpu_seconds - before.cpu_seconds,
            resident_bytes: after.resident_bytes,
            read_bytes: after.read_bytes.saturating_sub(before.read_bytes),
            written_bytes: after
                .written_bytes
                .zip(before.written_bytes)
                .map(|(after, before)| after.saturating_sub(before)),
            disk_bytes: after.disk_bytes,
        })
    }
}

impl Observer for ServerWatch<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::PhaseStarted {
                phase: Phase::Measure,
                ..
            } => self.before = self.labs.usage(self.name, self.target),
            Event::PhaseEnded {
                phase: Phase::Measure,
            } => self.after = self.labs.usage(self.name, self.target),
            _ => {}
        }
        self.observer.event(event);
    }

    fn warm(&mut self) -> bool {
        self.observer.warm()
    }
}
