//! Everything about fjall: driver, error classes, facts.
