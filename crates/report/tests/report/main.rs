//! Everything that a report, an index, a comparison or an advice shows: one program, so that it is linked once.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod common;

mod advice;
mod advice_budget;
mod advice_certainty;
mod advice_levels;
mod advice_not_measured;
mod advice_price;
mod advice_security;
mod answers;
mod attempts;
mod audited;
mod browser;
mod charts;
mod comparability;
mod consistency;
mod core_modes;
mod cost;
mod factors;
mod figures;
mod folders;
mod glance;
mod history;
mod index;
mod interactions;
mod judgement;
mod latex;
mod linted;
mod other_conditions;
mod outputs;
mod page;
mod paper;
mod price;
mod reading;
mod regenerate;
mod rising_load;
mod speed;
mod starts;
mod usage;
mod validity;
