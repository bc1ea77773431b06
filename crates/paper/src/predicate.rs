//! The language in which a claim says what must hold of numbers, documented for people in `docs/papers.md`:
//!
//! ```text
//! predicate  = sentence { ";" sentence }
//! sentence   = [ ( "for all" | "for some" ) binding { "," binding } ":" ] comparison { "and" comparison }
//! binding    = name "in" word { word }
//! comparison = product relation product { relation product }
//! relation   = "<" | "<=" | ">" | ">="
//! product    = factor { ( "*" | "/" ) factor }
//! factor     = number | column "(" [ condition { "," condition } ] ")"
//! condition  = attribute "=" ( word | "$" name )
//! ```

mod evaluate;
mod parse;

use std::collections::BTreeSet;

pub use evaluate::{PrintedVerdict, evaluate};
pub(crate) use evaluate::{bindings, described, names, words};
pub use parse::{Syntax, parse};

/// All of its sentences must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate(pub(crate) Vec<Sentence>);

impl Predicate {
    /// Whether a condition of it names this attribute.
    #[must_use]
    pub fn asks_about(&self, attribute: &str) -> bool {
        self.factors().any(|factor| match factor {
            Factor::Number(_) => false,
            Factor::Cell { conditions, .. } => conditions.iter().any(|(name, _)| name == attribute),
        })
    }

    /// Whether a condition of it, or a variable in one, stands for this word.
    #[must_use]
    pub fn names(&self, attribute: &str, word: &str) -> bool {
        let plain = self.factors().any(|factor| match factor {
            Factor::Number(_) => false,
            Factor::Cell { conditions, .. } => conditions
                .iter()
                .any(|(name, value)| name == attribute && *value == Word::Plain(word.to_owned())),
        });
        let variables = self.0.iter().flat_map(|sentence| &sentence.variables);
        plain || variables.flat_map(|(_, words)| words).any(|known| known == word)
    }

    /// Whether a cell of it is of a column of latencies, `KIND_avg_us`.
    #[must_use]
    pub fn is_about_latency(&self) -> bool {
        self.columns().any(|column| column.ends_with("_avg_us"))
    }

    /// The word that its conditions have for an attribute, where they all have the same one.
    #[must_use]
    pub fn only_word(&self, attribute: &str) -> Option<String> {
        let conditions = self.factors().flat_map(|factor| match factor {
            Factor::Number(_) => [].as_slice(),
            Factor::Cell { conditions, .. } => conditions.as_slice(),
        });
        let mut words = conditions
            .filter(|(name, _)| name == attribute)
            .map(|(_, word)| word);
        match words.next()? {
            Word::Plain(first) => words
                .all(|word| *word == Word::Plain(first.clone()))
                .then(|| first.clone()),
            Word::Variable(_) => None,
        }
    }

    /// Every word that its conditions have for an attribute, directly or by a variable.
    #[must_use]
    pub fn words(&self, attribute: &str) -> BTreeSet<String> {
        self.words_of_cells(attribute)
            .into_iter()
            .flatten()
            .flatten()
            .collect()
    }

    /// The same, where each of its cells has a condition on the attribute; `None` where one is silent about it.
    #[must_use]
    pub fn all_words(&self, attribute: &str) -> Option<BTreeSet<String>> {
        let words: Option<Vec<Vec<String>>> = self.words_of_cells(attribute).into_iter().collect();
        Some(words?.into_iter().flatten().collect())
    }

    /// The words of each cell for an attribute; `None` for a cell without a condition on it.
    fn words_of_cells(&self, attribute: &str) -> Vec<Option<Vec<String>>> {
        let of_sentence = |sentence: &Sentence| -> Vec<Option<Vec<String>>> {
            let bound = |name: &String| {
                let variable = sentence.variables.iter().find(|(known, _)| known == name);
                variable.map_or_else(Vec::new, |(_, words)| words.clone())
            };
            let words = |factor: &Factor| match factor {
                Factor::Number(_) => None,
                Factor::Cell { conditions, .. } => {
                    let own = conditions.iter().find(|(name, _)| name == attribute);
                    Some(own.map(|(_, word)| match word {
                        Word::Plain(word) => vec![word.clone()],
                        Word::Variable(name) => bound(name),
                    }))
                }
            };
            sentence.factors().filter_map(words).collect()
        };
        self.0.iter().flat_map(of_sentence).collect()
    }

    /// The columns of its cells, in their order.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.factors().filter_map(|factor| match factor {
            Factor::Number(_) => None,
            Factor::Cell { column, .. } => Some(column.as_str()),
        })
    }

    fn factors(&self) -> impl Iterator<Item = &Factor> {
        self.0.iter().flat_map(Sentence::factors)
    }
}

impl Sentence {
    fn factors(&self) -> impl Iterator<Item = &Factor> {
        let comparisons = self.comparisons.iter();
        let products = comparisons.flat_map(|comparison| {
            std::iter::once(&comparison.first).chain(comparison.rest.iter().map(|(_, product)| product))
        });
        products.flat_map(|product| {
            std::iter::once(&product.first).chain(product.rest.iter().map(|(_, factor)| factor))
        })
    }
}

/// Comparisons that must hold for every choice of the variables, or all together for some choice of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sentence {
    /// Whether one choice is enough.
    pub(crate) is_some: bool,
    /// Variables, with the words that each stands for in turn.
    pub(crate) variables: Vec<(String, Vec<String>)>,
    pub(crate) comparisons: Vec<Comparison>,
}

/// `first relation second relation third ...`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) first: Product,
    pub(crate) rest: Vec<(Relation, Product)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Relation {
    pub(crate) const ALL: [(&'static str, Self); 4] = [
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    pub(crate) fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::Greater => left > right,
            Self::AtLeast => left >= right,
        }
    }

    /// The relation of the inverses of two positive numbers.
    pub(crate) fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
        }
    }

    pub(crate) fn sign(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, relation)| *relation == self)
            .map_or("", |(sign, _)| sign)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Product {
    pub(crate) first: Factor,
    /// Whether each of the others divides.
    pub(crate) rest: Vec<(bool, Factor)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Factor {
    Number(f64),
    /// The one cell of a column whose row meets all conditions.
    Cell {
        column: String,
        conditions: Vec<(String, Word)>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Word {
    Plain(String),
    Variable(String),
}
