//! WHO watches: running and finished studies in a browser.
//!
//! The result folders are the only source: what a running study adds to its `live.jsonl` each second, and the records once a
//! trial is over. So a page can be opened, reloaded or closed at any time, from any process, and the study notices nothing.

mod blocking;
mod compared;
mod comparison_page;
mod connections;
mod control;
mod error_classes;
mod events;
mod failures;
mod feeds;
mod guard;
mod latency_map;
mod listed;
mod live_generators;
mod live_tiles;
mod metrics;
mod otlp;
mod overview;
mod places;
mod position;
mod problem_page;
mod rows;
mod server;
mod shared;
mod shown;
mod study_page;
mod tally;
#[cfg(test)]
mod test_record;
mod timeline;
mod trial_list;
mod watched;

pub use blocking::{Pages, serve};
pub use failures::Failures;
pub use guard::Token;
pub use otlp::{BadEndpoint, Endpoint, Push};
pub use places::{escaped, folders};
pub use position::StudyPosition;
pub use rows::{TrialProgress, TrialRow, trial_rows};
pub use server::{ServeError, Server};
pub use watched::{Current, EndedTrial, SECONDS_SHOWN, Watched};
