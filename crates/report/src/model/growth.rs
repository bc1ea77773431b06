//! How metrics grow with the records of a table, in words.

use dbdyno_analysis::growth::{self, NoGrowth, SystemsCrossing};
use dbdyno_stats::growth::{Crossing, FEWEST_SIZES, Growth};
use dbdyno_vocabulary::{Text, named, text};
use serde::Serialize;

use super::{GrowthPoint, Interval, Metric, Unranked};
use crate::number;
use crate::words::figures::MetricFigures;
use crate::words::names::Named;
use crate::words::{comparability, validity};

/// Everything a study says about sizes.
#[derive(Clone, Debug, Serialize)]
pub struct GrowthOverSizes {
    /// One for each workload (and level of the other factors) and metric.
    pub charts: Vec<GrowthChart>,
    /// What is not said, and why.
    pub notes: Vec<String>,
}

/// One metric over sizes, all systems.
#[derive(Clone, Debug, Serialize)]
pub struct GrowthChart {
    /// The workload and the levels of the other factors.
    pub title: String,
    /// The metric.
    pub metric: Metric,
    /// Why there are only values; `None` when growth can be judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unranked: Option<Unranked>,
    /// The systems.
    pub curves: Vec<GrowthCurve>,
    /// Pairs of systems, and where they change places.
    pub crossings: Vec<CrossingRow>,
}

/// One system over sizes.
#[derive(Clone, Debug, Serialize)]
pub struct GrowthCurve {
    /// The system.
    pub system: String,
    /// Index of its colour.
    pub color: usize,
    /// Ascending sizes.
    pub points: Vec<GrowthPoint>,
    /// The metric grows like records to this power; `None` below three sizes.
    pub exponent: Option<f64>,
    /// The exponent's interval; `None` below six blocks.
    pub interval: Option<Interval>,
    /// Whether it is shown to be no power of the size.
    pub bends: bool,
    /// The same in words.
    pub sentence: Text,
}

/// Where two systems change places.
#[derive(Clone, Debug, Serialize)]
pub struct CrossingRow {
    /// The first system.
    pub a: String,
    /// The second system.
    pub b: String,
    /// The number of records at which they are equal; `None` when they cross never or several times.
    pub records: Option<f64>,
    /// From here; `None`: not known, or before the smallest size.
    pub from: Option<f64>,
    /// To here; `None`: not known, or beyond the largest size.
    pub to: Option<f64>,
    /// The same in words.
    pub sentence: Text,
}

impl GrowthOverSizes {
    /// In words; `None` where nothing was followed over sizes.
    pub fn new(found: Vec<growth::GrowthChart>) -> Option<Self> {
        if found.is_empty() {
            return None;
        }
        let mut notes = Vec::new();
        let mut curves = found.iter().flat_map(|chart| &chart.curves);
        if curves.any(|curve| curve.points.len() < FEWEST_SIZES) {
            notes.push(format!(
                "An exponent needs at least {FEWEST_SIZES} sizes: two always lie on a line."
            ));
        }
        let refused = found.iter().filter_map(|chart| {
            let why = comparability::clause(chart.unranked.as_ref()?);
            Some(format!(
                "Growth of {} is not comparable: {why}.",
                chart.metric.name()
            ))
        });
        let mut refused: Vec<String> = refused.collect();
        refused.dedup();
        notes.extend(refused);
        notes.push("Sizes below the smallest or above the largest one measured are not covered.".to_owned());
        Some(Self {
            charts: found.into_iter().map(chart).collect(),
            notes,
        })
    }
}

fn chart(found: growth::GrowthChart) -> GrowthChart {
    let metric = found.metric;
    let mut title = format!("Workload {}", found.workload);
    for (name, level) in &found.factors {
        title.push_str(&format!(" · {name} {level}"));
    }
    GrowthChart {
        title,
        metric,
        unranked: found.unranked.as_ref().map(comparability::told),
        curves: found.curves.into_iter().map(|own| curve(metric, own)).collect(),
        crossings: found
            .crossings
            .into_iter()
            .map(|own| crossing(metric, own))
            .collect(),
    }
}

fn curve(metric: Metric, found: growth::GrowthCurve) -> GrowthCurve {
    let sentence: Text = match &found.growth {
        Ok(growth) => exponent(metric, growth).into(),
        Err(NoGrowth::Unranked) => {
            let values = found.points.iter().map(|point| {
                format!(
                    "{} at {} records",
                    metric.bounded(point.median, point.at_least),
                    number::quantity(point.records as f64)
                )
            });
            let values: Vec<String> = values.collect();
            format!("{}; not comparable.", number::list(&values)).into()
        }
        Err(NoGrowth::Unreliable(why)) => text!["no exponent, ", validity::told(why), "."],
        Err(NoGrowth::Unfitted(reason)) => format!("no exponent, {reason}.").into(),
    };
    let growth = found.growth.ok();
    let interval = growth.as_ref().and_then(|growth| growth.interval);
    GrowthCurve {
        sentence: text![named(&found.system), ": ", sentence],
        system: found.system,
        color: found.color,
        points: found.points,
        exponent: growth.as_ref().map(|growth| growth.exponent),
        interval: interval.map(|(low, high)| Interval {
            low,
            high,
            confidence: dbdyno_stats::CONFIDENCE,
        }),
        bends: growth.is_some_and(|growth| growth.bends),
    }
}

fn exponent(metric: Metric, growth: &Growth) -> String {
    let interval = match growth.interval {
        Some((low, high)) => format!("95% interval {} to {}", power(low), power(high)),
        None => format!(
            "no interval from {}",
            number::plural(growth.blocks, "block", "blocks")
        ),
    };
    let bend = if growth.bends {
        " The curve bends: the last step differs from the first, so this exponent is an average."
    } else {
        ""
    };
    let name = metric.name();
    format!(
        "{name} ~ records^{} ({interval}); with ten times the records, {name} is {}.{bend}",
        power(growth.exponent),
        number::times(10_f64.powf(growth.exponent), None, number::Quantity::Level),
    )
}

/// An exponent, never `-0.000`.
fn power(exponent: f64) -> String {
    let text = format!("{exponent:.3}");
    if text == "-0.000" {
        "0.000".to_owned()
    } else {
        text
    }
}

fn crossing(metric: Metric, found: SystemsCrossing) -> CrossingRow {
    let SystemsCrossing {
        a,
        b,
        sizes,
        crossing,
    } = found;
    let (low, high) = (number::quantity(sizes.0 as f64), number::quantity(sizes.1 as f64));
    let name = metric.name();
    let (mut records, mut ends) = (None, (None, None));
    let sentence = match crossing {
        Crossing::None { first_higher, shown } => {
            let (higher, lower) = if first_higher { (&a, &b) } else { (&b, &a) };
            let (higher, lower) = (named(higher), named(lower));
            if shown {
                text![
                    higher,
                    format!(" has the higher {name} than "),
                    lower,
                    format!(" at every size from {low} to {high} records.")
                ]
            } else {
                text![
                    higher,
                    " and ",
                    lower,
                    format!(
                        " do not change places in {name} from {low} to {high} records as measured, but the difference is not shown at \
                         every size."
                    )
                ]
            }
        }
        Crossing::Several(times) => {
            let times = format!(" change places in {name} {times} times: no single crossover.");
            text![named(&a), " and ", named(&b), times]
        }
        Crossing::Once {
            size,
            interval,
            first_higher_above,
        } => {
            records = Some(size);
            ends = interval.unwrap_or_default();
            let (winner, loser) = if first_higher_above { (&a, &b) } else { (&b, &a) };
            let interval = match interval {
                None => "no interval from so few blocks".to_owned(),
                Some((from, to)) => format!(
                    "95% interval {} to {}",
                    from.map_or_else(|| format!("below {low}"), number::quantity),
                    to.map_or_else(|| format!("above {high}"), number::quantity)
                ),
            };
            text![
                format!("From {} records on ({interval}), ", number::quantity(size)),
                named(winner),
                format!(" has the higher {name}; below, "),
                named(loser),
                "."
            ]
        }
    };
    CrossingRow {
        a,
        b,
        records,
        from: ends.0,
        to: ends.1,
        sentence,
    }
}
