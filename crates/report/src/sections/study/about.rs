//! What surrounds the numbers: systems, the machine, the method, the study file.

use std::collections::BTreeSet;

use dbdyno_document::{Block, Column, Media, Row, Section, Table, TableCell, Text, named};
use dbdyno_stats::BAND;
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use crate::model::{MARGIN, ReportModel, System};
use crate::number;
use crate::readable::readable;

/// The one definition of p99 on a page; figures and tables that show another one say so.
const P99: &str = "p99 is the latency that 99% of the operations of the measured phase did not exceed: of all kinds of operations together, \
                   unless one is named. dbdyno times them at the client, with its own clock. Operations that failed or had no answer \
                   rank behind all others; reads that did not find their record are in no percentile. A p99 is the median of the \
                   trials' values, unless it is called merged; over time, it is that of the successful operations of each interval.";

/// The sections after the workloads. A terminal has no room for them.
pub fn sections(model: &ReportModel) -> Vec<Section> {
    let mut sections = vec![systems(model), environment(model), method()];
    if !model.study_text.is_empty() {
        let code = Block::Code("toml", without_comments(&model.study_text));
        let details = Block::Details("The study as it was run".into(), vec![code]);
        sections.push(Section::new(
            "study",
            "Study file",
            vec![Block::Only(Media::PAGE, vec![details])],
        ));
    }
    sections
}

/// A study file without its comments: they are notes of its author to himself, and can hold anything.
fn without_comments(text: &str) -> String {
    let comments = Source::new(text)
        .lex()
        .filter(|token| token.kind() == TokenKind::Comment);
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for comment in comments {
        let span = comment.span();
        kept.push_str(text[from..span.start()].trim_end_matches([' ', '\t']));
        from = span.end();
        // A line of nothing else goes with it.
        if kept.is_empty() || kept.ends_with('\n') {
            let rest = &text[from..];
            from += rest
                .find('\n')
                .filter(|&end| rest[..end].trim().is_empty())
                .map_or(0, |end| end + 1);
        }
    }
    kept.push_str(&text[from..]);
    kept
}

/// How large the study is, in a line.
pub fn extent(model: &ReportModel) -> String {
    let systems = model
        .systems
        .iter()
        .filter(|system| system.twin_of.is_none())
        .count();
    let cells = match &model.rising_load {
        Some(rising_load) => number::plural(rising_load.cells.len(), "workload", "workloads"),
        None if model.cells.iter().all(|cell| cell.factors.is_empty()) => {
            number::plural(model.cells.len(), "workload", "workloads")
        }
        None => number::plural(model.cells.len(), "test", "tests"),
    };
    let progress = &model.progress;
    let trials = if progress.is_complete() {
        number::plural(progress.completed, "completed trial", "completed trials")
    } else {
        format!("{} of {} trials completed", progress.completed, progress.planned)
    };
    let mut parts = vec![number::plural(systems, "system", "systems"), cells, trials];
    parts.extend(model.started_at.get(..10).map(|day| format!("begun {day}")));
    parts.join(" · ")
}

/// A row of the table of systems: its label, and where the text comes from.
type Fact = (&'static str, fn(&System) -> &str);

fn systems(model: &ReportModel) -> Section {
    let facts: [Fact; 10] = [
        ("product", |system| &system.product),
        ("driver", |system| &system.driver),
        ("topology", |system| &system.topology),
        ("durability", |system| system.durability.name()),
        ("provided by", |system| &system.durability_means),
        ("consistency", |system| system.consistency.name()),
        ("provided by", |system| &system.consistency_means),
        ("encryption at rest", |system| &system.at_rest),
        ("limits", |system| &system.limits),
        ("scan order", |system| system.scan_order.name()),
    ];
    let systems = &model.systems;
    let settings: BTreeSet<&String> = systems.iter().flat_map(|system| system.settings.keys()).collect();
    let known = facts
        .into_iter()
        .filter(|(_, fact)| systems.iter().any(|system| !fact(system).is_empty()));
    let row = |label: &str, values: Vec<String>| {
        let value = |value: String| TableCell::new(if value.is_empty() { "–".to_owned() } else { value });
        Row::new(std::iter::once(TableCell::new(label)).chain(values.into_iter().map(value)))
    };
    let facts = known.map(|(label, fact)| {
        row(
            label,
            systems.iter().map(|system| fact(system).to_owned()).collect(),
        )
    });
    let settings = settings.into_iter().map(|key| {
        let values = systems.iter().map(|system| system.settings.get(key));
        row(
            key,
            values
                .map(|values| values.map_or_else(String::new, |values| readable(&values.join(" or "))))
                .collect(),
        )
    });
    let columns = std::iter::once(Column::header(""))
        .chain(systems.iter().map(|system| Column::words(named(&system.name))))
        .collect();
    let table = Table::new(
        "Settings of the systems",
        columns,
        facts.chain(settings).collect(),
    )
    .remark("As read back from the live systems.");
    outside_terminals("systems", "Systems", vec![Block::Table(table)])
}

fn environment(model: &ReportModel) -> Section {
    let known = model.environment.iter();
    let mut facts: Vec<(Text, Text)> = known.map(|(label, value)| (label.into(), value.into())).collect();
    if let Some(floor) = &model.floor {
        let floor = format!("{}; no result can be better", floor.sentence());
        facts.push(("the tool's own floor".into(), floor.into()));
    }
    let body = if facts.is_empty() {
        Block::note("Nothing was recorded.")
    } else {
        Block::Facts(facts)
    };
    outside_terminals("environment", "Environment", vec![body])
}

fn method() -> Section {
    let verdicts = Text::from("A verdict compares trials, not operations. The ratio has a 95% interval. ")
        .strong("Faster")
        .plain(" and ")
        .strong("slower")
        .plain(format!(
            " mean that it excludes 1 and that the ratio lies beyond the margin of {}; ",
            number::share(MARGIN)
        ))
        .strong("equivalent")
        .plain(" that the whole interval lies within; ")
        .strong("bounded")
        .plain(format!(
            " that it lies within {}, so that neither is much faster than the other; ",
            number::share(BAND)
        ))
        .strong("undecided")
        .plain(" is everything else.");
    let items = [
        "Throughput counts successful operations only. Missing records and failures are counted separately.".into(),
        verdicts,
        "Bars and strong marks are medians over trials, whiskers their 95% intervals (from six trials on), dots the trials. A hollow dot \
         stands out from its siblings; it is never dropped."
            .into(),
        "Percentiles come from histograms merged over trials; they are never averaged. One is shown only when at least ten operations lie \
         beyond it."
            .into(),
        P99.into(),
        "With a rate, latency is response time: it counts from the operation's intended start, so a stall shows in \
         full (coordinated omission is avoided, not corrected afterwards). At full speed it is service time at the system's own \
         throughput, and latencies at different throughputs are not the same work."
            .into(),
        "Systems with different durability, consistency, scan order or seeds are not ranked against each other.".into(),
    ];
    let body = Block::bullets::<Text>(items);
    Section::new(
        "method",
        "How to read this",
        vec![Block::Only(Media::PAGE, vec![body])],
    )
}

fn outside_terminals(id: &str, title: &str, body: Vec<Block>) -> Section {
    Section::new(id, title, vec![Block::Only(Media::PAGE | Media::MARKDOWN, body)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_no_comment_of_a_study_file() {
        let text = "#:schema x\n# password: hunter2\nname = \"a # b\"  # hunter2\n\n  # hunter2\r\nnote = \"\"\"\n# kept\n\"\"\" # x\n# end";
        assert_eq!(
            without_comments(text),
            "name = \"a # b\"\n\nnote = \"\"\"\n# kept\n\"\"\"\n"
        );
        assert_eq!(without_comments("trials = 3\n"), "trials = 3\n");
    }
}
