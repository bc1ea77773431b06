//! Answers to several needs from the same results, on one page, with what published studies say beside them.

mod published_study;
mod setup;

use dbdyno_paper::PaperError;
use serde::Serialize;

use crate::advice::{Advice, Source};
use crate::indented;

pub use published_study::PublishedStudy;
pub use setup::Setup;

/// The version of the JSON output.
pub const ANSWERS_FORMAT: &str = "dbdyno.answers/1";

/// The answers, in the order of the needs.
#[derive(Clone, Debug, Serialize)]
pub struct Answers {
    /// [`ANSWERS_FORMAT`].
    pub format: &'static str,
    /// The result folders, as they were given.
    pub results: Vec<String>,
    /// Each need with its advice.
    pub answers: Vec<Answer>,
    /// What these results measured, and how.
    pub setup: Setup,
    /// The published studies whose claims the needs name, in the order of their ids.
    pub studies: Vec<PublishedStudy>,
}

/// The answer to one need.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The need's file, as it was given.
    pub need: String,
    /// The advice.
    pub advice: Advice,
}

impl Answers {
    /// Puts the answers from these results together.
    ///
    /// # Errors
    /// Those of the published studies' files; a release has none.
    pub fn of(sources: &[Source<'_>], answers: Vec<Answer>) -> Result<Self, PaperError> {
        let claims = answers.iter().flat_map(|answer| &answer.advice.published);
        let ids = claims.map(|claim| claim.paper.as_str());
        let studies = published_study::of_ids(&ids.collect())?;
        Ok(Self {
            format: ANSWERS_FORMAT,
            results: sources.iter().map(|source| source.name.to_owned()).collect(),
            setup: Setup::of_trials(sources.iter().flat_map(|source| &source.results.trials)),
            answers,
            studies,
        })
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> String {
        indented::json(self)
    }
}
