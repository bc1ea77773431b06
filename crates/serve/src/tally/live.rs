//! What `live.jsonl` says of the trial that runs.

use std::collections::BTreeMap;

use dbdyno_record::live::{LiveEvent, LiveTrial};
use dbdyno_record::live_buckets::LatencyBuckets;

use super::counts::{Cell, OperationKey, Operations, Seconds, Usage};

/// The trial of `live.jsonl`.
#[derive(Clone, Debug, Default)]
pub(super) struct LiveTally {
    pub(super) trial: String,
    pub(super) cell: Cell,
    /// By phase and operation, apart because they come in lines of their own.
    latencies: BTreeMap<(String, String), Seconds<Operations>>,
    outcomes: BTreeMap<(String, String), Seconds<Operations>>,
    /// By phase.
    pub(super) usage: BTreeMap<String, Seconds<Usage>>,
    /// Whether its use was counted, up to seconds that may still be told.
    is_usage_counted: bool,
}

impl LiveTally {
    pub(super) fn new(trial: LiveTrial) -> Self {
        Self {
            trial: trial.trial,
            cell: Cell {
                system: trial.system,
                workload: trial.workload,
            },
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, event: LiveEvent) {
        match event {
            LiveEvent::Second(_) if self.is_usage_counted => {}
            LiveEvent::Second(row) => {
                let usage = Usage::of(&row);
                self.usage.entry(row.phase).or_default().put(row.start_s, usage);
            }
            LiveEvent::Latencies(row) => {
                let mut latency = LatencyBuckets::default();
                latency.add_counted(&row.buckets, row.sum_s);
                let operations = Operations {
                    ok: latency.count(),
                    latency,
                    ..Operations::default()
                };
                let seconds = self.latencies.entry((row.phase, row.operation)).or_default();
                seconds.put(row.offset_s, operations);
            }
            LiveEvent::Outcomes(row) => {
                let operations = Operations {
                    not_found: row.not_found,
                    too_early: row.too_early,
                    errors: row.errors,
                    ..Operations::default()
                };
                let seconds = self.outcomes.entry((row.phase, row.operation)).or_default();
                seconds.put(row.offset_s, operations);
            }
            LiveEvent::Trial(_)
            | LiveEvent::Preparing { .. }
            | LiveEvent::Phase { .. }
            | LiveEvent::Generator(_)
            | LiveEvent::Ended => {}
        }
    }

    /// What was used, by phase; from now on, this says nothing of it.
    pub(super) fn end_usage(&mut self) -> BTreeMap<String, Usage> {
        self.is_usage_counted = true;
        let usage = std::mem::take(&mut self.usage);
        usage
            .into_iter()
            .map(|(phase, seconds)| (phase, seconds.total()))
            .collect()
    }

    /// Everything that was counted.
    pub(super) fn operations(&self) -> impl Iterator<Item = (OperationKey, Operations)> {
        let both = self.latencies.iter().chain(&self.outcomes);
        both.map(move |((phase, operation), seconds)| {
            let key = OperationKey {
                cell: self.cell.clone(),
                phase: phase.clone(),
                operation: operation.clone(),
            };
            (key, seconds.total())
        })
    }
}
