//! Trials that several agents carry out.

use std::collections::BTreeSet;
use std::time::Duration;

use dbdyno_engine::{Event, Pace, Phase, Slice, Stop, TurnReport, Turns};
use dbdyno_engine::{LoadGenerators, PreparedTrial};
use dbdyno_workload::Arrivals;

use crate::{agents, fleet, plan, redis, run, server, target, workload};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn agents_together_do_what_one_process_does() {
    let server = server();
    let address = server.address().unwrap();
    let (_redis, target) = redis();
    let _agents = agents(&address, 3);
    let fleet = fleet(&address, 3);
    assert_eq!(fleet.names(), ["agent-1", "agent-2", "agent-3"]);
    // Inserts, reads of what others inserted, and a rate that is kept together.
    for (name, rate) in [("a", None), ("d", None), ("d", Some(2_000.0))] {
        let mut plan = plan(workload(name, 1_000), 7, SECOND);
        plan.spec.pace = rate.map(|rate| Pace {
            rate,
            arrivals: Arrivals::Constant,
        });
        let (outcome, heard) = run(&fleet, &target, &plan);
        let outcome = outcome.unwrap();
        let measure = outcome.measure.as_ref().unwrap();
        assert_eq!(measure.duration_ns, 1_000_000_000);
        assert_eq!(outcome.load.as_ref().unwrap().inserts.ok, 1_000);
        let sum = |of: &dyn Fn(&dbdyno_record::MeasureRecord) -> u64| -> u64 {
            let measures = outcome.generators.iter().filter_map(|own| own.measure.as_ref());
            measures.map(of).sum()
        };
        assert_eq!(measure.ok_in_time(), sum(&|own| own.ok_in_time()));
        let clients: Vec<u32> = outcome.generators.iter().map(|own| own.clients).collect();
        assert_eq!(clients, [3, 2, 2]);
        for (kind, record) in &measure.operations {
            assert_eq!((record.error_count(), record.not_found), (0, 0), "{name}, {kind}");
        }
        if let Some(rate) = rate {
            let sent = measure.ok_in_time() as f64;
            assert!((sent - rate).abs() < rate * 0.05, "{sent} of {rate}");
        }
        // Intervals are whole ones of all agents, in order and without a gap.
        let starts: Vec<u64> = heard
            .0
            .iter()
            .filter_map(|event| match event {
                Event::Interval(interval) if interval.phase == Phase::Measure && !interval.late => {
                    Some(interval.start_ns)
                }
                _ => None,
            })
            .collect();
        let expected: Vec<u64> = (0..starts.len() as u64)
            .map(|number| number * 100_000_000)
            .collect();
        assert_eq!(starts, expected);
        assert!(starts.len() >= 10, "{starts:?}");
        let in_intervals: u64 = heard
            .0
            .iter()
            .filter_map(|event| match event {
                Event::Interval(interval) if interval.phase == Phase::Measure => Some(
                    interval
                        .operations
                        .values()
                        .map(|operations| operations.ok)
                        .sum::<u64>(),
                ),
                _ => None,
            })
            .sum();
        let ok: u64 = measure.operations.values().map(|record| record.ok).sum();
        assert_eq!(in_intervals, ok);
    }
}

#[test]
fn agents_take_turns_together() {
    let server = server();
    let address = server.address().unwrap();
    let _agents = agents(&address, 2);
    let fleet = fleet(&address, 2);
    let (sender, reports) = std::sync::mpsc::channel();
    let (turns, giver) = Turns::new(move |report| sender.send(report).unwrap());
    let plan = PreparedTrial {
        turns: Some(turns),
        ..plan(workload("c", 1_000), 4, Duration::from_millis(300))
    };
    let target = target("null");
    std::thread::scope(|scope| {
        let trial = scope.spawn(|| fleet.run_trial(&target, &plan, &mut (), &Stop::new()));
        assert_eq!(reports.recv().unwrap(), TurnReport::Ready);
        let mut measured_ns = 0;
        for number in 0..3 {
            giver.send(Slice {
                lead: Duration::ZERO,
                head: Duration::from_millis(20),
                measured: Duration::from_millis(100),
                last: number == 2,
            });
            if number < 2 {
                let TurnReport::Parked(slice) = reports.recv().unwrap() else {
                    panic!("it is parked");
                };
                assert!(slice.ok > 0 && slice.measured_ns >= 100_000_000, "{slice:?}");
                measured_ns += slice.measured_ns;
            }
        }
        let outcome = trial.join().unwrap().unwrap();
        let measure = outcome.measure.unwrap();
        assert!(
            measure.duration_ns > measured_ns,
            "{} {measured_ns}",
            measure.duration_ns
        );
    });
}

#[test]
fn agents_of_one_name_are_told_apart() {
    let server = server();
    let address = server.address().unwrap();
    let _agents = ["twin", "twin", "twin"].map(|name| crate::AgentThread::start(&address, name, &[], &[]));
    let fleet = fleet(&address, 3);
    let mut names = fleet.names();
    names.sort();
    assert_eq!(names, ["twin", "twin (2)", "twin (3)"]);
    let short = plan(workload("c", 100), 3, Duration::from_millis(300));
    let (outcome, _) = run(&fleet, &target("null"), &short);
    let generators = outcome.unwrap().generators;
    let named: BTreeSet<&str> = generators.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(named.len(), 3);
}

#[test]
fn a_study_takes_agents_by_their_labels() {
    let server = server();
    let address = server.address().unwrap();
    let _others = agents(&address, 1);
    let _of_zone = crate::AgentThread::start(&address, "here", &[("zone", "a")], &[]);
    let mut request = crate::request(&address, 1);
    request.labels.insert("zone".to_owned(), "a".to_owned());
    let fleet = dbdyno_agents::Fleet::recruit(request, None, &Stop::new()).unwrap();
    assert_eq!(fleet.names(), ["here"]);
    let listed = dbdyno_agents::list(&address).unwrap();
    let states: BTreeSet<(String, Option<String>)> = listed
        .into_iter()
        .map(|agent| {
            assert!(agent.round_trip.is_some());
            (agent.name, agent.study)
        })
        .collect();
    let expected = [
        ("agent-1".to_owned(), None),
        ("here".to_owned(), Some("test".to_owned())),
    ];
    assert_eq!(states, expected.into());
    // They are free again at once.
    drop(fleet);
    let listed = dbdyno_agents::list(&address).unwrap();
    assert!(listed.iter().all(|agent| agent.study.is_none()), "{listed:?}");
}
