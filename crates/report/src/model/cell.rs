//! One cell with its words: what was asked, of whom, and where it stands.

use dbdyno_analysis::cells::{CellContext, cell_system, counted, slug};
use dbdyno_analysis::common_rate::common_rate;
use dbdyno_trial::{Level, RATE};

use super::{Cell, CellSystem, CommonRate, Scope, flags, place, sentences};
use crate::number;
use crate::words::{load, starts, validity};

/// Trials of one system that can be distinguished as lines of one figure.
const MOST_LINES: usize = 12;

/// Builds the cell without its verdicts: [`super::verdicts`] needs all cells for them.
pub fn cell(context: &CellContext<'_>) -> Cell {
    let first = context.trials[0];
    let common_rate = common_rate(&context.trials, &context.results.pilots);
    let systems: Vec<CellSystem> = context
        .systems
        .iter()
        .filter(|system| {
            context
                .trials
                .iter()
                .any(|trial| trial.system.name == system.name)
        })
        .map(|system| in_words(cell_system(context, system)))
        .collect();
    let flags = flags::of_cell(&counted(&context.trials), context.results.across_promises);
    let mut asked = sentences::asked(&context.trials);
    if let Some(origin) = common_rate.as_ref().and_then(load::origin) {
        asked.push_str("; ");
        asked.push_str(&origin);
    }
    Cell {
        id: slug(&identity(context, common_rate.as_ref())),
        title: place::place(first, &context.factors, common_rate.as_ref()),
        workload: first.workload.name.clone(),
        description: sentences::workload(&first.workload),
        factors: context.factors.clone(),
        asked,
        common_rate,
        scope: Scope::new(&context.trials),
        open_loop: context.trials.iter().any(|trial| trial.spec.rate().is_some()),
        verdicts: Vec::new(),
        comparisons: Vec::new(),
        pooled: context.pooled || systems.iter().any(|system| system.trials.len() > MOST_LINES),
        flags,
        skew: sentences::skew(&context.trials),
        systems,
    }
}

/// What links to the cell are made of. Files and pages of others hold such links, so it does not follow the title.
fn identity(context: &CellContext<'_>, common: Option<&CommonRate>) -> String {
    let factors = context.factors.iter();
    let others = factors.filter(|(name, _)| common.is_none() || *name != RATE);
    let levels = others.map(|(name, level)| match (name.as_str(), level) {
        (RATE, Level::Unlimited) => "closed loop".to_owned(),
        (name, level) => format!("{name} {level}"),
    });
    let rate = common.map(|common| {
        let rate = common.per_second.map_or("unknown".to_owned(), number::rate);
        format!("common rate of {rate}")
    });
    let parts: Vec<String> = levels.chain(rate).collect();
    format!("workload {} {}", context.trials[0].workload.name, parts.join(" "))
}

/// The system with the words for its doubts.
fn in_words(mut system: CellSystem) -> CellSystem {
    system.unreliable = system.doubt.as_ref().map(validity::clause);
    starts::tell(&mut system);
    system
}
