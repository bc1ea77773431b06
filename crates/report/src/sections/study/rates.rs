//! Latency against throughput in a study that asks for several rates. Closed loops are left out: each system runs there at its own
//! throughput, so that its place in such a figure would look like a rank and be none.

use dbdyno_analysis::cells::slug;
use dbdyno_analysis::grouped::grouped;
use dbdyno_chart::Plot;
use dbdyno_chart::rising_load::{self, rising_load};
use dbdyno_document::{Block, Figure, Media, Section};
use dbdyno_trial::{Level, RATE};

use super::plots::figure;
use crate::model::{Cell, CellSystem, Interval, Metric, Pace, ReportModel, System};
use crate::number;
use crate::words::figures::{Medians, MetricFigures};

const NOTE: &str = "Each point is the median of the trials at one rate, with a 95% interval where there are at least six. A hollow point did not \
                    sustain its rate: its latency grows with the length of the trial. Compare systems at one rate that both of them \
                    sustained; the sections of the workloads have the verdicts.";

/// The section, for pages; `None` where no workload was measured at two rates or more.
pub fn section(model: &ReportModel) -> Option<Section> {
    // By workload and the levels of its factors, without the rate.
    let families = grouped(model.cells.iter().map(|cell| {
        let others = cell.factors.iter().filter(|(name, _)| *name != RATE);
        let others: Vec<(&String, &Level)> = others.collect();
        ((cell.workload.as_str(), others), cell)
    }));
    let figures: Vec<Figure> = families
        .into_iter()
        .filter_map(|((workload, factors), cells)| {
            let mut title = format!("Workload {workload}");
            for (name, level) in factors {
                title.push_str(&format!(" · {name} {level}"));
            }
            drawn(model, &title, &cells)
        })
        .collect();
    if figures.is_empty() {
        return None;
    }
    let body = vec![Block::Figures(figures), Block::note(NOTE)];
    Some(Section::new(
        "rates",
        "Latency by rate",
        vec![Block::Only(Media::PAGE, body)],
    ))
}

/// All systems of one workload at its rates.
fn drawn(model: &ReportModel, title: &str, cells: &[&Cell]) -> Option<Figure> {
    let followed: Vec<(&System, Vec<rising_load::Step>)> = model
        .systems
        .iter()
        .map(|system| (system, steps(cells, &system.name)))
        .filter(|(_, steps)| !steps.is_empty())
        .collect();
    if followed.iter().all(|(_, steps)| steps.len() < 2) {
        return None;
    }
    let sentences: Vec<String> = followed.iter().map(|(_, steps)| sentence(steps)).collect();
    let lines: Vec<rising_load::Line<'_>> = followed
        .into_iter()
        .zip(&sentences)
        .map(|((system, steps), sentence)| rising_load::Line {
            name: &system.name,
            color: system.color,
            sentence,
            marked: None,
            steps,
        })
        .collect();
    let plot = Plot {
        name: &slug(&format!("{title} p99 against throughput")),
        title: &format!("{title}: p99 latency against throughput"),
        value: "p99_latency_ns",
        format: &|value| Metric::LatencyP99.format(value),
    };
    rising_load(&lines, &plot, None).map(figure)
}

fn steps(cells: &[&Cell], system: &str) -> Vec<rising_load::Step> {
    let own = |cell: &&Cell| {
        let system = cell.systems.iter().find(|own| own.name == system)?;
        step(cell, system)
    };
    let mut steps: Vec<rising_load::Step> = cells.iter().filter_map(own).collect();
    // A line goes from the lowest rate to the highest one, however the study lists them.
    steps.sort_by(|one, other| {
        one.rate
            .unwrap_or_default()
            .total_cmp(&other.rate.unwrap_or_default())
    });
    steps
}

/// A system at one rate; `None` in a closed loop, and where nobody knows whether the rate was sustained.
fn step(cell: &Cell, system: &CellSystem) -> Option<rising_load::Step> {
    let (Pace::Sustained {
        rate,
        sustained,
        trials,
    }
    | Pace::Missed {
        rate,
        sustained,
        trials,
    }) = system.pace
    else {
        return None;
    };
    let throughput = system.metric(Metric::Throughput)?.estimate.median;
    let latency = &system.metric(Metric::LatencyP99)?.estimate;
    Some(rising_load::Step {
        rate: Some(rate),
        clients: cell.scope.clients.first().copied().unwrap_or_default(),
        throughput,
        latency: latency.median,
        interval: latency.interval.map(Interval::ends),
        at_least: system.is_bound(Metric::LatencyP99),
        trials,
        sustained,
        text: format!(
            "{}: requested {}, achieved {}, sustained in {sustained} of {}\np99 {}",
            system.name,
            number::rate(rate),
            number::rate(throughput),
            number::plural(trials, "trial", "trials"),
            system.text(Metric::LatencyP99, latency.median)
        ),
    })
}

fn sentence(steps: &[rising_load::Step]) -> String {
    let p99 = |step: &rising_load::Step| {
        let p99 = Metric::LatencyP99.bounded(step.latency, step.at_least);
        format!("p99 {p99} at {}", number::rate(step.rate.unwrap_or_default()))
    };
    steps.iter().map(p99).collect::<Vec<_>>().join(", ")
}
