//! Sentences that one choice of their variables is enough for.

use dbdyno_stats::family::simultaneous;

use super::ratios::Ratios;
use super::{Asked, Case, case, intervals};
use crate::predicate::{Sentence, bindings, described, names};

/// A sentence with all choices of its variables.
pub struct Existence {
    /// The variables' names.
    names: String,
    /// Each choice in words, with its comparisons.
    choices: Vec<(String, Vec<Asked>)>,
    /// What choices ask for that was not measured.
    missing: Vec<String>,
}

impl Existence {
    pub fn of(sentence: &Sentence, ratios: &mut Ratios<'_>) -> Self {
        let (mut choices, mut missing) = (Vec::new(), Vec::new());
        for bound in bindings(sentence) {
            let mut asked = Vec::new();
            for comparison in &sentence.comparisons {
                let mut left = &comparison.first;
                for (relation, right) in &comparison.rest {
                    asked.push(case(left, *relation, right, &bound, ratios));
                    left = right;
                }
            }
            match asked.into_iter().collect() {
                Ok(asked) => {
                    let asked: Vec<Asked> = asked;
                    let texts: Vec<String> = asked.iter().map(Asked::text).collect();
                    choices.push((described(&bound, &texts.join(" and ")), asked));
                }
                Err(what) => missing.push(what),
            }
        }
        Self {
            names: names(sentence),
            choices,
            missing,
        }
    }

    /// It is shown by a choice all of whose intervals lie on the claimed side, wide enough for all choices together. The opposite is
    /// shown where every choice has a comparison of which that is shown.
    ///
    /// # Errors
    /// What was not measured, where no choice shows it.
    pub fn case(self) -> Result<Case, Vec<String>> {
        let asked = self.choices.iter().flat_map(|(_, asked)| asked);
        let wider = simultaneous(intervals(asked));
        let shown = self
            .choices
            .iter()
            .find(|(_, asked)| asked.iter().all(|asked| asked.is_shown_by(wider)));
        if let Some((text, _)) = shown {
            return Ok(Case {
                text: format!("for some choice, {text}"),
                shown: Some(true),
                close: false,
            });
        }
        if !self.missing.is_empty() {
            return Err(self.missing);
        }
        let is_against = |asked: &Vec<Asked>| asked.iter().any(|asked| asked.shown(wider) == Some(false));
        let all_against = self.choices.iter().all(|(_, asked)| is_against(asked));
        Ok(Case {
            text: format!(
                "{} choices of {}, and none is shown",
                self.choices.len(),
                self.names
            ),
            shown: all_against.then_some(false),
            close: false,
        })
    }
}
