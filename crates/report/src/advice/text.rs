//! Advice on a terminal.

use super::{Advice, GoalCell, GoalRow, Next, RankRow, Told, Word};
use crate::style::Style;
use crate::terminal::wrap;
use crate::{number, text_table};

/// Trials of one place that are named; the others are counted.
const NAMED_TRIALS: usize = 3;

/// `[1, 2]`, or nothing.
pub fn marks(evidence: &[usize]) -> String {
    match runs(evidence) {
        runs if runs.is_empty() => String::new(),
        runs => format!(" [{}]", runs.join(", ")),
    }
}

/// Numbers in ascending order, neighbours joined: `1-3`, `7`.
fn runs(numbers: &[usize]) -> Vec<String> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for number in sorted {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let told = |(first, last): (usize, usize)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    };
    runs.into_iter().map(told).collect()
}

/// The answer in one line.
pub fn headline(advice: &Advice) -> String {
    let systems = number::list(&advice.systems);
    match advice.word {
        Word::Recommend => format!("Recommended: {systems}"),
        Word::Shortlist => format!("Shortlist: {systems}"),
        Word::Undecided if systems.is_empty() => "Undecided".to_owned(),
        Word::Undecided => format!("Undecided: {systems} may be best"),
        Word::Nobody => "Nobody: no system meets the hard requirements".to_owned(),
        Word::Refused if systems.is_empty() => "Not ranked: the systems are not comparable".to_owned(),
        Word::Refused => format!("Not ranked: {systems} are not comparable"),
    }
}

/// The columns of the ranking.
pub const RANKING: [&str; 5] = [
    "system",
    "beaten by nobody",
    "best as stated",
    "best, weights in doubt",
    "advantage of the first",
];

/// A row of the ranking.
pub fn ranking(row: &RankRow) -> [String; 5] {
    let behind = row.behind.map_or_else(
        || "–".to_owned(),
        |(ratio, low, high)| {
            let tie = if row.tied { ", tied" } else { "" };
            format!(
                "{} ({} to {}){tie}",
                number::ratio(ratio),
                number::ratio_digits(low),
                number::ratio_digits(high)
            )
        },
    );
    [
        row.system.clone(),
        number::share(row.probability_non_dominated),
        number::share(row.probability_first_as_stated),
        number::share(row.probability_first),
        behind,
    ]
}

/// What a system has of a goal: the value, and what it gives to the score.
pub fn goal_cell(cell: &GoalCell) -> String {
    let contribution = cell
        .contribution
        .map_or_else(String::new, |contribution| format!(" ({})", signed(contribution)));
    let mark = cell
        .evidence
        .map_or_else(String::new, |number| format!(" [{number}]"));
    format!("{}{contribution}{mark}", cell.shown)
}

/// How a goal counts.
pub fn counted(row: &GoalRow) -> String {
    if row.weight == 0.0 && row.unjudged.is_some() {
        "it does not count".to_owned()
    } else {
        format!("counted by {}", row.worth)
    }
}

/// A contribution; what rounds to nothing has no sign.
fn signed(value: f64) -> String {
    match format!("{value:+.2}").as_str() {
        "-0.00" | "+0.00" => "0".to_owned(),
        text => text.replace('-', "−"),
    }
}

/// How long something takes.
pub fn minutes(minutes: f64) -> String {
    if minutes < 1.0 {
        "less than a minute".to_owned()
    } else {
        format!("about {} min", number::quantity(minutes.ceil()))
    }
}

/// An experiment in a sentence.
pub fn next(next: &Next) -> String {
    format!("{} It takes {}.", next.what, minutes(next.minutes))
}

impl Advice {
    /// For people, fitted into the style's width; ends with a line feed.
    #[must_use]
    pub fn text(&self, style: Style) -> String {
        let mut lines = Vec::new();
        if !self.title.is_empty() {
            lines.extend(
                wrap(&self.title, style.width, "")
                    .iter()
                    .map(|line| style.dim(line)),
            );
        }
        let dressed = |line: &String| match self.word {
            Word::Recommend => style.good(line),
            Word::Nobody => style.bad(line),
            Word::Refused => style.warn(line),
            Word::Shortlist | Word::Undecided => style.bold(line),
        };
        lines.extend(wrap(&headline(self), style.width, "").iter().map(dressed));
        lines.extend(told(&self.why, style));
        lines.extend(self.requirement_lines(style));
        lines.extend(self.ranking_lines(style));
        lines.extend(self.goal_lines(style));
        section(
            &mut lines,
            "What would change it",
            told(&self.sensitivity, style),
            style,
        );
        lines.extend(told(self.second_opinion.as_slice(), style));
        section(&mut lines, "What to measure next", self.next_lines(style), style);
        section(&mut lines, "Not measured", told(&self.not_measured, style), style);
        section(&mut lines, "Take care", told(&self.cautions, style), style);
        let scope = self
            .scope
            .iter()
            .flat_map(|(label, value)| wrap(&format!("{label}: {value}"), style.width, "  "));
        section(&mut lines, "What it holds for", scope.collect(), style);
        section(&mut lines, "Evidence", self.evidence_lines(style), style);
        lines.push(String::new());
        lines.join("\n")
    }

    fn requirement_lines(&self, style: Style) -> Vec<String> {
        let Some(first) = self.requirements.first() else {
            return Vec::new();
        };
        let mut header = vec!["hard requirement"];
        header.extend(first.systems.iter().map(|cell| cell.system.as_str()));
        let mut table = text_table::new(&header, style);
        for row in &self.requirements {
            let cells = row
                .systems
                .iter()
                .map(|cell| format!("{}{}", cell.standing, marks(&cell.why.evidence)));
            table.add_row(std::iter::once(row.requirement.clone()).chain(cells));
        }
        tabled(&text_table::finish(table, 1))
    }

    fn ranking_lines(&self, style: Style) -> Vec<String> {
        if self.ranking.is_empty() {
            return Vec::new();
        }
        let mut table = text_table::new(&RANKING, style);
        for row in &self.ranking {
            table.add_row(ranking(row));
        }
        tabled(&text_table::finish(table, 1))
    }

    fn goal_lines(&self, style: Style) -> Vec<String> {
        let mut header = vec!["what counts", "weight"];
        header.extend(self.all_systems());
        let mut table = text_table::new(&header, style);
        for row in &self.goals {
            let first = [row.goal.clone(), format!("{:.2}", row.weight)];
            table.add_row(first.into_iter().chain(row.systems.iter().map(goal_cell)));
        }
        let mut lines = tabled(&text_table::finish(table, 1));
        if self
            .goals
            .iter()
            .flat_map(|row| &row.systems)
            .any(|cell| cell.contribution.is_some())
        {
            let about = "In brackets: weight times worth, in doublings: −1 is as bad as being half as good in everything.";
            lines.extend(wrap(about, style.width, "").iter().map(|line| style.dim(line)));
        }
        for row in &self.goals {
            let about = format!("{}: {}; {}", row.goal, row.measured, counted(row));
            lines.extend(wrap(&about, style.width, "").iter().map(|line| style.dim(line)));
        }
        lines
    }

    fn next_lines(&self, style: Style) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, one) in self.next.iter().enumerate() {
            lines.extend(wrap(&format!("{}. {}", index + 1, next(one)), style.width, "  "));
        }
        if !self.next.is_empty() {
            let how = "--next FILE writes the study file of the first one; run it, and give its results beside these.";
            lines.extend(wrap(how, style.width, "  ").iter().map(|line| style.dim(line)));
        }
        lines
    }

    fn evidence_lines(&self, style: Style) -> Vec<String> {
        let mut lines = Vec::new();
        for one in &self.evidence {
            let places: Vec<String> = one
                .places
                .iter()
                .map(|place| {
                    let named = place
                        .trials
                        .iter()
                        .take(NAMED_TRIALS)
                        .cloned()
                        .collect::<Vec<_>>()
                        .join(", ");
                    let others = place.trials.len().saturating_sub(NAMED_TRIALS);
                    let others = if others > 0 {
                        format!(" and {others} more")
                    } else {
                        String::new()
                    };
                    format!("{}: {named}{others}", place.folder)
                })
                .collect();
            let text = format!("[{}] {}; {}", one.number, one.what, places.join("; "));
            lines.extend(wrap(&text, style.width, "  ").iter().map(|line| style.dim(line)));
        }
        lines
    }
}

fn told(sentences: &[Told], style: Style) -> Vec<String> {
    let line = |told: &Told| {
        wrap(
            &format!("{}{}", told.text, marks(&told.evidence)),
            style.width,
            "  ",
        )
    };
    sentences.iter().flat_map(line).collect()
}

fn tabled(table: &str) -> Vec<String> {
    std::iter::once(String::new())
        .chain(table.lines().map(str::to_owned))
        .collect()
}

fn section(lines: &mut Vec<String>, title: &str, content: Vec<String>, style: Style) {
    if !content.is_empty() {
        lines.push(String::new());
        lines.push(style.bold(title));
        lines.extend(content);
    }
}
