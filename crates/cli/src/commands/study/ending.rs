//! The end of a study: notes and warnings about its results, and the exit code.

use dbdyno_report::number;
use dbdyno_study::Summary;
use dbdyno_study::repetition::MOST_FAILURES;

use crate::commands::after;
use crate::exit_code::ExitCode;
use crate::terminal::Terminal;

/// Prints notes and warnings about how the results were measured.
pub fn tell(summary: &Summary, terminal: Terminal) {
    if summary.already_done > 0 {
        let were = |count: usize| if count == 1 { "was" } else { "were" };
        terminal.note(&format!(
            "{} {} already done, {} {} run now",
            number::plural(summary.already_done, "trial", "trials"),
            were(summary.already_done),
            summary.completed,
            were(summary.completed)
        ));
    }
    if !summary.disturbed.is_empty() {
        terminal.note(&format!(
            "Repeated because of disturbances: {}",
            some_of(&summary.disturbed)
        ));
    }
    if !summary.given_up.is_empty() {
        terminal.warn(&format!(
            "skipped after {} failed attempts: {}; to retry, remove the folders of these attempts",
            MOST_FAILURES,
            some_of(&summary.given_up)
        ));
    }
    if !summary.invalid.is_empty() {
        terminal.warn(&format!(
            "invalid trials: {}; no verdict rests on them, and the report says why",
            some_of(&summary.invalid)
        ));
    }
    if !summary.kept_disturbed.is_empty() {
        terminal.warn(&format!(
            "`repeat_budget` is spent: {} disturbed trials are used as they are, each with a finding: {}",
            summary.kept_disturbed.len(),
            some_of(&summary.kept_disturbed)
        ));
    }
    if let Some(change) = &summary.disk_change {
        terminal.warn(&format!(
            "the disk changed during the study: {change}; early and late trials had different disk performance"
        ));
    }
    if let Some(precision) = &summary.precision {
        terminal.note(&format!("Precision: {precision}"));
    }
    for change in &summary.environment_changes {
        terminal.warn(&format!("the study started on a different machine: {change}"));
    }
}

/// The names of a few trials, and how many others there are: a long list would push the path of the report away.
fn some_of(trials: &[String]) -> String {
    const NAMED: usize = 3;
    let named = trials
        .iter()
        .take(NAMED)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    match trials.len().saturating_sub(NAMED) {
        0 => named,
        others => format!("{named} and {others} more (`dbdyno study status` lists them)"),
    }
}

/// How a study ends.
pub fn exit_code(summary: &Summary) -> ExitCode {
    let mut code = if summary.interrupted {
        ExitCode::Interrupted
    } else {
        ExitCode::Success
    };
    if !summary.given_up.is_empty() || !summary.invalid.is_empty() {
        code = code.or(ExitCode::ResultInvalid);
    }
    for (_, class) in &summary.failed {
        code = code.or(match after::exit_of(*class) {
            ExitCode::SystemUnreachable => ExitCode::SystemUnreachable,
            _ => ExitCode::ResultInvalid,
        });
    }
    code
}
