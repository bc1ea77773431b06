//! Requirements on what a system provides: durability, consistency, nodes. A level that was measured is no limit of what a system can
//! do: below the wanted level it was not measured there, and is out only if it is known not to reach it.

use dbdyno_decide::Compliance;
use dbdyno_record::{Fact, FactValue, SystemRecord};
use dbdyno_trial::{Consistency, Durability};

use super::catalogue::Offer;
use super::gather::Candidate;
use super::judged::{Context, Judged, Lacking};
use super::why::{Beyond, Why};

/// Durability of at least a level.
pub fn durability<'a>(
    candidate: &Candidate<'a>,
    wanted: Durability,
    context: &Context<'_, 'a>,
) -> Judged<'a> {
    let level = Level {
        option: "durability",
        of: |system| system.durability,
        offered: |offer| &offer.durabilities,
    };
    let system = candidate.system;
    if system.durability.is_absent() {
        return Judged::of_all(candidate, Compliance::NotShown, Why::NoDurability);
    }
    level.judge(candidate, wanted, &system.durability_means, context)
}

/// Consistency of at least a level.
pub fn consistency<'a>(
    candidate: &Candidate<'a>,
    wanted: Consistency,
    context: &Context<'_, 'a>,
) -> Judged<'a> {
    let level = Level {
        option: "consistency",
        of: |system| system.consistency,
        offered: |offer| &offer.consistencies,
    };
    let system = candidate.system;
    if system.consistency.is_absent() {
        // With a single copy, one replica is a majority and all of them.
        return Judged::of_all(candidate, Compliance::Shown, Why::OneCopy);
    }
    level.judge(candidate, wanted, &system.consistency_means, context)
}

/// One kind of level, ordered from the weakest, and where to find it.
struct Level<L> {
    /// The option of an address that asks for it.
    option: &'static str,
    of: fn(&SystemRecord) -> Fact<L>,
    offered: fn(&Offer) -> &[L],
}

impl<L: FactValue + Ord> Level<L> {
    fn judge<'a>(
        &self,
        candidate: &Candidate<'a>,
        wanted: L,
        means: &str,
        context: &Context<'_, 'a>,
    ) -> Judged<'a> {
        let own = (self.of)(candidate.system);
        let level = own.to_string();
        let judged = |compliance: Compliance, beyond: Option<Beyond>| {
            let why = Why::Level {
                level: level.clone(),
                means: means.to_owned(),
                beyond,
            };
            Judged::of_all(candidate, compliance, why)
        };
        let compliance = at_least(own, wanted);
        if compliance != Compliance::Violated {
            return judged(compliance, None);
        }
        let name = wanted.name().to_owned();
        let reaches = |other: &Candidate<'_>| at_least((self.of)(other.system), wanted) == Compliance::Shown;
        if let Some(other) = context.variant(candidate, reaches) {
            let reached = Beyond::Reached {
                by: other.label.clone(),
                wanted: name,
            };
            return judged(Compliance::Violated, Some(reached));
        }
        let offer = context.catalogue.drivers.get(&candidate.system.driver);
        match offer.map(self.offered) {
            Some(levels) if levels.iter().all(|level| *level < wanted) => {
                judged(Compliance::Violated, Some(Beyond::NotOffered))
            }
            _ => Judged {
                lacking: Some(Lacking::Level {
                    option: self.option,
                    wanted: name.clone(),
                }),
                ..judged(Compliance::NotShown, Some(Beyond::NotMeasured { wanted: name }))
            },
        }
    }
}

/// At least so many nodes.
pub fn nodes<'a>(candidate: &Candidate<'a>, wanted: u64, context: &Context<'_, 'a>) -> Judged<'a> {
    let topology = &candidate.system.topology;
    let judged = |compliance: Compliance, beyond: Option<Beyond>| {
        let why = Why::Nodes {
            topology: topology.clone(),
            beyond,
        };
        Judged::of_all(candidate, compliance, why)
    };
    // A store inside the process is on one machine.
    let machines = |one: &Candidate<'_>| one.system.node_count().map(|nodes| u64::from(nodes.max(1)));
    let reaches = |other: &Candidate<'_>| machines(other).is_some_and(|nodes| nodes >= wanted);
    match machines(candidate) {
        None => {
            let why = Why::UnknownNodes(topology.clone());
            Judged::of_all(candidate, Compliance::NotShown, why)
        }
        Some(nodes) if nodes >= wanted => judged(Compliance::Shown, None),
        Some(_) if candidate.system.node_count() == Some(0) => judged(Compliance::Violated, None),
        Some(_) => match context.variant(candidate, reaches) {
            Some(other) => judged(
                Compliance::Violated,
                Some(Beyond::Reached {
                    by: other.label.clone(),
                    wanted: wanted.to_string(),
                }),
            ),
            None => Judged {
                lacking: Some(Lacking::Level {
                    option: "nodes",
                    wanted: wanted.to_string(),
                }),
                ..judged(
                    Compliance::NotShown,
                    Some(Beyond::NotMeasured {
                        wanted: wanted.to_string(),
                    }),
                )
            },
        },
    }
}

/// A level against the least that is wanted; a level that is not known shows nothing.
fn at_least<L: Ord>(level: Fact<L>, wanted: L) -> Compliance {
    match level {
        Fact::Known(level) if level >= wanted => Compliance::Shown,
        Fact::Known(_) => Compliance::Violated,
        Fact::NotStated | Fact::Absent => Compliance::NotShown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered() {
        let durability = |level, wanted| at_least(Fact::Known(level), wanted);
        assert_eq!(
            durability(Durability::Synced, Durability::Buffered),
            Compliance::Shown
        );
        assert_eq!(
            durability(Durability::None, Durability::Buffered),
            Compliance::Violated
        );
        for silent in [Fact::NotStated, Fact::Absent] {
            assert_eq!(at_least(silent, Consistency::Quorum), Compliance::NotShown);
        }
    }
}
