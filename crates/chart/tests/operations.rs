//! Figures of operations and of single trials: what is planted is seen, and everything stays inside the frame.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use dbdyno_chart::heat::{Column, Heat, heat};
use dbdyno_chart::histogram::{Mark, Operations, histogram};
use dbdyno_chart::run_order::{Trial, run_order};
use dbdyno_chart::{Figure, Plot, WIDTH};

fn nanoseconds(value: f64) -> String {
    format!("{value:.0} ns")
}

fn plot<'a>() -> Plot<'a> {
    Plot {
        name: "latency",
        title: "Latency",
        value: "latency_ns",
        format: &nanoseconds,
    }
}

/// The rows of a figure's table whose mark is this, each split at its commas.
fn rows(figure: &Figure, mark: &str) -> Vec<Vec<String>> {
    let csv = figure.data.csv();
    let fields = csv
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    fields
        .filter(|fields| fields.iter().take(2).any(|field| field == mark))
        .collect()
}

/// The paths of a class.
fn paths<'a>(figure: &'a Figure, class: &str) -> Vec<&'a str> {
    let drawn = figure.content.0.split("<path class=\"").skip(1);
    drawn
        .filter_map(|path| path.strip_prefix(class)?.strip_prefix("\" d=\""))
        .filter_map(|path| path.split('"').next())
        .collect()
}

/// Whether a path of absolute steps is inside of the figure.
fn is_inside(figure: &Figure, path: &str) -> bool {
    let commands = path.split_inclusive(|letter: char| letter.is_ascii_alphabetic());
    let mut letter = 'M';
    let mut inside = true;
    for command in commands {
        let numbers = command.trim_end_matches(|end: char| end.is_ascii_alphabetic());
        let numbers: Vec<f64> = numbers
            .split_whitespace()
            .map(|number| number.parse().unwrap())
            .collect();
        inside &= match (letter, numbers.as_slice()) {
            ('H', [x]) => (0.0..=WIDTH).contains(x),
            ('V', [y]) => (0.0..=figure.height).contains(y),
            (_, [x, y]) => (0.0..=WIDTH).contains(x) && (0.0..=figure.height).contains(y),
            (_, []) => true,
            _ => false,
        };
        letter = command.chars().next_back().unwrap();
    }
    inside
}

fn of<'a>(counts: &'a [(f64, u64)], marks: &'a [Mark]) -> Operations<'a> {
    Operations {
        name: "<redb>",
        color: 4,
        counts,
        marks,
    }
}

#[test]
fn a_histogram_of_two_kinds_of_answers_has_two_peaks() {
    let fast = (0..20_u32).map(|step| (1_000.0 + 20.0 * f64::from(step), u64::from(20 - step)));
    let slow = (0..20_u32).map(|step| (900_000.0 + 10_000.0 * f64::from(step), 5));
    let counts: Vec<(f64, u64)> = fast.chain(slow).collect();
    let marks = [Mark {
        name: "p99".to_owned(),
        value: 1e30,
        text: ">= 10 s".to_owned(),
    }];
    let figure = histogram(&of(&counts, &marks), &plot()).unwrap();
    let filled: Vec<u64> = rows(&figure, "count")
        .iter()
        .map(|row| row[4].parse().unwrap())
        .collect();
    let peaks = filled.split(|count| *count == 0).filter(|peak| !peak.is_empty());
    assert_eq!(peaks.count(), 2, "{filled:?}");
    assert_eq!(filled.iter().sum::<u64>(), 210 + 100);
    let outline = paths(&figure, "line");
    assert_eq!(outline.len(), 1);
    assert!(is_inside(&figure, outline[0]), "{outline:?}");
    // A mark beyond the axis stands at its end.
    assert!(
        figure.content.0.contains("p99 &gt;= 10 s"),
        "{}",
        figure.content.0
    );
    assert!(figure.description.contains("310 operations of <redb>"));
    assert!(!figure.content.0.contains("<redb>"));
}

#[test]
fn a_histogram_needs_an_operation_and_holds_the_largest_values() {
    assert!(histogram(&of(&[], &[]), &plot()).is_none());
    assert!(histogram(&of(&[(5.0, 0)], &[]), &plot()).is_none());
    for counts in [
        vec![(7.0, 1)],
        vec![(0.0, 1), (u64::MAX as f64, u64::MAX)],
        vec![(1e3, u64::MAX), (2e3, u64::MAX)],
    ] {
        let figure = histogram(&of(&counts, &[]), &plot()).unwrap();
        assert!(is_inside(&figure, paths(&figure, "line")[0]), "{counts:?}");
        assert!(!figure.content.0.contains("NaN") && !figure.content.0.contains("inf"));
    }
}

fn column(second: u32, counts: &[(f64, u64)]) -> Column {
    Column {
        from_s: f64::from(second),
        to_s: f64::from(second + 1),
        counts: counts.to_vec(),
        line: counts.last().map_or(0.0, |(value, _)| *value),
    }
}

fn over_time(columns: Vec<Column>) -> Option<Figure> {
    let shown = Heat {
        name: "redb",
        color: 4,
        line: "p99",
        begin_s: 0.0,
        columns,
    };
    heat(&shown, &plot())
}

#[test]
fn a_stall_of_a_few_operations_is_a_field_of_its_own() {
    let columns = (0..10).map(|second| {
        let stall = if second == 6 { &[(5e8, 3)][..] } else { &[] };
        column(second, &[&[(1e6, 9_000), (2e6, 900)][..], stall].concat())
    });
    let figure = over_time(columns.collect()).unwrap();
    let slow: Vec<Vec<String>> = rows(&figure, "count")
        .into_iter()
        .filter(|row| row[4].parse::<f64>().unwrap() > 1e8)
        .collect();
    assert_eq!(slow.len(), 1);
    assert_eq!((slow[0][2].as_str(), slow[0][6].as_str()), ("6", "3"));
    assert_eq!(rows(&figure, "p99").len(), 10);
    // Three of ten thousand have the second shade, and stand alone in it; ten equal seconds are one field.
    assert_eq!(paths(&figure, "heat heat1")[0].matches('M').count(), 1);
    let strongest = paths(&figure, "heat heat4");
    assert_eq!(strongest[0].matches('M').count(), 1, "{strongest:?}");
    for path in ["heat heat1", "heat heat3", "heat heat4", "over", "halo"] {
        assert!(is_inside(&figure, paths(&figure, path)[0]), "{path}");
    }
}

#[test]
fn a_heat_map_needs_two_stretches_with_operations() {
    assert!(over_time(Vec::new()).is_none());
    assert!(over_time(vec![column(0, &[(1e6, 5)])]).is_none());
    assert!(over_time(vec![column(0, &[(1e6, 5)]), column(1, &[(1e6, 0)])]).is_none());
    let far = [(0.0, 1), (u64::MAX as f64, u64::MAX)];
    let figure = over_time(vec![column(0, &far), column(1, &far)]).unwrap();
    assert!(is_inside(&figure, paths(&figure, "over")[0]));
    assert!(!figure.content.0.contains("NaN"), "{}", figure.content.0);
}

fn trial<'a>(place: usize, relative: f64) -> Trial<'a> {
    Trial {
        name: "t",
        system: "redb",
        cell: "Workload <a>",
        place,
        value: relative * 1_000.0,
        relative,
        doubt: None,
        outlier: None,
    }
}

fn ordered(trials: &[Trial<'_>], pooled: bool) -> Figure {
    run_order(trials, &[("fjall", 6), ("redb", 4)], &plot(), 0.05, pooled).unwrap()
}

fn count(figure: &Figure, shape: &str) -> usize {
    figure.content.0.matches(&format!("class=\"{shape}\"")).count()
}

#[test]
fn what_stands_out_and_what_is_in_doubt_have_shapes_of_their_own() {
    let mut trials: Vec<Trial<'_>> = (1..=20).map(|place| trial(place, 1.0)).collect();
    trials[3].outlier = Some("far from its siblings");
    trials[7].doubt = Some("disturbed (host-steal)");
    trials[8].relative = 40.0;
    trials[9].relative = 0.0;
    let figure = ordered(&trials, false);
    assert_eq!((count(&figure, "dot outlier"), count(&figure, "cross")), (1, 1));
    assert_eq!(figure.content.0.matches("<circle").count(), 17);
    // The two beyond the axis are triangles.
    assert_eq!(paths(&figure, "dot").len(), 2);
    assert!(figure.content.0.contains("disturbed (host-steal)"));
    assert!(figure.content.0.contains("● redb") && !figure.content.0.contains("● fjall"));
    assert!(!figure.content.0.contains("<a>") && !figure.content.0.contains("NaN"));
    assert_eq!(rows(&figure, "trial").len(), 20);
    let pooled = ordered(&trials, true);
    assert_eq!(paths(&pooled, "dots")[0].matches('M').count(), 16);
    assert_eq!(pooled.content.0.matches("<circle").count(), 1, "the outlier");
    assert!(run_order(&[], &[], &plot(), 0.05, false).is_none());
    let unknown = trial(1, f64::NAN);
    assert!(run_order(&[unknown], &[], &plot(), 0.05, false).is_none());
}

#[test]
fn a_drift_is_a_line_of_medians_over_sound_trials() {
    let mut trials: Vec<Trial<'_>> = (1..=48)
        .map(|place| trial(place, if place <= 24 { 1.04 } else { 0.96 }))
        .collect();
    trials[0].relative = 0.1;
    trials[1].relative = 9.0;
    trials[1].doubt = Some("invalid (few-samples)");
    let figure = ordered(&trials, false);
    let medians: Vec<f64> = rows(&figure, "median")
        .iter()
        .map(|row| row[6].parse().unwrap())
        .collect();
    assert!(medians.len() >= 5, "{medians:?}");
    assert_eq!((medians[0], medians[medians.len() - 1]), (1.04, 0.96));
    assert!(is_inside(&figure, paths(&figure, "over")[0]));
    assert!(rows(&ordered(&trials[..20], false), "median").is_empty());
    // No level is of a few trials that are left over.
    let steady: Vec<Trial<'_>> = (1..=65).map(|place| trial(place, 1.0)).collect();
    let begins: Vec<f64> = rows(&ordered(&steady, true), "median")
        .iter()
        .map(|row| row[1].parse().unwrap())
        .chain([65.5])
        .collect();
    assert_eq!(begins.len(), 9);
    assert!(
        begins.windows(2).all(|pair| pair[1] - pair[0] >= 8.0),
        "{begins:?}"
    );
}
