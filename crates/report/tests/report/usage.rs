//! CPU, memory and disk over time: only what was measured, in units that people read, on a page that stays small.

use crate::common;
use crate::common::{Engine, FJALL, REDB, WORKLOADS, study};
use dbdyno_record::{Interleaving, ParkedIo, ParkedWork, SliceHead, SliceRecord};
use dbdyno_report::{FigureFile, Render, ReportModel, StudyResults, json};

const MIB: f64 = 1_048_576.0;

/// Gives the servers of all trials a course over time: 300 MiB, then a mebibyte more each second.
fn with_servers(results: &mut StudyResults) {
    for points in results.timelines.values_mut() {
        for (second, point) in points.iter_mut().enumerate() {
            point.server_cpu_seconds = Some(1.5 * point.duration_s);
            point.server_memory_bytes = Some((300 + second as u64) * 1_048_576);
            point.server_read_bytes = Some(0);
            point.server_written_bytes = Some(2_097_152);
        }
    }
}

fn names(model: &ReportModel) -> Vec<String> {
    let files = model.figures().into_iter();
    let names = files.map(|file| file.name);
    names
        .filter(|name| name.ends_with("-over-time") && !name.contains("throughput") && !name.contains("p99"))
        .collect()
}

fn figure(model: &ReportModel, name: &str) -> FigureFile {
    let mut files = model.figures().into_iter();
    files.find(|file| file.name == name).unwrap()
}

/// The values of a figure's data.
fn values(file: &FigureFile) -> Vec<f64> {
    csv::Reader::from_reader(file.csv.as_bytes())
        .records()
        .map(|record| record.unwrap()[3].parse().unwrap())
        .collect()
}

#[test]
fn an_embedded_database_shows_its_process() {
    let model = ReportModel::build(&study("s", &[FJALL, REDB], &WORKLOADS[..1], 2, 5));
    let expected = [
        "workload-a--client-cpu-over-time",
        "workload-a--client-memory-over-time",
    ];
    assert_eq!(names(&model), expected);
    assert!(model.html().contains("CPU, memory and disk"));
}

#[test]
fn servers_show_what_they_used_and_what_they_did_not() {
    let mut results = study("s", &[FJALL], &WORKLOADS[..1], 1, 10);
    with_servers(&mut results);
    let model = ReportModel::build(&results);
    let expected = ["server-cpu", "client-cpu", "server-memory", "server-writes"];
    let expected = expected.map(|name| format!("workload-a--{name}-over-time"));
    assert_eq!(names(&model), expected);
    let page = model.html();
    assert!(page.contains("The servers read nothing from disk."));
    assert!(!page.contains("The servers wrote nothing to disk."));
    let cpus = figure(&model, "workload-a--server-cpu-over-time");
    assert!(values(&cpus).iter().all(|value| *value == 1.5), "{}", cpus.csv);
    assert!(
        cpus.csv.starts_with("system,trial,at_s,server_cpus\n"),
        "{}",
        cpus.csv
    );
    let memory = figure(&model, "workload-a--server-memory-over-time");
    let drawn = values(&memory);
    assert_eq!(
        drawn.len(),
        12,
        "a stretch for each second of warm-up and measured phase"
    );
    assert!((drawn[11] - 311.0).abs() < 0.05, "{drawn:?}");
    assert!(memory.svg.contains(" MiB<"), "{}", memory.svg);
    let writes = figure(&model, "workload-a--server-writes-over-time");
    assert!(values(&writes).iter().all(|value| (value - 2.0).abs() < 1e-3));
    let point = &model.cells[0].systems[0].timelines[0].points[11];
    assert_eq!(point.usage.server_cpus, Some(1.5));
    assert!((point.usage.server_memory_bytes.unwrap() / MIB - 311.0).abs() < 0.05);
    assert!(json(&model).contains("\"server_written_bytes_per_second\": 2097"));
}

#[test]
fn cpu_time_in_the_turns_of_others_is_shown() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 2, 5);
    for trial in &mut results.trials {
        let work = ParkedWork {
            own_cpu_seconds: 4.0,
            parked_cpu_seconds: if trial.system.name == "redb" { 0.1 } else { 0.0 },
            // As if redb were a server.
            io: (trial.system.name == "redb").then_some(ParkedIo {
                own_bytes: 100 << 20,
                parked_bytes: 6 << 20,
            }),
            ..ParkedWork::default()
        };
        trial.conditions.interleaving = Some(Interleaving {
            beside: Vec::new(),
            head_ns: 1,
            slice_ns: 1,
            slices: Vec::new(),
            work: Some(work),
        });
    }
    let page = ReportModel::build(&results).html();
    let sentence = "CPU time used while other systems were measured, as a share of that in their own turns: fjall 0% and redb 2.5%.";
    assert!(page.contains(sentence));
    let sentence =
        "Disk reads and writes while other systems were measured: redb 12.0 MiB (200 MiB in its own turns).";
    assert!(page.contains(sentence));
    // What is not known of one of its trials is not known of a system.
    results
        .trials
        .iter_mut()
        .for_each(|trial| trial.conditions.interleaving.as_mut().unwrap().work = None);
    assert!(
        !ReportModel::build(&results)
            .html()
            .contains("CPU time used while")
    );
}

#[test]
fn the_cost_of_switches_is_shown() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 3, 5);
    for trial in &mut results.trials {
        let is_redb = trial.system.name == "redb";
        // By chance heads may be faster than what is measured.
        let lost_ns = if is_redb {
            1_250_000 * i64::from(trial.block + 1)
        } else {
            -4_000
        };
        let slice = SliceRecord {
            round: 0,
            ok: 1,
            measured_ns: 1,
            reference: None,
            reference_after: None,
            parked: None,
            head: Some(SliceHead {
                lost_ns,
                late_ratio: None,
            }),
        };
        trial.conditions.interleaving = Some(Interleaving {
            beside: Vec::new(),
            head_ns: 25_000_000,
            slice_ns: 250_000_000,
            slices: vec![slice; 4],
            work: None,
        });
    }
    let sentence = "Time to come back to speed after a switch: fjall none and redb 2.50 ms; the first 25.0 ms of each turn are not measured.";
    let page = ReportModel::build(&results).html();
    assert!(page.contains(sentence));
}

#[test]
fn what_was_not_measured_is_not_drawn() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 2, 5);
    for point in results.timelines.values_mut().flatten() {
        point.client_cpu_seconds = None;
        point.client_memory_bytes = None;
    }
    let model = ReportModel::build(&results);
    assert!(names(&model).is_empty());
    assert!(!model.html().contains("CPU, memory and disk"));
    assert!(!json(&model).contains("client_cpus"));
}

#[test]
fn more_systems_than_colours_have_a_table() {
    let systems: Vec<Engine> = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
        .map(|name| Engine { name, ..FJALL })
        .to_vec();
    let mut results = study("s", &systems, &WORKLOADS[..1], 1, 5);
    with_servers(&mut results);
    let model = ReportModel::build(&results);
    assert!(names(&model).is_empty());
    let page = model.html();
    for expected in ["CPUs used by the servers", ">1.50<", ">306 MiB<", ">2.00 MiB/s<"] {
        assert!(page.contains(expected), "{expected}");
    }
}

#[test]
fn a_thousand_trials_with_servers_fit_into_a_megabyte() {
    let mut results = common::thousand(&WORKLOADS[..5]);
    with_servers(&mut results);
    let model = ReportModel::build(&results);
    assert_eq!(
        names(&model).len(),
        5 * 4,
        "CPU of both, memory and writes of the servers"
    );
    let page = model.html();
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}
