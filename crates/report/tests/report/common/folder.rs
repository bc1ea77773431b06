//! A made-up study as a result folder on disk.

use std::path::Path;

use dbdyno_record::{Environment, IntervalRow, IntervalsWriter, PlanFile, PlannedTrial, ResultFolder};
use dbdyno_report::{StudyResults, TimelinePoint};

/// Writes the study; the trials' folders are made in the order in which the trials come.
pub fn write(results: &StudyResults, path: &Path) {
    let folder = ResultFolder::create(path, &results.study_text).unwrap();
    let mut planned: Vec<PlannedTrial> = results
        .trials
        .iter()
        .map(|trial| PlannedTrial {
            trial: trial.trial.clone(),
            block: trial.block,
            position: trial.position,
            seed: trial.seed,
            spec: trial.spec.clone(),
        })
        .collect();
    planned.sort_by_key(|trial| trial.position);
    folder
        .write_plan(&PlanFile::new(results.asked.clone(), planned))
        .unwrap();
    folder.write_environment(&environment()).unwrap();
    for trial in &results.trials {
        let place = folder.begin_trial(&trial.trial).unwrap();
        if let Some(points) = results.timelines.get(&trial.trial) {
            let mut writer = IntervalsWriter::create(&place.join("intervals.csv")).unwrap();
            for point in points {
                writer.write(&row(point)).unwrap();
            }
            writer.finish().unwrap();
        }
        folder.write_trial(trial).unwrap();
    }
}

/// The machine of the fixture of format 1.
pub fn environment() -> Environment {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../record/tests/fixtures/folder-v1");
    let folder = ResultFolder::open(&fixture).unwrap();
    folder.environment().unwrap().unwrap()
}

fn row(point: &TimelinePoint) -> IntervalRow {
    let p99_us = point.p99_ns.map(|nanoseconds| nanoseconds / 1e3);
    IntervalRow {
        phase: point.phase.clone(),
        start_s: point.start_s,
        duration_s: point.duration_s,
        rate: point.rate,
        ok: (point.rate * point.duration_s) as u64,
        not_found: 0,
        too_early: 0,
        errors: point.errors,
        p50_us: p99_us.map(|p99| p99 / 3.0),
        p95_us: p99_us.map(|p99| p99 / 1.5),
        p99_us,
        p999_us: p99_us.map(|p99| p99 * 2.0),
        max_us: p99_us.map(|p99| p99 * 5.0),
        client_cpu_seconds: point.client_cpu_seconds.unwrap_or_default(),
        resident_memory_bytes: point.client_memory_bytes.unwrap_or_default(),
        server_cpu_seconds: point.server_cpu_seconds,
        server_memory_bytes: point.server_memory_bytes,
        server_read_bytes: point.server_read_bytes,
        server_written_bytes: point.server_written_bytes,
    }
}
