//! Study files as text: the one that repeats a single run, and the removal of secrets.

use std::ops::Range;

use dbdyno_driver::Target;
use dbdyno_driver::secrets::{HIDDEN, shown};
use dbdyno_vocabulary::Time;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::effort::AUTO;
use crate::ladder::one::Asked;
use crate::single::Single;

/// The study file that repeats a single run.
pub(crate) fn of_single(single: &Single, name: &str) -> String {
    let mut text = format!(
        "# Made by `dbdyno run` or `dbdyno load`; as a study it repeats the run with a fresh table.\n\
         name = {}\nseed = {}\ntrials = 1\n{}clients = {}\n",
        quoted(name),
        single.workload.seed(),
        subject(single),
        single.clients,
    );
    if let Some(pace) = single.pace {
        text.push_str(&format!(
            "rates = {}\narrivals = {}\n",
            quoted(&pace.rate.to_string()),
            quoted(pace.arrivals.name())
        ));
    }
    text.push_str(&phases_and_workload(single));
    text
}

/// The study file of one system at rising load.
pub(crate) fn of_ladder(single: &Single, name: &str, asked: &Asked) -> String {
    let mut text = format!(
        "# Made by `dbdyno {}`; as a study it does the same.\nname = {}\nkind = {}\nseed = {}\ntrials = {}\n",
        asked.kind,
        quoted(name),
        quoted(asked.kind),
        single.workload.seed(),
        asked.trials,
    );
    let list = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>().join(", ");
    if !asked.objective.is_empty() {
        let texts = list(&mut asked.objective.iter().map(|text| quoted(text)));
        text.push_str(&format!("slo = [{texts}]\n"));
    }
    if let Some(step) = &asked.step {
        text.push_str(&format!("step = {}\n", quoted(step)));
    }
    text.push_str(&format!("fresh = {}\n{}", asked.fresh, subject(single)));
    if !asked.clients.is_empty() {
        let clients = list(&mut asked.clients.iter().map(u32::to_string));
        text.push_str(&format!("clients = [{clients}]\n"));
    }
    if !asked.rates.is_empty() {
        let rates = list(&mut asked.rates.iter().map(|rate| quoted(&rate.to_string())));
        text.push_str(&format!("rates = [{rates}]\n"));
    }
    if let Some(arrivals) = asked.arrivals {
        text.push_str(&format!("arrivals = {}\n", quoted(arrivals.name())));
    }
    text.push_str(&phases_and_workload(single));
    text
}

/// Which system, how much of it, from which threads.
fn subject(single: &Single) -> String {
    let mut text = format!(
        "systems = [{}]\nrecords = {}\n",
        quoted(&single.target.to_string()),
        single.workload.specification().records,
    );
    if let Some(threads) = single.client_threads {
        text.push_str(&format!("client_threads = {threads}\n"));
    }
    text
}

fn phases_and_workload(single: &Single) -> String {
    let mut text = String::new();
    if let Some(operations) = single.limit.operations {
        text.push_str(&format!("operations = {operations}\n"));
    }
    if let Some(duration) = single.limit.duration {
        text.push_str(&format!(
            "duration = {}\n",
            quoted(&Time::new(duration).to_string())
        ));
    }
    let warmup = if single.warmup_until_rest {
        AUTO.to_owned()
    } else {
        Time::new(single.warmup).to_string()
    };
    text.push_str(&format!("warmup = {}\n", quoted(&warmup)));
    text.push_str(&format!(
        "\n[[workload]]\nname = {}\n[workload.properties]\n",
        quoted(&single.workload_name)
    ));
    for (key, value) in single.workload.specification().properties() {
        if crate::workloads::key_of_property(&key).is_none() {
            text.push_str(&format!("{} = {}\n", quoted(&key), quoted(&value)));
        }
    }
    text
}

/// A text as a TOML basic string.
pub(crate) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// The text of a study file without the passwords in addresses and the secret options of systems; everything else is
/// left as it is. What is not TOML, or no study, is returned unchanged: it is never stored.
pub(crate) fn redact(text: &str) -> String {
    let Ok(document) = DeTable::parse(text) else {
        return text.to_owned();
    };
    let mut hidden: Vec<(Range<usize>, String)> = Vec::new();
    let table = document.get_ref();
    match table.get("systems").map(Spanned::get_ref) {
        Some(DeValue::Array(systems)) => systems
            .iter()
            .for_each(|system| redact_address(system, &mut hidden)),
        Some(DeValue::String(_)) => redact_address(&table["systems"], &mut hidden),
        _ => {}
    }
    if let Some(systems) = table
        .get("system")
        .and_then(|systems| systems.get_ref().as_array())
    {
        for system in systems.iter().filter_map(|system| system.get_ref().as_table()) {
            if let Some(address) = system.get("address") {
                redact_address(address, &mut hidden);
            }
            let options = system
                .get("options")
                .and_then(|options| options.get_ref().as_table());
            for (name, value) in options.into_iter().flatten() {
                redact_option(name.get_ref(), value, &mut hidden);
            }
        }
    }
    hidden.sort_by_key(|(span, _)| span.start);
    let mut redacted = text.to_owned();
    for (span, instead) in hidden.into_iter().rev() {
        redacted.replace_range(span, &instead);
    }
    redacted
}

fn redact_address(address: &Spanned<DeValue<'_>>, hidden: &mut Vec<(Range<usize>, String)>) {
    let parsed = address
        .get_ref()
        .as_str()
        .and_then(|text| Target::parse(text).ok());
    if let Some(shown) = parsed
        .map(|target| target.to_string())
        .filter(|shown| shown.contains(HIDDEN))
    {
        hidden.push((address.span(), quoted(&shown)));
    }
}

fn redact_option(name: &str, value: &Spanned<DeValue<'_>>, hidden: &mut Vec<(Range<usize>, String)>) {
    let text = match value.get_ref() {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Boolean(switch) => switch.to_string(),
        _ => String::new(),
    };
    let seen = shown(name, &text);
    if seen != text {
        hidden.push((value.span(), quoted(&seen)));
    }
}
