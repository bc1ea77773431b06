//! What people read, as documents: one file for each part of one.

mod advice;
mod answers;
mod audit;
pub mod comparison;
mod folded;
pub mod history;
mod index;
pub mod lint;
mod marked;
pub mod paper_page;
mod printed_and_now;
pub mod publication;
mod published_claims;
mod study;
pub mod trial;
