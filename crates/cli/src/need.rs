//! Reads a need file: what a database must do, and which goals count. All mistakes are shown at once, each at its place, with what
//! mends it.

mod budget;
mod known;
mod published;
mod values;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use dbdyno_driver::text_file;
use dbdyno_files::values::{self as stated, Clients, Count, Percentage, Rate, Switch, Text};
use dbdyno_files::{
    GoalTable, List, Mistake, Mistakes, NeedFile, ObjectiveTable, Placed, Reading, RequireTable, Scalar,
};
use dbdyno_record::audit::Feature;
use dbdyno_report::advice::{
    Goal, Metric, Need, Objective, RateChoice, Requirement, RequirementKind, WorkChoice, Worth,
};
use dbdyno_stats::MARGIN;
use dbdyno_trial::{Consistency, Durability};

pub use known::{catalogue, unknown_priced, unknown_products, unknown_workloads};

use crate::problem::Problem;
use budget::budget;
use values::{enough_or_reference, metric, objective};

/// The doubt about weights when the need says none.
const WEIGHT_SPREAD: f64 = 0.1;
/// Draws when the need says none.
const DRAWS: u32 = 10_000;
/// The seed when the need says none.
const SEED: u64 = 42;
/// What keeping an objective is worth when the goal does not say.
const TIMES: f64 = 2.0;

/// Reads and checks a need file.
///
/// # Errors
/// When it cannot be read, or something in it is wrong.
pub fn read(path: &Path) -> Result<(Need, String), Problem> {
    let text = text_file::read(path).map_err(|error| {
        Problem::usage(format!("cannot read the need file {}", path.display()))
            .caused_by(error)
            .help("pass the path of a need file, e.g. studies/needs/sessions.toml; docs/advise.md describes every key")
    })?;
    match parse(&text) {
        Ok(need) => Ok((need, text)),
        Err(mistakes) => Err(Problem::in_file(&path.display().to_string(), &text, mistakes)),
    }
}

/// The need files of a directory, in the order of their names.
///
/// # Errors
/// When the directory cannot be read, or holds none.
pub fn files(directory: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut files = Vec::new();
    let entries = std::fs::read_dir(directory).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| {
        Problem::usage(format!("cannot read the directory {}", directory.display()))
            .caused_by(error)
            .help("pass a need file, or a directory of need files")
    })?;
    for entry in entries {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(
            Problem::usage(format!("{} contains no need file (*.toml)", directory.display()))
                .help("pass a need file, or a directory of need files, e.g. studies/needs"),
        );
    }
    Ok(files)
}

/// Checks the text of a need file.
///
/// # Errors
/// All that is wrong in it.
pub fn parse(text: &str) -> Result<Need, Vec<Mistake>> {
    let Reading { file, mut mistakes } = dbdyno_files::read_all::<NeedFile>(text);
    let Some(file) = file else {
        return Err(mistakes);
    };
    let need = need(file, mistakes.is_empty());
    match need {
        Ok(need) if mistakes.is_empty() => Ok(need),
        Ok(_) => Err(mistakes),
        Err(others) => {
            mistakes.extend(others);
            Err(mistakes)
        }
    }
}

/// The need of a file. Unless the file `is_whole`, wrong entries were left out of it, and nothing is missing in it.
fn need(file: NeedFile, is_whole: bool) -> Result<Need, Vec<Mistake>> {
    let mut mistakes = Mistakes::default();
    let mut requirements = match &file.require {
        Some(table) => requirements(&table.value.0, &mut mistakes),
        None => Vec::new(),
    };
    for table in &file.objective.0 {
        requirements.extend(mistakes.keep(hard_objective(&table.value)));
    }
    let goals = goals(&file, is_whole, &mut mistakes);
    let published = published::claims(&file.published, &mut mistakes);
    let prices = file
        .cost
        .as_ref()
        .map(|cost| mistakes.keep_all(cost.value.0.prices()));
    let is = |switch: &Option<Placed<Switch>>| switch.as_ref().is_some_and(|switch| switch.value.0);
    let draws = file.draws.as_ref().map_or(DRAWS, |draws| draws.value.0);
    mistakes.or(Some(Need {
        across_durability: is(&file.across_durability),
        across_consistency: is(&file.across_consistency),
        across_machines: is(&file.across_machines),
        title: file.title.map_or_else(String::new, |title| title.value.0),
        systems: file.systems.0.into_iter().map(|name| name.value.0).collect(),
        margin: file.margin.map_or(MARGIN, |margin| margin.value.0),
        weight_spread: file.weight_spread.map_or(WEIGHT_SPREAD, |spread| spread.value.0),
        draws: draws as usize,
        seed: file.seed.map_or(SEED, |seed| seed.value.0),
        prices: prices.flatten(),
        requirements,
        goals,
        published,
    }))
}

/// The goals, each of a name of its own. One of them must have a weight, where all of them can be read.
fn goals(file: &NeedFile, is_whole: bool, mistakes: &mut Mistakes) -> Vec<Goal> {
    let mut goals: Vec<Goal> = Vec::new();
    for table in &file.goal.0 {
        let Some(goal) = mistakes.keep_all(goal(table)) else {
            continue;
        };
        if goals.iter().any(|known| known.name == goal.name) {
            mistakes.add(Mistake::new(
                table.span.clone(),
                format!("there are two goals `{}`", goal.name),
                "raise the weight of one, or give them different names with `name`",
            ));
        }
        goals.push(goal);
    }
    let are_all = is_whole && goals.len() == file.goal.0.len();
    if are_all && goals.iter().all(|goal| goal.weight == 0.0) {
        mistakes.add(Mistake::new(
            0..0,
            if goals.is_empty() {
                "the need has no goal"
            } else {
                "no goal has a weight above 0"
            },
            "add lines such as: [[goal]] metric = \"throughput\", workload = \"a\", weight = 1",
        ));
    }
    goals
}

fn requirements(table: &RequireTable, mistakes: &mut Mistakes) -> Vec<Requirement> {
    let mut found = Vec::new();
    let mut add = |text: String, kind: RequirementKind| found.push(Requirement { text, kind });
    if let Some(level) = &table.durability {
        let level = guarantee::<Durability>(&level.value.0, level.span.clone(), stated::Durability::HELP);
        if let Some(level) = mistakes.keep(level) {
            let text = format!("durability at least {level}");
            add(text, RequirementKind::Durability(level));
        }
    }
    if let Some(level) = &table.consistency {
        let level = guarantee::<Consistency>(&level.value.0, level.span.clone(), stated::Consistency::HELP);
        if let Some(level) = mistakes.keep(level) {
            let text = format!("consistency at least {level}");
            add(text, RequirementKind::Consistency(level));
        }
    }
    if let Some(nodes) = &table.nodes {
        let nodes = nodes.value.0;
        add(format!("nodes at least {nodes}"), RequirementKind::Nodes(nodes));
    }
    if table.ordered_scans.as_ref().is_some_and(|asked| asked.value.0) {
        add("scans in key order".to_owned(), RequirementKind::OrderedScans);
    }
    if let Some(Placed {
        value: Percentage(most),
        ..
    }) = table.errors
    {
        let text = format!("errors at most {}", dbdyno_report::number::share(most));
        add(text, RequirementKind::Errors(most));
    }
    for (of, at_least) in table.version.iter().flat_map(|version| &version.value.0) {
        let text = format!("version of {} at least {}", of.value, at_least.value);
        let kind = RequirementKind::Version {
            of: of.value.clone(),
            at_least: at_least.value.clone(),
        };
        add(text, kind);
    }
    for asked in &table.budget.0 {
        if let Some(budget) = mistakes.keep(budget(asked)) {
            add(
                format!("budget {}", asked.value.0),
                RequirementKind::Budget(budget),
            );
        }
    }
    for asked in &table.security.0 {
        let words = &asked.value.0;
        let kind = match Feature::meant(words) {
            Some(feature) => RequirementKind::Protection(feature),
            None => RequirementKind::NotMeasured {
                shown_by: format!("an audit examines {}", features()),
            },
        };
        add(format!("security {words}"), kind);
    }
    for (asked, words, shown_by) in not_measured(table) {
        for value in &asked.0 {
            let kind = RequirementKind::NotMeasured {
                shown_by: shown_by.to_owned(),
            };
            add(format!("{words} {}", value.value.0), kind);
        }
    }
    found
}

/// The level of this name.
fn guarantee<L: FromStr<Err = String>>(name: &str, place: Range<usize>, help: &str) -> Result<L, Mistake> {
    name.parse()
        .map_err(|error: String| Mistake::new(place, error, help))
}

/// The features of an audit, as a need may name them.
fn features() -> String {
    let names = Feature::ALL.map(|feature| feature.id().replace('_', " "));
    names.join(", ")
}

/// What no record holds yet: what is asked, of what, and what would show it.
fn not_measured(table: &RequireTable) -> [(&List<Text>, &'static str, &'static str); 3] {
    [
        (
            &table.max_unavailability,
            "unavailability at most",
            "trials with faults (a node stopped, a network cut) would show it",
        ),
        (
            &table.license,
            "licence",
            "the product's own licence text shows it",
        ),
        (
            &table.data_model,
            "data model",
            "the product's own documentation shows it",
        ),
    ]
}

fn hard_objective(table: &ObjectiveTable) -> Result<Requirement, Mistake> {
    let objective = objective(&table.keep)?;
    let work = work(
        &table.workload,
        table.records.as_ref(),
        table.clients.as_ref(),
        table.rate.as_ref(),
    );
    Ok(Requirement {
        text: format!("{} in {}", table.keep.value.0, work.workload),
        kind: RequirementKind::Objective { objective, work },
    })
}

fn goal(table: &Placed<GoalTable>) -> Result<Goal, Vec<Mistake>> {
    let (place, table) = (&table.span, &table.value);
    let work = work(
        &table.workload,
        table.records.as_ref(),
        table.clients.as_ref(),
        table.rate.as_ref(),
    );
    let (metric, worth) = metric_and_worth(table, place)?;
    let name = table.name.as_ref().map(|name| name.value.0.clone());
    Ok(Goal {
        name: name.unwrap_or_else(|| default_name(metric, &worth, &work)),
        metric,
        work,
        weight: table.weight.as_ref().map_or(1.0, |weight| weight.value.0),
        worth,
    })
}

/// What counts, and how its values are weighed: by their ratio, or as an objective that is met or missed.
fn metric_and_worth(table: &GoalTable, place: &Range<usize>) -> Result<(Metric, Worth), Vec<Mistake>> {
    let mut mistakes = Mistakes::default();
    match (&table.metric, &table.keep) {
        (Some(stated), None) => {
            if let Some(times) = &table.worth {
                mistakes.add(only_with(times.span.clone(), "worth", "keep"));
            }
            let metric = mistakes.keep(ranked(stated));
            // Their values have the unit of the metric.
            let worth = metric.and_then(|metric| {
                let (reference, enough) = (table.reference.as_ref(), table.enough.as_ref());
                mistakes.keep_all(enough_or_reference(metric, reference, enough))
            });
            mistakes.or(metric.zip(worth))
        }
        (None, Some(keep)) => {
            for (key, value) in [("reference", &table.reference), ("enough", &table.enough)] {
                if let Some(value) = value {
                    mistakes.add(only_with(value.span.clone(), key, "metric"));
                }
            }
            let times = table.worth.as_ref().map_or(TIMES, |times| times.value.0);
            let kept = mistakes.keep(objective(keep));
            mistakes.or(kept.map(|Objective { metric, limit }| (metric, Worth::Objective { limit, times })))
        }
        (Some(both), Some(keep)) => {
            mistakes.add(Mistake::new(
                both.span.clone(),
                "a goal has a `metric` or an objective to `keep`, not both",
                "write two goals",
            ));
            // Either may stay, so both must be right.
            mistakes.keep(ranked(both));
            mistakes.keep(objective(keep));
            mistakes.or(None)
        }
        (None, None) => Err(vec![Mistake::new(
            place.clone(),
            "the goal has neither `metric` nor `keep`",
            "add a line such as: metric = \"throughput\", or keep = \"p99(read) < 10ms\"",
        )]),
    }
}

/// A metric that systems can be ranked by.
fn ranked(stated: &Placed<Text>) -> Result<Metric, Mistake> {
    let metric = metric(stated)?;
    if matches!(metric, Metric::Errors(_) | Metric::NotFound(_)) {
        return Err(Mistake::new(
            stated.span.clone(),
            format!("{} have no ratio, since there may be none", metric.name()),
            "write an objective instead of the metric, e.g. keep = \"errors < 0.1%\"",
        ));
    }
    Ok(metric)
}

fn work(
    workload: &Placed<Text>,
    records: Option<&Placed<Count>>,
    clients: Option<&Placed<Clients>>,
    rate: Option<&Placed<Rate>>,
) -> WorkChoice {
    WorkChoice {
        workload: workload.value.0.clone(),
        records: records.map(|records| records.value.0),
        clients: clients.map(|clients| clients.value.0),
        rate: rate.map(|rate| match rate.value {
            Rate::Unlimited => RateChoice::Unlimited,
            Rate::PerSecond(rate) => RateChoice::PerSecond(rate),
            Rate::Common => RateChoice::Common,
        }),
        place: workload.span.clone(),
    }
}

fn default_name(metric: Metric, worth: &Worth, work: &WorkChoice) -> String {
    let rate = match work.rate {
        Some(RateChoice::PerSecond(rate)) => format!(" at {}", dbdyno_report::number::rate(rate)),
        Some(RateChoice::Common) => " at the same load".to_owned(),
        Some(RateChoice::Unlimited) | None => String::new(),
    };
    let kept = match worth {
        Worth::Objective { limit, .. } => format!(" kept at {}", metric.format(*limit)),
        Worth::Ratio(_) | Worth::Enough(_) => String::new(),
    };
    format!("{}{kept}, {}{rate}", metric.name(), work.workload)
}

fn only_with(place: Range<usize>, key: &str, other: &str) -> Mistake {
    Mistake::new(
        place,
        format!("`{key}` has no effect without `{other}`"),
        format!("omit it, or give the goal a `{other}`"),
    )
}

#[cfg(test)]
#[path = "need_tests.rs"]
mod tests;
