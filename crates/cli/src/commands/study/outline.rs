//! A study in words, before it runs: its size, its trials, its order.

use std::time::Duration;

use dbdyno_engine::Reset;
use dbdyno_report::{TrialNames, number};
use dbdyno_study::definition::{Precision, WarmUp};
use dbdyno_study::file::effort::LONGEST_WARMUP_AGAIN;
use dbdyno_study::rising_load::{Kind, Steps};
use dbdyno_study::{Operations, Plan, Study};
use dbdyno_vocabulary::{shown_name, twin_original};

/// `3 systems x 6 workloads x 5 trials`.
pub fn shape(study: &Study) -> String {
    let mut parts = vec![systems(study)];
    // Where workloads have rates of their own, not every workload meets every rate.
    let pairs: usize = study.workloads.iter().map(|workload| workload.rates.len()).sum();
    parts.push(match pairs {
        0 => number::plural(study.workloads.len(), "workload", "workloads"),
        _ => number::plural(pairs, "pair of workload and rate", "pairs of workload and rate"),
    });
    let rates = if pairs == 0 { study.rates.len() } else { 1 };
    for (levels, of_levels) in [
        (study.records.len(), "numbers of records"),
        (study.operations.len(), "numbers of operations"),
        (study.clients.len(), "numbers of clients"),
        (rates, "rates"),
        (study.durabilities.len(), "durability levels"),
    ] {
        if levels > 1 {
            parts.push(format!("{levels} {of_levels}"));
        }
    }
    if study.kind != Kind::Comparison {
        parts.push(asked(study));
    }
    let text = parts.join(" x ");
    match study.precision {
        _ if study.kind != Kind::Comparison => text,
        None => format!("{text} x {}", number::plural(study.trials, "block", "blocks")),
        Some(precision) => format!("{text} x {} to {} blocks", study.trials, precision.most_trials),
    }
}

/// How many systems there are, by the count of the report: a twin is no system.
fn systems(study: &Study) -> String {
    let names = || study.systems.iter().map(|system| system.name.as_str());
    let repeated: Vec<&str> = names().filter_map(twin_original).collect();
    let systems = number::plural(names().count() - repeated.len(), "system", "systems");
    if repeated.is_empty() {
        systems
    } else {
        format!("({systems} + repeat of {})", number::list(&repeated))
    }
}

/// What a study of these kinds asks, in few words.
pub fn asked(study: &Study) -> String {
    match &study.kind {
        Kind::Comparison => String::new(),
        Kind::Capacity(capacity) => format!("search for the capacity under {}", capacity.objective.text()),
        Kind::Sweep(sweep) => {
            let steps = match &sweep.steps {
                Steps::Automatic => "10 steps up to the throughput at full speed".to_owned(),
                Steps::Rates(rates) => number::plural(rates.len(), "rate", "rates"),
                Steps::Clients(clients) => number::plural(clients.len(), "number", "numbers") + " of clients",
            };
            format!("{steps} x {} blocks", study.trials)
        }
    }
}

/// What ends a study with a target precision.
pub fn ends(precision: &Precision) -> String {
    let budget = precision.budget.map_or_else(String::new, |budget| {
        format!(
            " or {} of loads, warm-ups and measured phases",
            short_duration(budget)
        )
    });
    format!(
        "Blocks are added until every interval is within {}, up to {} blocks{budget}",
        number::share(precision.share),
        precision.most_trials
    )
}

/// How fast records are loaded, as far as that is known.
pub fn loads(study: &Study) -> String {
    let how = match study.load_rate {
        Some(_) => "as fast as before:",
        None => "guessed at",
    };
    let rates = study
        .systems
        .iter()
        .map(|system| dbdyno_study::plan::load_rate(study, system));
    let (slowest, fastest) = rates.fold((f64::MAX, 0.0_f64), |(slowest, fastest), rate| {
        (slowest.min(rate), fastest.max(rate))
    });
    let slowest_text = number::quantity(slowest);
    if slowest < fastest {
        format!("{how} {slowest_text} to {} records/s", number::quantity(fastest))
    } else {
        format!("{how} {slowest_text} records/s")
    }
}

/// Why not all servers run at the same time; `None` where they do.
pub fn batches(study: &Study) -> Option<String> {
    let limit = study.memory_of_batches?;
    Some(format!(
        "Servers run in batches: together they need {} of memory, and they may use {}",
        number::bytes(study.memory_of_servers() as f64),
        number::bytes(limit as f64)
    ))
}

/// What a trial does before it warms up.
pub const fn preparation(study: &Study) -> &'static str {
    match study.shared.reset {
        Reset::Fresh => "fresh table, load",
        Reset::Reuse => "load if the table lacks records",
    }
}

/// What people call the trials of a study.
pub fn names(study: &Study) -> TrialNames {
    TrialNames::of(&study.planned(), &study.cells())
}

/// The trials in the order of their execution, by block, with the starts of servers.
pub fn order(study: &Study, plan: &Plan) -> String {
    let names = names(study);
    let digits = plan.trials.len().to_string().len();
    let mut text = String::new();
    let (mut block, mut plot) = (None, None);
    for (index, trial) in plan.trials.iter().enumerate() {
        if block.replace(trial.planned.block) != Some(trial.planned.block) {
            text.push_str(&format!("  block {}:\n", trial.planned.block + 1));
        }
        if study.memory_of_batches.is_some() && plot.replace(trial.plot) != Some(trial.plot) {
            text.push_str("    batch:\n");
        }
        let starts = trial.shares_start(study);
        if starts && trial.first_on_servers {
            let own = plan.trials[index..]
                .iter()
                .take_while(|other| other.plot == trial.plot);
            let own = own.filter(|other| other.planned.spec.system.name == trial.planned.spec.system.name);
            text.push_str(&format!(
                "    start {} for {}\n",
                shown_name(&trial.planned.spec.system.name),
                number::plural(own.count(), "trial", "trials")
            ));
        }
        let before = index.checked_sub(1).and_then(|before| plan.trials.get(before));
        if trial.group.is_some() && before.is_none_or(|before| before.group != trial.group) {
            text.push_str("    in turns:\n");
        }
        let indent = if starts || trial.group.is_some() {
            "      "
        } else {
            "    "
        };
        let (number, name) = (index + 1, names.trial(&trial.planned.spec));
        text.push_str(&format!("{indent}{number:>digits$}  {name}\n"));
    }
    text
}

/// What goes before the measured phase.
pub fn warm_up(study: &Study) -> String {
    let until_steady = |longest| {
        format!(
            "warm-up until steady, at most {} after a start and {} before each trial",
            short_duration(longest),
            short_duration(longest.min(LONGEST_WARMUP_AGAIN))
        )
    };
    let warm_ups = study.systems.iter().map(|system| study.warm_up(system));
    let (waited, fixed): (Vec<WarmUp>, Vec<WarmUp>) = warm_ups.partition(|warm_up| warm_up.until_steady);
    match (waited.first(), fixed.first()) {
        (Some(waited), Some(fixed)) => format!(
            "{} warm-up (servers: {})",
            short_duration(fixed.longest),
            until_steady(waited.longest)
        ),
        (Some(waited), None) if study.shared.warmup.until_steady => {
            format!("warm-up until steady, at most {}", short_duration(waited.longest))
        }
        (Some(waited), None) => until_steady(waited.longest),
        (None, _) => format!("{} warm-up", short_duration(study.shared.warmup.longest)),
    }
}

/// The end of the measured phase.
pub fn limit(study: &Study) -> String {
    let levels = study.operations.iter().map(|operations| match operations {
        Operations::Count(count) => number::quantity(*count as f64),
        Operations::AsRecords => "as many".to_owned(),
    });
    let operations = (!study.operations.is_empty()).then(|| match study.operations.as_slice() {
        [Operations::AsRecords] => "as many operations as records".to_owned(),
        _ => format!("{} operations", levels.collect::<Vec<_>>().join(", ")),
    });
    let duration = study.shared.limit.duration.map(short_duration);
    match (operations, duration) {
        (Some(operations), Some(duration)) => {
            format!("{operations} or {duration} measured, whichever ends first")
        }
        (Some(only), None) | (None, Some(only)) => format!("{only} measured"),
        (None, None) => "nothing measured".to_owned(),
    }
}

/// A length of time as a study file writes it.
pub fn short_duration(duration: Duration) -> String {
    dbdyno_vocabulary::Time::new(duration).to_string()
}
