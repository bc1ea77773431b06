//! Single results whose findings are known, worked out by hand.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

use dbdyno_lint::{Clients, Figure, Line, Part, Place, Printed, Protocol, Repeats, Rule, check};

const RUNS: u32 = 3;

const ONE_CLIENT: Option<Clients> = Some(Clients {
    number: 1.0,
    stated: true,
});

fn rules(printed: &Printed) -> Vec<Rule> {
    check(printed).into_iter().map(|finding| finding.rule).collect()
}

/// Numbers that stand for nothing are judged by no rule but the one that names them.
#[test]
fn what_was_not_measured_is_not_judged() {
    for (nothing, expected) in [
        (0.0, &[Rule::ImpossibleValue][..]),
        (-1.0, &[Rule::ImpossibleValue]),
        (f64::NAN, &[]),
        (f64::INFINITY, &[]),
    ] {
        let printed = Printed {
            lines: vec![Line {
                operations: Some(nothing.into()),
                run_time_s: Some(nothing.into()),
                throughput: Some(nothing.into()),
                parts: vec![Part::new("read", nothing, nothing)],
                ..Line::default()
            }],
            repeats: vec![Repeats {
                place: "t".into(),
                what: "s".to_owned(),
                values: vec![nothing; 3],
            }],
            protocol: Protocol {
                clients: ONE_CLIENT,
                ..Protocol::default()
            },
            ..Printed::default()
        };
        assert_eq!(rules(&printed), expected, "{nothing}");
    }
}

/// `100000,12,8130`: 8,130 a second are 12.3 s, which whole seconds print as 12.
#[test]
fn digits_that_were_not_printed_are_no_error() {
    let line = |operations: f64, run_time_s: f64, throughput: f64| {
        let figure = |value: f64| Some(Figure::of_shortest_decimal(value));
        let printed = Printed {
            lines: vec![Line {
                operations: figure(operations),
                run_time_s: figure(run_time_s),
                throughput: figure(throughput),
                ..Line::default()
            }],
            protocol: Protocol {
                runs: Some(1),
                ..Protocol::default()
            },
            ..Printed::default()
        };
        let mut rules = rules(&printed);
        rules.retain(|rule| *rule != Rule::Duration);
        rules
    };
    assert_eq!(line(100_000.0, 12.0, 8130.0), []);
    assert_eq!(line(100_000.0, 12.0, 8696.0), [], "11.5 s");
    assert_eq!(line(100_000.0, 12.0, 7752.0), [], "12.9 s, cut off");
    assert_eq!(line(100_000.0, 12.0, 7500.0), [Rule::OpsOverTime], "13.3 s");
    assert_eq!(
        line(100_000.0, 12.25, 8130.0),
        [],
        "12.3 s, off by less than tools round"
    );
    assert_eq!(line(100_000.0, 12.1, 8130.0), [Rule::OpsOverTime]);
}

/// The same arithmetic that fails in three rows is told once.
#[test]
fn one_finding_tells_of_all_its_places() {
    let line = |row: u32| Line {
        table: "t".to_owned(),
        place: format!("t, row {row}").into(),
        operations: Some(1_000_000.0.into()),
        run_time_s: Some(100.0.into()),
        throughput: Some((9000.0 - f64::from(row)).into()),
        ..Line::default()
    };
    let findings = check(&Printed {
        lines: (1..=3).map(line).collect(),
        ..Printed::default()
    });
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(
        findings[0].places().map(Place::to_string).collect::<Vec<_>>(),
        ["t, row 1", "t, row 2", "t, row 3"]
    );
    assert!(
        findings[0].also[1].arithmetic.contains("printed: 8997"),
        "{findings:?}"
    );
    assert_eq!(
        findings[0].doubts.len(),
        6,
        "the run time and the throughput of each"
    );
}

#[test]
fn a_sum_in_place_of_a_mean_is_recognised() {
    let part = |kind: &str, mean_latency_us: f64| Part::new(kind, 50_000.0, mean_latency_us);
    let printed = Printed {
        lines: vec![Line {
            table: "t".to_owned(),
            place: "t, row 1".into(),
            run_time_s: Some(90.0.into()),
            parts: vec![part("read", 1000.0), part("update", 2100.0)],
            ..Line::default()
        }],
        protocol: Protocol {
            clients: ONE_CLIENT,
            runs: Some(RUNS),
            ..Protocol::default()
        },
        ..Printed::default()
    };
    let findings = check(&printed);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(
        findings[0].arithmetic,
        "(50000 x 1000 us (read) + 50000 x 2100 us (update)) / 90 s = 1.722 operations at a time; there is 1 client"
    );
    assert!(
        findings[0]
            .explanation
            .contains("2100 us of update fits when it is divided by the 3 runs, 700 us")
    );
}

#[test]
fn the_reads_of_read_modify_writes_are_counted_once() {
    // YCSB's F: 100,000 operations, half of them read and write; 100,000 reads are reported.
    let printed = Printed {
        lines: vec![Line {
            table: "t".to_owned(),
            place: "t, row 1".into(),
            operations: Some(100_000.0.into()),
            run_time_s: Some(160.0.into()),
            parts: vec![
                Part::new("read", 100_000.0, 1000.0),
                Part::new("read_modify_write", 50_000.0, 2000.0),
            ],
            ..Line::default()
        }],
        protocol: Protocol {
            clients: ONE_CLIENT,
            ..Protocol::default()
        },
        ..Printed::default()
    };
    assert_eq!(check(&printed), []);
}
