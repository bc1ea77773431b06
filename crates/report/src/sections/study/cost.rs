//! What operations cost: in money where there are prices, else in CPU time and bytes.

use dbdyno_analysis::cost::{Amount, SystemCost};
use dbdyno_analysis::grouped::grouped;
use dbdyno_document::{
    Block, Column, Inline, Mark, Media, Row, Section, Table, TableCell, Text, Tone, Verdict, named,
};

use super::{cost_plot, tone};
use crate::MARGIN;
use crate::model::{
    CellCost, Cost, CostComparison, CostPrices, CostRate, Interval, ReportModel, RisingLoadCost,
    RisingLoadRate, RisingLoadSystemCost, SystemPrice, Tone as Statement, Word,
};
use crate::number;
use crate::words::cost::{clause, ends, hour_prices, of};

/// Beside prices that are nobody's.
const EXAMPLES: &str = "The prices are examples: pass your own with --cost FILE.";

/// The section of a study with prices.
pub fn of_prices(model: &ReportModel) -> Option<Section> {
    let cost = model.cost.as_ref()?;
    let prices = cost.prices.as_ref()?;
    let mut body = vec![Block::about(about(prices))];
    if prices.is_example {
        body.push(Block::note(EXAMPLES));
    }
    if !are_alike(&prices.systems) {
        body.push(Block::Table(of_systems(prices)));
    }
    body.extend(unknown(cost).into_iter().map(Block::note));
    let figure = cost_plot::relative(cost, &model.systems);
    body.extend(figure.map(|figure| Block::Only(Media::PAGE, vec![Block::Figures(vec![figure])])));
    body.extend(
        cost.rising_load
            .iter()
            .map(|cell| at_rising_load(cell, prices).into()),
    );
    body.extend(cost.cells.iter().map(|cell| of_cell(cell, prices).into()));
    body.extend(reading(cost));
    Some(Section::new("cost", "Cost", body))
}

/// The section of a study without prices, for pages: what the lab saw its servers use.
pub fn of_usage(model: &ReportModel) -> Option<Section> {
    let cost = model.cost.as_ref().filter(|cost| cost.prices.is_none())?;
    let about = "What operations cost in CPU time and bytes: medians over trials, with 95% intervals from six trials on. Add prices to see \
                 money: dbdyno report DIR --cost FILE.";
    let tables = cost.cells.iter().map(|cell| {
        let table = Table::new(
            format!("Cost, workload {}", cell.title),
            usage_columns(cell),
            usage_rows(cell),
        );
        Block::Section(Section::new("", cell.title.as_str(), vec![Block::Table(table)]))
    });
    let body = std::iter::once(Block::about(about)).chain(tables).collect();
    let section = Section::new("cost", "Cost", vec![Block::Only(Media::PAGE, body)]);
    cost.cells
        .iter()
        .any(|cell| !cell.systems.is_empty())
        .then_some(section)
}

/// Which systems have no cost somewhere, and why.
fn unknown(cost: &Cost) -> Vec<Text> {
    let of_cells = cost.cells.iter().flat_map(|cell| &cell.systems);
    let of_cells = of_cells.map(|system| (system.unpriced, system.system.as_str()));
    let at_rising_load = cost.rising_load.iter().flat_map(|cell| &cell.systems);
    let at_rising_load = at_rising_load.map(|system| (system.unpriced, system.system.as_str()));
    let all = of_cells
        .chain(at_rising_load)
        .filter_map(|(why, system)| Some((clause(why?), system)));
    let told = |(why, mut systems): (&str, Vec<&str>)| {
        systems.sort_unstable();
        systems.dedup();
        let mut text = Text::from("The cost of ");
        for (index, system) in systems.iter().enumerate() {
            text = text
                .plain(if index == 0 { "" } else { ", " })
                .text(named(*system));
        }
        text.plain(format!(" is not known: {why}."))
    };
    grouped(all).into_iter().map(told).collect()
}

/// The prices, with where they are from.
pub fn about(prices: &CostPrices) -> Text {
    let priced = prices.systems.iter().find_map(|system| system.hour.as_ref());
    let stated = match priced.filter(|_| are_alike(&prices.systems)) {
        Some(hour) => format!("Prices: {}", hour_prices(hour, &prices.currency)),
        None => format!("Prices in {}", prices.currency),
    };
    let mut from: Vec<String> = Vec::new();
    from.extend((!prices.source.is_empty()).then(|| prices.source.clone()));
    from.extend((!prices.as_of.is_empty()).then(|| format!("as of {}", prices.as_of)));
    match from.is_empty() {
        true => format!("{stated}.").into(),
        false => format!("{stated} ({}).", from.join(", ")).into(),
    }
}

/// The prices behind the sentences; `None` without prices.
pub fn note_on_prices(model: &ReportModel) -> Option<Text> {
    let prices = model.cost.as_ref()?.prices.as_ref()?;
    Some(match prices.is_example {
        true => about(prices).plain(" ").plain(EXAMPLES),
        false => about(prices),
    })
}

/// Whether one price of one node applies to all: then a table would say one thing many times.
fn are_alike(systems: &[SystemPrice]) -> bool {
    let first = systems.first();
    systems.iter().all(|system| {
        first.is_some_and(|first| (first.hour, first.nodes) == (system.hour, system.nodes))
            && system.unpriced.is_none()
            && system.measured_nodes.is_none()
    })
}

fn of_systems(prices: &CostPrices) -> Table {
    let row = |system: &SystemPrice| {
        let stated = match (&system.hour, system.unpriced) {
            (_, Some(why)) => clause(why).to_owned(),
            (Some(hour), None) => hour_prices(hour, &prices.currency),
            (None, None) => "–".to_owned(),
        };
        Row::new([
            TableCell::new(named(&system.system)),
            TableCell::new(match (system.nodes, system.measured_nodes) {
                (None, _) => "–".to_owned(),
                (Some(paid), None) => paid.to_string(),
                (Some(paid), Some(measured)) => format!("{paid} paid for, {measured} measured"),
            }),
            TableCell::new(stated),
        ])
    };
    let columns = vec![
        Column::header("system"),
        Column::numbers("nodes"),
        Column::words("prices"),
    ];
    Table::new("Prices", columns, prices.systems.iter().map(row).collect())
}

fn of_cell(cell: &CellCost, prices: &CostPrices) -> Section {
    let mut body = Vec::new();
    body.extend(verdict(&cell.comparisons));
    let systems = by_cost(&cell.systems);
    let against = cell.comparisons.first().map(|first| first.a.as_str());
    let mut columns = money_columns(prices, against);
    columns.extend(usage_columns(cell).split_off(1));
    let rows = systems.into_iter().map(|system| {
        let mut cells = vec![TableCell::new(named(&system.system))];
        cells.extend(money_cells(
            system.per_hour,
            system.operations_per_unit,
            system.per_million,
            system.unpriced.map(clause),
        ));
        cells.extend(against.map(|first| relative(&system.system, first, &cell.comparisons)));
        cells.extend(usage_cells(system, cell));
        Row::new(cells)
    });
    body.push(Block::Table(Table::new(
        format!("Cost, workload {}", cell.title),
        columns,
        rows.collect(),
    )));
    Section {
        is_subordinate: true,
        ..Section::new(format!("cost-{}", cell.id), format!("Cost, {}", cell.title), body)
    }
}

fn at_rising_load(cell: &RisingLoadCost, prices: &CostPrices) -> Section {
    let mut body = Vec::new();
    body.extend(verdict(&cell.comparisons));
    let mut systems: Vec<&RisingLoadSystemCost> = cell.systems.iter().collect();
    sort_by_cost(&mut systems, |system| system.per_million);
    let mut columns = money_columns(prices, None);
    let (column, place) = match cell.at {
        RisingLoadRate::Capacity => ("capacity", "at capacity"),
        RisingLoadRate::Objective => ("highest step within the objective", "within the objective"),
        RisingLoadRate::Knee => ("knee", "at the knee"),
    };
    columns.insert(1, Column::numbers(column));
    let rows = systems.into_iter().map(|system| {
        let bound = if system.at_least { "≥ " } else { "" };
        let rate = system.rate.map_or_else(
            || TableCell::new("–"),
            |rate| {
                TableCell::new(format!("{bound}{}", number::rate(rate.value)))
                    .detail(ends(&rate, number::rate))
            },
        );
        let hour = system.per_hour.map(|value| Amount {
            value,
            interval: None,
        });
        let by_use = "rising load is priced by whole nodes: give `node_hour`";
        let why = system.unpriced.map(clause).or((hour.is_none()).then_some(by_use));
        let mut cells = vec![TableCell::new(named(&system.system)), rate];
        cells.extend(money_cells(
            hour,
            system.operations_per_unit,
            system.per_million,
            why,
        ));
        Row::new(cells)
    });
    body.push(Block::Table(Table::new(
        format!("Cost {place}, {}", cell.title),
        columns,
        rows.collect(),
    )));
    let title = format!("Cost {place}, {}", cell.title);
    Section::new("", title.as_str(), body)
}

/// The systems of a cell, the cheapest first.
pub fn by_cost(systems: &[SystemCost]) -> Vec<&SystemCost> {
    let mut systems: Vec<&SystemCost> = systems.iter().collect();
    sort_by_cost(&mut systems, |system| system.per_million);
    systems
}

/// The cheapest first; systems without a cost last, in their order.
fn sort_by_cost<T>(systems: &mut [&T], cost: impl Fn(&T) -> Option<Amount>) {
    let value = |system: &T| cost(system).map_or(f64::INFINITY, |amount| amount.value);
    systems.sort_by(|a, b| value(a).total_cmp(&value(b)));
}

fn money_columns(prices: &CostPrices, against: Option<&str>) -> Vec<Column> {
    let currency = &prices.currency;
    let mut columns = vec![
        Column::header("system"),
        Column::numbers(format!("{currency} an hour")),
        Column::numbers(format!("operations per {currency}")),
        Column::numbers(format!("{currency} per million operations")),
    ];
    columns.extend(against.map(|first| Column::words(Text::from("cost relative to ").text(named(first)))));
    columns
}

fn money_cells(
    hour: Option<Amount>,
    operations: Option<Amount>,
    per_million: Option<Amount>,
    why: Option<&'static str>,
) -> [TableCell; 3] {
    let cell = |amount: Option<Amount>, format: fn(f64) -> String| match amount {
        Some(amount) => TableCell::new(format(amount.value))
            .detail(ends(&amount, format))
            .valued(amount.value),
        None => TableCell::new("–"),
    };
    let mut last = cell(per_million, number::money);
    if let (None, Some(why)) = (per_million, why) {
        last = TableCell::new("not known").explained(why);
    }
    [
        cell(hour, number::money),
        cell(operations, number::quantity),
        last,
    ]
}

/// How many times the cost of the first a system's is: `1.34× (1.20–1.50) *`.
pub fn relative(system: &str, first: &str, comparisons: &[CostComparison]) -> TableCell {
    let Some(found) = comparisons.iter().find(|own| own.a == first && own.b == system) else {
        return TableCell::new("–");
    };
    let interval = found.interval.map_or_else(String::new, |interval| {
        let (low, high) = interval.ends();
        format!(" ({}–{})", number::ratio_digits(low), number::ratio_digits(high))
    });
    let text = Text::from(format!("{}{interval}", number::ratio(found.ratio)));
    let (sign, meaning) = match found.word {
        Word::Faster | Word::Slower => ("*", "decided"),
        Word::Equivalent => ("=", "equivalent"),
        Word::Bounded => ("≈", "bounded"),
        Word::Undecided => ("?", "undecided"),
        Word::NotComparable => return TableCell::new("not comparable").explained(found.reason.as_str()),
    };
    let tone = Tone::Plain;
    TableCell::new(text.plain(" ").with(Inline::Mark(Mark { sign, meaning, tone })))
}

/// Which system is cheapest in each cell whose costs were compared, in a sentence.
pub fn sentences(model: &ReportModel) -> Vec<Text> {
    let cells = model.cost.iter().flat_map(|cost| &cost.cells);
    let cells = cells.map(|cell| (&cell.title, &cell.comparisons));
    let at_rising_load = model.cost.iter().flat_map(|cost| &cost.rising_load);
    let at_rising_load = at_rising_load.map(|cell| (&cell.title, &cell.comparisons));
    let judged = cells
        .chain(at_rising_load)
        .filter_map(|(title, comparisons)| Some((title, judged(comparisons)?)));
    judged
        .map(|(title, (_, text))| {
            Text::new()
                .strong(format!("Cost, {title}:"))
                .plain(" ")
                .text(text)
                .plain(".")
        })
        .collect()
}

/// Which system is cheapest, as far as its comparisons show; `None` without any.
fn verdict(comparisons: &[CostComparison]) -> Option<Block> {
    let (statement, text) = judged(comparisons)?;
    let label = match statement {
        Statement::Shown => "cheapest",
        Statement::Undecided => "undecided",
        _ => "as cheap",
    };
    Some(Block::Verdict(Verdict {
        tone: tone(statement),
        label: label.to_owned(),
        text: text.plain("."),
        ..Verdict::default()
    }))
}

/// That as a statement and a sentence without its full stop.
fn judged(comparisons: &[CostComparison]) -> Option<(Statement, Text)> {
    let first = comparisons.first()?;
    let against: Vec<&CostComparison> = comparisons.iter().filter(|own| own.a == first.a).collect();
    let leader = named(&first.a);
    let is = |is: fn(Word) -> bool| against.iter().any(|own| is(own.word));
    let (opening, statement) = match () {
        () if against.iter().all(|own| own.word == Word::Faster) => {
            (leader.clone().plain(" is cheapest"), Statement::Shown)
        }
        () if is(Word::is_open) => (
            Text::from("The cheapest is undecided; ")
                .text(leader)
                .plain(" cost least as measured"),
            Statement::Undecided,
        ),
        () => (
            Text::from("No system is cheaper than ")
                .text(leader)
                .plain(", which costs least as measured"),
            Statement::Same,
        ),
    };
    let mut text = opening;
    for (index, comparison) in against.iter().enumerate() {
        text = text
            .plain(if index == 0 { ". " } else { "; " })
            .text(than_first(comparison));
    }
    Some((statement, text))
}

fn than_first(comparison: &CostComparison) -> Text {
    let ends = |interval: Interval| {
        let (low, high) = interval.ends();
        format!(
            "{}x to {}x",
            number::ratio_digits(low),
            number::ratio_digits(high)
        )
    };
    let interval = comparison.interval.map(ends);
    let other = named(&comparison.b);
    let ratio = format!("{}x", number::ratio_digits(comparison.ratio));
    match (comparison.word, interval) {
        (Word::Faster | Word::Slower, Some(interval)) => {
            other.plain(format!(" costs {ratio} as much (95% interval {interval})"))
        }
        (Word::Faster | Word::Slower, None) => other.plain(format!(" costs {ratio} as much")),
        (Word::Equivalent, _) => other.plain(format!(" costs as much, within {}", number::share(MARGIN))),
        (Word::Bounded, _) => {
            let bound = comparison
                .interval
                .map_or(f64::INFINITY, |interval| interval.reach());
            other.plain(format!(
                " costs at most {}x as much, or as little",
                number::ratio_digits(bound)
            ))
        }
        (Word::Undecided, interval) => {
            let interval =
                interval.map_or_else(String::new, |interval| format!(" (95% interval {interval})"));
            let measured = format!(" costs {ratio} as much{interval}, which is undecided");
            match comparison.reason.is_empty() {
                true => other.plain(measured),
                false => other.plain(format!("{measured}: {}", comparison.reason)),
            }
        }
        (Word::NotComparable, _) => other
            .plain(" is not comparable: ")
            .plain(comparison.reason.as_str()),
    }
}

/// How to read the money.
fn reading(cost: &Cost) -> Vec<Block> {
    let systems = || cost.cells.iter().flat_map(|cell| &cell.systems);
    let mut notes = vec![
        "The cheapest row is first. Figures are medians over trials with 95% intervals from six trials on; the intervals are those of the \
         measurements, and prices are exact. Costs are compared as throughput is, corrected for all comparisons of cost: * is a decided \
         difference, = is equivalent, ≈ is bounded, ? is undecided."
            .to_owned(),
    ];
    let at_one_rate = cost.cells.iter().any(|cell| cell.rate == CostRate::OneRate);
    if at_one_rate && systems().any(|system| system.is_fixed) {
        notes.push(
            "A node costs the same whether it is busy or idle. At one rate all systems do the same work, so the money follows from the price \
             and the number of nodes alone: there is nothing to decide. CPU time shows how much of the nodes that work needs."
                .to_owned(),
        );
    }
    if systems().any(|system| system.per_hour.is_some() && !system.is_fixed) {
        notes.push(
            "An hour by use costs what the measured phase used on average: idle capacity costs nothing."
                .to_owned(),
        );
    }
    let measured = systems().any(|system| system.cpu_seconds_per_million.is_some());
    if !cost.cells.is_empty() && !measured {
        notes.push("CPU time was not measured: dbdyno watches servers that the lab starts, and stores inside its process.".to_owned());
    }
    notes.into_iter().map(Block::note).collect()
}

/// The columns of what was used, after that of the systems: those that any system has.
fn usage_columns(cell: &CellCost) -> Vec<Column> {
    let has = |of: fn(&SystemCost) -> Option<Amount>| cell.systems.iter().any(|system| of(system).is_some());
    let mut columns = vec![Column::header("system")];
    let titles = [
        "CPU per million operations",
        "written per operation",
        "on disk per record",
    ];
    let known = USED.into_iter().zip(titles).filter(|(of, _)| has(*of));
    columns.extend(known.map(|(_, title)| Column::numbers(title)));
    columns
}

/// What was used, in the order of columns.
const USED: [fn(&SystemCost) -> Option<Amount>; 3] = [
    |system| system.cpu_seconds_per_million,
    |system| system.written_bytes_per_operation,
    |system| system.disk_bytes_per_record,
];

fn usage_cells(system: &SystemCost, cell: &CellCost) -> Vec<TableCell> {
    let formats: [fn(f64) -> String; 3] = [
        |seconds| number::duration_ns(seconds * 1e9),
        number::bytes,
        number::bytes,
    ];
    let has = |of: fn(&SystemCost) -> Option<Amount>| cell.systems.iter().any(|system| of(system).is_some());
    let shown = USED
        .into_iter()
        .zip(formats)
        .enumerate()
        .filter(|(_, (of, _))| has(*of));
    shown
        .map(|(index, (of_system, format))| match of_system(system) {
            None => TableCell::new("not measured"),
            Some(amount) if index == 0 => {
                let whose = system.cpu_of.map_or("", of);
                TableCell::new(format(amount.value))
                    .detail(whose)
                    .valued(amount.value)
            }
            Some(amount) => TableCell::new(format(amount.value)).valued(amount.value),
        })
        .collect()
}

fn usage_rows(cell: &CellCost) -> Vec<Row> {
    let row = |system: &SystemCost| {
        let name = std::iter::once(TableCell::new(named(&system.system)));
        Row::new(name.chain(usage_cells(system, cell)))
    };
    cell.systems.iter().map(row).collect()
}
