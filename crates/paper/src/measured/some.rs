//! Sentences that one choice of their variables is enough for.

use super::evidence::{Names, told};
use super::ratios::Ratios;
use super::{Asked, Case, case, intervals};
use crate::predicate::{Sentence, bindings, names};

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
    pub fn of(sentence: &Sentence, named: &Names, ratios: &mut Ratios<'_>) -> Self {
        let (mut choices, mut missing) = (Vec::new(), Vec::new());
        for bound in bindings(sentence) {
            let (mut asked, mut comparisons) = (Vec::new(), Vec::new());
            for comparison in &sentence.comparisons {
                let mut left = &comparison.first;
                for (relation, right) in &comparison.rest {
                    asked.push(case(left, *relation, right, &bound, ratios));
                    comparisons.push(named.name(left, right));
                    left = right;
                }
            }
            match asked.into_iter().collect() {
                Ok(asked) => {
                    let asked: Vec<Asked> = asked;
                    let both = comparisons.iter().zip(&asked);
                    let texts: Vec<String> = both
                        .map(|(name, asked)| told(name, &bound, &asked.text()))
                        .collect();
                    choices.push((texts.join(" and "), asked));
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

    /// Every comparison of every choice.
    pub fn asked(&self) -> impl Iterator<Item = &Asked> {
        self.choices.iter().flat_map(|(_, asked)| asked)
    }

    /// It is shown by a choice all of whose intervals lie on the claimed side, so many times `wider` that they hold for the whole
    /// claim. The opposite is shown where every choice has a comparison of which that is shown.
    ///
    /// # Errors
    /// What was not measured, where no choice shows it.
    pub fn case(self, wider: f64) -> Result<Case, Vec<String>> {
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
        let what = if all_against {
            "all are refuted"
        } else {
            "none is shown"
        };
        // A choice is as near as the comparison that it lacks most.
        let lead = |asked: &[Asked]| asked.iter().map(Asked::lead).fold(f64::INFINITY, f64::min);
        let by_lead = |(_, one): &&(String, Vec<Asked>), (_, other): &&(String, Vec<Asked>)| {
            lead(one).total_cmp(&lead(other))
        };
        // A system beside itself is near everything.
        let is_measured = |(_, asked): &&(String, Vec<Asked>)| intervals(asked) > 0;
        let nearest = self.choices.iter().filter(is_measured).max_by(by_lead);
        let nearest = nearest.map_or_else(String::new, |(text, _)| format!("; the nearest is {text}"));
        Ok(Case {
            text: format!(
                "{} choices of {}, and {what}{nearest}",
                self.choices.len(),
                self.names
            ),
            shown: all_against.then_some(false),
            close: false,
        })
    }
}
