//! Everything about memory: driver, error classes, facts.
