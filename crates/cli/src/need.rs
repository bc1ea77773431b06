//! Reads a need file: what somebody needs of a database. Every mistake is shown at its place, with what mends it.

mod known;
mod questions;
mod values;

use std::ops::Range;
use std::path::Path;

use dbdyno_report::advice::{
    Goal, Metric, Need, Objective, RateChoice, Requirement, RequirementKind, WorkChoice, Worth,
};
use dbdyno_stats::MARGIN;
use dbdyno_study::toml_reader::{self, Mistake, Placed, TableReader};
use dbdyno_vocabulary::Count;

pub use known::{catalogue, unknown_products, unknown_workloads};
pub use questions::ask;

use crate::problem::Problem;
use values::{enough_or_reference, metric, objective, positive, share};

/// Sums of larger ones might not be numbers any more.
const LARGEST_WEIGHT: f64 = 1e6;
/// The doubt about weights when the need says none.
const WEIGHT_SPREAD: f64 = 0.1;
/// Draws when the need says none.
const DRAWS: u64 = 10_000;
/// The seed when the need says none.
const SEED: u64 = 42;
/// What keeping an objective is worth when the goal does not say.
const TIMES: f64 = 2.0;

const KEYS: [&str; 12] = [
    "title",
    "systems",
    "margin",
    "weight_spread",
    "draws",
    "seed",
    "across_durability",
    "across_consistency",
    "across_machines",
    "require",
    "objective",
    "goal",
];

/// What no record holds yet: key of `[require]`, in words, and what would show it.
const NOT_MEASURED: [(&str, &str, &str); 5] = [
    (
        "security",
        "security",
        "a security audit of the running system would show it",
    ),
    (
        "max_unavailability",
        "unavailability at most",
        "trials with faults (a node stopped, a network cut) would show it",
    ),
    ("license", "licence", "the product's own licence text shows it"),
    (
        "data_model",
        "data model",
        "the product's own documentation shows it",
    ),
    (
        "budget",
        "budget",
        "prices of the machines it runs on would show it",
    ),
];

/// Reads and checks a need file.
///
/// # Errors
/// When it cannot be read, or something in it is wrong.
pub fn read(path: &Path) -> Result<(Need, String), Problem> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Problem::usage(format!("cannot read the need file {}", path.display()))
            .caused_by(error)
            .help("pass the path of a need file, e.g. studies/needs/sessions.toml; `dbdyno advise --ask` creates one")
    })?;
    match parse(&text) {
        Ok(need) => Ok((need, text)),
        Err(mistake) => Err(Problem::usage(mistake.message).help(mistake.help).at(
            &path.display().to_string(),
            &text,
            mistake.span,
        )),
    }
}

/// Checks the text of a need file.
///
/// # Errors
/// The first mistake in it.
pub fn parse(text: &str) -> Result<Need, Mistake> {
    let document = toml_reader::document(text)?;
    let mut root = TableReader::new(document.get_ref(), 0..0);
    root.only(&KEYS)?;
    let mut requirements = match root.table("require")? {
        Some(table) => require(table)?,
        None => Vec::new(),
    };
    for table in root.tables("objective")? {
        requirements.push(hard_objective(table)?);
    }
    let mut goals: Vec<Goal> = Vec::new();
    for table in root.tables("goal")? {
        let place = table.span();
        let goal = goal(table)?;
        if goals.iter().any(|known| known.name == goal.name) {
            return Err(Mistake::new(
                place,
                format!("there are two goals `{}`", goal.name),
                "raise the weight of one, or give them different names with `name`",
            ));
        }
        goals.push(goal);
    }
    if goals.iter().all(|goal| goal.weight == 0.0) {
        return Err(Mistake::new(
            0..0,
            if goals.is_empty() {
                "the need has no goal"
            } else {
                "no goal has a weight above 0"
            },
            "add lines such as: [[goal]] metric = \"throughput\", workload = \"a\", weight = 1",
        ));
    }
    let flag = |flag: Option<bool>| flag.unwrap_or(false);
    Ok(Need {
        title: root
            .scalar("title")?
            .map_or_else(String::new, |title| title.value),
        systems: root
            .scalars("systems")?
            .into_iter()
            .map(|name| name.value)
            .collect(),
        margin: share_of(&mut root, "margin")?.unwrap_or(MARGIN),
        weight_spread: spread(root.scalar("weight_spread")?)?,
        draws: draws(root.scalar("draws")?)?,
        seed: whole(root.scalar("seed")?, "any whole number", SEED)?,
        across_durability: flag(root.boolean("across_durability")?),
        across_consistency: flag(root.boolean("across_consistency")?),
        across_machines: flag(root.boolean("across_machines")?),
        requirements,
        goals,
    })
}

fn share_of(table: &mut TableReader<'_>, key: &'static str) -> Result<Option<f64>, Mistake> {
    let text = table.scalar(key)?;
    text.map(|text| {
        Ok(text
            .convert("write a percentage, e.g. \"5%\"", |text| share(&text))?
            .value)
    })
    .transpose()
}

fn spread(text: Option<Placed<String>>) -> Result<f64, Mistake> {
    let help = "write a number from 0 (weights are exact) to 0.4, e.g. 0.1: the standard deviation of a weight of one half";
    let read = |text: String| match text.parse::<f64>() {
        Ok(spread) if (0.0..=0.4).contains(&spread) => Ok(spread),
        _ => Err(format!("`{text}` is not a valid spread of weights")),
    };
    text.map_or(Ok(WEIGHT_SPREAD), |text| Ok(text.convert(help, read)?.value))
}

fn draws(text: Option<Placed<String>>) -> Result<usize, Mistake> {
    let help = "write a number from 1000 to 100000";
    let read = |text: String| match Count::parse(&text).map(Count::get) {
        Ok(draws @ 1_000..=100_000) => Ok(draws),
        _ => Err(format!("`{text}` is not a valid number of draws")),
    };
    let draws = text.map_or(Ok(DRAWS), |text| Ok(text.convert(help, read)?.value))?;
    Ok(usize::try_from(draws).unwrap_or(usize::MAX))
}

fn whole(text: Option<Placed<String>>, help: &str, default: u64) -> Result<u64, Mistake> {
    let read = |text: String| {
        Count::parse(&text)
            .map(Count::get)
            .map_err(|error| error.to_string())
    };
    text.map_or(Ok(default), |text| {
        Ok(text.convert(&format!("write {help}"), read)?.value)
    })
}

fn require(mut table: TableReader<'_>) -> Result<Vec<Requirement>, Mistake> {
    let mut keys = vec!["durability", "consistency", "nodes", "errors", "version"];
    keys.extend(NOT_MEASURED.map(|(key, ..)| key));
    table.only(&keys)?;
    let mut found = Vec::new();
    let mut add = |text: String, kind: RequirementKind| found.push(Requirement { text, kind });
    if let Some(level) = table.scalar("durability")? {
        let help = "the levels are \"none\", \"buffered\" and \"synced\"";
        let level = level.convert(help, |text| text.parse::<dbdyno_driver::Durability>())?;
        let name = level.value.name().to_owned();
        add(
            format!("durability at least {name}"),
            RequirementKind::Durability(name),
        );
    }
    if let Some(level) = table.scalar("consistency")? {
        let help = "the levels are \"one\", \"quorum\" and \"all\"";
        let level = level.convert(help, |text| text.parse::<dbdyno_driver::Consistency>())?;
        let name = level.value.name().to_owned();
        add(
            format!("consistency at least {name}"),
            RequirementKind::Consistency(name),
        );
    }
    if let Some(nodes) = table.scalar("nodes")? {
        let nodes = whole(Some(nodes), "a number of nodes, e.g. 3", 1)?;
        add(format!("nodes at least {nodes}"), RequirementKind::Nodes(nodes));
    }
    if let Some(most) = share_of(&mut table, "errors")? {
        let text = format!("errors at most {}", dbdyno_report::number::share(most));
        add(text, RequirementKind::Errors(most));
    }
    for (of, at_least) in table.map("version")? {
        let text = format!("version of {} at least {}", of.value, at_least.value);
        let kind = RequirementKind::Version {
            of: of.value,
            at_least: at_least.value,
        };
        add(text, kind);
    }
    for (key, words, shown_by) in NOT_MEASURED {
        for value in table.scalars(key)? {
            let kind = RequirementKind::NotMeasured {
                shown_by: shown_by.to_owned(),
            };
            add(format!("{words} {}", value.value), kind);
        }
    }
    Ok(found)
}

fn hard_objective(mut table: TableReader<'_>) -> Result<Requirement, Mistake> {
    table.only(&["keep", "workload", "records", "clients", "rate"])?;
    let place = table.span();
    let keep = table.scalar("keep")?.ok_or_else(|| {
        Mistake::new(
            place,
            "the objective has no `keep`",
            "add a line such as: keep = \"p99(read) < 10ms\"",
        )
    })?;
    let (text, objective) = (keep.value.clone(), objective(keep)?);
    let work = work(&mut table)?;
    Ok(Requirement {
        text: format!("{text} in {}", work.workload),
        kind: RequirementKind::Objective { objective, work },
    })
}

fn goal(mut table: TableReader<'_>) -> Result<Goal, Mistake> {
    table.only(&[
        "name",
        "metric",
        "keep",
        "worth",
        "reference",
        "enough",
        "workload",
        "records",
        "clients",
        "rate",
        "weight",
    ])?;
    let place = table.span();
    let work = work(&mut table)?;
    let name = table.scalar("name")?.map(|name| name.value);
    let weight = match table.scalar("weight")? {
        None => 1.0,
        Some(weight) => {
            let help = "write a number from 0 to 1000000: it counts against the weights of the other goals";
            let within = |text: String| match values::number(&text) {
                Ok(weight) if weight > LARGEST_WEIGHT => Err(format!("`{text}` is too much")),
                other => other,
            };
            weight.convert(help, within)?.value
        }
    };
    let (stated, keep, times) = (
        table.scalar("metric")?,
        table.scalar("keep")?,
        table.scalar("worth")?,
    );
    let (metric, worth) = match (stated, keep) {
        (Some(stated), None) => {
            if let Some(times) = times {
                return Err(only_with(times.span, "worth", "keep"));
            }
            let metric = metric(&stated)?;
            if matches!(metric, Metric::Errors(_) | Metric::NotFound(_)) {
                return Err(Mistake::new(
                    stated.span,
                    format!("{} have no ratio, since there may be none", metric.name()),
                    "write an objective instead of the metric, e.g. keep = \"errors < 0.1%\"",
                ));
            }
            let reference = enough_or_reference(metric, table.scalar("reference")?, table.scalar("enough")?)?;
            (metric, reference)
        }
        (None, Some(keep)) => {
            for key in ["reference", "enough"] {
                if let Some(other) = table.scalar(key)? {
                    return Err(only_with(other.span, key, "metric"));
                }
            }
            let Objective { metric, limit } = objective(keep)?;
            let times = match times {
                None => TIMES,
                Some(times) => {
                    let help = "write how many times as good it is to keep the objective, above 1, e.g. 2";
                    times.convert(help, |text| positive(&text, 1.0))?.value
                }
            };
            (metric, Worth::Objective { limit, times })
        }
        (Some(both), Some(_)) => {
            return Err(Mistake::new(
                both.span,
                "a goal has a `metric` or an objective to `keep`, not both",
                "write two goals",
            ));
        }
        (None, None) => {
            return Err(Mistake::new(
                place,
                "the goal has neither `metric` nor `keep`",
                "add a line such as: metric = \"throughput\", or keep = \"p99(read) < 10ms\"",
            ));
        }
    };
    Ok(Goal {
        name: name.unwrap_or_else(|| default_name(metric, &worth, &work)),
        metric,
        work,
        weight,
        worth,
    })
}

fn default_name(metric: Metric, worth: &Worth, work: &WorkChoice) -> String {
    let rate = match work.rate {
        Some(RateChoice::PerSecond(rate)) => format!(" at {}", dbdyno_report::number::rate(rate)),
        Some(RateChoice::Common) => " at the common rate".to_owned(),
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

fn work(table: &mut TableReader<'_>) -> Result<WorkChoice, Mistake> {
    let place = table.span();
    let workload = table.scalar("workload")?.ok_or_else(|| {
        Mistake::new(
            place,
            "the workload is missing",
            "add a line such as: workload = \"a\"",
        )
    })?;
    let count = |text: String| {
        Count::parse(&text)
            .map(Count::get)
            .map_err(|error| error.to_string())
    };
    let help = "write a whole number, e.g. 50000, \"50k\" or \"1M\"";
    let records = table.scalar("records")?;
    let records = records.map(|text| text.convert(help, count)).transpose()?;
    let clients = table.scalar("clients")?;
    let clients = clients
        .map(|text| {
            text.convert(help, |text| {
                u32::try_from(count(text)?).map_err(|error| error.to_string())
            })
        })
        .transpose()?;
    let rate = table.scalar("rate")?;
    let rate = rate
        .map(|text| {
            text.convert(
                "write operations per second, e.g. \"5k\", or \"unlimited\" for a closed loop",
                |text| values::rate(&text),
            )
        })
        .transpose()?;
    Ok(WorkChoice {
        workload: workload.value,
        records: records.map(|records| records.value),
        clients: clients.map(|clients| clients.value),
        rate: rate.map(|rate| rate.value),
        place: workload.span,
    })
}

#[cfg(test)]
#[path = "need_tests.rs"]
mod tests;
