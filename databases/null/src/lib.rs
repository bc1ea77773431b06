//! Everything about null: driver, error classes, facts.
