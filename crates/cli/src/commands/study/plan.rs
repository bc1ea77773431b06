//! `dbdyno study plan`: what a study will do, without doing it.

use std::collections::BTreeSet;

use dbdyno_report::{level_in_words, number};
use dbdyno_study::rising_load::Kind;
use dbdyno_study::{Plan, Study, budget, pilot, power};
use dbdyno_trial::{CLIENTS, Factor, Level};
use dbdyno_vocabulary::shown_name;

use super::outline::{self, ends, limit, loads, order, shape, warm_up};
use super::{Asked, asked_noise, guarantees, noise_in, read, rising_load, with_repeats};
use crate::arguments::StudyFileArguments;
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::progress::short_time;
use crate::terminal::Terminal;

/// Shows what a study will do.
pub fn execute(arguments: &StudyFileArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let Asked {
        study_file,
        output,
        others,
    } = read(arguments, terminal)?;
    let study = &study_file.study;
    if study.kind != Kind::Comparison {
        terminal.print(&rising_load::plan(study, &output, terminal))?;
        return Ok(ExitCode::Success);
    }
    let plan = Plan::new(study);
    let style = terminal.stdout;
    let mut text = format!("{}\n", style.bold(study.heading()));
    text.push_str(&format!("{} trials: {}\n", plan.trials.len(), shape(study)));
    text.push_str(&format!(
        "Each: {}, {}, {}\n",
        outline::preparation(study),
        warm_up(study),
        limit(study)
    ));
    if let Some(precision) = &study.precision {
        text.push_str(&format!("{}\n", ends(precision)));
    }
    let noise = match asked_noise(arguments)? {
        None if output.exists() => noise_in(&output)?,
        asked => asked,
    };
    let reported = budget::sentence(study).or_else(|| power::sentence(study, noise));
    let batches = outline::batches(study);
    let others = (!others.is_empty()).then_some(&others);
    for line in reported.iter().chain(&batches).chain(others) {
        text.push_str(&format!("{line}\n"));
    }
    if let Some(warning) = guarantees::warning(study) {
        text.push_str(&format!("{} {warning}\n", style.warn("Warning:")));
    }
    text.push_str("\nSystems\n");
    let widths = study
        .systems
        .iter()
        .map(|system| width(&shown_name(&system.name)));
    let widest = widths.max().unwrap_or(0);
    for system in &study.systems {
        text.push_str(&format!(
            "  {:<widest$}  {}\n",
            shown_name(&system.name),
            system.target
        ));
    }
    text.push_str(&tests(study));
    text.push_str("\nOrder\n");
    let pilots = pilot::trials(study);
    if !pilots.is_empty() {
        text.push_str(&format!(
            "  pilots at full speed, which find the load that all systems get ({} of the slowest system's throughput):\n",
            number::whole_share(study.common_rate)
        ));
        let names = outline::names(study);
        for pilot in &pilots {
            text.push_str(&format!("    {}\n", names.trial(&pilot.planned.spec)));
        }
    }
    text.push_str(&order(study, &plan));
    text.push_str(&format!(
        "\nAbout {} {}{} (loads are {}); results go to {}\n",
        short_time(plan.estimated_time(study)),
        if study.precision.is_some() {
            "for these"
        } else {
            "in all"
        },
        with_repeats(study, plan.estimated_time(study)),
        loads(study),
        output.display()
    ));
    terminal.print(&text)?;
    Ok(ExitCode::Success)
}

/// The tests, each with the sizes that its name does not say.
fn tests(study: &Study) -> String {
    let mut text = "\nTests, each once per block and system\n".to_owned();
    let names = outline::names(study);
    let mut told = BTreeSet::new();
    for cell in study.cells() {
        let name = names.test(&cell);
        if !told.insert(name.clone()) {
            continue;
        }
        let sizes = [
            (Factor::Records.name(), cell.records),
            (CLIENTS, u64::from(cell.clients)),
        ];
        let sizes = sizes.map(|(factor, count)| level_in_words(factor, &Level::Count(count)));
        let unsaid: Vec<String> = sizes.into_iter().filter(|size| !name.contains(size)).collect();
        let unsaid = match unsaid.as_slice() {
            [] => String::new(),
            unsaid => format!(" ({})", unsaid.join(", ")),
        };
        text.push_str(&format!("  {name}{unsaid}\n"));
    }
    text
}

fn width(text: &str) -> usize {
    text.chars().count()
}
