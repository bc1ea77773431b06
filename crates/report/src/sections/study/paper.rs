//! What a study that measures a paper again says about the paper.

use dbdyno_analysis::cells::slug;
use dbdyno_chart::Plot;
use dbdyno_chart::sizes::{Line, Point, sizes};
use dbdyno_document::{
    Block, Column, Explanation, Figure, Media, Row, Section, Table, TableCell, Text, Tone, named,
};
use dbdyno_paper::ClaimVerdict;

use super::plots;
use crate::model::{ClaimRow, Interval, PaperReport, ReportModel, Side, SidePoint};
use crate::number;
use crate::sections::marked::marked;

/// The section; nothing when the study measures no paper.
pub fn section(model: &ReportModel) -> Option<Section> {
    let paper = model.paper.as_ref()?;
    let scale = if paper.scale == 1.0 {
        String::new()
    } else {
        format!(" at {} of its sizes", number::share(paper.scale))
    };
    let about = Text::from(format!("{} ({}), part ", paper.title, paper.citation))
        .emphasis(&paper.part)
        .plain(format!(", measured again{scale}."));
    let notes = Block::bullets(paper.notes.iter().map(|note| marked(note)));
    let mut claims = vec![Block::Table(claims(paper))];
    claims.extend(paper.closed_loop_note().map(Block::note));
    claims.extend(paper.usual_speed_note().map(Block::note));
    let mut body = vec![
        Block::paragraph(about),
        Block::Details("What was assumed, replaced and changed".into(), vec![notes]),
        Section::new("", "Claims", claims).into(),
    ];
    let sides = paper.sides.iter().map(|side| side_by_side(model, side).into());
    body.push(Block::Only(Media::PAGE, sides.collect()));
    Some(Section::new("paper", "The paper and now", body))
}

fn claims(paper: &PaperReport) -> Table {
    let columns = vec![
        Column::header("claim"),
        Column::words("on its own numbers"),
        Column::words("on ours"),
        Column::words("the paper's words").long(),
    ];
    let row = |claim: &ClaimRow| {
        Row::new([
            TableCell::new(claim.name()),
            judged(claim.printed, &claim.printed_evidence),
            judged(claim.measured, &claim.measured_evidence),
            TableCell::new(&claim.text),
        ])
    };
    Table::new(
        format!("Claims of {}", paper.id),
        columns,
        paper.claims.iter().map(row).collect(),
    )
}

fn judged(verdict: ClaimVerdict, evidence: &[String]) -> TableCell {
    let tone = match verdict {
        ClaimVerdict::Holds => Tone::Good,
        ClaimVerdict::Fails => Tone::Bad,
        ClaimVerdict::Undecided => Tone::Faint,
        _ => Tone::Plain,
    };
    TableCell {
        explanation: Some(Explanation::Folded(evidence.iter().map(Text::from).collect())),
        ..TableCell::new(verdict.to_string()).toned(tone)
    }
}

fn side_by_side(model: &ReportModel, side: &Side) -> Section {
    let printed = figure(model, side, ("printed", "Printed"), &|point| {
        (point.printed, None)
    });
    let measured = figure(model, side, ("measured", "Measured now"), &|point| {
        (point.measured, point.interval.map(Interval::ends))
    });
    let title = format!("Workload {}: {}", side.workload, side.quantity.words());
    let body = vec![
        Block::Figures([printed, measured].into_iter().flatten().collect()),
        Block::Details("Numbers".into(), vec![Block::Table(numbers(side))]),
    ];
    Section::new("", title, body)
}

/// A value with both ends of its interval.
type Shown = (Option<f64>, Option<(f64, f64)>);

fn figure(
    model: &ReportModel,
    side: &Side,
    (name, title): (&str, &str),
    shown: &dyn Fn(&SidePoint) -> Shown,
) -> Option<Figure> {
    let color = |name: &str| {
        let system = model.systems.iter().find(|system| system.name == name);
        system.map_or(0, |system| system.color)
    };
    let point = |point: &SidePoint| {
        let (value, interval) = shown(point);
        Some(Point {
            size: point.size as f64,
            value: value?,
            at_least: false,
            interval,
        })
    };
    let lines: Vec<Line<'_>> = side
        .systems
        .iter()
        .map(|system| Line {
            name: &system.name,
            color: color(&system.name),
            points: system.points.iter().filter_map(point).collect(),
        })
        .filter(|line| !line.points.is_empty())
        .collect();
    let column = side.quantity.column();
    let plot = Plot {
        name: &slug(&format!("{} {column} {name}", side.workload)),
        title: &format!(
            "{title}: {}, by {} of the paper",
            side.quantity.words(),
            side.size
        ),
        value: &column,
        format: &|value| side.quantity.format(value),
    };
    sizes(&lines, &plot, &side.size).map(plots::figure)
}

/// A row for each size: what was printed and measured of every system, and how many times the second the first is.
fn numbers(side: &Side) -> Table {
    let pair = match side.systems.as_slice() {
        [first, second, ..] => Some(format!("{} against {}", first.name, second.name)),
        _ => None,
    };
    let subjects = side.systems.iter().map(|system| named(&system.name));
    let subjects: Vec<Text> = subjects.chain(pair.as_deref().map(Text::from)).collect();
    let mut columns = vec![Column::header(format!("{} of the paper", side.size))];
    columns.extend(
        subjects
            .iter()
            .flat_map(|_| [Column::numbers("printed"), Column::numbers("now")]),
    );
    let spans = std::iter::once((Text::new(), 1)).chain(subjects.into_iter().map(|subject| (subject, 2)));
    let value =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| side.quantity.format(value));
    let row = |size: u64| {
        let mut cells = vec![TableCell::new(number::count(size))];
        for system in &side.systems {
            let point = system.points.iter().find(|point| point.size == size);
            let interval = point.and_then(|point| point.interval);
            let interval = interval.map(|interval| {
                let (low, high) = (
                    side.quantity.format(interval.low),
                    side.quantity.format(interval.high),
                );
                format!("{low} to {high}")
            });
            cells.push(TableCell::new(value(point.and_then(|point| point.printed))));
            let measured = TableCell::new(value(point.and_then(|point| point.measured)));
            cells.push(measured.detail(interval.unwrap_or_default()));
        }
        if pair.is_some() {
            let times = |ratio: f64| number::times(ratio, None, side.quantity.reading());
            let ratios = side
                .ratios(size)
                .map(|ratio| TableCell::new(ratio.map_or_else(|| "–".to_owned(), times)));
            cells.extend(ratios);
        }
        Row::new(cells)
    };
    Table {
        spans: spans.collect(),
        ..Table::new("Numbers", columns, side.sizes().into_iter().map(row).collect())
    }
}
