//! The workloads of a study file: names in `workloads`, tables in `[[workload]]`.

use std::ops::Range;
use std::path::Path;

use dbdyno_files::values::Text;
use dbdyno_files::{Entry, Mistake, Mistakes, Placed, StudyFile, WorkloadTable};
use dbdyno_vocabulary::workload_name::short_name;
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

/// The levels of `records`. Where a workload has its own number, that of the study becomes the number of the others, and is no factor.
pub(crate) fn records(
    file: &StudyFile,
    shared: Vec<u64>,
    workloads: &mut [WorkloadChoice],
) -> Result<Vec<u64>, Mistake> {
    let own = |table: &Placed<WorkloadTable>| table.value.records.clone();
    let Some(first) = file.workload.0.iter().find_map(own) else {
        return Ok(shared);
    };
    if shared.len() > 1 {
        return Err(Mistake::new(
            first.span,
            "this workload has its own number of records, and `records` of the study is a list",
            "omit one of them: a list measures every workload with each number",
        ));
    }
    let tables = file.workload.0.iter().map(|table| table.value.records.is_some());
    let has_own = file.workloads.0.iter().map(|_| false).chain(tables);
    for (workload, has_own) in workloads.iter_mut().zip(has_own) {
        if let Some(records) = shared.first().filter(|_| !has_own) {
            workload.records = *records;
        }
    }
    Ok(Vec::new())
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
        workload(short(name), base, None, &[shared], folder)
    });
    let tables = file.workload.0.iter();
    named.chain(tables.map(move |table| workload_table(table, folder, shared)))
}

/// The name in tables of a workload that is given by a name or a path.
fn short(source: &Placed<Text>) -> Placed<String> {
    Placed {
        span: source.span.clone(),
        value: short_name(&source.value.0).to_owned(),
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
    records: Option<u64>,
    overrides: &[&[Entry]],
    folder: &Path,
) -> Result<Placed<WorkloadChoice>, Vec<Mistake>> {
    let records = records.or_else(|| workloads::recordcount(&base));
    let records = records.unwrap_or(DEFAULT_RECORDS);
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
    let records = table.value.records.as_ref().map(|records| records.value.0);
    let states_mix = || {
        shared
            .iter()
            .chain(own)
            .any(|(key, _)| key.value.ends_with("proportion"))
    };
    let source = mistakes.keep(source_of(table, folder, states_mix));
    let placed = source
        .and_then(|(name, base)| mistakes.keep_all(workload(name, base, records, &[shared, own], folder)));
    mistakes.or(placed.zip(rates).map(|(mut placed, rates)| {
        placed.value.rates = rates;
        placed
    }))
}

/// The name of a table, and the workload that its properties change. The name of a built-in workload alone would be YCSB's defaults under
/// a name that means another mix, unless the properties state the mix.
fn source_of(
    table: &Placed<WorkloadTable>,
    folder: &Path,
    states_mix: impl Fn() -> bool,
) -> Result<(Placed<String>, Properties), Mistake> {
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
        (Some(name), None, None) if workloads::is_built_in(&name.value.0) && !states_mix() => {
            let name = &name.value.0;
            Err(Mistake::new(
                table.span.clone(),
                format!(
                    "this [[workload]] is called `{name}`, and has neither `base` nor a mix of operations"
                ),
                format!("add base = \"{name}\" for the built-in workload, or choose another name"),
            ))
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
    fn the_name_of_a_built_in_workload_asks_for_its_mix() {
        let study = |text: &str| {
            let text = format!("name = \"x\"\nsystems = [\"null\"]\n[[workload]]\nrecords = 10\n{text}");
            let file = dbdyno_files::read::<StudyFile>(&text).unwrap();
            of(&file, Path::new(".")).map(|workloads| workloads[0].name.clone())
        };
        for name in ["a", "A", "workloade", "altoros-g"] {
            let refused = study(&format!("name = \"{name}\"")).unwrap_err();
            assert_eq!(refused.len(), 1);
            assert!(
                refused[0].help.contains(&format!("base = \"{name}\"")),
                "{refused:?}"
            );
        }
        let mix = "name = \"a\"\nproperties = { readproportion = \"0.3\", updateproportion = \"0.7\" }";
        assert_eq!(study(mix).unwrap(), "a");
        assert_eq!(study("name = \"a\"\nbase = \"b\"").unwrap(), "a");
        assert_eq!(study("name = \"mine\"").unwrap(), "mine");
    }

    #[test]
    fn a_workload_has_its_own_number_of_records() {
        let study = |text: &str| {
            let text = format!("name = \"x\"\nsystems = [\"null\"]\n{text}");
            let file = dbdyno_files::read::<StudyFile>(&text).unwrap();
            let mut workloads = of(&file, Path::new(".")).unwrap();
            let shared = file.records.0.iter().map(|records| records.value.0).collect();
            let levels = records(&file, shared, &mut workloads)?;
            let own: Vec<u64> = workloads.iter().map(|workload| workload.records).collect();
            Ok::<_, Mistake>((levels, own))
        };
        let tables = "[[workload]]\nbase = \"a\"\n[[workload]]\nbase = \"e\"\nrecords = \"20k\"\n";
        let named = format!("workloads = [\"c\"]\nrecords = \"5k\"\n{tables}");
        assert_eq!(study(&named).unwrap(), (vec![], vec![5_000, 5_000, 20_000]));
        assert_eq!(study(tables).unwrap(), (vec![], vec![DEFAULT_RECORDS, 20_000]));
        let none = "records = [100, 200]\nworkloads = [\"c\"]\n";
        assert_eq!(study(none).unwrap().0, [100, 200]);
        let both = study(&format!("records = [100, 200]\n{tables}")).unwrap_err();
        assert!(both.message.contains("its own number of records"), "{both:?}");
    }

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
