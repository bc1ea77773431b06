//! Requirements on what a system provides: durability, consistency, nodes. A level that was measured is no limit of what a system can
//! do: below the wanted level it was not measured there, and is out only if it is known not to reach it.

use dbdyno_decide::Compliance;

use super::catalogue::Offer;
use super::gather::Candidate;
use super::judge::{Context, Judged, Lacking};

/// The levels of durability, weakest first.
const DURABILITIES: [&str; 3] = ["none", "buffered", "synced"];
/// The levels of consistency, fewest replicas first.
const CONSISTENCIES: [&str; 3] = ["one", "quorum", "all"];

/// Durability of at least a level.
pub fn durability<'a>(candidate: &Candidate<'a>, wanted: &str, context: &Context<'_, 'a>) -> Judged<'a> {
    let level = Level {
        option: "durability",
        scale: &DURABILITIES,
        of: |one| one.system.durability.name(),
        offered: |offer| &offer.durabilities,
    };
    let system = candidate.system;
    if system.durability.is_absent() {
        let why = "its durability was not read back".to_owned();
        return Judged::of_all(candidate, Compliance::NotShown, why);
    }
    level.judge(candidate, wanted, &system.durability_means, context)
}

/// Consistency of at least a level.
pub fn consistency<'a>(candidate: &Candidate<'a>, wanted: &str, context: &Context<'_, 'a>) -> Judged<'a> {
    let level = Level {
        option: "consistency",
        scale: &CONSISTENCIES,
        of: |one| one.system.consistency.name(),
        offered: |offer| &offer.consistencies,
    };
    let system = candidate.system;
    if system.consistency.is_absent() {
        // With a single copy, one replica is a majority and all of them.
        let why = "it keeps one copy, which every operation meets".to_owned();
        return Judged::of_all(candidate, Compliance::Shown, why);
    }
    level.judge(candidate, wanted, &system.consistency_means, context)
}

/// One scale of levels, and where a candidate's level stands.
struct Level {
    /// The option of an address that asks for it.
    option: &'static str,
    scale: &'static [&'static str],
    of: fn(&Candidate<'_>) -> &'static str,
    offered: fn(&Offer) -> &[String],
}

impl Level {
    fn judge<'a>(
        &self,
        candidate: &Candidate<'a>,
        wanted: &str,
        means: &str,
        context: &Context<'_, 'a>,
    ) -> Judged<'a> {
        let own = (self.of)(candidate);
        let means = if means.is_empty() {
            String::new()
        } else {
            format!(": {means}")
        };
        let read_back = format!("{own}, as read back{means}");
        let compliance = at_least(self.scale, own, wanted);
        if compliance != Compliance::Violated {
            return Judged::of_all(candidate, compliance, read_back);
        }
        let reaches = |level: &str| at_least(self.scale, level, wanted) == Compliance::Shown;
        if let Some(other) = context.variant(candidate, |other| reaches((self.of)(other))) {
            let why = format!("{read_back}; {} was measured at `{wanted}`", other.label);
            return Judged::of_all(candidate, Compliance::Violated, why);
        }
        let offer = context.catalogue.drivers.get(&candidate.system.driver);
        let levels = offer.map(self.offered);
        match levels {
            // A level that the need does not know may be a higher one.
            Some(levels)
                if levels
                    .iter()
                    .all(|level| at_least(self.scale, level, wanted) == Compliance::Violated) =>
            {
                let why = format!("{read_back}; it offers no more");
                Judged::of_all(candidate, Compliance::Violated, why)
            }
            _ => not_measured(candidate, self.option, wanted, &read_back),
        }
    }
}

fn not_measured<'a>(
    candidate: &Candidate<'a>,
    option: &'static str,
    wanted: &str,
    read_back: &str,
) -> Judged<'a> {
    let why = format!("not measured at `{wanted}`: its trials ran at {read_back}");
    Judged {
        lacking: Some(Lacking::Level {
            option,
            wanted: wanted.to_owned(),
        }),
        ..Judged::of_all(candidate, Compliance::NotShown, why)
    }
}

/// At least so many nodes.
pub fn nodes<'a>(candidate: &Candidate<'a>, wanted: u64, context: &Context<'_, 'a>) -> Judged<'a> {
    let topology = &candidate.system.topology;
    let judged = |compliance: Compliance, why: String| Judged::of_all(candidate, compliance, why);
    let read_back = format!("topology as read back: {topology}");
    // A store inside the process is on one machine.
    let machines = |one: &Candidate<'_>| one.system.node_count().map(|nodes| u64::from(nodes.max(1)));
    let reaches = |other: &Candidate<'_>| machines(other).is_some_and(|nodes| nodes >= wanted);
    match machines(candidate) {
        None => judged(
            Compliance::NotShown,
            format!(
                "its topology does not tell how many nodes there are: {}",
                if topology.is_empty() { "nothing" } else { topology }
            ),
        ),
        Some(nodes) if nodes >= wanted => judged(Compliance::Shown, read_back),
        Some(_) if candidate.system.node_count() == Some(0) => judged(Compliance::Violated, read_back),
        Some(_) => match context.variant(candidate, reaches) {
            Some(other) => judged(
                Compliance::Violated,
                format!("{read_back}; {} was measured with {wanted} or more", other.label),
            ),
            None => Judged {
                lacking: Some(Lacking::Level {
                    option: "nodes",
                    wanted: wanted.to_string(),
                }),
                ..judged(
                    Compliance::NotShown,
                    format!("not measured with {wanted} nodes; {read_back}"),
                )
            },
        },
    }
}

/// A level against the least that is wanted; a level that is not on the scale shows nothing.
fn at_least(scale: &[&str], level: &str, wanted: &str) -> Compliance {
    let place = |name: &str| scale.iter().position(|known| *known == name);
    match (place(level), place(wanted)) {
        (Some(level), Some(wanted)) if level >= wanted => Compliance::Shown,
        (Some(_), Some(_)) => Compliance::Violated,
        _ => Compliance::NotShown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered() {
        assert_eq!(at_least(&DURABILITIES, "synced", "buffered"), Compliance::Shown);
        assert_eq!(at_least(&DURABILITIES, "none", "buffered"), Compliance::Violated);
        assert_eq!(at_least(&CONSISTENCIES, "", "quorum"), Compliance::NotShown);
    }
}
