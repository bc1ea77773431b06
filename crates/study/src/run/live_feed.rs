//! Tells whoever watches the result folder what happens now, hears whether they ask the study to stop, and passes everything on.
//! A feed that cannot be written ends, and costs no trial.

use std::path::PathBuf;

use dbdyno_engine::{Event, Interval, Stop};
use dbdyno_record::live::{self, Asked, LIVE_FORMAT, LiveEvent, LiveTrial, LiveWriter};

use crate::run::event::{StudyEvent, StudyObserver};
use crate::run::live_generators::LiveGenerators;
use crate::run::live_second::LiveSecond;

/// Watches a study for those outside.
pub(crate) struct LiveFeed<'a> {
    folder: PathBuf,
    observer: &'a mut dyn StudyObserver,
    stop: &'a Stop,
    writer: Option<LiveWriter>,
    /// The second that is not over yet.
    second: Option<LiveSecond>,
    generators: LiveGenerators,
}

impl<'a> LiveFeed<'a> {
    /// Into this result folder.
    pub(crate) fn new(folder: PathBuf, observer: &'a mut dyn StudyObserver, stop: &'a Stop) -> Self {
        Self {
            folder,
            observer,
            stop,
            writer: None,
            second: None,
            generators: LiveGenerators::default(),
        }
    }

    fn write(&mut self, event: &LiveEvent) {
        if self
            .writer
            .as_mut()
            .is_some_and(|writer| writer.write(event).is_err())
        {
            self.give_up();
        }
    }

    /// Half a line would show this trial for as long as the disk is full.
    fn give_up(&mut self) {
        self.writer = None;
        let _ = live::withdraw(&self.folder);
    }

    fn hear(&self) {
        if live::asked(&self.folder) == Asked::Stop {
            self.stop.request();
        }
    }

    fn write_second(&mut self) {
        if let Some(second) = self.second.take() {
            for event in second.events() {
                self.write(&event);
            }
        }
    }

    fn engine_event(&mut self, event: &Event) {
        match event {
            Event::Preparing(what) => {
                self.hear();
                self.write(&LiveEvent::Preparing { what: what.clone() });
            }
            Event::PhaseStarted {
                phase,
                expected_operations,
                expected_duration,
            } => {
                self.hear();
                self.write(&LiveEvent::Phase {
                    phase: phase.name().to_owned(),
                    expected_operations: *expected_operations,
                    expected_s: expected_duration.map(|duration| duration.as_secs_f64()),
                });
            }
            Event::Interval(interval) => self.interval(interval),
            Event::Servers(servers) => {
                if let Some(second) = &mut self.second {
                    second.servers(servers);
                }
            }
            Event::Generator(interval) => {
                if let Some(row) = self.generators.take(interval) {
                    self.write(&LiveEvent::Generator(row));
                }
            }
            Event::Reached(_) | Event::PhaseEnded { .. } | Event::SliceStarted | Event::SliceEnded => {}
        }
    }

    fn interval(&mut self, interval: &Interval) {
        match &mut self.second {
            Some(second) if second.holds(interval) => second.add(interval),
            // An interval of an earlier second is in the record.
            _ if interval.late => {}
            _ => {
                self.write_second();
                self.second = Some(LiveSecond::new(interval));
                self.hear();
            }
        }
    }
}

impl StudyObserver for LiveFeed<'_> {
    fn event(&mut self, event: &StudyEvent<'_>) {
        match event {
            StudyEvent::TrialStarted {
                trial,
                beside,
                number,
                total,
                remaining,
                repeats,
            } => {
                self.second = None;
                self.generators = LiveGenerators::default();
                self.writer = LiveWriter::begin(
                    &self.folder,
                    LiveTrial {
                        format: LIVE_FORMAT.to_owned(),
                        trial: trial.planned.trial.clone(),
                        system: trial.planned.spec.system.name.clone(),
                        takes_turns_with: beside
                            .iter()
                            .map(|other| other.planned.spec.system.name.clone())
                            .collect(),
                        workload: trial.planned.spec.workload.clone(),
                        number: *number,
                        total: *total,
                        started_at: jiff::Timestamp::now().to_string(),
                        remaining_s: remaining.as_secs_f64(),
                        repeats_s: repeats.as_secs_f64(),
                    },
                )
                .ok();
                if self.writer.is_none() {
                    self.give_up();
                }
            }
            StudyEvent::Engine(event) => self.engine_event(event),
            StudyEvent::TrialEnded { .. } => {
                self.write_second();
                self.write(&LiveEvent::Ended);
            }
        }
        self.observer.event(event);
    }
}

impl Drop for LiveFeed<'_> {
    fn drop(&mut self) {
        // A feed that cannot be ended looks as after a kill: the next run replaces it, and watchers see that nobody holds the folder.
        let _ = live::end(&self.folder);
    }
}
