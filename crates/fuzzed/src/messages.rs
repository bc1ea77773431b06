//! Messages of agents and coordinators: whoever can log in to their server can send any.

/// What agents and coordinators say to each other.
pub fn of_agents(bytes: &[u8]) -> bool {
    let found = dbdyno_agents::fuzzing::message(bytes);
    assert_ne!(found, Some(false), "what was read is written and read again");
    found.is_some()
}
