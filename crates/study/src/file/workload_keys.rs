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
    let found: Vec<Placed<WorkloadChoice>> = each(file, folder).collect::<Result<_, _>>()?;
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

/// Each workload by itself.
pub(super) fn each<'a>(
    file: &'a StudyFile,
    folder: &'a Path,
) -> impl Iterator<Item = Result<Placed<WorkloadChoice>, Mistake>> + 'a {
    let shared = file.properties.as_ref().map_or(&[][..], |shared| &shared.value.0);
    let named = file
        .workloads
        .0
        .iter()
        .map(move |name| workload(short(name), base_of(name, folder)?, &[shared], folder));
    let tables = file.workload.0.iter();
    named.chain(tables.map(move |table| workload_table(table, folder, shared)))
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

/// A workload from its base and overrides; checked at once, so that a wrong property is shown where it stands. Files that the
/// overrides name are relative to `folder`.
fn workload(
    name: Placed<String>,
    base: Properties,
    overrides: &[&[Entry]],
    folder: &Path,
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
    workloads::attach_files(&mut properties, folder).map_err(|refusal| at(&name.span, refusal))?;
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
    let mut placed = workload(name, base, &[shared, own], folder)?;
    placed.value.rates = rates;
    Ok(placed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_properties_name_are_relative_to_the_study() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("lengths.txt"), "BlockSize\t10\n0\t5\n").unwrap();
        let text = "name = \"x\"\nsystems = [\"null\"]\n[[workload]]\nname = \"w\"\n\
                    properties = { fieldlengthdistribution = \"histogram\", fieldlengthhistogram = \"lengths.txt\" }\n";
        let file = dbdyno_files::read::<StudyFile>(text).unwrap();
        assert_eq!(of(&file, place.path()).unwrap().len(), 1);
        let missing = of(&file, Path::new("/no/such/folder")).unwrap_err();
        assert!(
            missing.message.contains("/no/such/folder/lengths.txt"),
            "{missing:?}"
        );
    }
}
