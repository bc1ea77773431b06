//! How many trials a command line asks for, and how the text of a study says it.

use dbdyno_files::values::TRIALS;
use dbdyno_files::{StudyFile, with_first_line};
use dbdyno_vocabulary::parse_up_to;

/// How many trials of each cell a study is to have: `12`, or `+5` more than there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialsRequest {
    /// This many in all.
    InAll(u32),
    /// This many more.
    More(u32),
}

impl TrialsRequest {
    /// Reads it.
    ///
    /// # Errors
    /// What is wrong with the text, and what may be written.
    pub fn parse(text: &str) -> Result<Self, String> {
        let added = text.strip_prefix('+');
        match parse_up_to(TRIALS, added.unwrap_or(text)) {
            Ok(trials) if added.is_some() => Ok(Self::More(trials)),
            Ok(trials) => Ok(Self::InAll(trials)),
            Err(_) => Err(format!(
                "write a number of trials from 1 to {TRIALS}, or how many to add, e.g. +5"
            )),
        }
    }

    /// The trials of each cell where there are so many by now.
    ///
    /// # Errors
    /// When these are more than a study may have, in words.
    pub fn in_all(self, by_now: u32) -> Result<u32, String> {
        match self {
            Self::InAll(trials) => Ok(trials),
            Self::More(more) if by_now.saturating_add(more) > TRIALS => Err(format!(
                "{more} more than {by_now} trials per cell are too many; the maximum is {TRIALS}"
            )),
            Self::More(more) => Ok(by_now + more),
        }
    }
}

/// The text of a study with so many `trials`, in the place where they stand, or in a first line.
pub(crate) fn written(text: &str, trials: u32) -> String {
    let file = dbdyno_files::read::<StudyFile>(text).ok();
    match file.and_then(|file| file.trials) {
        Some(stated) => {
            let mut text = text.to_owned();
            text.replace_range(stated.span, &trials.to_string());
            text
        }
        None => with_first_line(text, &format!("trials = {trials} # Set by --trials.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_are_counted_in_all_or_added() {
        assert_eq!(TrialsRequest::parse("12"), Ok(TrialsRequest::InAll(12)));
        assert_eq!(TrialsRequest::parse("+5"), Ok(TrialsRequest::More(5)));
        assert_eq!(TrialsRequest::InAll(12).in_all(5), Ok(12));
        assert_eq!(TrialsRequest::More(5).in_all(7), Ok(12));
        assert_eq!(TrialsRequest::More(1).in_all(TRIALS - 1), Ok(TRIALS));
        let too_many = TrialsRequest::More(10).in_all(TRIALS).unwrap_err();
        assert!(too_many.contains("the maximum is 10000"), "{too_many}");
        for wrong in ["0", "+0", "-3", "+", "", "10001", "+10001", "++2", "1.5", "many"] {
            let error = TrialsRequest::parse(wrong).unwrap_err();
            assert!(
                error.ends_with("from 1 to 10000, or how many to add, e.g. +5"),
                "{wrong}: {error}"
            );
        }
    }

    #[test]
    fn the_text_says_how_many() {
        let text = "# Mine.\nname = \"x\"\ntrials = \"1e1\" # Ten.\nsystems = [\"memory\"]\n";
        assert_eq!(
            written(text, 15),
            "# Mine.\nname = \"x\"\ntrials = 15 # Ten.\nsystems = [\"memory\"]\n"
        );
        assert_eq!(
            written("#:schema study.schema.json\nname = \"x\"\n", 7),
            "#:schema study.schema.json\ntrials = 7 # Set by --trials.\nname = \"x\"\n"
        );
    }
}
