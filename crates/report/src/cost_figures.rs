//! What operations cost, trial by trial, for `results.csv`.

use dbdyno_analysis::cost::pricing::per_million;
use dbdyno_analysis::systems;
use dbdyno_record::TrialRecord;
use dbdyno_record::tidy::OtherFigure;

use crate::StudyResults;
use crate::model::pricing;

/// The cost of each trial of a study with prices; nothing of trials without a cost.
pub fn of_trials(results: &StudyResults) -> impl Fn(&TrialRecord) -> Vec<OtherFigure> {
    let order = results.asked.levels.clone().unwrap_or_default();
    let systems = systems::systems(&results.trials, &order);
    let priced = results.prices.as_ref();
    move |trial| {
        let costs = || {
            let prices = priced?;
            let pricing = pricing(prices, &trial.system.name, &systems, &results.trials).ok()?;
            let operations = pricing.operations_per_unit(trial).ok()?;
            let currency = &prices.currency;
            Some(vec![
                (
                    "cost.per_hour",
                    pricing.per_hour(trial).ok()?,
                    format!("{currency}/h"),
                ),
                ("cost.operations", operations, format!("operations/{currency}")),
                (
                    "cost.per_million",
                    per_million(operations),
                    format!("{currency}/million operations"),
                ),
            ])
        };
        costs().unwrap_or_default()
    }
}
