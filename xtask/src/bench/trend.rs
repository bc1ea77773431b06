//! The engine's figures from one bench to the next: a file that grows, and a table of its end.

use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::measure::{Figure, Spread};
use crate::process::{Result, command, output};

/// Benches that the table shows.
const SHOWN: usize = 7;

/// A line of the file: one figure of one bench.
#[derive(Serialize, Deserialize)]
struct Line {
    /// When the bench ended, by UTC: `2026-11-26T02:40:00Z`.
    date: String,
    /// What was measured; `-dirty` at its end says that files differed from it.
    commit: String,
    figure: String,
    median: f64,
    min: f64,
    max: f64,
}

impl Line {
    /// What all lines of one bench have in common.
    fn bench(&self) -> (&str, &str) {
        (&self.date, &self.commit)
    }
}

/// Adds the figures to the file and prints the table.
pub fn add(file: &Path, figures: Vec<Figure>) -> Result<()> {
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    let mut text = match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        read => read.map_err(failed)?,
    };
    let unreadable = |error: serde_json::Error| format!("{}: not one of its lines: {error}", file.display());
    let mut lines: Vec<Line> = text
        .lines()
        .map(|line| serde_json::from_str(line).map_err(unreadable))
        .collect::<Result<_>>()?;
    let said = |program: &str, words: &[&str]| output(&mut command(program, words));
    let date = said("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"])?;
    let commit = said(
        "git",
        &["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
    )?;
    for Figure { name, spread } in figures {
        let Spread { min, median, max } = spread;
        let line = Line {
            date: date.trim().to_owned(),
            commit: commit.trim().to_owned(),
            figure: name,
            median,
            min,
            max,
        };
        text += &serde_json::to_string(&line).map_err(unreadable)?;
        text += "\n";
        lines.push(line);
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(file, text).map_err(failed)?;
    println!("\nMedians of the last benches.\n\n{}", table(&lines));
    Ok(())
}

/// A row for each figure of the last benches, a column for each of these.
fn table(lines: &[Line]) -> String {
    let mut benches = Vec::new();
    for line in lines {
        if !benches.contains(&line.bench()) {
            benches.push(line.bench());
        }
    }
    let benches = &benches[benches.len().saturating_sub(SHOWN)..];
    let mut figures = Vec::new();
    for line in lines.iter().filter(|line| benches.contains(&line.bench())) {
        if !figures.contains(&line.figure.as_str()) {
            figures.push(line.figure.as_str());
        }
    }
    let start = |text: &str, length: usize| text.get(..length).unwrap_or(text).to_owned();
    let mut table = "| figure |".to_owned();
    for (date, commit) in benches {
        let _ = write!(table, " {} {} |", start(date, 10), start(commit, 7));
    }
    let _ = write!(table, "\n|---|{}", "---|".repeat(benches.len()));
    for figure in figures {
        let _ = write!(table, "\n| {figure} |");
        for bench in benches {
            let is_it = |line: &&Line| line.bench() == *bench && line.figure == figure;
            let _ = match lines.iter().find(is_it) {
                Some(line) => write!(table, " {:.2} |", line.median),
                None => write!(table, " - |"),
            };
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::cache;

    fn line(day: usize, figure: &str, median: f64) -> Line {
        Line {
            date: format!("2026-11-{day:02}T02:40:00Z"),
            commit: format!("{day:040}"),
            figure: figure.to_owned(),
            median,
            min: 1.0,
            max: 9.0,
        }
    }

    #[test]
    fn a_table_has_a_column_for_each_of_the_last_benches() {
        let lines = [
            line(1, "ratio", 4.0),
            line(1, "memory", 28.25),
            line(2, "ratio", 4.25),
            line(2, "lag", 1.5),
        ];
        assert_eq!(
            table(&lines),
            "| figure | 2026-11-01 0000000 | 2026-11-02 0000000 |\n|---|---|---|\n\
             | ratio | 4.00 | 4.25 |\n| memory | 28.25 | - |\n| lag | - | 1.50 |"
        );
        let mut lines: Vec<Line> = (1..=SHOWN + 2).map(|day| line(day, "ratio", 4.0)).collect();
        lines.insert(0, line(1, "gone", 4.0));
        let table = table(&lines);
        assert!(
            !table.contains("2026-11-02") && table.contains("2026-11-03") && !table.contains("gone"),
            "{table}"
        );
    }

    #[test]
    fn a_file_grows_and_a_strange_one_is_refused() {
        let file = cache("trend-test").unwrap().join("below/engine.jsonl");
        let figure = || Figure {
            name: "ratio".to_owned(),
            spread: Spread {
                min: 3.5,
                median: 4.0,
                max: 4.5,
            },
        };
        let _ = fs::remove_file(&file);
        for lines in [1, 2] {
            add(&file, vec![figure()]).unwrap();
            let text = fs::read_to_string(&file).unwrap();
            assert_eq!(text.lines().count(), lines, "{text}");
            assert!(text.contains(r#""median":4.0,"min":3.5"#), "{text}");
        }
        fs::write(&file, "| ratio | 4.0 |\n").unwrap();
        assert!(add(&file, vec![figure()]).unwrap_err().contains("engine.jsonl"));
    }
}
