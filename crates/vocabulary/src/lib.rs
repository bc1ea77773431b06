//! THE WORDS: how quantities and metrics are written, read and printed, in one place for flags, study files, need files, addresses and
//! reports.
//!
//! Every quantity has one parser and one exact writing, and the parser reads the writing back: [`Count`], [`Rate`], [`Share`],
//! [`Size`] and [`Time`]. A [`Metric`] is a figure of a trial, and an [`Expectation`] is a limit for one; [`search`] names what a
//! search for the highest rate within limits sees. [`number`] prints measured figures for people, with three significant digits,
//! and a [`Statement`] marks them in a sentence, so that those of many trials can be joined into one. A [`Text`] is running text
//! whose parts say what they are: names, code, links. [`shell`] quotes the words of a command that is shown to be copied. This crate depends on no other crate of ours.

pub mod natural;
pub mod number;
pub mod search;
pub mod secret;
pub mod shell;
pub mod suggest;
pub mod visible;
pub mod words;
pub mod workload_name;

mod count;
mod decimal;
mod error;
mod expectation;
mod metric;
mod operation;
mod rate;
mod serialize;
mod share;
mod shortest;
mod size;
mod statement;
mod text;
mod time;
mod twin;

pub use count::{Count, parse_up_to};
pub use decimal::parse_number;
pub use error::QuantityError;
pub use expectation::{Expectation, ExpectationError, MetricValue};
pub use metric::{Metric, MetricError, Subject, Unit};
pub use operation::{ALL_OPERATIONS, OperationKind};
pub use rate::Rate;
pub use share::Share;
pub use size::Size;
pub use statement::Statement;
pub use text::{Inline, Mark, Target, Text, Tone, named};
pub use time::Time;
pub use twin::{shown_name, twin_name, twin_original};
