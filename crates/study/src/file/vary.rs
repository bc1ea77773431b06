//! `[vary]`: options of the lab's servers that make several systems of each.
//!
//! Every system is measured at the first level of all options, its baseline, and at each other level of one option while the
//! others stay at their first. So a level is compared with its baseline alone, and the family of comparisons grows with the
//! levels and not with the pairs of them.

use dbdyno_files::values::{Kind, Text};
use dbdyno_files::{List, Mistake, Mistakes, Placed, Vary};
use dbdyno_vocabulary::secret::names_secret;
use dbdyno_vocabulary::suggest;

use super::targets;
use crate::address;
use crate::file::definition::System;

/// An option with one of its levels.
type Level<'a> = (&'a Placed<String>, &'a Placed<Text>);

/// The systems at every level, each baseline before its levels.
pub(super) fn expanded(
    systems: &[Placed<System>],
    vary: &Placed<Vary>,
    kind: Option<&Placed<Kind>>,
) -> Result<Vec<Placed<System>>, Vec<Mistake>> {
    let Vary { options, together } = &vary.value;
    let mut mistakes = Mistakes::default();
    if let Some(kind) = kind.filter(|kind| kind.value != Kind::Comparison) {
        mistakes.add(Mistake::new(
            vary.span.clone(),
            format!("`vary` has no effect in a study of kind `{}`", kind.value.word()),
            "omit `kind`: `vary` compares each level with the first one; or write each system yourself",
        ));
    }
    if options.is_empty() {
        mistakes.add(Mistake::new(
            vary.span.clone(),
            "`vary` names no option",
            "write e.g. vary = { security = [\"none\", \"tls\"] }",
        ));
    }
    for (option, levels) in options {
        mistakes.keep(check_levels(option, levels));
    }
    let is_together = together.as_ref().is_some_and(|together| together.value.0);
    if let Some(together) = together.as_ref().filter(|_| is_together && options.len() < 2) {
        mistakes.add(Mistake::new(
            together.span.clone(),
            "`together` needs two options or more: the last levels of all of them are measured at once",
            "omit `together`, or add an option",
        ));
    }
    for system in systems {
        mistakes.keep(check_system(system, options));
    }
    mistakes.or(Some(()))?;
    at_all_levels(systems, options, is_together).map_err(|mistake| vec![mistake])
}

/// The systems at every level of these options, which fit them.
fn at_all_levels(
    systems: &[Placed<System>],
    options: &[(Placed<String>, List<Text>)],
    is_together: bool,
) -> Result<Vec<Placed<System>>, Mistake> {
    let mut all = Vec::new();
    for system in systems {
        let first =
            |(option, levels): &'_ (Placed<String>, List<Text>)| (option.clone(), levels.0[0].clone());
        let baseline: Vec<(Placed<String>, Placed<Text>)> = options.iter().map(first).collect();
        let baseline: Vec<Level<'_>> = baseline.iter().map(|(option, level)| (option, level)).collect();
        let base = at(&system.value, &baseline)?;
        let name = base.name.clone();
        let placed = |value: System| Placed {
            span: system.span.clone(),
            value: System {
                base: Some(name.clone()),
                ..value
            },
        };
        all.push(placed(base.clone()));
        for (option, levels) in options {
            for level in &levels.0[1..] {
                all.push(placed(named(at(&base, &[(option, level)])?, &[(option, level)])));
            }
        }
        if is_together {
            let last: Vec<Level<'_>> = options
                .iter()
                .filter_map(|(option, levels)| Some((option, levels.0.last()?)))
                .collect();
            all.push(placed(named(at(&base, &last)?, &last)));
        }
    }
    Ok(all)
}

/// The system with these options in its address, and as levels of its factors.
fn at(system: &System, levels: &[Level<'_>]) -> Result<System, Mistake> {
    let mut system = system.clone();
    for (option, level) in levels {
        let (option, text) = (&option.value, &level.value.0);
        system.target.options.insert(option.clone(), text.clone());
        system.factors.insert(option.clone(), text.clone());
        targets::check(&system.target)
            .map_err(|refusal| Mistake::new(level.span.clone(), refusal.message, refusal.help))?;
    }
    Ok(system)
}

/// The system, named after what distinguishes it from its baseline.
fn named(mut system: System, levels: &[Level<'_>]) -> System {
    for (option, level) in levels {
        system
            .name
            .push_str(&format!(" {}={}", option.value, level.value.0));
    }
    system
}

/// Two levels or more, all different.
fn check_levels(option: &Placed<String>, levels: &List<Text>) -> Result<(), Mistake> {
    let name = &option.value;
    if names_secret(name) {
        return Err(Mistake::new(
            option.span.clone(),
            format!("`{name}` is named like a secret"),
            "levels appear in names, records and reports; give secrets in `options` of a [[system]], where they do not vary",
        ));
    }
    if levels.0.len() < 2 {
        return Err(Mistake::new(
            option.span.clone(),
            format!("`{name}` has one level, so there is nothing to compare it with"),
            format!(
                "list the baseline first, e.g. security = [\"none\", \"tls\"]; or set {name} in the addresses of systems"
            ),
        ));
    }
    for (index, level) in levels.0.iter().enumerate() {
        if levels.0[..index].contains(level) {
            return Err(Mistake::new(
                level.span.clone(),
                format!("`{}` is listed twice as a level of `{name}`", level.value.0),
                "remove one of them; `aa = true` compares a system with itself",
            ));
        }
    }
    Ok(())
}

/// The lab starts the system, knows the options, and nothing else sets them.
fn check_system(system: &Placed<System>, options: &[(Placed<String>, List<Text>)]) -> Result<(), Mistake> {
    let own = &system.value;
    for (option, _) in options {
        let name = &option.value;
        let Some(info) = address::recipe_info(&own.target) else {
            return Err(Mistake::new(
                system.span.clone(),
                format!(
                    "`{}` is not a system of the lab, so `vary` cannot start it with `{name}`",
                    own.name
                ),
                "write `lab:NAME` (`dbdyno lab list` shows the names); or omit `vary` and write a [[system]] with `factors` for each level",
            ));
        };
        let known = || info.all_options().map(|known| known.name);
        if !known().any(|known| known == name) {
            return Err(Mistake::new(
                option.span.clone(),
                format!(
                    "the lab's {} has no option `{name}`{}",
                    info.name,
                    suggest::after_message(name, known())
                ),
                format!("it understands {}", known().collect::<Vec<_>>().join(", ")),
            ));
        }
        if own.target.options.contains_key(name) || own.factors.contains_key(name) {
            return Err(Mistake::new(
                system.span.clone(),
                format!("`{name}` of `{}` is set here, and `vary` sets it, too", own.name),
                "remove one of them",
            ));
        }
    }
    Ok(())
}
