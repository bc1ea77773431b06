//! What each of several load generators did lately, as `live.jsonl` says it.

use std::collections::BTreeMap;

use dbdyno_engine::GeneratorInterval;
use dbdyno_record::live::GeneratorRow;

const SECOND_NS: u64 = 1_000_000_000;
/// So many rows a second at most, of all generators: a file of a thousand generators would grow by a gigabyte in a few hours.
const ROWS_PER_SECOND: u64 = 64;

/// What each generator did since its last row.
#[derive(Default)]
pub(super) struct LiveGenerators(BTreeMap<String, GeneratorInterval>);

impl LiveGenerators {
    /// Takes an interval in. Returns the row that it ends: the one before, when that is of an earlier phase, or its own, when it is long
    /// enough now.
    pub(super) fn take(&mut self, interval: &GeneratorInterval) -> Option<GeneratorRow> {
        let span_ns = SECOND_NS * (self.0.len() as u64).div_ceil(ROWS_PER_SECOND).max(1);
        let Some(open) = self.0.get_mut(&interval.generator) else {
            self.0.insert(interval.generator.clone(), interval.clone());
            return None;
        };
        if interval.phase < open.phase {
            // An addition to a phase whose rows are written.
            return None;
        }
        if interval.phase > open.phase {
            let before = std::mem::replace(open, interval.clone());
            return (before.ok > 0).then(|| row(&before));
        }
        let end_ns = end_ns(open).max(self::end_ns(interval));
        open.duration_ns = end_ns.saturating_sub(open.start_ns);
        open.ok += interval.ok;
        open.errors += interval.errors;
        open.cpu_seconds += interval.cpu_seconds;
        if open.duration_ns < span_ns {
            return None;
        }
        let next = GeneratorInterval {
            start_ns: end_ns,
            duration_ns: 0,
            ok: 0,
            errors: 0,
            cpu_seconds: 0.0,
            ..interval.clone()
        };
        Some(row(&std::mem::replace(open, next)))
    }
}

fn end_ns(interval: &GeneratorInterval) -> u64 {
    interval.start_ns + interval.duration_ns
}

fn row(whole: &GeneratorInterval) -> GeneratorRow {
    let seconds = |time_ns: u64| time_ns as f64 / SECOND_NS as f64;
    GeneratorRow {
        generator: whole.generator.clone(),
        phase: whole.phase.name().to_owned(),
        start_s: seconds(whole.start_ns),
        duration_s: seconds(whole.duration_ns),
        ok: whole.ok,
        errors: whole.errors,
        cpu_seconds: whole.cpu_seconds,
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_engine::Phase;

    use super::*;

    fn interval(generator: &str, phase: Phase, start_ms: u64, ok: u64) -> GeneratorInterval {
        GeneratorInterval {
            generator: generator.to_owned(),
            phase,
            start_ns: start_ms * 1_000_000,
            duration_ns: 250_000_000,
            ok,
            errors: 1,
            cpu_seconds: 0.1,
        }
    }

    #[test]
    fn a_second_of_a_generator_is_a_row() {
        let mut generators = LiveGenerators::default();
        let mut rows = Vec::new();
        for (phase, start_ms, ok) in [
            (Phase::WarmUp, 0, 5),
            (Phase::Measure, 0, 1),
            // A late addition to what is written.
            (Phase::WarmUp, 0, 9),
            (Phase::Measure, 250, 2),
            (Phase::Measure, 500, 3),
            (Phase::Measure, 750, 4),
            (Phase::Measure, 1000, 5),
        ] {
            rows.extend(generators.take(&interval("a", phase, start_ms, ok)));
            assert_eq!(generators.take(&interval("b", Phase::Load, 0, 0)), None);
        }
        let shown: Vec<(&str, f64, f64, u64, u64)> = rows
            .iter()
            .map(|row| {
                (
                    row.phase.as_str(),
                    row.start_s,
                    row.duration_s,
                    row.ok,
                    row.errors,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [("warm-up", 0.0, 0.25, 5, 1), ("measure", 0.0, 1.0, 10, 4)]
        );
    }

    #[test]
    fn rows_of_many_generators_cover_longer_times() {
        let mut generators = LiveGenerators::default();
        let names: Vec<String> = (0..200).map(|number| format!("g{number}")).collect();
        let mut rows = 0;
        for quarter in 0..40 {
            for name in &names {
                let row = generators.take(&interval(name, Phase::Measure, quarter * 250, 1));
                rows += row.iter().count();
                assert!(
                    row.is_none_or(|row| row.duration_s >= 4.0 || quarter < 4),
                    "{name}"
                );
            }
        }
        assert!(rows <= 600, "{rows}");
    }
}
