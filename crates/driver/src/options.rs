//! Reading the options of an address: what every driver must check, with the same words for every database.

use std::time::Duration;

use dbdyno_vocabulary::secret::names_secret;
use dbdyno_vocabulary::{Size, Time, suggest};

use crate::remote::OPTIONS as OF_SERVERS;
use crate::{Consistency, DbError, DriverInfo, Durability, ErrorClass, Foreseen, Target};

/// Refuses options the driver does not list in [`DriverInfo::options`], naming the nearest one that it does, and levels of
/// consistency that it does not offer.
///
/// # Errors
/// `Rejected`, with the option and what exists instead.
pub fn check(info: &DriverInfo, target: &Target) -> Result<(), DbError> {
    let of_servers: &[(&str, &str)] = if info.remote { &OF_SERVERS } else { &[] };
    let of_replicas = (!info.capabilities.consistencies.is_empty()).then_some("consistency");
    let known: Vec<&str> = info
        .options
        .iter()
        .chain(of_servers)
        .map(|(known, _)| *known)
        .chain(["durability"])
        .chain(of_replicas)
        .collect();
    for name in target.options.keys() {
        if known.iter().any(|known| covers(known, name)) {
            continue;
        }
        let hint = suggest::before_list(name, known.iter().copied());
        // What resembles no option may be what follows a `&` in a password.
        let holds_secret = target.options.keys().any(|name| names_secret(name));
        let shown = match holds_secret && hint.is_empty() {
            true => "does not understand one of its options, which is not shown because it may belong to the password".to_owned(),
            false => format!("has no option `{name}`"),
        };
        return Err(rejected(
            info,
            &format!("{shown}; {hint}it understands {}", list(known.iter().copied())),
        ));
    }
    consistency(info, target).map(drop)
}

/// Whether an option that a driver lists is the one of this name: `p.*` stands for every name that begins with `p.`.
#[must_use]
pub fn covers(listed: &str, name: &str) -> bool {
    match listed.strip_suffix('*') {
        Some(prefix) => name.len() > prefix.len() && name.starts_with(prefix),
        None => listed == name,
    }
}

/// The level of durability asked for, or the driver's default: `Buffered` where the driver has it, else the weakest
/// level it has.
///
/// # Errors
/// `Rejected` when the driver does not offer the level asked for.
pub fn durability(info: &DriverInfo, target: &Target) -> Result<Durability, DbError> {
    let offered = info.capabilities.durabilities;
    match target.durability {
        Some(level) if offered.contains(&level) => Ok(level),
        Some(level) => Err(rejected(
            info,
            &format!(
                "does not offer durability `{level}`; it offers {}",
                list(offered.iter().map(|level| level.name()))
            ),
        )),
        None => Ok(if offered.contains(&Durability::Buffered) {
            Durability::Buffered
        } else {
            offered.first().copied().unwrap_or(Durability::None)
        }),
    }
}

/// The consistency asked for, or the driver's default: `Quorum` where the driver has it, else the first level; `None`
/// where it has no levels.
///
/// # Errors
/// `Rejected` when the driver does not offer the level asked for.
pub fn consistency(info: &DriverInfo, target: &Target) -> Result<Option<Consistency>, DbError> {
    let offered = info.capabilities.consistencies;
    match target.consistency {
        Some(level) if offered.contains(&level) => Ok(Some(level)),
        Some(_) if offered.is_empty() => Err(rejected(
            info,
            "keeps one copy of its records and has no consistency levels; omit the option",
        )),
        Some(level) => Err(rejected(
            info,
            &format!(
                "does not offer consistency `{level}`; it offers {}",
                list(offered.iter().map(|level| level.name()))
            ),
        )),
        None if offered.contains(&Consistency::Quorum) => Ok(Some(Consistency::Quorum)),
        None => Ok(offered.first().copied()),
    }
}

/// The guarantees that a client asks for: of a store in this process, with the driver's defaults; of a server, what the address
/// says, for that is given or refused.
#[must_use]
pub fn foreseen(info: &DriverInfo, target: &Target) -> Foreseen {
    if info.remote {
        return Foreseen::of_address(target);
    }
    Foreseen {
        durability: durability(info, target).ok(),
        consistency: foreseen_consistency(info, target),
    }
}

/// The consistency that a client asks for; of a driver without levels, that of one copy.
#[must_use]
pub fn foreseen_consistency(info: &DriverInfo, target: &Target) -> Option<Consistency> {
    let asked = consistency(info, target).ok()?;
    Some(asked.unwrap_or(Consistency::OF_ONE_COPY))
}

/// An option that is a [`Size`]: `64M`, `512MiB`, `4096`.
///
/// # Errors
/// `Rejected` when the value is not of that form, or does not fit.
pub fn bytes(info: &DriverInfo, target: &Target, name: &str, default: u64) -> Result<u64, DbError> {
    let Some(text) = target.options.get(name) else {
        return Ok(default);
    };
    Size::parse(text).map(Size::get).map_err(|_| {
        rejected(
            info,
            &format!(
                "cannot read option `{name}={text}` as a number of bytes; write e.g. `{name}=64M` (K, M, G are \
                 powers of 1024)"
            ),
        )
    })
}

/// An option that is a [`Time`]: `500ms`, `5s`.
///
/// # Errors
/// `Rejected` when the value is not of that form.
pub fn duration(
    info: &DriverInfo,
    target: &Target,
    name: &str,
    default: Duration,
) -> Result<Duration, DbError> {
    let Some(text) = target.options.get(name) else {
        return Ok(default);
    };
    Time::parse(text).map(Time::get).map_err(|_| {
        rejected(
            info,
            &format!(
                "cannot read option `{name}={text}` as a time; write e.g. `{name}=500ms` or `{name}=5s`"
            ),
        )
    })
}

/// An option that is one of a few words.
///
/// # Errors
/// `Rejected` when the value is none of `choices`.
pub fn choice(
    info: &DriverInfo,
    target: &Target,
    name: &str,
    choices: &[&'static str],
    default: &'static str,
) -> Result<&'static str, DbError> {
    let Some(text) = target.options.get(name) else {
        return Ok(default);
    };
    choices
        .iter()
        .find(|choice| *choice == text)
        .copied()
        .ok_or_else(|| {
            let choices = list(choices.iter().copied());
            rejected(
                info,
                &format!("cannot use option `{name}={text}`; it is one of {choices}"),
            )
        })
}

fn rejected(info: &DriverInfo, what: &str) -> DbError {
    DbError::new(ErrorClass::Rejected, format!("`{}` {what}", info.name))
}

fn list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capabilities, Execution, ScanOrder, Values};

    const INFO: DriverInfo = DriverInfo {
        name: "store",
        summary: "a store",
        schemes: &["store"],
        example: "store:FILE",
        options: &[("cache", "bytes"), ("wait", "a time")],
        remote: false,
        default_port: None,
        execution: Execution::Blocking,
        capabilities: Capabilities {
            scan: ScanOrder::Key,
            persistent: true,
            stores_records: true,
            durabilities: &[Durability::None, Durability::Synced],
            consistencies: &[],
            values: Values::Bytes,
        },
    };

    fn target(options: &str) -> Target {
        Target::parse(&format!("store?{options}")).unwrap()
    }

    #[test]
    fn unknown_options_are_refused_with_the_nearest_name() {
        assert!(check(&INFO, &target("cache=1M")).is_ok());
        let error = check(&INFO, &target("chache=1M")).unwrap_err();
        assert_eq!(error.class, ErrorClass::Rejected);
        assert_eq!(
            error.message,
            "`store` has no option `chache`; did you mean `cache`? it understands `cache`, `wait`, `durability`"
        );
        assert!(
            !check(&INFO, &target("zzz=1"))
                .unwrap_err()
                .message
                .contains("did you mean")
        );
    }

    #[test]
    fn a_star_covers_what_begins_alike() {
        assert!(covers("p.*", "p.hosts") && covers("cache", "cache"));
        assert!(!covers("p.*", "p.") && !covers("p.*", "port") && !covers("cache", "caches"));
    }

    #[test]
    fn durability_is_what_was_asked_for_or_the_default() {
        assert_eq!(durability(&INFO, &target("")).unwrap(), Durability::None);
        assert_eq!(
            durability(&INFO, &target("durability=synced")).unwrap(),
            Durability::Synced
        );
        let error = durability(&INFO, &target("durability=buffered")).unwrap_err();
        assert!(error.message.contains("`none`, `synced`"), "{error}");
    }

    #[test]
    fn consistency_is_a_choice_where_there_are_replicas() {
        assert_eq!(consistency(&INFO, &target("")).unwrap(), None);
        let error = consistency(&INFO, &target("consistency=one")).unwrap_err();
        assert!(error.message.contains("one copy"), "{error}");
        let mut replicated = INFO;
        replicated.capabilities.consistencies = &[Consistency::One, Consistency::Quorum];
        let read = |text: &str| consistency(&replicated, &target(text));
        assert_eq!(read("").unwrap(), Some(Consistency::Quorum));
        assert_eq!(read("consistency=one").unwrap(), Some(Consistency::One));
        let error = read("consistency=all").unwrap_err();
        assert!(error.message.contains("`one`, `quorum`"), "{error}");
    }

    #[test]
    fn sizes_have_binary_suffixes() {
        for (text, expected) in [
            ("7", 7),
            ("2k", 2048),
            ("3M", 3 << 20),
            ("1G", 1 << 30),
            ("2MiB", 2 << 20),
        ] {
            let read = bytes(&INFO, &target(&format!("cache={text}")), "cache", 0).unwrap();
            assert_eq!(read, expected);
        }
        assert_eq!(bytes(&INFO, &target(""), "cache", 9).unwrap(), 9);
        for text in ["M", "-1", "+1", "99999999999G", "é"] {
            let error = bytes(&INFO, &target(&format!("cache={text}")), "cache", 0).unwrap_err();
            assert!(error.message.contains(&format!("cache={text}")), "{error}");
        }
    }

    #[test]
    fn times_have_units() {
        let read = |text: &str| {
            duration(
                &INFO,
                &target(&format!("wait={text}")),
                "wait",
                Duration::from_secs(5),
            )
        };
        assert_eq!(read("250us").unwrap(), Duration::from_micros(250));
        assert_eq!(read("250ms").unwrap(), Duration::from_millis(250));
        assert_eq!(read("3s").unwrap(), Duration::from_secs(3));
        assert!(read("3").is_err());
        assert!(read("ms").is_err());
    }

    #[test]
    fn a_choice_lists_its_words() {
        let read = |text: &str| choice(&INFO, &target(text), "wait", &["none", "lz4"], "none");
        assert_eq!(read("").unwrap(), "none");
        assert_eq!(read("wait=lz4").unwrap(), "lz4");
        assert!(
            read("wait=zip")
                .unwrap_err()
                .message
                .contains("one of `none`, `lz4`")
        );
    }
}
