//! What a study that measures a paper again says about the paper.

use dbdyno_document::{Block, Column, Media, Row, Section, Table, TableCell, Text};

use crate::model::{ClaimRow, PaperReport, ReportModel, Side};
use crate::number;
use crate::sections::marked::marked;
use crate::sections::printed_and_now::{Source, judged, numbers, over_sizes};

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

fn side_by_side(model: &ReportModel, side: &Side) -> Section {
    let color = |name: &str| {
        let system = model.systems.iter().find(|system| system.name == name);
        system.map_or(0, |system| system.color)
    };
    let by = format!("{}, by {} of the paper", side.quantity.words(), side.size);
    let [printed, measured] = [
        (Source::Printed, format!("Printed: {by}")),
        (Source::Measured, format!("Measured now: {by}")),
    ]
    .map(|(source, title)| over_sizes(side, source, &title, &color));
    let title = format!("Workload {}: {}", side.workload, side.quantity.words());
    let body = vec![
        Block::Figures([printed, measured].into_iter().flatten().collect()),
        Block::Details("Numbers".into(), vec![Block::Table(numbers(side))]),
    ];
    Section::new("", title, body)
}
