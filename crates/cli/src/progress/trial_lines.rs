//! Lines about the trials of a study: which one it is, in words, and how it goes.

use std::path::PathBuf;

use dbdyno_record::ResultFolder;
use dbdyno_record::plan::attempt_of;
use dbdyno_report::TrialNames;
use dbdyno_study::Study;
use dbdyno_trial::TrialSpec;

/// Between a name and what is said of the trial.
const GAP: &str = "  ";
/// The room that throughput and latency take: `22.5k/s, p99 >= 4.54 ms`.
const FIGURES: usize = 23;

/// How the trials of a study are called, one below the other.
#[derive(Default)]
pub struct TrialLines {
    names: TrialNames,
    /// Width of the longest name.
    width: usize,
    /// The folder of all trials.
    folder: PathBuf,
}

impl TrialLines {
    /// Of a study whose results go into this folder.
    pub fn of(study: &Study, folder: &ResultFolder) -> Self {
        let cells = study.cells();
        let names = TrialNames::of(&study.planned(), &cells);
        let widths = cells.iter().map(|cell| names.trial(cell).chars().count());
        Self {
            width: widths.max().unwrap_or(0),
            names,
            folder: folder.trial_dir(""),
        }
    }

    /// Takes in what is asked of a trial that begins: its rate, which other trials may share.
    pub fn begin(&mut self, spec: &TrialSpec) {
        self.names.learn_rate(spec);
        // Pilots are before all others, and would leave these too little room.
        if !spec.is_pilot() {
            self.width = self.width.max(length(&self.names.trial(spec)));
        }
    }

    /// What people call a trial: `redb, E: short ranges, full speed`.
    pub fn name(&self, trial: &str, spec: &TrialSpec) -> String {
        let name = self.names.trial(spec);
        match attempt_of(trial) {
            1 => name,
            attempt => format!("{name}, attempt {attempt}"),
        }
    }

    /// Where the record of a trial is.
    pub fn place(&self, trial: &str) -> String {
        self.folder.join(trial).display().to_string()
    }

    /// A line, broken between its parts where it would be longer than `limit`. What is said of the trials is in one column as far as
    /// there is room for it.
    pub fn line(&self, prefix: &str, name: &str, parts: &[String], limit: Option<usize>) -> String {
        let room = limit.map_or(usize::MAX, |limit| {
            limit.saturating_sub(length(prefix) + GAP.len() + FIGURES)
        });
        let width = self.width.min(room);
        let mut line = format!("{prefix}{name:<width$}{GAP}");
        let indent = " ".repeat(length(prefix));
        let mut is_first = true;
        for (place, part) in parts.iter().enumerate() {
            let comma = if place + 1 < parts.len() { "," } else { "" };
            let fits = |line: &str| {
                let last = line.rsplit('\n').next().unwrap_or_default();
                limit.is_none_or(|limit| length(last) + length(part) + comma.len() < limit)
            };
            if !fits(&line) && line.trim_end().len() > indent.len() {
                line.truncate(line.trim_end().len());
                line.push('\n');
                line.push_str(&indent);
            } else if !is_first {
                line.push(' ');
            }
            line.push_str(part);
            line.push_str(comma);
            is_first = false;
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// A name and the parts that fit behind it, the important ones first.
pub fn fitted(name: &str, parts: &[String], width: usize) -> String {
    let mut kept = parts.len();
    loop {
        let line = match kept {
            0 => return shortened(name, width),
            kept => format!("{name}{GAP}{}", parts[..kept].join(", ")),
        };
        if length(&line) <= width {
            return line;
        }
        kept -= 1;
    }
}

/// As many words as fit.
pub fn shortened(text: &str, width: usize) -> String {
    const MORE: &str = " ...";
    if length(text) <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for word in text.split_inclusive(' ') {
        if length(&short) + length(word.trim_end()) + MORE.len() > width {
            break;
        }
        short.push_str(word);
    }
    format!("{}{MORE}", short.trim_end_matches([' ', ',']))
}

/// Letters that take room: not those that set a colour.
fn length(text: &str) -> usize {
    text.split('\u{1b}')
        .enumerate()
        .map(|(place, part)| match (place, part.split_once('m')) {
            (0, _) | (_, None) => part.chars().count(),
            (_, Some((_, rest))) => rest.chars().count(),
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    /// Lines of a study whose longest name is one of 45 letters.
    fn line(name: &str, said: &[&str], limit: Option<usize>) -> String {
        let lines = TrialLines {
            width: 45,
            ..TrialLines::default()
        };
        lines.line("[ 7/112] ", name, &parts(said), limit)
    }

    #[test]
    fn results_are_in_one_column_and_fit_a_terminal() {
        let figures = ["22.5k/s", "p99 4.54 ms"];
        let short = line("redb, E: short ranges, full speed", &figures, Some(80));
        let long = line(
            "repeat of redb, A: update heavy, at 11.0k/s",
            &["11.0k/s", "p99 >= 4.54 ms"],
            Some(80),
        );
        assert_eq!(
            short,
            "[ 7/112] redb, E: short ranges, full speed              22.5k/s, p99 4.54 ms"
        );
        assert_eq!(short.rfind("22.5k/s"), long.rfind("11.0k/s"));
        assert!(length(&short) <= 80 && !short.contains('\n'), "{short}");
    }

    #[test]
    fn a_line_breaks_between_its_parts() {
        let name = "redb, E: short ranges, full speed";
        let bad = ["22.5k/s", "p99 4.54 ms", "invalid: 12 records were not found"];
        assert_eq!(
            line(name, &bad, Some(80)),
            "[ 7/112] redb, E: short ranges, full speed              22.5k/s, p99 4.54 ms,\n         invalid: 12 records were not found"
        );
        assert_eq!(
            line(name, &bad[..2], Some(45)),
            "[ 7/112] redb, E: short ranges, full speed\n         22.5k/s, p99 4.54 ms"
        );
        let log = line(name, &bad, None);
        assert!(!log.contains('\n'), "a log keeps it on one line: {log}");
        let colored = line(name, &["\u{1b}[31minvalid\u{1b}[0m"], Some(65));
        assert!(!colored.contains('\n'), "a colour takes no room: {colored}");
    }

    #[test]
    fn what_matters_least_goes_first_and_no_word_is_cut() {
        let said = parts(&["measure 22.5k/s", "p99 4.54 ms", "no errors"]);
        let fitted = |width| fitted("redb, E: short ranges", &said, width);
        assert_eq!(
            fitted(80),
            "redb, E: short ranges  measure 22.5k/s, p99 4.54 ms, no errors"
        );
        assert_eq!(fitted(55), "redb, E: short ranges  measure 22.5k/s, p99 4.54 ms");
        assert_eq!(fitted(40), "redb, E: short ranges  measure 22.5k/s");
        assert_eq!(fitted(30), "redb, E: short ranges");
        assert_eq!(fitted(19), "redb, E: short ...");
    }
}
