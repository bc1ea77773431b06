//! The report as Markdown, for an issue, a README or a pull request.

use dbdyno_vocabulary::visible;

use crate::model::{
    Cell, CellSystem, CurvePoint, EFFECT_HEADER, Metric, OperationSummary, ReportModel, Summary,
};
use crate::number;

/// The whole report as Markdown with tables (GitHub's dialect).
#[must_use]
pub fn markdown(model: &ReportModel) -> String {
    let mut text = format!("# {}\n", escape(&model.study));
    for sentence in &model.summary {
        text.push_str(&format!("\n**{}**\n", escape(&sentence.text)));
    }
    for flag in &model.flags {
        let word = if flag.refuses {
            "Not comparable"
        } else {
            "Take care"
        };
        text.push_str(&format!("\n> **{word}:** {}\n", escape(&flag.text)));
    }
    if !model.basis.is_empty() {
        text.push_str(&format!("\nHow sure: {}\n", escape(&model.basis.join(" "))));
    }
    if let Some(noise) = &model.noise {
        text.push_str(&format!("\n{}\n", escape(&noise.sentence)));
    }
    if let Some(speed) = &model.machine_speed {
        text.push_str(&format!("\n{}\n", escape(&speed.sentence)));
    }
    if !model.limits.is_empty() {
        text.push_str("\nThis does not show\n\n");
        for limit in &model.limits {
            text.push_str(&format!("- {}\n", escape(limit)));
        }
    }
    claims(&mut text, model);
    if !model.asked.is_empty() {
        text.push_str(&format!("\nEvery workload: {}.\n", escape(&model.asked)));
    }
    for cell in &model.cells {
        cell_text(&mut text, cell);
    }
    factors(&mut text, model);
    if let Some(ladder) = &model.ladder {
        crate::ladder_text::markdown(&mut text, ladder);
    }
    findings(&mut text, model);
    about(&mut text, model);
    text
}

/// The claims of the paper that the study measures again.
fn claims(text: &mut String, model: &ReportModel) {
    let Some(paper) = &model.paper else { return };
    text.push_str(&format!(
        "\n## {} ({}), part {}, measured again\n\n",
        escape(&paper.title),
        escape(&paper.citation),
        escape(&paper.part)
    ));
    for note in &paper.notes {
        text.push_str(&format!("- {}\n", escape(note)));
    }
    text.push('\n');
    table(
        text,
        &["claim", "the paper's words", "on its own numbers", "on ours"],
        paper.claims.iter().map(|claim| {
            vec![
                claim.name(),
                claim.text.clone(),
                claim.printed.to_string(),
                claim.measured.to_string(),
            ]
        }),
    );
    if let Some(note) = paper.closed_loop_note() {
        text.push_str(&format!("\n{}\n", escape(&note)));
    }
}

fn cell_text(text: &mut String, cell: &Cell) {
    text.push_str(&format!("\n## {}\n\n", escape(&cell.title)));
    let about: Vec<&str> = [cell.description.as_str(), cell.asked.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    text.push_str(&format!("{}.\n\n", escape(&about.join("; "))));
    for verdict in &cell.verdicts {
        text.push_str(&format!("- {}\n", escape(&verdict.sentence)));
    }
    text.push('\n');
    table(
        text,
        &[
            "system",
            "throughput",
            "trials",
            "p50",
            "p99",
            "merged p95",
            "merged p99.9",
            "max",
            "not found",
            "errors",
            "load",
        ],
        cell.systems.iter().map(system_row),
    );
    let with_kinds: Vec<&CellSystem> = cell
        .systems
        .iter()
        .filter(|system| system.operations.len() > 1)
        .collect();
    if !with_kinds.is_empty() {
        text.push('\n');
        table(
            text,
            &[
                "operation",
                "system",
                "ok",
                "not found",
                "too early",
                "errors",
                "p50",
                "p99",
                "merged p95",
                "merged p99.9",
                "max",
            ],
            with_kinds.iter().flat_map(|system| {
                system
                    .operations
                    .iter()
                    .skip(1)
                    .map(|operation| operation_row(system, operation))
            }),
        );
    }
}

fn system_row(system: &CellSystem) -> Vec<String> {
    let mut row = vec![
        system.name.clone(),
        system
            .throughput
            .as_ref()
            .map_or("–".to_owned(), |summary| with_interval(summary, number::rate)),
        system.throughput.as_ref().map_or("–".to_owned(), |summary| {
            summary
                .values
                .iter()
                .map(|value| {
                    format!(
                        "{}{}",
                        number::rate(value.value),
                        if value.outlier.is_some() { " (!)" } else { "" }
                    )
                })
                .collect::<Vec<_>>()
                .join(", ")
        }),
    ];
    match system.operations.first() {
        Some(all) => {
            row.extend(latencies(all));
            row.push(number::count(all.not_found));
            row.push(number::count(all.errors.values().sum()));
        }
        None => row.extend(std::iter::repeat_n("–".to_owned(), 7)),
    }
    row.push(
        system
            .load
            .as_ref()
            .map_or("–".to_owned(), |load| with_interval(load, number::rate)),
    );
    row
}

fn operation_row(system: &CellSystem, operation: &OperationSummary) -> Vec<String> {
    let mut row = vec![
        operation.name.clone(),
        system.name.clone(),
        number::count(operation.ok),
        number::count(operation.not_found),
        number::count(operation.too_early),
        number::count(operation.errors.values().sum()),
    ];
    row.extend(latencies(operation));
    row
}

/// Medians over trials of p50 and p99, percentiles of the merged histograms, and the maximum.
fn latencies(operation: &OperationSummary) -> [String; 5] {
    let median = |metric: Metric, summary: &Option<Summary>| match summary {
        None => "–".to_owned(),
        Some(summary) if operation.at_least.contains(&metric) => {
            operation.text(metric, summary.estimate.median)
        }
        Some(summary) => with_interval(summary, number::duration_ns),
    };
    let merged = |percentile: f64| {
        let mut points = operation.percentiles.iter();
        points
            .find(|point| point.percentile == percentile)
            .map_or("–".to_owned(), CurvePoint::text)
    };
    [
        median(Metric::LatencyP50, &operation.p50),
        median(Metric::LatencyP99, &operation.p99),
        merged(95.0),
        merged(99.9),
        number::latency(operation.max_ns, operation.max_at_least),
    ]
}

/// `12.3k/s (12.1k/s to 12.5k/s)`.
pub fn with_interval(summary: &Summary, format: impl Fn(f64) -> String) -> String {
    let median = format(summary.estimate.median);
    match &summary.estimate.interval {
        Some(interval) => format!("{median} ({} to {})", format(interval.low), format(interval.high)),
        None => median,
    }
}

fn factors(text: &mut String, model: &ReportModel) {
    if let Some(effects) = &model.effects {
        text.push_str(&format!("\n## Effects\n\n{}\n\n", escape(&effects.beside)));
        for note in &effects.notes {
            text.push_str(&format!("> {}\n\n", escape(note)));
        }
        if !effects.rows.is_empty() {
            table(
                text,
                &EFFECT_HEADER,
                effects.rows.iter().map(|effect| effect.row().to_vec()),
            );
        }
    }
    if let Some(growth) = &model.growth {
        text.push_str("\n## Growth\n");
        for chart in &growth.charts {
            text.push_str(&format!(
                "\n### {}: {}\n\n",
                escape(&chart.title),
                chart.metric.name()
            ));
            let sentences = chart.curves.iter().map(|curve| &curve.sentence);
            for sentence in sentences.chain(chart.crossings.iter().map(|row| &row.sentence)) {
                text.push_str(&format!("- {}\n", escape(sentence)));
            }
        }
        text.push_str(&format!("\n{}\n", escape(&growth.notes.join(" "))));
    }
}

fn findings(text: &mut String, model: &ReportModel) {
    if model.findings.is_empty() && model.failures.is_empty() {
        return;
    }
    text.push_str("\n## Findings\n\n");
    for failure in &model.failures {
        text.push_str(&format!(
            "- **failed** {}: {}\n",
            escape(&failure.trial),
            escape(&failure.reason)
        ));
    }
    for group in &model.findings {
        text.push_str(&format!(
            "- **{}** {} ({}; {}): {} → {}\n",
            group.severity,
            escape(&group.code),
            number::plural(group.trials, "trial", "trials"),
            escape(&number::list(&group.systems)),
            escape(&group.message),
            escape(&group.remedy)
        ));
    }
}

fn about(text: &mut String, model: &ReportModel) {
    text.push_str("\n## Systems\n\n");
    table(
        text,
        &[
            "system",
            "product",
            "topology",
            "durability",
            "by",
            "consistency",
            "settings",
        ],
        model.systems.iter().map(|system| {
            let settings: Vec<String> = system
                .settings
                .iter()
                .map(|(key, values)| format!("{key}={}", values.join(" or ")))
                .collect();
            vec![
                system.name.clone(),
                system.product.clone(),
                system.topology.clone(),
                system.durability.clone(),
                system.durability_means.clone(),
                if system.consistency.is_empty() {
                    "one copy".to_owned()
                } else {
                    format!("{} ({})", system.consistency, system.consistency_means)
                },
                settings.join(", "),
            ]
        }),
    );
    if !model.environment.is_empty() || model.floor.is_some() {
        text.push_str("\n## Environment\n\n");
        let mut rows: Vec<Vec<String>> = model
            .environment
            .iter()
            .map(|(label, value)| vec![label.clone(), value.clone()])
            .collect();
        if let Some(floor) = &model.floor {
            rows.push(vec!["the tool's own floor".to_owned(), floor.sentence()]);
        }
        table(text, &["what", "value"], rows.into_iter());
    }
    text.push_str(
        "\nThroughput counts successful operations only. Throughput, p50 and p99 are medians over trials, with 95% \
         intervals from six trials on; merged percentiles are of the operations of all trials together.\n",
    );
}

pub(crate) fn table(text: &mut String, header: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    text.push_str(&format!(
        "| {} |\n|{}\n",
        header.join(" | "),
        " --- |".repeat(header.len())
    ));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
}

/// Keeps names and messages from being read as markup.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let one_line = text.replace(['\n', '\r'], " ");
    for character in visible::text(&one_line).chars() {
        match character {
            '|' | '*' | '`' | '[' | ']' | '\\' | '#' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            _ => escaped.push(character),
        }
    }
    escaped
}
