//! Consistent results give no finding; each planted error is found by its rule, and by no other.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

use dbdyno_lint::{
    Better, Change, Claim, Clients, Copies, Line, Memory, Part, Printed, Properties, Protocol, Range, Rates,
    Repeats, Rule, Trend, check,
};
use proptest::prelude::*;

const RUNS: u32 = 3;

const ONE_CLIENT: Option<Clients> = Some(Clients {
    number: 1.0,
    stated: true,
});

/// Results as a careful author prints them: several clients, long runs, numbers that follow from each other.
fn consistent() -> impl Strategy<Value = Printed> {
    let line = (
        2_u32..64,
        100_000.0..1e7_f64,
        70.0..4000.0_f64,
        0.05..0.95_f64,
        0.5..1.0_f64,
    );
    (
        line,
        prop_oneof![-0.5..-0.02_f64, 0.02..2.0_f64],
        prop::collection::vec(0.75..1.3_f64, 3..8),
    )
        .prop_map(|(line, slower, spread)| {
            let (clients, operations, run_time_s, reads, used) = line;
            let clients = f64::from(clients);
            // What a client spends in operations, shared out so that updates cost twice a read.
            let read_us = clients * run_time_s * used * 1e6 / (operations * (reads + 2.0 * (1.0 - reads)));
            let part = |kind: &str, share: f64, mean_latency_us: f64| Part {
                kind: kind.to_owned(),
                count: operations * share,
                mean_latency_us,
            };
            let throughput = operations / run_time_s;
            Printed {
                lines: vec![Line {
                    table: "table 1".to_owned(),
                    place: "table 1, row 1".to_owned(),
                    operations: Some(operations),
                    run_time_s: Some(run_time_s),
                    throughput: Some(throughput),
                    parts: vec![
                        part("read", reads, read_us),
                        part("update", 1.0 - reads, 2.0 * read_us),
                    ],
                    ..Line::default()
                }],
                changes: vec![Change {
                    table: "table 2".to_owned(),
                    place: "table 2, A".to_owned(),
                    run_time_s: [run_time_s, run_time_s * (1.0 + slower)],
                    throughput: [throughput, throughput / (1.0 + slower)],
                    time_percent: slower * 100.0,
                    throughput_percent: (1.0 / (1.0 + slower) - 1.0) * 100.0,
                    again_s: Some(run_time_s * (1.0 + slower / 4.0)),
                }],
                repeats: vec![Repeats {
                    place: "table 3, row 1".to_owned(),
                    what: "us".to_owned(),
                    values: spread.iter().map(|spread| read_us * spread).collect(),
                }],
                rates: vec![Rates {
                    place: "figure 1".to_owned(),
                    kinds: vec![
                        ("read".to_owned(), reads, throughput * reads),
                        (
                            "update".to_owned(),
                            1.0 - reads,
                            throughput * (1.0 - reads) * spread[0],
                        ),
                    ],
                }],
                better: vec![Better {
                    place: "text".to_owned(),
                    times: [run_time_s, run_time_s * used],
                    percent: ((1.0 - used) * 100.0).round(),
                }],
                trends: vec![Trend {
                    place: "claim 1".to_owned(),
                    upwards: true,
                    points: (1..=4)
                        .map(|step| {
                            (
                                f64::from(step),
                                spread
                                    .iter()
                                    .map(|spread| f64::from(step) * 2.0_f64.powi(step) * spread)
                                    .collect(),
                            )
                        })
                        .collect(),
                }],
                claims: vec![Claim {
                    place: "claim 2".to_owned(),
                    text: "reads are faster".to_owned(),
                    against: Vec::new(),
                }],
                ranges: vec![Range {
                    place: "figure 2".to_owned(),
                    unit: "us".to_owned(),
                    low: read_us * 0.75,
                    high: read_us * 1.3,
                    values: spread
                        .iter()
                        .map(|spread| ("text".to_owned(), read_us * spread))
                        .collect(),
                }],
                properties: vec![Properties {
                    place: "table 4".to_owned(),
                    stated: 10,
                    observed: 10,
                }],
                protocol: Protocol {
                    clients: Some(Clients {
                        number: clients,
                        stated: true,
                    }),
                    runs: Some(RUNS),
                    operations: vec![operations],
                    records: vec![operations / 10.0],
                    missing: Vec::new(),
                    copies: vec![Copies {
                        place: "cluster".to_owned(),
                        systems: vec![("a".to_owned(), 3.0), ("b".to_owned(), 3.0)],
                    }],
                    memory: vec![Memory {
                        place: "one host".to_owned(),
                        servers: 3.0,
                        each_gb: 4.0,
                        host_gb: 16.0,
                    }],
                },
            }
        })
}

/// The same from one client, over sizes: its throughput says nothing beside its latency, which is told of it.
fn of_one_client() -> impl Strategy<Value = Printed> {
    (100.0..5000.0_f64, 0.98..0.999_f64).prop_map(|(latency_us, used)| {
        let line = |number: u32| {
            let operations = f64::from(number) * 1e7 / latency_us * 10.0;
            let run_time_s = operations * latency_us / 1e6 / used;
            Line {
                table: "table 1".to_owned(),
                place: format!("table 1, row {number}"),
                operations: Some(operations),
                run_time_s: Some(run_time_s),
                throughput: Some(operations / run_time_s),
                parts: vec![Part {
                    kind: "read".to_owned(),
                    count: operations,
                    mean_latency_us: latency_us,
                }],
                ..Line::default()
            }
        };
        Printed {
            lines: (1..=5).map(line).collect(),
            protocol: Protocol {
                clients: Some(Clients {
                    number: 1.0,
                    stated: false,
                }),
                ..Protocol::default()
            },
            ..Printed::default()
        }
    })
}

fn rules(printed: &Printed) -> Vec<Rule> {
    check(printed).into_iter().map(|finding| finding.rule).collect()
}

type Plant = fn(&mut Printed);

const PLANTS: [(Rule, Plant); 26] = [
    (Rule::OpsOverTime, |printed| {
        scale(&mut printed.lines[0].throughput, 1.6)
    }),
    (Rule::OpsOverTime, |printed| {
        scale(&mut printed.lines[0].throughput, 0.95)
    }),
    (Rule::HiddenVariance, |printed| {
        scale(&mut printed.lines[0].throughput, 1.04)
    }),
    (Rule::LittlesLaw, |printed| {
        printed.lines[0]
            .parts
            .iter_mut()
            .for_each(|part| part.mean_latency_us *= 2.1);
    }),
    (Rule::ThroughputVsTime, |printed| {
        let change = &mut printed.changes[0];
        change.throughput[1] *= 0.8;
        change.throughput_percent = (change.throughput[1] / change.throughput[0] - 1.0) * 100.0;
    }),
    (Rule::PercentageSemantics, |printed| {
        printed.changes[0].throughput_percent += 0.5
    }),
    (Rule::PercentageSemantics, |printed| {
        printed.changes[0].time_percent += 0.2
    }),
    (Rule::EffectBelowNoise, |printed| {
        let change = &mut printed.changes[0];
        change.again_s = Some(change.run_time_s[0] / 100.0);
    }),
    (Rule::InputAsResult, |printed| {
        let line = &mut printed.lines[0];
        let share = line.parts[0].count / line.operations.unwrap();
        line.mix = vec![("read".to_owned(), share), ("update".to_owned(), 1.0 - share)];
    }),
    (Rule::Outlier, |printed| printed.repeats[0].values[1] *= 4.0),
    (Rule::Outlier, |printed| printed.repeats[0].values[0] /= 4.0),
    (Rule::Duration, |printed| {
        printed.protocol.operations = vec![1500.0];
        printed.protocol.records.clear();
    }),
    (Rule::Duration, |printed| printed.protocol.records = vec![1e12]),
    (Rule::OverCommit, |printed| {
        printed.protocol.memory[0].servers = 4.0
    }),
    (Rule::UnequalGuarantees, |printed| {
        printed.protocol.copies[0].systems[1].1 = 1.0
    }),
    (Rule::MissingProtocol, |printed| {
        printed.protocol.missing.push("threads".to_owned())
    }),
    // The protocol tells of four times as many clients as this line had.
    (Rule::LittlesLaw, |printed| {
        let clients = printed.protocol.clients.unwrap().number;
        printed.lines[0].clients = Some(clients);
        printed.protocol.clients.as_mut().unwrap().number = clients * 4.0;
        printed.protocol.operations.clear();
        fill(printed, 1.3);
    }),
    (Rule::ClientSaturation, |printed| {
        printed.lines[0].throttled = true;
        fill(printed, 0.95);
    }),
    (Rule::Units, |printed| fill(printed, 0.9 / 1000.0)),
    (Rule::Units, |printed| printed.rates[0].kinds[0].2 *= 3.0),
    (Rule::Trend, |printed| {
        printed.trends[0].points[3]
            .1
            .iter_mut()
            .for_each(|run| *run /= 8.0)
    }),
    (Rule::Trend, |printed| printed.trends[0].upwards = false),
    (Rule::ClaimVsTable, |printed| {
        printed.claims[0].against.push("2 < 1 does not hold".to_owned())
    }),
    (Rule::ValueVsRange, |printed| printed.ranges[0].values[0].1 *= 2.0),
    (Rule::NotProbed, |printed| printed.properties[0].observed = 0),
    (Rule::PercentageSemantics, |printed| {
        let better = &mut printed.better[0];
        better.times = [32.0, 18.0];
        better.percent = 56.0;
    }),
];

/// Makes the line's latencies such that its clients spend this share of the time in operations.
fn fill(printed: &mut Printed, share: f64) {
    let line = &mut printed.lines[0];
    let clients = line
        .clients
        .or(printed.protocol.clients.map(|clients| clients.number));
    let busy_us: f64 = line
        .parts
        .iter()
        .map(|part| part.count * part.mean_latency_us)
        .sum();
    let wanted_us = clients.unwrap() * line.run_time_s.unwrap() * share * 1e6;
    line.parts
        .iter_mut()
        .for_each(|part| part.mean_latency_us *= wanted_us / busy_us);
}

fn scale(value: &mut Option<f64>, by: f64) {
    *value = value.map(|value| value * by);
}

proptest! {
    #[test]
    fn consistent_results_give_no_finding(printed in consistent()) {
        prop_assert_eq!(check(&printed), []);
    }

    #[test]
    fn each_planted_error_is_found_by_its_rule_alone(printed in consistent()) {
        for (number, (rule, plant)) in PLANTS.iter().enumerate() {
            let mut planted = printed.clone();
            plant(&mut planted);
            prop_assert_eq!(rules(&planted), vec![*rule], "plant {}", number);
        }
    }

    #[test]
    fn one_client_is_told_and_connecting_found(printed in of_one_client(), connecting_s in 5.0..20.0_f64) {
        prop_assert_eq!(rules(&printed), [Rule::SingleThreadTautology]);
        // Equally many operations, some of them on a bad day: what each costs outside is the same, and nothing is connecting.
        let mut equal = printed.clone();
        for (place, line) in equal.lines.iter_mut().enumerate() {
            let (operations, mean_us) = (1_000.0, 200.0 * (place + 1) as f64);
            line.operations = Some(operations);
            line.parts[0].count = operations;
            line.parts[0].mean_latency_us = mean_us;
            let run_time_s = operations * mean_us / 1e6 + 0.005;
            line.run_time_s = Some(run_time_s);
            line.throughput = Some(operations / run_time_s);
        }
        prop_assert!(!rules(&equal).contains(&Rule::StartupInRuntime));
        let mut planted = printed;
        for line in &mut planted.lines {
            let operations = line.operations.unwrap();
            let run_time_s = operations * line.parts[0].mean_latency_us / 1e6 + connecting_s;
            line.run_time_s = Some(run_time_s);
            line.throughput = Some(operations / run_time_s);
        }
        prop_assert_eq!(rules(&planted), [Rule::StartupInRuntime, Rule::SingleThreadTautology]);
    }
}

#[test]
fn what_was_not_measured_is_not_judged() {
    for nothing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let printed = Printed {
            lines: vec![Line {
                operations: Some(nothing),
                run_time_s: Some(nothing),
                throughput: Some(nothing),
                parts: vec![Part {
                    kind: "read".to_owned(),
                    count: nothing,
                    mean_latency_us: nothing,
                }],
                ..Line::default()
            }],
            repeats: vec![Repeats {
                place: "t".to_owned(),
                what: "s".to_owned(),
                values: vec![nothing; 3],
            }],
            protocol: Protocol {
                clients: ONE_CLIENT,
                ..Protocol::default()
            },
            ..Printed::default()
        };
        assert_eq!(check(&printed), [], "{nothing}");
    }
}

#[test]
fn a_sum_in_place_of_a_mean_is_recognised() {
    let part = |kind: &str, mean_latency_us: f64| Part {
        kind: kind.to_owned(),
        count: 50_000.0,
        mean_latency_us,
    };
    let printed = Printed {
        lines: vec![Line {
            table: "t".to_owned(),
            place: "t, row 1".to_owned(),
            run_time_s: Some(90.0),
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
    let part = |kind: &str, count: f64, mean_latency_us: f64| Part {
        kind: kind.to_owned(),
        count,
        mean_latency_us,
    };
    // YCSB's F: 100,000 operations, half of them read and write; 100,000 reads are reported.
    let printed = Printed {
        lines: vec![Line {
            table: "t".to_owned(),
            place: "t, row 1".to_owned(),
            operations: Some(100_000.0),
            run_time_s: Some(160.0),
            parts: vec![
                part("read", 100_000.0, 1000.0),
                part("read_modify_write", 50_000.0, 2000.0),
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
