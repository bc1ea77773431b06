//! The workloads of a study file: names in `workloads`, tables in `[[workload]]`.

use std::ops::Range;
use std::path::Path;

use dbdyno_files::values::Text;
use dbdyno_files::{Entry, Mistake, Mistakes, Placed, StudyFile, WorkloadTable};
use dbdyno_workload::properties::{Origin, Properties, PropertyError};

use super::defaults::DEFAULT_RECORDS;
use super::names::unique;
use super::rates;
use super::systems::at;
use crate::file::definition::WorkloadChoice;
use crate::file::workloads;

/// The workloads of a file, as they are written: those in the list come first. Workload files are relative to `folder`.
pub(crate) fn of(file: &StudyFile, folder: &Path) -> Result<Vec<WorkloadChoice>, Vec<Mistake>> {
    let mut mistakes = Mistakes::default();
    let found: Vec<Placed<WorkloadChoice>> = each(file, folder)
        .filter_map(|workload| mistakes.keep_all(workload))
        .collect();
    let found = mistakes.or(Some(found))?;
    unique(&found, "workload").map_err(alone)?;
    if found.is_empty() {
        return Err(alone(Mistake::new(
            0..0,
            "the study names no workload",
            "add a line such as: workloads = [\"a\", \"b\", \"c\"]",
        )));
    }
    Ok(found.into_iter().map(|workload| workload.value).collect())
}

fn alone(mistake: Mistake) -> Vec<Mistake> {
    vec![mistake]
}

/// Each workload by itself, or all that is wrong with it.
pub(super) fn each<'a>(
    file: &'a StudyFile,
    folder: &'a Path,
) -> impl Iterator<Item = Result<Placed<WorkloadChoice>, Vec<Mistake>>> + 'a {
    let shared = file.properties.as_ref().map_or(&[][..], |shared| &shared.value.0);
    let named = file.workloads.0.iter().map(move |name| {
        let base = base_of(name, folder).map_err(alone)?;
        workload(short(name), base, &[shared], folder)
    });
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

/// A workload from its base and overrides; checked at once, so that wrong properties are shown where they stand. Files that the
/// overrides name are relative to `folder`.
fn workload(
    name: Placed<String>,
    base: Properties,
    overrides: &[&[Entry]],
    folder: &Path,
) -> Result<Placed<WorkloadChoice>, Vec<Mistake>> {
    let records = workloads::recordcount(&base).unwrap_or(DEFAULT_RECORDS);
    let mut properties = base;
    let mut mistakes = Mistakes::default();
    for (key, value) in overrides.iter().copied().flatten() {
        match workloads::key_of_property(&key.value) {
            None => properties.insert(&key.value, &value.value),
            Some(instead) => mistakes.add(Mistake::new(
                key.span.start..value.span.end,
                format!("`{}` is not a workload property in a study", key.value),
                format!("set it for the whole study with the key `{instead}`"),
            )),
        }
    }
    match workloads::attach_files(&mut properties, folder) {
        Err(refusal) => mistakes.add(at(&name.span, refusal)),
        Ok(()) => {
            if let Err(errors) = workloads::resolve(&properties, records) {
                let placed = errors.iter().map(|error| property(error, overrides, &name.span));
                placed.for_each(|mistake| mistakes.add(mistake));
            }
        }
    }
    mistakes.or(Some(Placed {
        span: name.span,
        value: WorkloadChoice {
            name: name.value,
            properties,
            records,
            rates: Vec::new(),
        },
    }))
}

/// A wrong property, where it is set in the study file; one of a property file, where the workload is named.
fn property(error: &PropertyError, overrides: &[&[Entry]], name: &Range<usize>) -> Mistake {
    let set_here = overrides.iter().copied().flatten().rev().find(|(key, _)| {
        error.key.as_deref() == Some(key.value.as_str()) && error.origin == Origin::Override
    });
    match set_here {
        Some((key, value)) => Mistake::new(
            key.span.start..value.span.end,
            error.problem.clone(),
            error.advice.clone().unwrap_or_default(),
        ),
        None => at(name, workloads::from_property(error)),
    }
}

fn workload_table(
    table: &Placed<WorkloadTable>,
    folder: &Path,
    shared: &[Entry],
) -> Result<Placed<WorkloadChoice>, Vec<Mistake>> {
    let own = table
        .value
        .properties
        .as_ref()
        .map_or(&[][..], |own| &own.value.0);
    let mut mistakes = Mistakes::default();
    let rates = mistakes.keep(rates::of(&table.value.rates));
    let source = mistakes.keep(source_of(table, folder));
    let placed =
        source.and_then(|(name, base)| mistakes.keep_all(workload(name, base, &[shared, own], folder)));
    mistakes.or(placed.zip(rates).map(|(mut placed, rates)| {
        placed.value.rates = rates;
        placed
    }))
}

/// The name of a table, and the workload that its properties change.
fn source_of(table: &Placed<WorkloadTable>, folder: &Path) -> Result<(Placed<String>, Properties), Mistake> {
    let WorkloadTable { name, file, base, .. } = &table.value;
    match (name, file, base) {
        (_, Some(file), Some(_)) => Err(Mistake::new(
            file.span.clone(),
            "this [[workload]] has both a `file` and a `base`",
            "keep one: `file` is a property file, `base` a built-in workload",
        )),
        (name, Some(source), None) | (name, None, Some(source)) => {
            let base = base_of(source, folder)?;
            Ok((name.as_ref().map_or_else(|| short(source), plain), base))
        }
        (Some(name), None, None) => Ok((plain(name), Properties::new())),
        (None, None, None) => Err(Mistake::new(
            table.span.clone(),
            "this [[workload]] has no `name`",
            format!(
                "add `name`, and `base` (one of {}) or `file`",
                workloads::names().join(", ")
            ),
        )),
    }
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
            missing[0].message.contains("/no/such/folder/lengths.txt"),
            "{missing:?}"
        );
    }
}
