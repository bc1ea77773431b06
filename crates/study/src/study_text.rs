//! Study files as text: the one that repeats a single run, and the removal of secrets.

use dbdyno_workload::quantity;

use crate::single::Single;

/// The study file that repeats a single run.
pub(crate) fn of_single(single: &Single, name: &str) -> String {
    let specification = single.workload.specification();
    let mut text = format!(
        "# Made by `dbdyno run` or `dbdyno load`; as a study it repeats the run with a fresh table.\n\
         name = {}\nseed = {}\ntrials = 1\nsystems = [{}]\nrecords = {}\nclients = {}\n",
        quoted(name),
        single.workload.seed(),
        quoted(&single.target.to_string()),
        specification.records,
        single.clients,
    );
    if let Some(pace) = single.pace {
        text.push_str(&format!(
            "rates = {}\narrivals = {}\n",
            quoted(&pace.rate.to_string()),
            quoted(pace.arrivals.name())
        ));
    }
    if let Some(operations) = single.limit.operations {
        text.push_str(&format!("operations = {operations}\n"));
    }
    if let Some(duration) = single.limit.duration {
        text.push_str(&format!(
            "duration = {}\n",
            quoted(&quantity::format_duration(duration))
        ));
    }
    text.push_str(&format!(
        "warmup = {}\n",
        quoted(&quantity::format_duration(single.warmup))
    ));
    text.push_str(&format!(
        "\n[[workload]]\nname = {}\n[workload.properties]\n",
        quoted(&single.workload_name)
    ));
    for (key, value) in specification.properties() {
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
