//! What people read: one view model, and one document made from it.
//!
//! [`ReportModel::build`] turns the records of a study into plain data: verdicts first, then the figures, every trial
//! visible. One document is built from it, which the writers of `dbdyno_document` turn into text, Markdown, a page and LaTeX;
//! [`csv()`] and [`json()`] write the data itself. [`single`] does the same for one trial. Nothing here prints or knows a
//! driver; the same records give the same bytes.

pub mod advice;
pub mod answers;
mod audit;
pub mod checks;
mod compared;
mod conditions;
mod copied_points;
mod cost_figures;
mod folders;
mod history;
mod history_line;
mod history_state;
mod indented;
pub mod index;
mod matched;
pub mod model;
pub mod number;
mod printed;
mod readable;
mod same_trials;
mod sample;
mod sections;
mod series_colors;
mod server_cost;
pub mod single;
mod single_run;
mod test_name;
mod text_chart;
mod trial_names;
pub mod words;

use dbdyno_record::TrialRecord;
use dbdyno_record::tidy::OtherFigure;

pub use audit::{AUDITS_FORMAT, AuditReport, AuditReports, Gate, MUST_BE_KNOWN};
pub use compared::{
    ComparedCell, ComparedMetric, FolderComparison, Unmatched, compare_cells, compare_folders,
};
pub use conditions::Difference;
pub use copied_points::{CopiedPoint, already_held};
pub use dbdyno_analysis::{
    CellName, LatencyColumn, LatencyOverTime, MARGIN, StudyResults, TimelinePoint, cell_name,
    is_same_workload,
};
pub use dbdyno_document::{FigureFile, Render, Style};
pub use folders::{CellFacts, FolderContent, Side, cells_of};
pub use history::{Change, History, Point, Series, facts, history, lines, test_of};
pub use history_state::{Moved, State};
pub use model::place::of_level as level_in_words;
pub use model::{ReportModel, added_trials, product_color};
pub use printed::{mark_impossible, printed};
pub use sample::{MetricSample, Unit};
pub use sections::comparison::NamedComparison;
pub use sections::history::NamedHistory;
pub use sections::lint::LintResults;
pub use sections::paper_page::{NotOfThePaper, PaperPage};
pub use sections::publication;
pub use test_name::TestName;
pub use trial_names::TrialNames;

/// The tidy table `results.csv`: one row for each figure of each trial (see [`dbdyno_record::tidy`]).
#[must_use]
pub fn csv(results: &StudyResults) -> String {
    match single::SingleRun::of(results) {
        Some(run) => single::csv(run.trial()),
        None => tidy_csv(&results.trials, cost_figures::of_trials(results)),
    }
}

/// The page `report.html`: that of a run, or the report of a study.
#[must_use]
pub fn page(results: &StudyResults) -> String {
    match single::SingleRun::of(results) {
        Some(run) => run.html(),
        None => ReportModel::build(results).html(),
    }
}

/// Tidy CSV of any number of trials.
fn tidy_csv(trials: &[TrialRecord], others: impl Fn(&TrialRecord) -> Vec<OtherFigure>) -> String {
    let mut bytes = Vec::new();
    dbdyno_record::tidy::write_with(&mut bytes, trials, others)
        .expect("writing to memory does not fail and all rows are of one length");
    String::from_utf8(bytes).expect("every field was text")
}

/// The whole view model as one JSON document, indented, with a final line feed.
#[must_use]
pub fn json(model: &ReportModel) -> String {
    indented::json(model)
}

/// Systems at rising load as one JSON document, indented, with a final line feed; `null` for other studies.
#[must_use]
pub fn rising_load_json(model: &ReportModel) -> String {
    indented::json(&model.rising_load)
}
