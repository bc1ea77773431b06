//! Advice as Markdown, for a summary page or a repository.

use super::text::{RANKING, goal_cell, headline, marks, next, ranking};
use super::{Advice, Told};

/// A cell of a table: no bar ends it, no name starts markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '|' | '*' | '_' | '`' | '<' | '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(if character.is_control() { ' ' } else { character });
    }
    escaped
}

fn row(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|cell| escaped(&cell)).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn table(header: Vec<String>, rows: Vec<Vec<String>>) -> String {
    let rule = format!("|{}\n", "---|".repeat(header.len()));
    let rows: String = rows.into_iter().map(row).collect();
    format!("\n{}{rule}{rows}", row(header))
}

fn list(title: &str, sentences: &[Told]) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let items: String = sentences
        .iter()
        .map(|told| {
            format!(
                "- {}\n",
                escaped(&format!("{}{}", told.text, marks(&told.evidence)))
            )
        })
        .collect();
    if title.is_empty() {
        format!("\n{items}")
    } else {
        format!("\n### {title}\n\n{items}")
    }
}

impl Advice {
    /// As Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let title = if self.title.is_empty() {
            "Advice"
        } else {
            &self.title
        };
        let mut text = format!("## {}\n\n**{}**\n", escaped(title), escaped(&headline(self)));
        text.push_str(&list("", &self.why));
        if let Some(first) = self.requirements.first() {
            let header = std::iter::once("hard requirement".to_owned())
                .chain(first.systems.iter().map(|cell| cell.system.clone()))
                .collect();
            let rows = self.requirements.iter().map(|row| {
                let cells = row
                    .systems
                    .iter()
                    .map(|cell| format!("{}{}", cell.standing, marks(&cell.why.evidence)));
                std::iter::once(row.requirement.clone()).chain(cells).collect()
            });
            text.push_str(&table(header, rows.collect()));
        }
        if !self.ranking.is_empty() {
            let rows = self.ranking.iter().map(|row| ranking(row).to_vec()).collect();
            text.push_str(&table(RANKING.map(str::to_owned).to_vec(), rows));
        }
        let header = ["what counts", "measured", "weight"].map(str::to_owned);
        let header = header
            .into_iter()
            .chain(self.all_systems().into_iter().map(str::to_owned));
        let rows = self.goals.iter().map(|row| {
            let first = [
                row.goal.clone(),
                row.measured.clone(),
                format!("{:.2}", row.weight),
            ];
            first
                .into_iter()
                .chain(row.systems.iter().map(goal_cell))
                .collect()
        });
        text.push_str(&table(header.collect(), rows.collect()));
        text.push_str(&list("What would change it", &self.sensitivity));
        text.push_str(&list("", self.second_opinion.as_slice()));
        for (index, one) in self.next.iter().enumerate() {
            let title = if index == 0 {
                "\n### What to measure next\n"
            } else {
                ""
            };
            text.push_str(&format!(
                "{title}\n{}. {}\n\n```toml\n{}```\n",
                index + 1,
                escaped(&next(one)),
                one.study
            ));
        }
        text.push_str(&list("Not measured", &self.not_measured));
        text.push_str(&list("Take care", &self.cautions));
        text.push_str("\n### What it holds for\n\n");
        for (label, value) in &self.scope {
            text.push_str(&format!("- {}: {}\n", escaped(label), escaped(value)));
        }
        text.push_str("\n### Evidence\n\n");
        for one in &self.evidence {
            let places = one
                .places
                .iter()
                .map(|place| format!("{}: {}", place.folder, place.trials.join(", ")));
            let places: Vec<String> = places.collect();
            text.push_str(&format!(
                "- {}\n",
                escaped(&format!("[{}] {}; {}", one.number, one.what, places.join("; ")))
            ));
        }
        text
    }
}
