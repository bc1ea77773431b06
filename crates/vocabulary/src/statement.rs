//! Sentences whose figures and names are marked, so that those of many trials can be joined into one.

use std::collections::BTreeMap;
use std::fmt;

use crate::{number, words};

/// More names than these are not listed.
const MOST_NAMES: usize = 3;

/// A sentence about one trial, in parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statement(Vec<Part>);

/// A part of a sentence. Each kind is joined over many trials in its own way.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    /// Fixed words: they must be equal.
    Words(String),
    /// A measured figure: becomes a range, from the lowest to the highest.
    Measured(Figure),
    /// A requested figure: becomes a list, because nothing between its members was requested.
    Asked(Figure),
    /// The name of something: becomes a list.
    Name(String),
    /// Figures by name: each name gets its own range.
    ByName(BTreeMap<String, Figure>),
    /// A clause that only some sentences have: joined over those.
    Clause(Option<Statement>),
    /// An example: the first one stays.
    Example(Option<String>),
    /// Words about a single trial: left out if they differ.
    Detail(String),
}

/// A figure and what people read.
#[derive(Clone, Debug, PartialEq)]
struct Figure {
    value: f64,
    text: String,
}

impl Statement {
    /// A sentence that begins with these words.
    #[must_use]
    pub fn new(words: impl Into<String>) -> Self {
        Self::default().words(words)
    }

    /// Words that are the same for every trial.
    #[must_use]
    pub fn words(self, words: impl Into<String>) -> Self {
        self.with(Part::Words(words.into()))
    }

    /// A measured figure, as people read it.
    #[must_use]
    pub fn figure(self, value: f64, text: String) -> Self {
        self.with(Part::Measured(Figure { value, text }))
    }

    /// A measured count.
    #[must_use]
    pub fn count(self, count: u64) -> Self {
        self.figure(count as f64, count.to_string())
    }

    /// A measured share, from 0 to 1.
    #[must_use]
    pub fn share(self, share: f64) -> Self {
        self.figure(share, number::share(share))
    }

    /// A measured share of which whole percents are enough.
    #[must_use]
    pub fn whole_share(self, share: f64) -> Self {
        self.figure(share, number::whole_share(share))
    }

    /// A measured time, nanoseconds.
    #[must_use]
    pub fn duration_ns(self, duration_ns: u64) -> Self {
        self.figure(duration_ns as f64, number::duration_ns(duration_ns as f64))
    }

    /// A measured rate, operations per second.
    #[must_use]
    pub fn rate(self, per_second: f64) -> Self {
        self.figure(per_second, number::rate(per_second))
    }

    /// A measured number of bytes.
    #[must_use]
    pub fn bytes(self, bytes: u64) -> Self {
        self.figure(bytes as f64, number::bytes(bytes as f64))
    }

    /// A figure that was asked for, such as the number of clients.
    #[must_use]
    pub fn asked(self, value: f64, text: String) -> Self {
        self.with(Part::Asked(Figure { value, text }))
    }

    /// The name of a process, a system, a kind of operation.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        self.with(Part::Name(name.into()))
    }

    /// Figures by the name of what they are of: `read (12), update (30)`.
    #[must_use]
    pub fn by_name(self, figures: impl IntoIterator<Item = (String, f64, String)>) -> Self {
        let figures = figures.into_iter();
        self.with(Part::ByName(
            figures
                .map(|(name, value, text)| (name, Figure { value, text }))
                .collect(),
        ))
    }

    /// A clause that not every trial has.
    #[must_use]
    pub fn clause(self, clause: Option<Self>) -> Self {
        self.with(Part::Clause(clause))
    }

    /// One example, where there is one: `; e.g. timeout`.
    #[must_use]
    pub fn example(self, example: Option<&str>) -> Self {
        self.with(Part::Example(example.map(|example| format!("; e.g. {example}"))))
    }

    /// Words about a single trial, which are left out where many differ in them.
    #[must_use]
    pub fn detail(self, detail: impl Into<String>) -> Self {
        self.with(Part::Detail(detail.into()))
    }

    fn with(mut self, part: Part) -> Self {
        self.0.push(part);
        self
    }

    /// One sentence that holds for all of these; `None` where they use other words, or there are none.
    #[must_use]
    pub fn joined(statements: &[&Self]) -> Option<String> {
        let (first, others) = statements.split_first()?;
        if others.iter().any(|other| other.0.len() != first.0.len()) {
            return None;
        }
        let parts = (0..first.0.len()).map(|place| {
            let parts: Vec<&Part> = statements
                .iter()
                .filter_map(|statement| statement.0.get(place))
                .collect();
            Part::joined(&parts)
        });
        parts.collect()
    }
}

impl Part {
    /// The words for these parts, one of each sentence; `None` where they cannot be joined.
    fn joined(parts: &[&Self]) -> Option<String> {
        let (first, others) = parts.split_first()?;
        match first {
            Self::Words(words) => {
                let is_same = |part: &&Self| matches!(part, Self::Words(other) if other == words);
                others.iter().all(is_same).then(|| words.clone())
            }
            Self::Measured(_) => all(parts, |part| match part {
                Self::Measured(figure) => Some(figure),
                _ => None,
            })
            .map(|figures| Figure::range(&figures)),
            Self::Asked(_) => all(parts, |part| match part {
                Self::Asked(figure) => Some(figure),
                _ => None,
            })
            .map(Figure::list),
            Self::Name(_) => all(parts, |part| match part {
                Self::Name(name) => Some(name.as_str()),
                _ => None,
            })
            .map(names),
            Self::ByName(_) => all(parts, |part| match part {
                Self::ByName(figures) => Some(figures),
                _ => None,
            })
            .map(|all| by_name(&all)),
            Self::Clause(_) => {
                let clauses = all(parts, |part| match part {
                    Self::Clause(clause) => Some(clause),
                    _ => None,
                })?;
                let there: Vec<&Statement> = clauses.into_iter().flatten().collect();
                match there.is_empty() {
                    true => Some(String::new()),
                    false => Statement::joined(&there),
                }
            }
            Self::Example(_) => all(parts, |part| match part {
                Self::Example(example) => Some(example.as_deref()),
                _ => None,
            })
            .map(|examples| {
                examples
                    .into_iter()
                    .flatten()
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            }),
            Self::Detail(detail) => match others.iter().all(|other| other == first) {
                true => Some(detail.clone()),
                false => Some(String::new()),
            },
        }
    }
}

/// What all parts hold; `None` if one of them is of another kind.
fn all<'a, T>(parts: &[&'a Part], of: impl Fn(&'a Part) -> Option<T>) -> Option<Vec<T>> {
    parts.iter().map(|part| of(part)).collect()
}

impl Figure {
    /// `12%`, or `12% to 30%`.
    fn range(figures: &[&Self]) -> String {
        let by_value = |one: &&&Self, other: &&&Self| one.value.total_cmp(&other.value);
        let text = |figure: Option<&&Self>| figure.map(|figure| figure.text.clone()).unwrap_or_default();
        let low = text(figures.iter().min_by(by_value));
        let high = text(figures.iter().max_by(by_value));
        match low == high {
            true => low,
            false => format!("{low} to {high}"),
        }
    }

    /// `4, 8 and 16`.
    fn list(mut figures: Vec<&Self>) -> String {
        figures.sort_by(|one, other| one.value.total_cmp(&other.value));
        let mut texts: Vec<&str> = figures.iter().map(|figure| figure.text.as_str()).collect();
        texts.dedup();
        words::list(&texts)
    }
}

/// `a`, `a or b`, `a, b or c`, `a, b or others`.
fn names(all: Vec<&str>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.len() > MOST_NAMES {
        names.truncate(MOST_NAMES - 1);
        names.push("others");
    }
    match names.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// `read (12 to 40), update (30)`.
fn by_name(all: &[&BTreeMap<String, Figure>]) -> String {
    let mut figures: BTreeMap<&str, Vec<&Figure>> = BTreeMap::new();
    for (name, figure) in all.iter().flat_map(|figures| figures.iter()) {
        figures.entry(name).or_default().push(figure);
    }
    let written = figures
        .into_iter()
        .map(|(name, figures)| format!("{name} ({})", Figure::range(&figures)));
    written.collect::<Vec<_>>().join(", ")
}

/// The sentence about a single trial.
impl fmt::Display for Statement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.0 {
            match part {
                Part::Words(text) | Part::Name(text) | Part::Detail(text) => formatter.write_str(text)?,
                Part::Measured(figure) | Part::Asked(figure) => formatter.write_str(&figure.text)?,
                Part::ByName(figures) => formatter.write_str(&by_name(&[figures]))?,
                Part::Clause(clause) => clause.iter().try_for_each(|clause| clause.fmt(formatter))?,
                Part::Example(example) => formatter.write_str(example.as_deref().unwrap_or_default())?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(statements: &[Statement]) -> Option<String> {
        Statement::joined(&statements.iter().collect::<Vec<_>>())
    }

    #[test]
    fn what_was_asked_is_listed_and_what_was_measured_becomes_a_range() {
        let said = |clients: u32, share: f64, process: &str| {
            Statement::default()
                .asked(f64::from(clients), clients.to_string())
                .words(" clients used ")
                .share(share)
                .words(" of one CPU, most of it in ")
                .name(process)
        };
        let all = [
            said(16, 0.97, "`a`"),
            said(4, 0.415, "`b`"),
            said(8, 0.3025, "`a`"),
        ];
        assert_eq!(
            all[1].to_string(),
            "4 clients used 41.5% of one CPU, most of it in `b`"
        );
        assert_eq!(
            joined(&all).unwrap(),
            "4, 8 and 16 clients used 30.2% to 97% of one CPU, most of it in `a` or `b`"
        );
        assert_eq!(joined(&all[..1]).unwrap(), all[0].to_string());
        let many = ["`a`", "`b`", "`c`", "`d`"].map(|name| said(4, 0.5, name));
        assert!(joined(&many).unwrap().ends_with("in `a`, `b` or others"));
    }

    #[test]
    fn figures_by_name_are_joined_name_by_name() {
        let few = |operations: &[(&str, u32)]| {
            Statement::new("too few operations of ").by_name(
                operations
                    .iter()
                    .map(|(name, count)| ((*name).to_owned(), f64::from(*count), count.to_string())),
            )
        };
        assert_eq!(
            joined(&[few(&[("read", 40), ("update", 30)]), few(&[("read", 12)])]).unwrap(),
            "too few operations of read (12 to 40), update (30)"
        );
    }

    #[test]
    fn clauses_and_examples_are_those_of_the_trials_that_have_them_and_details_are_left_out() {
        let said = |failed: u64, lost: Option<f64>, sample: Option<&str>, levels: &str| {
            Statement::default()
                .count(failed)
                .words(" operations failed")
                .clause(lost.map(|lost| Statement::new(", and took ").share(lost)))
                .example(sample)
                .detail(levels)
        };
        let one = said(3, None, Some("timeout"), " (1, then 2)");
        assert_eq!(one.to_string(), "3 operations failed; e.g. timeout (1, then 2)");
        let other = said(9, Some(0.2), None, " (2, then 3)");
        assert_eq!(
            joined(&[one.clone(), other]).unwrap(),
            "3 to 9 operations failed, and took 20%; e.g. timeout"
        );
        assert_eq!(joined(&[one.clone(), one.clone()]).unwrap(), one.to_string());
    }

    #[test]
    fn sentences_in_other_words_are_not_joined() {
        let faster = Statement::new("the clock ran faster by ").count(3);
        let slower = Statement::new("the clock ran slower by ").count(3);
        assert_eq!(joined(&[faster.clone(), slower]), None);
        assert_eq!(joined(&[faster.clone(), faster.words(".")]), None);
        assert_eq!(joined(&[]), None);
        let figure = Statement::default().count(1);
        assert_eq!(joined(&[figure, Statement::new("1")]), None);
    }
}
