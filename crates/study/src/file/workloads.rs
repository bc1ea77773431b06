//! Finds workloads by name or path, and turns properties into specifications.

use std::collections::BTreeMap;
use std::path::Path;

use dbdyno_driver::text_file;
use dbdyno_vocabulary::Count;
use dbdyno_vocabulary::suggest::nearest;
use dbdyno_vocabulary::workload_name::short_name;
use dbdyno_workload::properties::{Properties, PropertyError, PropertyErrors};
use dbdyno_workload::specification::{Mix, Resolved, Specification};
use dbdyno_workload::{OperationKind, catalogue};

use crate::file::definition::WorkloadChoice;
use crate::file::refusal::Refusal;

/// The workload called `name`: a built-in one, else the property file of that path, relative to `folder`.
///
/// Built-in workloads say nothing about sizes: what their YCSB originals say (1000 records, 1000 operations) is no
/// default that anybody wants.
///
/// # Errors
/// When there is neither, or the file is not a property file.
pub fn base(name: &str, folder: &Path) -> Result<Properties, Refusal> {
    if let Ok(entry) = catalogue::find(name) {
        let mut properties = entry.properties();
        for size in SIZES {
            properties.remove(size);
        }
        properties.set_name(entry.short);
        return Ok(properties);
    }
    let mut properties = Properties::new();
    read_file(&mut properties, &folder.join(name), name, |error| {
        let names = names();
        let near = nearest(name, names.iter().copied())
            .map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        Refusal::new(
            format!("unknown workload `{name}`: it is not built in, and cannot be read as a file ({error})"),
            format!("{near}the built-in workloads are {}", names.join(", ")),
        )
    })?;
    properties.set_name(short_name(name));
    Ok(properties)
}

/// Reads one property file into `properties`, its settings winning.
///
/// # Errors
/// When it cannot be read or is not a property file.
pub fn add_file(properties: &mut Properties, path: &Path) -> Result<(), Refusal> {
    let name = path.display().to_string();
    read_file(properties, path, &name, |error| {
        Refusal::new(
            format!("the property file {name} cannot be read ({error})"),
            "pass the path of a YCSB property file; use --workload for built-in workloads",
        )
    })
}

/// `name` is the file as it was asked for, for messages.
fn read_file(
    properties: &mut Properties,
    path: &Path,
    name: &str,
    unreadable: impl FnOnce(std::io::Error) -> Refusal,
) -> Result<(), Refusal> {
    let text = text_file::read(path).map_err(unreadable)?;
    properties
        .parse_file(&text, name)
        .map_err(|error| from_property(&error))?;
    attach_files(properties, path.parent().unwrap_or(Path::new(".")))
}

/// Reads the files that properties name (a histogram of field lengths), relative to `folder`.
///
/// # Errors
/// When one cannot be read.
pub fn attach_files(properties: &mut Properties, folder: &Path) -> Result<(), Refusal> {
    while let Some(name) = properties.wanted_file().map(str::to_owned) {
        let path = folder.join(&name);
        let text = text_file::read(&path).map_err(|error| {
            Refusal::new(
                format!("the histogram of field lengths {} cannot be read ({error})", path.display()),
                "name another file with the property `fieldlengthhistogram`, or another `fieldlengthdistribution`",
            )
        })?;
        properties.attach(&name, &text);
    }
    Ok(())
}

/// The specification that these properties make with this many records.
///
/// # Errors
/// All properties that are unknown or whose value is wrong.
pub fn resolve(properties: &Properties, records: u64) -> Result<Resolved, PropertyErrors> {
    let mut properties = properties.clone();
    properties.insert("recordcount", &records.to_string());
    Specification::from_properties(&properties)
}

/// The specification that these properties make by themselves.
///
/// # Errors
/// As [`resolve`], and when nothing says how many records there are.
pub fn resolve_as_is(properties: &Properties) -> Result<Resolved, PropertyErrors> {
    Specification::from_properties(properties)
}

/// The specification of a study's workload in a cell.
pub(crate) fn resolve_for(
    choice: &WorkloadChoice,
    records: u64,
    operations: Option<u64>,
) -> Result<Specification, PropertyErrors> {
    let mut properties = choice.properties.clone();
    properties.set_name(&choice.name);
    properties.remove("operationcount");
    if let Some(operations) = operations {
        properties.insert("operationcount", &operations.to_string());
    }
    resolve(&properties, records).map(|resolved| resolved.specification)
}

/// What each of these workloads does, by its name: its properties in force, apart from sizes.
pub(crate) fn in_force(choices: &[WorkloadChoice]) -> BTreeMap<String, BTreeMap<String, String>> {
    let resolved = choices.iter().filter_map(|choice| {
        let specification = resolve_for(choice, choice.records, None).ok()?;
        Some((choice.name.clone(), without_sizes(&specification)))
    });
    resolved.collect()
}

/// The properties of a workload in force, apart from sizes.
pub(crate) fn without_sizes(specification: &Specification) -> BTreeMap<String, String> {
    let mut properties = specification.properties();
    properties.retain(|name, _| !SIZES.contains(&name.as_str()) && name != "insertcount");
    properties
}

/// The first of these workloads with the operations of all of them, in equal shares.
pub(crate) fn resolve_all(choices: &[WorkloadChoice], records: u64) -> Result<Specification, PropertyErrors> {
    let all = choices.iter().map(|choice| resolve_for(choice, records, None));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    let share = |kind: OperationKind| all.iter().map(|one| one.mix.proportion(kind)).sum();
    let mix = Mix::new(&OperationKind::ALL.map(|kind| (kind, share(kind))));
    let first = all.into_iter().next();
    let first = first.unwrap_or_else(|| Specification::core(records));
    Ok(Specification { mix, ..first })
}

/// A refusal with the words of a workload error.
#[must_use]
pub fn from_workload(name: &str, error: &impl std::fmt::Display) -> Refusal {
    Refusal::new(format!("workload `{name}`: {error}"), "")
}

/// The records a file asks for, if it does.
#[must_use]
pub fn recordcount(properties: &Properties) -> Option<u64> {
    properties
        .get("recordcount")
        .and_then(|property| Count::parse(&property.value).ok())
        .map(Count::get)
        .filter(|&records| records > 0)
}

/// The names of the built-in workloads.
#[must_use]
pub fn names() -> Vec<&'static str> {
    catalogue::ENTRIES.iter().map(|entry| entry.short).collect()
}

/// Whether this is a name of a built-in workload, in any of its writings: `a`, `A`, `workloada`.
#[must_use]
pub fn is_built_in(name: &str) -> bool {
    names()
        .into_iter()
        .any(|own| own.eq_ignore_ascii_case(short_name(name)))
}

/// A refusal with the words of a property error.
#[must_use]
pub fn from_property(error: &PropertyError) -> Refusal {
    Refusal::new(
        format!("{}: {}", error.origin, error.problem),
        error.advice.clone().unwrap_or_default(),
    )
}

/// Properties that say how much, not what: other files' business.
const SIZES: [&str; 2] = ["recordcount", "operationcount"];

/// The study key that sets what this property sets, for properties that are factors or phases of a study.
#[must_use]
pub fn key_of_property(property: &str) -> Option<&'static str> {
    match property {
        "recordcount" => Some("records"),
        "operationcount" => Some("operations"),
        "threadcount" | "threads" => Some("clients"),
        "target" => Some("rates"),
        "maxexecutiontime" => Some("duration"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_workloads_together_have_the_operations_of_each() {
        let choice = |name: &str| WorkloadChoice {
            name: name.to_owned(),
            properties: base(name, Path::new(".")).unwrap(),
            records: 700,
            rates: Vec::new(),
        };
        let all = resolve_all(&[choice("a"), choice("c"), choice("e")], 700).unwrap();
        let of = |kind| (all.mix.proportion(kind) * 300.0).round();
        assert_eq!(
            [
                OperationKind::Read,
                OperationKind::Update,
                OperationKind::Scan,
                OperationKind::Insert
            ]
            .map(of),
            [150.0, 50.0, 95.0, 5.0]
        );
        assert_eq!((all.records, all.name.as_str()), (700, "a"));
        let one = resolve_all(&[choice("d")], 700).unwrap();
        assert_eq!(one, resolve_for(&choice("d"), 700, None).unwrap());
    }

    #[test]
    fn a_missing_workload_names_what_there_is() {
        let refusal = base("workloadz", Path::new(".")).unwrap_err();
        assert!(refusal.message.contains("workloadz"), "{refusal:?}");
        assert!(refusal.help.contains("abramova-g"), "{refusal:?}");
    }
}
