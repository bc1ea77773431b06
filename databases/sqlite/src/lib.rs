//! Everything about sqlite: driver, error classes, facts.
