//! Consistent results give no finding; each planted error is found by its rule, and by no other.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

use dbdyno_lint::{
    Better, Change, Claim, Clients, Comparison, ComparisonRow, Copies, Difference, Figure, Line, Memory,
    Part, Placement, Printed, Properties, Protocol, Range, Rates, Ratio, Repeats, Rule, Trend, check,
};
use proptest::prelude::*;

const RUNS: u32 = 3;

/// What is true of the results of [`consistent`]; all that is printed follows from it.
struct Truth {
    clients: f64,
    operations: f64,
    run_time_s: f64,
    /// The share of reads.
    reads: f64,
    /// The mean latency of reads; updates take twice as long.
    read_us: f64,
    /// The share of their time that clients spend in operations.
    used: f64,
    /// How much longer the same work takes after a change.
    slower: f64,
    /// What repeats make of a value.
    spread: Vec<f64>,
}

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
            let truth = Truth {
                clients,
                operations,
                run_time_s,
                reads,
                // What a client spends in operations, shared out so that updates cost twice a read.
                read_us: clients * run_time_s * used * 1e6 / (operations * (reads + 2.0 * (1.0 - reads))),
                used,
                slower,
                spread,
            };
            truth.printed()
        })
}

impl Truth {
    fn throughput(&self) -> f64 {
        self.operations / self.run_time_s
    }

    /// The time of a run, and of the same with a better system.
    fn times(&self) -> [Figure; 2] {
        [self.run_time_s, self.run_time_s * self.used].map(Figure::exact)
    }

    fn printed(&self) -> Printed {
        Printed {
            lines: vec![self.line()],
            changes: vec![self.change()],
            repeats: vec![Repeats {
                place: "table 3, row 1".into(),
                what: "us".to_owned(),
                values: self.spread.iter().map(|spread| self.read_us * spread).collect(),
            }],
            rates: vec![self.rates()],
            better: vec![Better {
                place: "text".into(),
                times: self.times(),
                percent: Figure::printed(((1.0 - self.used) * 100.0).round(), 1.0),
            }],
            ratios: vec![Ratio {
                place: "text".into(),
                ratio: Figure::printed((10.0 / self.used).round() / 10.0, 0.1),
                of: self.times(),
            }],
            differences: vec![Difference {
                place: "text".into(),
                seconds: self.run_time_s / 2.0,
                resolution_s: 1.0,
            }],
            comparisons: vec![self.comparison()],
            trends: vec![self.trend()],
            claims: vec![Claim {
                place: "claim 2".into(),
                text: "reads are faster".to_owned(),
                against: Vec::new(),
                read_off: false,
            }],
            ranges: vec![self.range()],
            properties: vec![Properties {
                place: "table 4".into(),
                stated: 10,
                observed: 10,
            }],
            protocol: self.protocol(),
        }
    }

    fn line(&self) -> Line {
        let part = |kind: &str, share: f64, mean_latency_us: f64| Part {
            succeeded: Some((self.operations * share).into()),
            counts_successes: true,
            min_latency_us: Some((mean_latency_us / 4.0).into()),
            max_latency_us: Some((mean_latency_us * 40.0).into()),
            percentiles_us: vec![
                (50.0, (mean_latency_us * 0.9).into()),
                (99.0, (mean_latency_us * 5.0).into()),
                (
                    99.0,
                    Figure::printed((mean_latency_us * 5.0 / 100.0).round() / 10.0, 0.1) * 1e3,
                ),
            ],
            ..Part::new(kind, self.operations * share, mean_latency_us)
        };
        Line {
            table: "table 1".to_owned(),
            place: "table 1, row 1".into(),
            operations: Some(self.operations.into()),
            run_time_s: Some(self.run_time_s.into()),
            throughput: Some(self.throughput().into()),
            parts: vec![
                part("read", self.reads, self.read_us),
                part("update", 1.0 - self.reads, 2.0 * self.read_us),
            ],
            ..Line::default()
        }
    }

    fn change(&self) -> Change {
        let longer = 1.0 + self.slower;
        Change {
            table: "table 2".to_owned(),
            place: "table 2, A".into(),
            run_time_s: [self.run_time_s, self.run_time_s * longer].map(Figure::exact),
            throughput: [self.throughput(), self.throughput() / longer].map(Figure::exact),
            time_percent: (self.slower * 100.0).into(),
            throughput_percent: ((1.0 / longer - 1.0) * 100.0).into(),
            again_s: Some((self.run_time_s * (1.0 + self.slower / 4.0)).into()),
        }
    }

    fn rates(&self) -> Rates {
        let (reads, updates) = (self.reads, 1.0 - self.reads);
        let updated = self.throughput() * updates * self.spread[0];
        Rates {
            place: "figure 1".into(),
            kinds: vec![
                ("read".to_owned(), reads, self.throughput() * reads),
                ("update".to_owned(), updates, updated),
            ],
        }
    }

    fn comparison(&self) -> Comparison {
        let row = |times: u32| ComparisonRow {
            place: format!("table 5, row {}", times - 1).into(),
            printed: Figure::of_shortest_decimal(f64::from(times)),
            beside: vec![
                Some((self.run_time_s * f64::from(times)).into()),
                Some(self.run_time_s.into()),
            ],
            above: Vec::new(),
        };
        Comparison {
            table: "table 5".to_owned(),
            column: "ratio".to_owned(),
            percent: false,
            others: vec!["a_s".to_owned(), "b_s".to_owned()],
            rows: (2..6).map(row).collect(),
        }
    }

    fn trend(&self) -> Trend {
        let repeats = |value: f64| self.spread.iter().map(|spread| value * spread).collect();
        let point = |step: i32| {
            let place = f64::from(step);
            (place, repeats(place * 2.0_f64.powi(step)))
        };
        Trend {
            place: "claim 1".into(),
            upwards: true,
            points: (1..=4).map(point).collect(),
        }
    }

    fn range(&self) -> Range {
        let value = |spread: &f64| ("text".into(), self.read_us * spread);
        Range {
            place: "figure 2".into(),
            unit: "us".to_owned(),
            low: self.read_us * 0.75,
            high: self.read_us * 1.3,
            values: self.spread.iter().map(value).collect(),
        }
    }

    fn protocol(&self) -> Protocol {
        Protocol {
            clients: Some(Clients {
                number: self.clients,
                stated: true,
            }),
            runs: Some(RUNS),
            operations: vec![self.operations],
            records: vec![self.operations / 10.0],
            missing: Vec::new(),
            copies: vec![Copies {
                place: "cluster".into(),
                systems: vec![("a".to_owned(), 3.0), ("b".to_owned(), 3.0)],
                nodes: Some(4.0),
            }],
            memory: vec![Memory {
                place: "one host".into(),
                servers: 3.0,
                each_gb: 4.0,
                host_gb: 16.0,
            }],
            placements: vec![Placement {
                place: "cluster".into(),
                instances: 4.0,
                machines: 4.0,
            }],
            unreported: Vec::new(),
        }
    }
}

/// The same from one client, over sizes: its throughput says nothing beside its latency, which is told of it.
fn of_one_client() -> impl Strategy<Value = Printed> {
    (100.0..5000.0_f64, 0.98..0.999_f64).prop_map(|(latency_us, used)| {
        let line = |number: u32| {
            let operations = f64::from(number) * 1e7 / latency_us * 10.0;
            let run_time_s = operations * latency_us / 1e6 / used;
            Line {
                table: "table 1".to_owned(),
                place: format!("table 1, row {number}").into(),
                operations: Some(operations.into()),
                run_time_s: Some(run_time_s.into()),
                throughput: Some((operations / run_time_s).into()),
                parts: vec![Part::new("read", operations, latency_us)],
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

const PLANTS: [(&[Rule], Plant); 51] = [
    (&[Rule::OpsOverTime], |printed| {
        scale(&mut printed.lines[0].throughput, 1.6)
    }),
    (&[Rule::OpsOverTime], |printed| {
        scale(&mut printed.lines[0].throughput, 0.95)
    }),
    (&[Rule::HiddenVariance], |printed| {
        scale(&mut printed.lines[0].throughput, 1.04)
    }),
    (&[Rule::LittlesLaw], |printed| {
        printed.lines[0]
            .parts
            .iter_mut()
            .for_each(|part| slow_down(part, 3.0));
    }),
    (&[Rule::ThroughputVsTime], |printed| {
        let change = &mut printed.changes[0];
        change.throughput[1] = change.throughput[1] * 0.8;
        let [before, after] = change.throughput.map(Figure::value);
        change.throughput_percent = ((after / before - 1.0) * 100.0).into();
    }),
    (&[Rule::PercentageSemantics], |printed| {
        let percent = &mut printed.changes[0].throughput_percent;
        *percent = *percent + Figure::exact(0.5);
    }),
    (&[Rule::PercentageSemantics], |printed| {
        let percent = &mut printed.changes[0].time_percent;
        *percent = *percent + Figure::exact(0.2);
    }),
    (&[Rule::EffectBelowNoise], |printed| {
        let change = &mut printed.changes[0];
        change.again_s = Some(change.run_time_s[0] * 0.01);
    }),
    (&[Rule::InputAsResult], |printed| {
        let line = &mut printed.lines[0];
        let share = line.parts[0].count.unwrap().value() / line.operations.unwrap().value();
        line.mix = vec![("read".to_owned(), share), ("update".to_owned(), 1.0 - share)];
    }),
    (&[Rule::Outlier, Rule::MeanVsMedian], |printed| {
        printed.repeats[0].values = vec![100.0, 400.0, 110.0];
    }),
    (&[Rule::Outlier], |printed| {
        printed.repeats[0].values = vec![40.0, 100.0, 110.0, 105.0];
    }),
    (&[Rule::MeanVsMedian], |printed| {
        printed.repeats[0].values = vec![100.0, 101.0, 190.0];
    }),
    (&[Rule::Duration], |printed| {
        printed.protocol.operations = vec![1500.0];
        printed.protocol.records.clear();
    }),
    (&[Rule::Duration], |printed| printed.protocol.records = vec![1e12]),
    (&[Rule::OverCommit], |printed| {
        printed.protocol.memory[0].servers = 4.0
    }),
    (&[Rule::UnequalGuarantees], |printed| {
        printed.protocol.copies[0].systems[1].1 = 1.0
    }),
    (&[Rule::MissingProtocol], |printed| {
        printed.protocol.missing.push("threads".to_owned())
    }),
    // The protocol states four times as many clients as this line had.
    (&[Rule::LittlesLaw], |printed| {
        let clients = printed.protocol.clients.unwrap().number;
        printed.lines[0].clients = Some(clients);
        printed.protocol.clients.as_mut().unwrap().number = clients * 4.0;
        printed.protocol.operations.clear();
        fill(printed, 1.5);
    }),
    (&[Rule::ClientSaturation], |printed| {
        printed.lines[0].throttled = true;
        fill(printed, 0.95);
    }),
    (&[Rule::Units], |printed| fill(printed, 0.9 / 1000.0)),
    (&[Rule::Units], |printed| printed.rates[0].kinds[0].2 *= 3.0),
    (&[Rule::Trend], |printed| {
        printed.trends[0].points[3]
            .1
            .iter_mut()
            .for_each(|run| *run /= 8.0)
    }),
    (&[Rule::Trend], |printed| printed.trends[0].upwards = false),
    (&[Rule::ClaimVsTable], |printed| {
        printed.claims[0].against.push("2 < 1 does not hold".to_owned())
    }),
    (&[Rule::ValueVsRange], |printed| {
        printed.ranges[0].values[0].1 *= 2.0
    }),
    (&[Rule::NotProbed], |printed| printed.properties[0].observed = 0),
    (&[Rule::PercentageSemantics], |printed| {
        let better = &mut printed.better[0];
        better.times = [32.0, 18.0].map(Figure::of_shortest_decimal);
        better.percent = Figure::of_shortest_decimal(56.0);
    }),
    // Throughput x latency against clients, where neither a run time nor counts were printed.
    (&[Rule::LittlesLaw], |printed| {
        let clients = printed.protocol.clients.unwrap().number;
        let line = &mut printed.lines[0];
        line.all.mean_latency_us = Some((clients * 1.6e6 / line.throughput.unwrap().value()).into());
        (line.run_time_s, line.operations) = (None, None);
        line.parts.clear();
        printed.protocol.operations.clear();
    }),
    (&[Rule::ImpossibleValue], |printed| {
        printed.lines[0].run_time_s = Some((-3.0).into())
    }),
    (&[Rule::ImpossibleValue], |printed| {
        printed.lines[0].throughput = Some(0.0.into())
    }),
    (&[Rule::ImpossibleValue], |printed| {
        printed.lines[0].parts[0].min_latency_us = Some((-1.0).into());
    }),
    (&[Rule::Order], |printed| {
        let part = &mut printed.lines[0].parts[0];
        part.max_latency_us = part.mean_latency_us.map(|mean| mean * 0.9);
        part.percentiles_us.clear();
    }),
    (&[Rule::Order], |printed| {
        let part = &mut printed.lines[0].parts[0];
        part.min_latency_us = part.mean_latency_us.map(|mean| mean * 1.1);
        part.percentiles_us.clear();
    }),
    (&[Rule::Order], |printed| {
        printed.lines[0].parts[1].percentiles_us[0].1 = 1e9.into()
    }),
    (&[Rule::Counts], |printed| {
        let part = &mut printed.lines[0].parts[0];
        part.succeeded = part.count.map(|count| count * 0.9);
    }),
    // More operations of the kinds than in all; their latencies are half, so that the clients' time suffices.
    (&[Rule::Counts], |printed| {
        for part in &mut printed.lines[0].parts {
            part.count = part.count.map(|count| count * 2.0);
            part.succeeded = part.count;
            slow_down(part, 0.5);
        }
    }),
    (&[Rule::Counts], |printed| {
        for part in &mut printed.lines[0].parts {
            part.count = part.count.map(|count| count * 0.9);
            part.succeeded = part.count;
        }
    }),
    (&[Rule::Copied], |printed| {
        let mut copy = printed.lines[0].clone();
        copy.place = "table 1, row 2".into();
        printed.lines.push(copy);
    }),
    (&[Rule::RateExceeded], |printed| {
        let line = &mut printed.lines[0];
        line.rate = line.throughput.map(|throughput| throughput * 0.8);
    }),
    (&[Rule::ComparisonColumn], |printed| {
        printed.comparisons[0].rows[3].printed = Figure::of_shortest_decimal(9.0);
    }),
    (&[Rule::RatioVsTable], |printed| {
        let ratio = &mut printed.ratios[0].ratio;
        *ratio = *ratio + Figure::exact(0.3);
    }),
    (&[Rule::ClockResolution], |printed| {
        printed.differences[0].seconds = 1.0
    }),
    (&[Rule::Placement], |printed| {
        printed.protocol.placements[0].instances = 6.0
    }),
    (&[Rule::Placement], |printed| {
        printed.protocol.copies[0].nodes = Some(1.0)
    }),
    // Ten times the time for as many operations, and latencies as before.
    (&[Rule::LittlesLaw], |printed| {
        let line = &mut printed.lines[0];
        scale(&mut line.run_time_s, 10.0);
        scale(&mut line.throughput, 0.1);
    }),
    // The same where neither a run time nor counts were printed.
    (&[Rule::LittlesLaw], |printed| {
        let clients = printed.protocol.clients.unwrap().number;
        let line = &mut printed.lines[0];
        line.throughput = Some((clients * 10.0).into());
        line.all.mean_latency_us = Some(9_000.0.into());
        (line.run_time_s, line.operations) = (None, None);
        line.parts.clear();
        printed.protocol.operations.clear();
    }),
    (&[Rule::Counts], |printed| {
        let line = &mut printed.lines[0];
        line.all.succeeded = line.operations.map(|operations| operations * 1.1);
    }),
    (&[Rule::Order], |printed| {
        let line = &mut printed.lines[0];
        line.all.mean_latency_us = line.parts[1].mean_latency_us.map(|mean| mean * 1.2);
    }),
    (&[Rule::Order], |printed| {
        let line = &mut printed.lines[0];
        line.all.mean_latency_us = line.parts[0].mean_latency_us.map(|mean| mean * 0.8);
    }),
    // A p99 in microseconds and one in milliseconds, of another run.
    (&[Rule::Contradiction], |printed| {
        let percentiles = &mut printed.lines[0].parts[0].percentiles_us;
        percentiles.push((99.0, percentiles[1].1 * 1.5));
    }),
    (&[Rule::Unreported], |printed| {
        printed.protocol.unreported = vec!["E".to_owned()]
    }),
];

fn slow_down(part: &mut Part, factor: f64) {
    let slower = |value: Option<Figure>| value.map(|value| value * factor);
    part.mean_latency_us = slower(part.mean_latency_us);
    part.min_latency_us = slower(part.min_latency_us);
    part.max_latency_us = slower(part.max_latency_us);
    for (_, value) in &mut part.percentiles_us {
        *value = *value * factor;
    }
}

/// Makes the line's latencies such that its clients spend this share of the time in operations.
fn fill(printed: &mut Printed, share: f64) {
    let line = &mut printed.lines[0];
    let clients = line
        .clients
        .or(printed.protocol.clients.map(|clients| clients.number));
    let busy_us: f64 = line
        .parts
        .iter()
        .map(|part| part.count.unwrap().value() * part.mean_latency_us.unwrap().value())
        .sum();
    let wanted_us = clients.unwrap() * line.run_time_s.unwrap().value() * share * 1e6;
    line.parts
        .iter_mut()
        .for_each(|part| slow_down(part, wanted_us / busy_us));
}

fn scale(value: &mut Option<Figure>, by: f64) {
    *value = value.map(|value| value * by);
}

proptest! {
    #[test]
    fn consistent_results_give_no_finding(printed in consistent()) {
        prop_assert_eq!(check(&printed), []);
    }

    /// The mean of all operations, as many of which succeeded, and latencies of a run that failed at times.
    #[test]
    fn consistent_totals_give_no_finding(printed in consistent(), failed in 0.0..0.3_f64) {
        let mut printed = printed;
        let line = &mut printed.lines[0];
        let operations = line.operations.unwrap().value();
        let us = |part: &Part| part.count.unwrap().value() * part.mean_latency_us.unwrap().value();
        line.all.mean_latency_us = Some((line.parts.iter().map(us).sum::<f64>() / operations).into());
        line.all.succeeded = Some((operations * (1.0 - failed)).into());
        prop_assert_eq!(check(&printed), []);
    }

    #[test]
    fn each_planted_error_is_found_by_its_rule_alone(printed in consistent()) {
        for (number, (expected, plant)) in PLANTS.iter().enumerate() {
            let mut planted = printed.clone();
            plant(&mut planted);
            prop_assert_eq!(&rules(&planted), expected, "plant {}", number);
        }
    }

    #[test]
    fn one_client_is_reported_and_connecting_found(printed in of_one_client(), connecting_s in 5.0..20.0_f64) {
        prop_assert_eq!(rules(&printed), [Rule::SingleThreadTautology]);
        // Equally many operations, some of them on a bad day: what each costs outside is the same, and nothing is connecting.
        let mut equal = printed.clone();
        for (place, line) in equal.lines.iter_mut().enumerate() {
            let (operations, mean_us) = (1_000.0, 200.0 * (place + 1) as f64);
            line.operations = Some(operations.into());
            line.parts[0] = Part::new("read", operations, mean_us);
            let run_time_s = operations * mean_us / 1e6 + 0.005;
            line.run_time_s = Some(run_time_s.into());
            line.throughput = Some((operations / run_time_s).into());
        }
        prop_assert!(!rules(&equal).contains(&Rule::StartupInRuntime));
        let mut planted = printed;
        for line in &mut planted.lines {
            let operations = line.operations.unwrap().value();
            let run_time_s = operations * line.parts[0].mean_latency_us.unwrap().value() / 1e6 + connecting_s;
            line.run_time_s = Some(run_time_s.into());
            line.throughput = Some((operations / run_time_s).into());
        }
        prop_assert_eq!(rules(&planted), [Rule::StartupInRuntime, Rule::SingleThreadTautology]);
    }
}
