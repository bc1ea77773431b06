//! The workloads of a study file: names in `workloads`, tables in `[[workload]]`.

use std::path::Path;

use dbdyno_files::values::Text;
use dbdyno_files::{Entry, Mistake, Placed, StudyFile, WorkloadTable};
use dbdyno_workload::properties::{Origin, Properties};

use super::defaults::DEFAULT_RECORDS;
use super::names::unique;
use super::rates;
use super::systems::at;
use crate::file::definition::WorkloadChoice;
use crate::file::workloads;

/// The workloads of a file, as they are written: those in the list come first. Workload files are relative to `folder`.
pub(crate) fn of(file: &StudyFile, folder: &Path) -> Result<Vec<WorkloadChoice>, Mistake> {
    let shared = file.properties.as_ref().map_or(&[][..], |shared| &shared.value.0);
    let mut found = Vec::new();
    for name in &file.workloads.0 {
        found.push(workload(short(name), base_of(name, folder)?, &[shared])?);
    }
    for table in &file.workload.0 {
        found.push(workload_table(table, folder, shared)?);
    }
    unique(&found, "workload")?;
    if found.is_empty() {
        return Err(Mistake::new(
            0..0,
            "the study names no workload",
            "add a line such as: workloads = [\"a\", \"b\", \"c\"]",
        ));
    }
    Ok(found.into_iter().map(|workload| workload.value).collect())
}

/// The name in tables of a workload that is given by a name or a path.
fn short(source: &Placed<Text>) -> Placed<String> {
    Placed {
        span: source.span.clone(),
        value: workloads::short_name(&source.value.0),
    }
}

fn plain(name: &Placed<Text>) -> Placed<String> {
    Placed {
        span: name.span.clone(),
        value: name.value.0.clone(),
    }
}

fn base_of(name: &Placed<Text>, folder: &Path) -> Result<Properties, Mistake> {
    workloads::base(&name.value.0, folder).map_err(|refusal| at(&name.span, refusal))
}

/// A workload from its base and overrides; checked at once, so that a wrong property is shown where it stands.
fn workload(
    name: Placed<String>,
    base: Properties,
    overrides: &[&[Entry]],
) -> Result<Placed<WorkloadChoice>, Mistake> {
    let records = workloads::recordcount(&base).unwrap_or(DEFAULT_RECORDS);
    let mut properties = base;
    for (key, value) in overrides.iter().copied().flatten() {
        let span = key.span.start..value.span.end;
        if let Some(instead) = workloads::key_of_property(&key.value) {
            return Err(Mistake::new(
                span,
                format!("`{}` is not a workload property in a study", key.value),
                format!("set it for the whole study with the key `{instead}`"),
            ));
        }
        properties.insert(&key.value, &value.value);
    }
    workloads::resolve(&properties, records).map_err(|error| {
        let set_here = overrides.iter().copied().flatten().rev().find(|(key, _)| {
            error.key.as_deref() == Some(key.value.as_str()) && error.origin == Origin::Override
        });
        match set_here {
            Some((key, value)) => Mistake::new(
                key.span.start..value.span.end,
                error.problem,
                error.advice.unwrap_or_default(),
            ),
            None => at(&name.span, workloads::from_property(&error)),
        }
    })?;
    Ok(Placed {
        span: name.span,
        value: WorkloadChoice {
            name: name.value,
            properties,
            records,
            rates: Vec::new(),
        },
    })
}

fn workload_table(
    table: &Placed<WorkloadTable>,
    folder: &Path,
    shared: &[Entry],
) -> Result<Placed<WorkloadChoice>, Mistake> {
    let WorkloadTable {
        name,
        file,
        base,
        properties,
        rates,
    } = &table.value;
    let own = properties.as_ref().map_or(&[][..], |own| &own.value.0);
    let rates = rates::of(rates)?;
    let source = match (file, base) {
        (Some(file), Some(_)) => {
            return Err(Mistake::new(
                file.span.clone(),
                "this [[workload]] has both a `file` and a `base`",
                "keep one: `file` is a property file, `base` a built-in workload",
            ));
        }
        (Some(source), None) | (None, Some(source)) => Some(source),
        (None, None) => None,
    };
    let (name, base) = match (name, source) {
        (name, Some(source)) => {
            let base = base_of(source, folder)?;
            (name.as_ref().map_or_else(|| short(source), plain), base)
        }
        (Some(name), None) => (plain(name), Properties::new()),
        (None, None) => {
            return Err(Mistake::new(
                table.span.clone(),
                "this [[workload]] has no `name`",
                format!(
                    "add `name`, and `base` (one of {}) or `file`",
                    workloads::names().join(", ")
                ),
            ));
        }
    };
    let mut placed = workload(name, base, &[shared, own])?;
    placed.value.rates = rates;
    Ok(placed)
}
