//! The systems of a study file: addresses in `systems`, tables in `[[system]]`.

use std::collections::BTreeMap;
use std::ops::Range;

use dbdyno_driver::{Target, secrets};
use dbdyno_files::values::Text;
use dbdyno_files::{Entry, Mistake, Mistakes, Placed, SYSTEM_HELP, StudyFile, SystemTable};
use dbdyno_vocabulary::secret::names_secret;

use super::{levels, vary};
use crate::file::definition::System;
use crate::file::refusal::Refusal;

/// The systems of a file, as they are written: those in the list come first. `[vary]` makes several of each.
pub(crate) fn of(file: &StudyFile) -> Result<Vec<Placed<System>>, Vec<Mistake>> {
    let mut mistakes = Mistakes::default();
    let systems: Vec<Placed<System>> = each(file)
        .filter_map(|system| mistakes.keep_all(system))
        .collect();
    let systems = mistakes.or(Some(systems))?;
    match &file.vary {
        None => Ok(systems),
        Some(vary) => vary::expanded(&systems, vary, file.kind.as_ref()),
    }
}

/// Each system by itself, or all that is wrong with it.
pub(super) fn each(file: &StudyFile) -> impl Iterator<Item = Result<Placed<System>, Vec<Mistake>>> {
    let short = file.systems.0.iter().map(short_system);
    short
        .map(|system| system.map_err(|mistake| vec![mistake]))
        .chain(file.system.0.iter().map(system_table))
}

fn parse_target(address: &str, span: &Range<usize>) -> Result<Target, Mistake> {
    let target =
        Target::parse(address).map_err(|error| Mistake::new(span.clone(), error.to_string(), SYSTEM_HELP))?;
    check_target(&target, span)?;
    Ok(target)
}

/// What can be known about a target before anything is connected: scheme, options, durability,
/// consistency.
pub(crate) fn check_target(target: &Target, span: &Range<usize>) -> Result<(), Mistake> {
    crate::file::targets::check(target).map_err(|refusal| at(span, refusal))
}

/// `systems = ["redb"]`: named by its address without options; with options, by the whole address.
fn short_system(address: &Placed<Text>) -> Result<Placed<System>, Mistake> {
    let target = parse_target(&address.value.0, &address.span)?;
    Ok(Placed {
        span: address.span.clone(),
        value: System::of(&target),
    })
}

fn system_table(table: &Placed<SystemTable>) -> Result<Placed<System>, Vec<Mistake>> {
    let SystemTable {
        name,
        address,
        durability,
        consistency,
        options,
        factors,
    } = &table.value;
    let mut mistakes = Mistakes::default();
    let factors = factors
        .as_ref()
        .map_or(Ok(BTreeMap::new()), |factors| system_factors(&factors.value.0));
    let factors = mistakes.keep_all(factors).unwrap_or_default();
    if let Some(name) = name
        && secrets::shown("name", &name.value.0) != name.value.0
    {
        mistakes.add(Mistake::new(
            name.span.clone(),
            "the name of this [[system]] contains a password",
            "names appear in every record and report; choose one without the login, or omit `name`",
        ));
    }
    let mut target = mistakes.keep(parse_target(&address.value.0, &address.span));
    if let Some(target) = &mut target {
        if let Some(level) = consistency {
            mistakes.keep(add(target, &level.span, |target| {
                let earlier = target.consistency.replace(levels::consistency(level)?);
                Ok(earlier.map(|_| "consistency".to_owned()))
            }));
        }
        if let Some(level) = durability {
            mistakes.keep(add(target, &level.span, |target| {
                let earlier = target.durability.replace(levels::durability(level)?);
                Ok(earlier.map(|_| "durability".to_owned()))
            }));
        }
        // An option may depend on an earlier one, so one that is refused ends this.
        let mut options = options.iter().flat_map(|options| &options.value.0);
        let added = options.try_for_each(|(option, value)| {
            add(target, &option.span, |target| {
                let earlier = target.options.insert(option.value.clone(), value.value.clone());
                Ok(earlier.map(|_| format!("option `{}`", option.value)))
            })
        });
        mistakes.keep(added);
    }
    mistakes.or(target.map(|target| {
        let (span, name) = match name {
            Some(name) => (name.span.clone(), name.value.0.clone()),
            None => (address.span.clone(), target.to_string()),
        };
        Placed {
            span,
            value: System {
                name,
                target,
                factors,
                base: None,
            },
        }
    }))
}

/// Adds to a target what stands at `place` of its table: `set` says what the address had set already. A refused addition leaves the
/// target as it was, so that it is not what is wrong with the next one.
fn add(
    target: &mut Target,
    place: &Range<usize>,
    set: impl FnOnce(&mut Target) -> Result<Option<String>, Mistake>,
) -> Result<(), Mistake> {
    let mut with = target.clone();
    if let Some(twice) = set(&mut with)? {
        return Err(Mistake::new(
            place.clone(),
            format!("{twice} is set twice: here and in the address"),
            "remove one of them",
        ));
    }
    check_target(&with, place)?;
    *target = with;
    Ok(())
}

/// `factors = { encryption = "on" }`: the study's own factors have other places.
fn system_factors(entries: &[Entry]) -> Result<BTreeMap<String, String>, Vec<Mistake>> {
    let mut factors = BTreeMap::new();
    let mut mistakes = Mistakes::default();
    for (name, level) in entries {
        if StudyFile::keys().contains(&name.value.as_str()) || name.value == "rate" {
            mistakes.add(Mistake::new(
                name.span.clone(),
                format!(
                    "`{}` is a key of the study, not a factor of one system",
                    name.value
                ),
                "name a difference between systems of one product, e.g. factors = { encryption = \"on\" }",
            ));
        }
        if names_secret(&name.value) {
            mistakes.add(Mistake::new(
                name.span.clone(),
                format!("the factor `{}` is named like a secret", name.value),
                "factors appear in every record and report; give secrets in `options`, or name the factor otherwise",
            ));
        }
        if level.value.is_empty() {
            mistakes.add(Mistake::new(
                level.span.clone(),
                format!("the factor `{}` has no level", name.value),
                "write e.g. factors = { encryption = \"on\" }",
            ));
        }
        factors.insert(name.value.clone(), level.value.clone());
    }
    mistakes.or(Some(factors))
}

/// A refusal, at its place in the file.
pub(crate) fn at(span: &Range<usize>, refusal: Refusal) -> Mistake {
    Mistake::new(span.clone(), refusal.message, refusal.help)
}
