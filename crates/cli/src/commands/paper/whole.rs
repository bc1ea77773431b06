//! `dbdyno paper run --whole`, `--budget`, and claims of several parts: several set-ups, at the largest scale that fits into a time.

use std::time::Duration;

use dbdyno_paper::Paper;
use dbdyno_vocabulary::{Time, shell};

use super::{Chosen, PlannedPart, carry_out, planned};
use crate::arguments::PaperRunArguments;
use crate::commands::study::extent;
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::progress::short_time;
use crate::terminal::Terminal;

/// The scales that a budget chooses from, the largest first. They are few so that results of different budgets can be continued.
const SCALES: [f64; 10] = [1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];

/// The numbers of trials that a budget chooses from after the parts' own: fewer decide nothing.
const FEWER_TRIALS: [u32; 2] = [5, 4];

/// Parts with the time that each takes.
struct Whole {
    scale: f64,
    /// The number of trials of each cell, where it is not the parts' own.
    trials: Option<u32>,
    parts: Vec<(String, PlannedPart, Duration)>,
    /// Parts for which the budget leaves no time.
    left_out: Vec<(String, Duration)>,
}

impl Whole {
    fn time(&self) -> Duration {
        self.parts.iter().map(|(_, _, time)| *time).sum()
    }

    /// How many of the paper's sizes are left, of all parts.
    fn sizes(&self) -> usize {
        self.parts.iter().map(|(_, planned, _)| planned.sizes[0]).sum()
    }

    /// Without all parts but so many first ones: a paper states the most important ones first.
    fn keep(&mut self, count: usize) {
        let others = self.parts.split_off(count);
        self.left_out = others.into_iter().map(|(part, _, time)| (part, time)).collect();
    }

    /// The choice in words, a line each.
    fn lines(&self, budget: Option<Duration>) -> Vec<String> {
        let within = budget.map_or_else(String::new, |budget| format!("Within {}: ", Time::new(budget)));
        let trials = self
            .trials
            .map_or_else(String::new, |trials| format!(", {trials} trials per cell"));
        let mut lines = vec![format!(
            "{within}scale {}{trials}, about {}",
            self.scale,
            short_time(self.time())
        )];
        lines.extend(self.parts.iter().map(|(part, planned, time)| {
            let (trials, _) = extent(&planned.study_file.study);
            let [left, all] = planned.sizes;
            let sizes = if left < all {
                format!(", {left} of {all} sizes")
            } else {
                String::new()
            };
            format!(
                "  {part}: {trials}{sizes}, about {}, into {}",
                short_time(*time),
                planned.output.display()
            )
        }));
        lines.extend(self.left_out.iter().map(|(part, time)| {
            format!(
                "  Left out: {part}, about {}; `--part {part}` runs it alone",
                short_time(*time)
            )
        }));
        lines
    }
}

/// Plans and runs the parts that are asked for.
pub fn execute(
    paper: &Paper,
    arguments: &PaperRunArguments,
    chosen: &[Chosen],
    terminal: Terminal,
) -> Result<ExitCode, Problem> {
    let at_scale = |sizes| at_scale(paper, arguments, chosen, sizes);
    let whole = match arguments.budget {
        None => at_scale((arguments.scale, arguments.trials))?,
        Some(budget) => within(paper, arguments, budget, at_scale)?,
    };
    let lines = whole.lines(arguments.budget);
    if arguments.print {
        terminal.print(&(lines.join("\n") + "\n"))?;
        return Ok(ExitCode::Success);
    }
    for line in &lines {
        terminal.note(line);
    }
    let mut worst = ExitCode::Success;
    for (part, planned, _) in &whole.parts {
        terminal.note(&format!("Part {part}"));
        let ended = carry_out(planned, arguments, terminal)?;
        if ended == ExitCode::Interrupted {
            return Ok(ended);
        }
        if worst == ExitCode::Success {
            worst = ended;
        }
    }
    let folders: Vec<String> = whole
        .parts
        .iter()
        .map(|(_, part, _)| shell::path(&part.output))
        .collect();
    terminal.note(&format!(
        "The page of the paper: dbdyno paper report {} {} --output {0}.html",
        paper.head.id,
        folders.join(" ")
    ));
    Ok(worst)
}

/// The parts at the largest scale whose estimated time, with repetitions of disturbed trials, fits. With fewer trials where more of the
/// paper's sizes then fit, since many claims are about growth; with the first parts alone where fewer trials do not suffice.
fn within(
    paper: &Paper,
    arguments: &PaperRunArguments,
    budget: Duration,
    at_scale: impl Fn((f64, Option<u32>)) -> Result<Whole, Problem>,
) -> Result<Whole, Problem> {
    let fewer = FEWER_TRIALS.map(Some).into_iter();
    let choices: Vec<Option<u32>> = std::iter::once(arguments.trials)
        .chain(fewer.filter(|_| arguments.trials.is_none()))
        .collect();
    // Mistakes show at the first scale; at smaller ones a claim may lose sizes, which is no choice.
    let of_all = at_scale((SCALES[0], None))?.parts.len();
    let (mut least, mut smallest) = (Duration::MAX, SCALES[0]);
    for count in (1..=of_all).rev() {
        let mut best: Option<Whole> = None;
        for trials in &choices {
            for scale in SCALES {
                let Ok(mut whole) = at_scale((scale, *trials)) else {
                    break;
                };
                whole.keep(count);
                (least, smallest) = (whole.time(), scale);
                if least <= budget {
                    if best.as_ref().is_none_or(|best| whole.sizes() > best.sizes()) {
                        best = Some(whole);
                    }
                    break;
                }
            }
        }
        if let Some(best) = best {
            return Ok(best);
        }
    }
    let what = if of_all > 1 {
        "even the first part"
    } else {
        "this part"
    };
    Err(Problem::usage(format!(
        "{} is too short for {what} of {}: at scale {smallest}, the smallest, it takes about {}",
        Time::new(budget),
        paper.head.id,
        short_time(least)
    ))
    .help("raise --budget"))
}

fn at_scale(
    paper: &Paper,
    arguments: &PaperRunArguments,
    chosen: &[Chosen],
    (scale, trials): (f64, Option<u32>),
) -> Result<Whole, Problem> {
    let of = |chosen: &Chosen| {
        let planned = planned(paper, arguments, chosen, (scale, trials))?;
        let study = &planned.study_file.study;
        let (_, time) = extent(study);
        let time = time + dbdyno_study::plan::time_for_repeats(study, time);
        Ok((chosen.0.clone(), planned, time))
    };
    let parts: Result<Vec<_>, Problem> = chosen.iter().map(of).collect();
    Ok(Whole {
        scale,
        trials,
        parts: parts?,
        left_out: Vec::new(),
    })
}
