//! What operations cost in a study: prices, money per operation, and which system is cheaper.

use std::collections::BTreeSet;

use dbdyno_analysis::cost::cell::system_cost;
use dbdyno_analysis::cost::rising::{self, Rate};
use dbdyno_analysis::cost::{Amount, HourPrices, Prices, Pricing, SystemCost, Unpriced};
use dbdyno_analysis::family::{Family, Pair};
use dbdyno_record::TrialRecord;
use serde::Serialize;

use super::verdicts::Study;
use super::{Cell, CellSystem, Interval, Metric, RisingLoad, RisingLoadCell, RisingLoadSystem, System, Word};
use crate::StudyResults;
use crate::words::remarks;

/// What operations cost.
#[derive(Clone, Debug, Serialize)]
pub struct Cost {
    /// The prices; `None` where there are none, and costs are CPU time and bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<CostPrices>,
    /// The cells with what their operations cost.
    pub cells: Vec<CellCost>,
    /// What operations cost at capacities and knees.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rising_load: Vec<RisingLoadCost>,
}

/// The prices behind all money.
#[derive(Clone, Debug, Serialize)]
pub struct CostPrices {
    /// The currency, in one word.
    pub currency: String,
    /// Where the prices are from; may be empty.
    pub source: String,
    /// Their day; may be empty.
    pub as_of: String,
    /// Whether they are examples.
    pub is_example: bool,
    /// What applies to each system.
    pub systems: Vec<SystemPrice>,
}

/// The prices of one system.
#[derive(Clone, Debug, Serialize)]
pub struct SystemPrice {
    /// The system.
    pub system: String,
    /// Prices for an hour; `None` where none applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hour: Option<HourPrices>,
    /// The nodes that are paid for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// The nodes that were measured, where they are others than those that are paid for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_nodes: Option<u32>,
    /// What it costs for an hour, whatever it does; `None` where that depends on what it uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_hour: Option<f64>,
    /// Why it has no cost in money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpriced: Option<Unpriced>,
}

/// At which rate operations were measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CostRate {
    /// As fast as each system was.
    FullSpeed,
    /// At one rate for all.
    OneRate,
}

/// What operations cost in one cell.
#[derive(Clone, Debug, Serialize)]
pub struct CellCost {
    /// The cell's name for links.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// At which rate.
    pub rate: CostRate,
    /// The systems, in the order of the study's.
    pub systems: Vec<SystemCost>,
    /// Every pair that was compared, the cheaper one first.
    pub comparisons: Vec<CostComparison>,
}

/// Two systems compared by what their operations cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostComparison {
    /// The first system.
    pub a: String,
    /// The second system.
    pub b: String,
    /// How many times the cost of the first the second's is.
    pub ratio: f64,
    /// The interval of that.
    pub interval: Option<Interval>,
    /// The verdict about the first: `faster` is cheaper, and `slower` costlier.
    pub word: Word,
    /// Why.
    pub reason: String,
}

/// The rate that systems at rising load are priced at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RisingLoadRate {
    /// Their capacities.
    Capacity,
    /// The highest steps of a sweep at which all trials kept the objective.
    Objective,
    /// Their knees.
    Knee,
}

/// What operations cost in one cell of a study at rising load.
#[derive(Clone, Debug, Serialize)]
pub struct RisingLoadCost {
    /// The cell's name for people.
    pub title: String,
    /// At which rate: `capacity`, `objective` (the highest step of a sweep that kept it) or `knee`.
    pub at: RisingLoadRate,
    /// The systems, in the order of the study's.
    pub systems: Vec<RisingLoadSystemCost>,
    /// Every pair that was compared, the cheaper one first.
    pub comparisons: Vec<CostComparison>,
}

/// What one system's operations cost at its capacity or knee.
#[derive(Clone, Debug, Serialize)]
pub struct RisingLoadSystemCost {
    /// The system.
    pub system: String,
    /// Operations per second there; `None` where none was found.
    pub rate: Option<Amount>,
    /// Whether more would still keep the objective.
    pub at_least: bool,
    /// What it costs for an hour.
    pub per_hour: Option<f64>,
    /// Operations for one unit of money.
    pub operations_per_unit: Option<Amount>,
    /// Money for a million operations.
    pub per_million: Option<Amount>,
    /// Why there is no money.
    pub unpriced: Option<Unpriced>,
}

/// What operations cost; `None` where there are no prices, and the lab watched no servers. `counted` are the trials that count, cell by
/// cell.
pub fn cost(
    results: &StudyResults,
    systems: &[System],
    cells: &[Cell],
    counted: &[Vec<&TrialRecord>],
    rising_load: Option<&RisingLoad>,
) -> Option<Cost> {
    let prices = results.prices.as_ref();
    let watched = |trial: &TrialRecord| {
        trial
            .measure
            .as_ref()
            .is_some_and(|measure| measure.server.is_some())
    };
    if prices.is_none() && !counted.iter().flatten().any(|trial| watched(trial)) {
        return None;
    }
    let pricing = |system: &str| Some(pricing(prices?, system, systems, &results.trials));
    let priced = |(cell, trials): (&Cell, &Vec<&TrialRecord>)| {
        let own = cell.systems.iter();
        own.map(|own| system_cost(own, trials, pricing(&own.name)))
            .collect()
    };
    let costs: Vec<Vec<SystemCost>> = cells.iter().zip(counted).map(priced).collect();
    let study = Study::new(systems, cells, counted, results.across_promises);
    let mut comparisons = compared(&study, cells, &costs);
    let cells = cells.iter().zip(costs).zip(&mut comparisons);
    let of_cell =
        |((cell, systems), comparisons): ((&Cell, Vec<SystemCost>), &mut Vec<CostComparison>)| CellCost {
            id: cell.id.clone(),
            title: cell.title.clone(),
            rate: rate(cell),
            systems,
            comparisons: std::mem::take(comparisons),
        };
    let rising = rising_load.filter(|_| prices.is_some()).into_iter();
    let at_rising_load = |cell: &RisingLoadCell| self::rising_load(cell, &pricing);
    Some(Cost {
        prices: prices.map(|prices| self::prices(prices, systems, &results.trials)),
        cells: cells.map(of_cell).collect(),
        rising_load: rising
            .flat_map(|rising| &rising.cells)
            .map(at_rising_load)
            .collect(),
    })
}

const fn rate(cell: &Cell) -> CostRate {
    if cell.open_loop {
        CostRate::OneRate
    } else {
        CostRate::FullSpeed
    }
}

/// What a system costs. A twin is its original once more, and a level of a baseline costs as much as that, unless it has prices of its own.
pub(crate) fn pricing(
    prices: &Prices,
    name: &str,
    systems: &[System],
    trials: &[TrialRecord],
) -> Result<Pricing, Unpriced> {
    let system = systems.iter().find(|system| system.name == name);
    let others = system.map(|system| [system.twin_of.as_deref(), system.base.as_deref()]);
    let names: Vec<&str> = std::iter::once(name)
        .chain(others.into_iter().flatten().flatten())
        .collect();
    // Before its first table is there, a cluster may know less of itself.
    let own = trials.iter().filter(|trial| trial.system.name == name);
    let nodes = own.filter_map(|trial| trial.system.node_count()).max();
    Pricing::of(prices, &names, nodes)
}

fn prices(prices: &Prices, systems: &[System], trials: &[TrialRecord]) -> CostPrices {
    let of_system = |system: &System| {
        let pricing = pricing(prices, &system.name, systems, trials);
        let known = pricing.ok();
        SystemPrice {
            system: system.name.clone(),
            hour: known.map(|pricing| pricing.hour),
            nodes: known.and_then(|pricing| pricing.nodes),
            measured_nodes: known.and_then(|pricing| pricing.measured_nodes),
            per_hour: known.and_then(|pricing| pricing.fixed_per_hour()),
            unpriced: pricing.err(),
        }
    };
    CostPrices {
        currency: prices.currency.clone(),
        source: prices.source.clone(),
        as_of: prices.as_of.clone(),
        is_example: prices.is_example,
        systems: systems
            .iter()
            .filter(|system| system.twin_of.is_none())
            .map(of_system)
            .collect(),
    }
}

/// The comparisons of all cells at once, as those of throughput are made: with the noise of the study, and corrected for their number.
fn compared(study: &Study<'_>, cells: &[Cell], costs: &[Vec<SystemCost>]) -> Vec<Vec<CostComparison>> {
    let priced: Vec<Vec<CellSystem>> = cells
        .iter()
        .zip(costs)
        .map(|(cell, costs)| cell.systems.iter().zip(costs).map(as_throughput).collect())
        .collect();
    let mut pairs: Vec<Pair> = Vec::new();
    for (index, cell) in cells.iter().enumerate() {
        let metric = match rate(cell) {
            CostRate::FullSpeed => Metric::Throughput,
            // What may be compared at one rate is what sustained it.
            CostRate::OneRate => Metric::LatencyP99,
        };
        let of_cell = study.pairs_of(metric, index, cell).into_iter();
        pairs.extend(of_cell.filter_map(|pair| ordered(pair, rate(cell), &costs[index])));
    }
    let is_compared = |pair: &Pair| {
        let has = |system: usize| costs[pair.cell][system].compared.is_some();
        rate(&cells[pair.cell]) == CostRate::FullSpeed && has(pair.a) && has(pair.b)
    };
    let mut twins = study.twins(Metric::Throughput, cells);
    twins.retain(is_compared);
    let family = Family {
        metric: Metric::Throughput,
        cells: priced.iter().map(|systems| systems.iter().collect()).collect(),
        pairs: pairs.clone(),
        twins,
        across_tests: BTreeSet::new(),
        widened: None,
    };
    let mut by_cell = vec![Vec::new(); cells.len()];
    for (pair, found) in pairs.iter().zip(family.compare().comparisons) {
        by_cell[pair.cell].extend(found.map(|found| {
            let found = remarks::tell(found);
            CostComparison {
                a: found.a.clone(),
                b: found.b.clone(),
                ratio: found.ratio,
                interval: found.interval,
                word: found.word,
                reason: found.why.clone(),
            }
        }));
    }
    by_cell
}

/// The system with what one unit of money pays for in place of its throughput, so that cheaper is what faster was.
fn as_throughput((own, cost): (&CellSystem, &SystemCost)) -> CellSystem {
    CellSystem {
        compared: cost
            .compared
            .iter()
            .map(|summary| (Metric::Throughput, summary.clone()))
            .collect(),
        levelled: own.levelled.clone().filter(|_| cost.is_fixed),
        between_tests: None,
        ..own.clone()
    }
}

/// The pair with the cheaper system first; `None` where there is nothing to compare. Whole nodes at one rate cost what they cost: there is
/// nothing uncertain in it that a verdict could be about.
fn ordered(mut pair: Pair, rate: CostRate, costs: &[SystemCost]) -> Option<Pair> {
    let (a, b) = (&costs[pair.a], &costs[pair.b]);
    if rate == CostRate::OneRate {
        if a.is_fixed && b.is_fixed {
            return None;
        }
        // A trial that could not keep the rate did other work than the others.
        if let Some((_, overloaded)) = pair.overloaded.first() {
            pair.doubt.get_or_insert(overloaded.reason.clone());
        }
        pair.overloaded.clear();
    }
    let median = |cost: &SystemCost| Some(cost.compared.as_ref()?.estimate.median);
    if median(a)? < median(b)? {
        (pair.a, pair.b) = (pair.b, pair.a);
    }
    Some(pair)
}

/// What operations cost in a cell at rising load.
fn rising_load(
    cell: &RisingLoadCell,
    pricing: &dyn Fn(&str) -> Option<Result<Pricing, Unpriced>>,
) -> RisingLoadCost {
    let fixed = |name: &str| pricing(name)?.ok()?.fixed_per_hour();
    let of_system = |system: &RisingLoadSystem| {
        let per_hour = fixed(&system.name);
        let operations = of(system)
            .zip(per_hour)
            .and_then(|(rate, hour)| rising::at(rate, hour));
        RisingLoadSystemCost {
            system: system.name.clone(),
            rate: of(system).and_then(Rate::per_second),
            at_least: of(system).is_some_and(Rate::is_bound),
            per_hour,
            operations_per_unit: operations,
            per_million: operations.map(Amount::per_million),
            unpriced: pricing(&system.name).and_then(Result::err),
        }
    };
    let find = |name: &str| cell.systems.iter().find(|system| system.name == name);
    let priced = |name: &str| Some((of(find(name)?)?, fixed(name)?));
    let compared = cell.comparisons.iter().filter_map(|pair| {
        let ((own, own_hour), (other, other_hour)) = (priced(&pair.a)?, priced(&pair.b)?);
        let found = rising::compare((&pair.a, own, own_hour), (&pair.b, other, other_hour))?;
        let comparison = CostComparison {
            a: found.a,
            b: found.b,
            ratio: found.ratio?,
            interval: found.interval,
            word: found.word,
            reason: String::new(),
        };
        Some(if comparison.ratio < 1.0 {
            comparison.reversed()
        } else {
            comparison
        })
    });
    RisingLoadCost {
        title: cell.title.clone(),
        at: at_rate(cell),
        comparisons: compared.collect(),
        systems: cell.systems.iter().map(of_system).collect(),
    }
}

fn at_rate(cell: &RisingLoadCell) -> RisingLoadRate {
    let is = |is: fn(Rate<'_>) -> bool| cell.systems.iter().filter_map(of).any(is);
    match () {
        () if cell.systems.iter().any(|system| system.capacity.is_some()) => RisingLoadRate::Capacity,
        () if is(|rate| matches!(rate, Rate::Knee(_))) => RisingLoadRate::Knee,
        () => RisingLoadRate::Objective,
    }
}

/// The rate that a system is known by: its capacity, the highest step of a sweep that kept the objective, or its knee.
fn of(system: &RisingLoadSystem) -> Option<Rate<'_>> {
    if let Some(capacity) = &system.capacity {
        return Some(Rate::Capacity(capacity));
    }
    if system.steps.iter().any(|step| step.kept.is_some()) {
        let kept = system.steps.iter().filter(|step| step.kept == Some(step.trials));
        return kept.filter_map(|step| step.rate).reduce(f64::max).map(Rate::Kept);
    }
    system.knee.as_ref().map(Rate::Knee)
}

impl CellCost {
    /// How the cost of `b` compares with that of `a`, whichever is cheaper; `None` where they were not compared.
    pub(crate) fn comparison(&self, a: &str, b: &str) -> Option<CostComparison> {
        let find = |a: &str, b: &str| {
            self.comparisons
                .iter()
                .find(|own| own.a == a && own.b == b)
                .cloned()
        };
        find(a, b).or_else(|| find(b, a).map(CostComparison::reversed))
    }
}

impl CostComparison {
    /// The same about the second system against the first.
    fn reversed(self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            ratio: 1.0 / self.ratio,
            interval: self.interval.map(|interval| Interval {
                low: 1.0 / interval.high,
                high: 1.0 / interval.low,
                ..interval
            }),
            word: self.word.reversed(),
            ..self
        }
    }
}
