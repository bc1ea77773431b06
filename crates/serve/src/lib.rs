//! WHO watches: running and finished studies in a browser.
//!
//! The result folders are the only source: what a running study adds to its `live.jsonl` each second, and the records once a
//! trial is over. So a page can be opened, reloaded or closed at any time, from any process, and the study notices nothing.

mod blocking;
mod guard;
mod overview;
mod places;
mod server;
mod study_page;
mod timeline;
mod watched;

pub use blocking::serve;
pub use guard::Token;
pub use server::{ServeError, Server};
