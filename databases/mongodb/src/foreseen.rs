//! What a server will say of its guarantees, before it is asked: its clients choose all of them.

use dbdyno_driver::{Foreseen, Target};

use crate::options::guarantees;

/// What the address asks for, of any server.
pub(crate) fn foreseen(target: &Target) -> Foreseen {
    guarantees(target).map_or_else(
        |_| Foreseen::default(),
        |(durability, consistency)| Foreseen {
            durability: Some(durability),
            consistency: Some(consistency),
        },
    )
}

#[cfg(test)]
mod tests {
    use dbdyno_driver::{Consistency, Durability};

    use super::*;

    #[test]
    fn a_majority_journals_and_a_single_server_does_not() {
        let of = |address: &str| foreseen(&Target::parse(address).unwrap());
        let both = |durability, consistency| Foreseen {
            durability: Some(durability),
            consistency: Some(consistency),
        };
        assert_eq!(of("mongodb://h"), both(Durability::Synced, Consistency::Quorum));
        let one = of("mongodb://h?consistency=one");
        assert_eq!(one, both(Durability::None, Consistency::One));
        let journaled = of("mongodb://h?consistency=one&durability=synced");
        assert_eq!(journaled, both(Durability::Synced, Consistency::One));
        assert_eq!(of("mongodb://h?consistency=all"), Foreseen::default());
    }
}
