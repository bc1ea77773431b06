//! The order of levels in folders of any version.

use dbdyno_files::StudyFile;
use dbdyno_record::PlannedStudy;
use dbdyno_trial::LevelOrder;

/// The order that the plan says. Plans up to format 4 do not: there, the text of the study beside them says it, and a text that cannot
/// be read, as of an older version, lists no levels.
pub fn of_folder(planned: Option<&PlannedStudy>, study_text: &str) -> LevelOrder {
    let of_plan = planned.and_then(|study| study.levels.clone());
    of_plan.unwrap_or_else(|| {
        let file = dbdyno_files::read::<StudyFile>(study_text);
        file.map_or_else(|_| LevelOrder::default(), |file| file.levels())
    })
}

#[cfg(test)]
mod tests {
    use dbdyno_trial::{CLIENTS, Level};

    use super::*;

    #[test]
    fn the_plan_says_it_and_in_older_folders_the_text() {
        let levels = |counts: &[u64]| {
            let mut order = LevelOrder::default();
            order.list(CLIENTS, counts.iter().map(|count| Level::Count(*count)));
            order
        };
        let text = "name = \"s\"\nclients = [4, 1]\n";
        let planned = PlannedStudy {
            levels: Some(levels(&[1, 4])),
            ..PlannedStudy::default()
        };
        let place = |order: &LevelOrder| {
            order.place(CLIENTS, &Level::Count(4)) > order.place(CLIENTS, &Level::Count(1))
        };
        assert!(place(&of_folder(Some(&planned), text)));
        assert!(!place(&of_folder(Some(&PlannedStudy::default()), text)));
        assert!(!place(&of_folder(None, text)));
        for text in ["", "not TOML", "name = \"s\"\nunknown = 1\n"] {
            assert_eq!(of_folder(None, text), LevelOrder::default(), "{text}");
        }
    }
}
