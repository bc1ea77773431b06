//! The systems of a study file: addresses in `systems`, tables in `[[system]]`.

use std::collections::BTreeMap;
use std::ops::Range;

use dbdyno_driver::{Consistency, Durability, Target, secrets};

use crate::definition::System;
use crate::file::KEYS;
use crate::refusal::Refusal;
use crate::toml_reader::{Entry, Mistake, Placed, TableReader};
use crate::values::{CONSISTENCY_HELP, DURABILITY_HELP};

const SYSTEM_HELP: &str = "a system is a database and, when needed, a place and options: \"redb\", \"fjall:/data/bench\", \
                           \"sqlite?durability=synced\"; `dbdyno databases` lists them";

fn parse_target(address: &Placed<String>) -> Result<Target, Mistake> {
    let target = Target::parse(&address.value)
        .map_err(|error| Mistake::new(address.span.clone(), error.to_string(), SYSTEM_HELP))?;
    check_target(&target, &address.span)?;
    Ok(target)
}

/// What can be known about a target before anything is connected: scheme, options, durability,
/// consistency.
pub(crate) fn check_target(target: &Target, span: &Range<usize>) -> Result<(), Mistake> {
    crate::targets::check(target).map_err(|refusal| at(span, refusal))
}

/// `systems = ["redb"]`: named by its address without options; with options, by the whole address.
pub(crate) fn short_system(address: &Placed<String>) -> Result<Placed<System>, Mistake> {
    let target = parse_target(address)?;
    Ok(Placed {
        span: address.span.clone(),
        value: System {
            name: target.to_string(),
            target,
            factors: BTreeMap::new(),
        },
    })
}

pub(crate) fn system_table(mut table: TableReader<'_>) -> Result<Placed<System>, Mistake> {
    let span = table.span();
    let name = table.scalar("name")?;
    let address = table
        .scalar("address")?
        .ok_or_else(|| Mistake::new(span.clone(), "this [[system]] has no `address`", SYSTEM_HELP))?;
    let level = table
        .scalar("durability")?
        .map(|text| text.convert(DURABILITY_HELP, |text| text.parse::<Durability>()))
        .transpose()?;
    let consistency = table
        .scalar("consistency")?
        .map(|text| text.convert(CONSISTENCY_HELP, |text| text.parse::<Consistency>()))
        .transpose()?;
    let options = table.map("options")?;
    let factors = system_factors(table.map("factors")?)?;
    table.finish()?;

    let mut target = parse_target(&address)?;
    if let Some(level) = consistency {
        if target.consistency.is_some() {
            return Err(Mistake::new(
                level.span,
                "the consistency is given twice: here and in the address",
                "leave one of them out",
            ));
        }
        target.consistency = Some(level.value);
        check_target(&target, &level.span)?;
    }
    if let Some(level) = level {
        if target.durability.is_some() {
            return Err(Mistake::new(
                level.span,
                "the durability is given twice: here and in the address",
                "leave one of them out",
            ));
        }
        target.durability = Some(level.value);
        check_target(&target, &level.span)?;
    }
    for (option, value) in options {
        if target.options.insert(option.value.clone(), value.value).is_some() {
            return Err(Mistake::new(
                option.span,
                format!(
                    "option `{}` is given twice: here and in the address",
                    option.value
                ),
                "leave one of them out",
            ));
        }
        check_target(&target, &option.span)?;
    }
    if let Some(name) = &name
        && secrets::shown("name", &name.value) != name.value
    {
        return Err(Mistake::new(
            name.span.clone(),
            "the name of this [[system]] holds a password",
            "names stand in every record and report; choose one without the login, or leave `name` out",
        ));
    }
    let name = name.unwrap_or_else(|| Placed {
        span: address.span.clone(),
        value: target.to_string(),
    });
    Ok(Placed {
        span: name.span,
        value: System {
            name: name.value,
            target,
            factors,
        },
    })
}

/// `factors = { encryption = "on" }`: the study's own factors have other places.
fn system_factors(entries: Vec<Entry>) -> Result<BTreeMap<String, String>, Mistake> {
    let mut factors = BTreeMap::new();
    for (name, level) in entries {
        if KEYS.contains(&name.value.as_str()) || name.value == "rate" {
            return Err(Mistake::new(
                name.span,
                format!(
                    "`{}` is a key of the study, not a factor of one system",
                    name.value
                ),
                "name what differs between systems of one product, e.g. factors = { encryption = \"on\" }",
            ));
        }
        if level.value.is_empty() {
            return Err(Mistake::new(
                level.span,
                format!("the factor `{}` has no level", name.value),
                "write e.g. factors = { encryption = \"on\" }",
            ));
        }
        factors.insert(name.value, level.value);
    }
    Ok(factors)
}

/// A refusal, at its place in the file.
pub(crate) fn at(span: &Range<usize>, refusal: Refusal) -> Mistake {
    Mistake::new(span.clone(), refusal.message, refusal.help)
}
