//! One cell with its words: what was asked, of whom, and where it stands.

use dbdyno_analysis::cells::{CellContext, cell_system, counted, slug};
use dbdyno_analysis::common_rate::common_rate;
use dbdyno_record::pilot::UNLIMITED;

use super::{Cell, CellSystem, CommonRate, Scope, flags, kind, place, sentences};

/// Trials of one system that can be distinguished as lines of one figure.
const MOST_LINES: usize = 12;

/// Builds the cell without its verdicts: [`super::verdicts`] needs all cells for them.
pub fn cell(context: &CellContext<'_>) -> Cell {
    let first = context.trials[0];
    let common_rate = common_rate(&context.trials, &context.results.pilots);
    let levels = context
        .factors
        .iter()
        .filter(|(name, _)| common_rate.is_none() || *name != "rate")
        .map(|(name, level)| match (name.as_str(), level.as_str()) {
            ("rate", UNLIMITED) => "closed loop".to_owned(),
            (name, level) => format!("{name} {level}"),
        });
    let levels = levels.chain(common_rate.as_ref().map(CommonRate::name));
    let levels: String = levels.map(|level| format!(" · {level}")).collect();
    let name = format!("{}{levels}", first.workload.name);
    let title = format!("Workload {name}");
    let systems: Vec<CellSystem> = context
        .systems
        .iter()
        .filter(|system| {
            context
                .trials
                .iter()
                .any(|trial| trial.system.name == system.name)
        })
        .map(|system| cell_system(context, system))
        .collect();
    let flags = flags::of_cell(&counted(&context.trials), context.results.across_promises);
    let mut asked = sentences::asked(&context.trials);
    if let Some(origin) = common_rate
        .as_ref()
        .map(CommonRate::origin)
        .filter(|origin| !origin.is_empty())
    {
        asked.push_str("; ");
        asked.push_str(&origin);
    }
    Cell {
        id: slug(&title),
        title,
        name,
        label: format!("{}{levels}", kind::label(&first.workload)),
        place: place::place(first, &context.factors, common_rate.as_ref()),
        workload: first.workload.name.clone(),
        description: sentences::workload(&first.workload),
        factors: context.factors.clone(),
        asked,
        common_rate,
        scope: Scope::new(&context.trials),
        open_loop: context.trials.iter().any(|trial| trial.settings.rate.is_some()),
        verdicts: Vec::new(),
        comparisons: Vec::new(),
        pooled: context.pooled || systems.iter().any(|system| system.trials.len() > MOST_LINES),
        flags,
        skew: sentences::skew(&context.trials),
        systems,
    }
}
