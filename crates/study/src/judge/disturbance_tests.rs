use dbdyno_machine::CpuTime;

use super::*;

const OWN: u32 = 100;
const SERVER: u32 = 200;

fn process(parent: u32, cpu_seconds: f64, name: &str) -> ProcessCounters {
    ProcessCounters {
        name: name.to_owned(),
        parent,
        cpu_seconds,
        io_bytes: Some(0),
    }
}

/// A machine of two processors that has measured for ten seconds: this process used 8 s, a child of it 2 s, a server of the
/// lab 6 s, the kernel 1 s.
fn snapshots() -> (HostSnapshot, HostSnapshot) {
    let before = HostSnapshot {
        at_seconds: Some(1_000.0),
        cpus: Some(CpuTime {
            total: 2_000.0,
            used: 500.0,
            stolen: 3.0,
        }),
        throttled_seconds: Some(1.0),
        memory_stalled_seconds: Some(5.0),
        io_stalled_seconds: Some(5.0),
        swapped_pages: Some(77),
        processes: [
            (2, process(0, 10.0, "kthreadd")),
            (3, process(2, 10.0, "kworker")),
            (OWN, process(1, 40.0, "dbdyno")),
            (101, process(OWN, 1.0, "helper")),
            (SERVER, process(1, 30.0, "java")),
            (300, process(1, 7.0, "rustc")),
        ]
        .into(),
    };
    let mut after = before.clone();
    after.at_seconds = Some(1_010.0);
    after.cpus = Some(CpuTime {
        total: 2_020.0,
        used: 517.0,
        stolen: 3.0,
    });
    for (id, seconds) in [(OWN, 8.0), (101, 2.0), (SERVER, 6.0), (3, 1.0)] {
        after.processes.get_mut(&id).unwrap().cpu_seconds += seconds;
    }
    (before, after)
}

fn own() -> Own {
    Own {
        process: OWN,
        servers: vec![SERVER],
        others: Vec::new(),
        unknown_servers: false,
    }
}

fn codes(before: &HostSnapshot, after: &HostSnapshot, own: &Own) -> Vec<String> {
    findings(&between(before, after, own))
        .iter()
        .map(|finding| finding.code().to_owned())
        .collect()
}

#[test]
fn a_quiet_machine_is_quiet() {
    let (before, after) = snapshots();
    let host = between(&before, &after, &own());
    assert!(host.others_cpu_share.unwrap() < 1e-9, "{host:?}");
    assert_eq!((host.steal_share, host.seconds), (Some(0.0), 10.0));
    assert_eq!(host.busiest_other, None);
    assert!(codes(&before, &after, &own()).is_empty());
}

#[test]
fn each_disturbance_is_found_alone() {
    let plant = |change: &dyn Fn(&mut HostSnapshot)| {
        let (before, mut after) = snapshots();
        change(&mut after);
        codes(&before, &after, &own())
    };
    assert_eq!(
        plant(&|after| after.cpus.as_mut().unwrap().stolen += 1.0),
        ["host-steal"]
    );
    assert_eq!(
        plant(&|after| after.throttled_seconds = Some(1.5)),
        ["host-throttled"]
    );
    assert_eq!(
        plant(&|after| after.memory_stalled_seconds = Some(5.5)),
        ["host-memory-pressure"]
    );
    assert_eq!(
        plant(&|after| after.swapped_pages = Some(5_000)),
        ["host-swapped"]
    );
    assert_eq!(
        plant(&|after| after.processes.get_mut(&300).unwrap().io_bytes = Some(400_000_000)),
        ["host-other-io"]
    );
    assert_eq!(
        plant(&|after| after.cpus.as_mut().unwrap().used += 3.0),
        ["host-other-processes"],
        "by processes that came and went"
    );
    assert!(
        plant(&|after| after.io_stalled_seconds = Some(15.0)).is_empty(),
        "that may be the system's own"
    );
}

#[test]
fn the_busiest_other_is_named() {
    let (before, mut after) = snapshots();
    after.processes.get_mut(&300).unwrap().cpu_seconds += 3.0;
    after.cpus.as_mut().unwrap().used += 3.0;
    let found = findings(&between(&before, &after, &own()));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].message().contains("15%") && found[0].message().contains("`rustc`"),
        "{found:?}"
    );
}

#[test]
fn servers_of_other_systems_are_others_though_this_process_started_them() {
    let (before, mut after) = snapshots();
    // A child of this process: its own work, unless it serves another system.
    after.processes.get_mut(&101).unwrap().cpu_seconds += 3.0;
    after.cpus.as_mut().unwrap().used += 3.0;
    assert!(codes(&before, &after, &own()).is_empty());
    let beside = Own {
        others: vec![101],
        ..own()
    };
    assert_eq!(codes(&before, &after, &beside), ["host-other-processes"]);
}

#[test]
fn servers_that_nobody_named_are_not_taken_for_others() {
    let (before, after) = snapshots();
    let own = Own {
        process: OWN,
        servers: Vec::new(),
        others: Vec::new(),
        unknown_servers: true,
    };
    let host = between(&before, &after, &own);
    assert_eq!(
        (host.others_cpu_share, host.others_io_bytes_per_second),
        (None, None)
    );
    assert_eq!(host.steal_share, Some(0.0), "that can be told all the same");
}

#[test]
fn what_is_not_reported_is_not_judged() {
    let nothing = HostSnapshot::default();
    let host = between(&nothing, &nothing, &own());
    assert_eq!(host, HostRecord::default());
    let (before, mut after) = snapshots();
    after.at_seconds = Some(1_000.3);
    after.swapped_pages = Some(5_000);
    assert!(codes(&before, &after, &own()).is_empty(), "too short to say");
    let (before, mut after) = snapshots();
    after
        .processes
        .values_mut()
        .for_each(|process| process.io_bytes = None);
    assert_eq!(between(&before, &after, &own()).others_io_bytes_per_second, None);
}

/// Under a processor limit the fast trials are held back most: to repeat them would keep the slow ones.
#[test]
fn what_the_measured_system_can_cause_repeats_nothing() {
    let all = [
        "host-steal",
        "host-other-processes",
        "host-other-io",
        "host-throttled",
        "host-swapped",
        "host-memory-pressure",
    ]
    .map(|code| Finding::in_words(dbdyno_record::Severity::Warning, code, "", ""));
    assert_eq!(
        exogenous(&all),
        ["host-steal", "host-other-processes", "host-other-io"]
    );
}

fn generator(name: &str, host: &str, machine: Option<HostRecord>) -> GeneratorRecord {
    GeneratorRecord {
        name: name.to_owned(),
        host: host.to_owned(),
        cpus: 2,
        clients: 1,
        clock: dbdyno_record::GeneratorClock::default(),
        late_ns: 0,
        machine,
        measure: None,
    }
}

#[test]
fn stolen_time_and_quotas_of_load_generators_are_named() {
    let machine = |seconds, steal, throttled| {
        Some(HostRecord {
            seconds,
            steal_share: Some(steal),
            throttled_share: Some(throttled),
            ..HostRecord::default()
        })
    };
    let found = of_generators(&[
        generator("quiet", "a", machine(10.0, 0.01, 0.005)),
        generator("here", "b", None),
        generator("stolen", "c", machine(10.0, 0.12, 0.0)),
        generator("beside", "c", machine(10.0, 0.12, 0.0)),
        generator("held", "d", machine(10.0, 0.0, 0.3)),
        generator("short", "e", machine(0.5, 0.5, 0.5)),
    ]);
    let codes: Vec<&str> = found.iter().map(Finding::code).collect();
    assert_eq!(codes, ["generator-steal", "generator-throttled"]);
    assert!(found[0].message().contains("`stolen`"), "{}", found[0].message());
    assert!(found[1].message().contains("`held`"), "{}", found[1].message());
    // A limit may be reached because the database is fast.
    assert_eq!(exogenous(&found), ["generator-steal"]);
}
