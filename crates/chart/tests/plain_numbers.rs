//! Figures from plain numbers: what is drawn, what is left out, and the table that goes with it.

use dbdyno_chart::{Plot, curve, ratio, rising_load, strip, timeline};
use dbdyno_vocabulary::number::Quantity;

fn milliseconds(value: f64) -> String {
    format!("{value} ms")
}

fn plot<'a>() -> Plot<'a> {
    Plot {
        name: "latency",
        title: "Latency",
        value: "latency_ms",
        format: &milliseconds,
    }
}

fn row<'a>(values: &[f64], outlier: Option<&'a str>) -> strip::Row<'a> {
    let values = values.iter().map(|&value| strip::Value {
        trial: "t",
        block: 1,
        value,
        outlier,
    });
    strip::Row {
        name: "<b>",
        color: 0,
        median: 2.0,
        median_text: ">= 2 ms".to_owned(),
        counted: "2 trials".to_owned(),
        interval: Some((1.0, 3.0)),
        values: values.collect(),
    }
}

#[test]
fn a_strip_keeps_its_outliers_when_trials_are_pooled() {
    let drawn = |outlier, pooled| {
        let figure = strip::strip(&[row(&[1.0, 3.0], outlier)], &plot(), pooled).expect("a row");
        figure.content.0.matches("<circle").count()
    };
    assert_eq!(drawn(None, false), 2);
    assert_eq!(drawn(None, true), 0);
    assert_eq!(drawn(Some("far off"), true), 2);
    assert!(strip::strip(&[], &plot(), false).is_none());
}

#[test]
fn names_are_escaped_and_the_table_has_every_mark() {
    let figure = strip::strip(&[row(&[1.0, 3.0], None)], &plot(), false).expect("a row");
    assert!(!figure.content.0.contains("<b>"));
    assert!(figure.description.contains(">= 2 ms"));
    let csv = figure.data.csv();
    assert!(csv.starts_with("system,mark,trial,block,latency_ms,stands_out\n"));
    assert!(csv.contains("<b>,interval_high,,,3,\n"), "{csv}");
}

#[test]
fn an_axis_of_far_values_says_that_it_is_logarithmic() {
    let title = |values: &[f64]| {
        let figure = strip::strip(&[row(values, None)], &plot(), false);
        figure.expect("a row").title
    };
    assert_eq!(title(&[1.0, 3.0]), "Latency");
    assert_eq!(title(&[1.0, 3_000.0]), "Latency, logarithmic axis");
}

#[test]
fn a_drawing_carries_the_other_axis_where_both_show_its_values() {
    let drawn = |values: &[f64]| {
        let figure = strip::strip(&[row(values, None)], &plot(), false);
        figure.expect("a row").content.0
    };
    assert!(drawn(&[1.0, 3.0]).contains("data-axis=\"x linear 0.00000e0 3.12000e0 8 304 "));
    assert!(drawn(&[1.0, 3_000.0]).contains("data-axis=\"x logarithmic "));
    assert!(drawn(&[1.0, 3_000.0]).contains("|1.00000e3 1000 ms|"));
    // Nothing is at zero on a logarithmic axis.
    assert!(!drawn(&[0.0, 3.0]).contains("data-axis"));
    assert!(!drawn(&[1.0, f64::NAN]).contains("data-axis"));
}

#[test]
fn marks_say_whose_they_are() {
    let figure = strip::strip(&[row(&[1.0, 3.0], None)], &plot(), false).expect("a row");
    assert!(figure.content.0.contains("data-series=\"&lt;b&gt;\""));
}

#[test]
fn many_lines_have_a_legend_instead_of_names_over_each_other() {
    let names: Vec<String> = (0..25)
        .map(|index| format!("postgres-with-a-name-of-forty-letters-{index:02}"))
        .collect();
    let drawn = |count: usize| {
        let names = names.iter().map(String::as_str).take(count);
        let lines: Vec<curve::Line<'_>> = names
            .enumerate()
            .map(|(color, name)| curve::Line {
                name,
                color,
                points: [50.0, 99.0]
                    .map(|percentile| curve::Point {
                        percentile,
                        value: 2.0 + color as f64,
                    })
                    .to_vec(),
                trials: Vec::new(),
            })
            .collect();
        curve::curve(&lines, &plot(), false).expect("lines")
    };
    let (few, many) = (drawn(13), drawn(25));
    assert_eq!(few.content.0.matches("class=\"label ").count(), 13);
    assert_eq!(many.content.0.matches("class=\"label ").count(), 0);
    assert_eq!(many.content.0.matches("<tspan ").count(), 25);
    assert!(many.height > few.height + 24.0 * 15.0);
    let heights = |figure: &dbdyno_chart::Figure| -> Vec<f64> {
        let texts = figure.content.0.split(" y=\"").skip(1);
        texts
            .map(|rest| {
                rest.split('"')
                    .next()
                    .unwrap_or_default()
                    .parse()
                    .expect("a number")
            })
            .collect()
    };
    for figure in [few, many] {
        assert!(heights(&figure).iter().all(|y| (0.0..=figure.height).contains(y)));
    }
}

#[test]
fn ratios_leave_out_rows_and_names_without_a_point() {
    let point = ratio::Point {
        system: "a",
        color: 0,
        ratio: 2.0,
        interval: Some((1.5, 2.5)),
        verdict: "faster",
        undecided: false,
    };
    let rows = [
        ratio::Row {
            title: "first",
            points: vec![point],
        },
        ratio::Row {
            title: "second",
            points: Vec::new(),
        },
    ];
    let ratios = ratio::Ratios {
        name: "throughput-ratio",
        title: "Throughput",
        value: "throughput_ratio",
        reference: "c",
        quantity: Quantity::Speed,
        margin: 0.05,
        systems: &[("a", 0), ("b", 1)],
    };
    let figure = ratio::ratio(&rows, &ratios).expect("a point");
    assert!(figure.content.0.contains("● a") && !figure.content.0.contains("● b"));
    assert!(!figure.content.0.contains("second"));
    assert!(figure.data.csv().ends_with("first,a,c,2,1.5,2.5,faster\n"));
    assert!(ratio::ratio(&rows[1..], &ratios).is_none());
}

#[test]
fn a_step_that_most_trials_missed_is_hollow_and_one_without_latency_is_left_out() {
    let step = |latency, sustained| rising_load::Step {
        rate: Some(1_000.0),
        clients: 4,
        throughput: 900.0,
        latency,
        interval: None,
        at_least: false,
        trials: 4,
        sustained,
        text: "shown".to_owned(),
    };
    let line = rising_load::Line {
        name: "a",
        color: 0,
        sentence: "a knee",
        marked: None,
        steps: vec![step(2.0, 3), step(4.0, 2), step(0.0, 4)],
    };
    let figure = rising_load::rising_load(&[line], &plot(), Some(3.0)).expect("steps");
    assert_eq!(figure.content.0.matches("class=\"dot\"").count(), 1);
    assert_eq!(figure.content.0.matches("class=\"dot outlier\"").count(), 1);
    assert!(figure.content.0.contains("objective 3 ms"));
    assert_eq!(figure.data.csv().lines().count(), 3);
}

#[test]
fn a_single_point_makes_no_line_over_time_and_no_values_make_no_curve() {
    let trial = |points: &[f64]| timeline::Trial {
        name: "t",
        points: points
            .iter()
            .map(|&at_s| timeline::Point {
                at_s,
                value: Some(1.0),
            })
            .collect(),
        changes_s: &[],
    };
    let system = |points: &[f64]| timeline::System {
        name: "a",
        color: 0,
        trials: vec![trial(points)],
    };
    assert!(timeline::timeline(&[system(&[0.0])], &plot(), false).is_none());
    let figure = timeline::timeline(&[system(&[-1.0, 0.0, 1.0])], &plot(), false);
    assert!(figure.expect("a line").content.0.contains("warm-up"));
    let empty = curve::Line {
        name: "a",
        color: 0,
        points: Vec::new(),
        trials: Vec::new(),
    };
    assert!(curve::curve(&[empty], &plot(), true).is_none());
}
