//! The first sentences of a report: the whole study at a glance.

use dbdyno_analysis::baseline;
use dbdyno_vocabulary::{Text, named, text};

use super::more_trials::MoreTrials;
use super::{ReportModel, Sentence, Tone, answer, overview, rising_load, varied};
use crate::number;

/// More answers than these are no glance: then a sentence for each metric counts them.
const MOST_LINES: usize = 12;

/// The sentences, most important first.
pub fn summary(model: &ReportModel, more: &MoreTrials) -> Vec<Sentence> {
    let quick = model.quick.then(|| Sentence {
            text: Text::from("This is a quick look, which decides nothing: few, short trials on few records. Run the study without ")
                .code("--quick")
                .plain(" for verdicts."),
            tone: Tone::NotComparable,
    });
    quick.into_iter().chain(of_results(model, more)).collect()
}

fn of_results(model: &ReportModel, more: &MoreTrials) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    if model.progress.completed == 0 {
        sentences.push(Sentence {
            text: "No trial was completed: there is nothing to compare yet.".into(),
            tone: Tone::Plain,
        });
        return sentences;
    }
    if let Some(rising_load) = &model.rising_load {
        sentences.extend(rising_load::summary(rising_load));
    }
    if baseline::is_varied(&model.systems) {
        sentences.extend(varied::summary(&model.systems, &model.cells, more));
    } else {
        sentences.extend(compared(model, more));
    }
    if sentences.is_empty() {
        let systems: Vec<&str> = model.systems.iter().map(|system| system.name.as_str()).collect();
        let text = match systems.as_slice() {
            [one] => text![
                "Only ",
                named(*one),
                " was measured: there is nothing to compare it with."
            ],
            several => text![
                Text::names(several.iter().copied()),
                ": no results that can be compared."
            ],
        };
        sentences.push(Sentence {
            text,
            tone: Tone::Plain,
        });
    }
    let progress = &model.progress;
    if !progress.is_complete() {
        let mut parts = vec![format!(
            "{} of {} planned trials are complete",
            progress.completed, progress.planned
        )];
        for (number, word) in [
            (progress.interrupted, "interrupted"),
            (progress.failed, "failed"),
            (progress.missing.len(), "not yet run"),
        ] {
            if number > 0 {
                parts.push(format!("{number} {word}"));
            }
        }
        sentences.push(Sentence {
            text: format!("{}.", parts.join(", ")).into(),
            tone: Tone::Undecided,
        });
    }
    if progress.is_complete() && progress.interrupted + progress.failed > 0 {
        sentences.push(Sentence {
            text: format!(
                "Besides the completed trials, {}; {} listed, but no estimate includes {}.",
                came_to_nothing(progress.interrupted, progress.failed),
                number::agreeing(&(progress.interrupted + progress.failed), "it is", "they are"),
                number::agreeing(&(progress.interrupted + progress.failed), "it", "them")
            )
            .into(),
            tone: Tone::Undecided,
        });
    }
    if progress.disturbed > 0 {
        sentences.push(Sentence {
            text: format!(
                "{} by something else on the machine and repeated; only the repetitions count.",
                number::plural(progress.disturbed, "trial was disturbed", "trials were disturbed")
            )
            .into(),
            tone: Tone::Plain,
        });
    }
    if progress.torn > 0 {
        sentences.push(Sentence {
            text: format!(
                "{} measured again, because others that had taken turns with {} were missing; only the new attempts count.",
                number::plural(progress.torn, "trial was", "trials were"),
                number::agreeing(&progress.torn, "it", "them")
            )
            .into(),
            tone: Tone::Plain,
        });
    }
    sentences
}

/// How many attempts were interrupted and how many failed, without those of which there are none.
fn came_to_nothing(interrupted: usize, failed: usize) -> String {
    let mut parts = Vec::new();
    if interrupted > 0 {
        let attempts = number::plural(interrupted, "attempt was", "attempts were");
        parts.push(format!("{attempts} interrupted"));
    }
    if failed > 0 {
        parts.push(if parts.is_empty() {
            format!("{} failed", number::plural(failed, "attempt", "attempts"))
        } else {
            format!("{failed} failed")
        });
    }
    number::list(&parts)
}

/// What was compared: an answer for each test, unless there are too many.
fn compared(model: &ReportModel, more: &MoreTrials) -> Vec<Sentence> {
    let lines = answer::lines(&model.cells, more);
    if lines.len() > MOST_LINES {
        return overview::sentences(model);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_that_there_were_not_are_not_counted() {
        for (interrupted, failed, expected) in [
            (2, 0, "2 attempts were interrupted"),
            (0, 1, "1 attempt failed"),
            (1, 2, "1 attempt was interrupted and 2 failed"),
        ] {
            assert_eq!(came_to_nothing(interrupted, failed), expected);
        }
    }
}
