//! Everything about redb: driver, error classes, facts.
