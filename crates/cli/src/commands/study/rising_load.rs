//! A study of rising load in words: what it will do, and how far it is.

use std::path::Path;

use dbdyno_record::{ResultFolder, TrialStatus};
use dbdyno_report::number;
use dbdyno_study::Study;
use dbdyno_study::rising_load::{Kind, Steps, tasks};
use dbdyno_vocabulary::shown_name;

use super::outline;
use crate::commands::after;
use crate::problem::Problem;
use crate::progress::short_time;
use crate::terminal::Terminal;

/// What such a study will do.
pub fn plan(study: &Study, output: &Path, terminal: Terminal) -> String {
    let style = terminal.stdout;
    let mut text = format!("{}\n{}\n", style.bold(study.heading()), outline::asked(study));
    text.push_str(&format!(
        "Each trial: {}, {} warm-up, {}\n",
        outline::preparation(study),
        outline::short_duration(study.shared.warmup.longest),
        outline::limit(study)
    ));
    text.push_str("\nSearches, interleaved\n");
    let names = outline::names(study);
    for cell in study.cells() {
        text.push_str(&format!(
            "  {}, {} ({} records)\n",
            shown_name(&cell.system.name),
            names.work(&cell),
            number::quantity(cell.records as f64)
        ));
    }
    text.push_str("\nSteps of each search\n");
    for line in steps_in_words(study) {
        text.push_str(&format!("  {line}\n"));
    }
    let (trials, time) = dbdyno_study::rising_load::about(study);
    text.push_str(&format!(
        "\nAbout {trials} trials and {} in total, because each step depends on earlier results; results go to {}\n",
        short_time(time),
        output.display()
    ));
    text
}

fn steps_in_words(study: &Study) -> Vec<String> {
    let pilot = |clients: Option<u32>| match clients {
        Some(clients) => format!("a pilot: {clients} clients at full speed, until two trials agree"),
        None => {
            "a pilot: 4 clients at full speed until two trials agree, then 8, 16 ... until more do not help"
                .to_owned()
        }
    };
    match &study.kind {
        Kind::Comparison => Vec::new(),
        Kind::Capacity(capacity) => vec![
            pilot(capacity.clients),
            format!(
                "a search of at most {} trials, with rates {} apart",
                dbdyno_stats::capacity::MOST_SEARCHES,
                number::share(capacity.step)
            ),
            format!(
                "a confirmation: {} at a rate that holds and as many at a rate that misses",
                number::plural(study.trials as usize, "trial", "trials")
            ),
        ],
        Kind::Sweep(sweep) => {
            let steps = match &sweep.steps {
                Steps::Automatic => "tenths of the pilot's throughput".to_owned(),
                Steps::Rates(rates) => {
                    let rates: Vec<String> = rates.iter().map(|&rate| number::rate(rate)).collect();
                    number::list(&rates)
                }
                Steps::Clients(clients) => {
                    let clients: Vec<String> = clients.iter().map(u32::to_string).collect();
                    format!("{} clients at full speed", number::list(&clients))
                }
            };
            let needs_pilot = !matches!(
                (&sweep.steps, sweep.clients),
                (Steps::Rates(_), Some(_)) | (Steps::Clients(_), _)
            );
            needs_pilot
                .then(|| pilot(sweep.clients))
                .into_iter()
                .chain([format!("{steps}, each once in each of {} blocks", study.trials)])
                .collect()
        }
    }
}

/// How far such a study is.
pub fn status(study: &Study, output: &Path) -> Result<String, Problem> {
    let mut trials = Vec::new();
    if output.exists() {
        let folder = ResultFolder::open(output).map_err(after::folder_problem)?;
        trials = folder.trials().map_err(after::folder_problem)?;
    }
    let done = trials
        .iter()
        .filter(|trial| trial.status == TrialStatus::Completed)
        .count();
    let mut text = String::new();
    let (mut left, cells) = (0, study.cells());
    let names = outline::names(study);
    for cell in &cells {
        let own = tasks::of_cell(cell, &trials);
        let own_left = tasks::about_left(study, cell, &own);
        left += own_left;
        let next = tasks::next(study, cell, &own).map_or("finished".to_owned(), |task| {
            let clients = task.spec.clients;
            let load = task.spec.pace.map_or_else(
                || format!("{clients} clients at full speed"),
                |pace| format!("{} with {clients} clients", number::rate(pace.rate)),
            );
            format!("next {} ({load}), about {own_left} left", task.purpose())
        });
        text.push_str(&format!(
            "  {}, {}: {} done, {next}\n",
            shown_name(&cell.system.name),
            names.work(cell),
            number::plural(own.len(), "trial", "trials")
        ));
    }
    for trial in &trials {
        let state = match &trial.status {
            TrialStatus::Completed | TrialStatus::Disturbed => continue,
            TrialStatus::Interrupted => "interrupted, will be repeated".to_owned(),
            TrialStatus::Failed { reason, .. } => format!("failed, will be repeated: {reason}"),
        };
        text.push_str(&format!("  {}: {state}\n", names.trial(&trial.spec)));
    }
    let left = if left == 0 {
        "none left".to_owned()
    } else {
        format!("about {left} left")
    };
    Ok(format!(
        "{} done, {left}; results in {}\n{text}",
        number::plural(done, "trial is", "trials are"),
        output.display()
    ))
}
