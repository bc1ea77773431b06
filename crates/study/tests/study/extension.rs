//! Studies that go on in their folder with another text, on databases in memory: trials that ran stay as they were.

use std::collections::BTreeMap;
use std::path::Path;

use dbdyno_engine::Stop;
use dbdyno_record::ResultFolder;
use dbdyno_study::file::parse;
use dbdyno_study::{
    CheckedStudy, Plan, StudyError, StudyEvent, StudyObserver, Summary, conductor, extension,
};

const STUDY: &str = "name = \"t\"\ntrials = 2\nsystems = [\"memory\", \"null\"]\nworkloads = [\"a\", \"d\"]\n\
                     records = 100\nclients = 2\noperations = 300\nwarmup = \"0s\"\nrepeat_disturbed = 0\n";
const SWEEP: &str = "name = \"s\"\nkind = \"sweep\"\ntrials = 2\nsystems = [\"memory\"]\nworkloads = [\"a\"]\n\
                     records = 50\nclients = [1, 2]\noperations = 200\nwarmup = \"0s\"\nrepeat_disturbed = 0\n";

fn study_file(text: &str) -> CheckedStudy {
    CheckedStudy {
        study: parse(text, Path::new(".")).unwrap_or_else(|mistake| panic!("{mistake:?}\n{text}")),
        text: text.to_owned(),
    }
}

/// Asks for a stop when so many trials have ended.
struct StopAfter(usize, Stop);

impl StudyObserver for StopAfter {
    fn event(&mut self, event: &StudyEvent<'_>) {
        if let StudyEvent::TrialEnded { .. } = event {
            self.0 = self.0.saturating_sub(1);
            if self.0 == 0 {
                self.1.request();
            }
        }
    }
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> std::path::PathBuf {
        self.0.path().join("r")
    }

    fn run(&self, text: &str) -> Summary {
        let file = study_file(text);
        let folder = conductor::open_folder(&file, &self.path()).unwrap();
        conductor::run(&file, &folder, &mut (), &Stop::new()).unwrap()
    }

    fn refuse(&self, text: &str) -> StudyError {
        conductor::open_folder(&study_file(text), &self.path()).unwrap_err()
    }

    /// The records of all trials, byte by byte.
    fn records(&self) -> BTreeMap<String, Vec<u8>> {
        let trials = self.path().join("trials").read_dir().unwrap();
        let record = |trial: std::io::Result<std::fs::DirEntry>| {
            let trial = trial.unwrap();
            let record = std::fs::read(trial.path().join("record.json")).unwrap();
            (trial.file_name().into_string().unwrap(), record)
        };
        trials.map(record).collect()
    }

    fn folder(&self) -> ResultFolder {
        ResultFolder::open(&self.path()).unwrap()
    }

    fn extended_after(&self) -> Vec<u32> {
        self.folder()
            .plan()
            .unwrap()
            .unwrap()
            .study
            .unwrap()
            .extended_after
    }
}

fn with_trials(trials: u32) -> String {
    STUDY.replace("trials = 2", &format!("trials = {trials}"))
}

#[test]
fn more_trials_go_on_and_those_that_ran_stay() {
    let place = Place::new();
    place.run(STUDY);
    let before = place.records();
    let plan = place.folder().plan().unwrap().unwrap();
    assert_eq!((before.len(), place.extended_after()), (8, Vec::new()));

    let summary = place.run(&with_trials(3));
    assert_eq!(
        (summary.total, summary.already_done, summary.completed),
        (12, 8, 4)
    );
    let after = place.records();
    assert_eq!(after.len(), 12);
    for (trial, record) in &before {
        assert_eq!(after[trial], *record, "{trial}");
    }
    let longer = place.folder().plan().unwrap().unwrap();
    assert_eq!(
        longer.trials[..8],
        plan.trials,
        "the blocks that ran are the first ones"
    );
    assert_eq!(place.folder().study_text().unwrap(), with_trials(3));
    assert_eq!(
        place.extended_after(),
        [2],
        "all of them had run before more were added"
    );
    let planned = extension::planned_trials(&place.folder()).unwrap();
    assert_eq!((planned.trials, planned.blocks), (3, 3));

    // Once more, and nothing else.
    place.run(&with_trials(4));
    assert_eq!(place.extended_after(), [2, 3]);
    let again = place.run(&with_trials(4));
    assert_eq!((again.already_done, again.completed), (16, 0));
    assert_eq!(place.extended_after(), [2, 3]);
}

#[test]
fn trials_added_to_a_study_that_was_not_complete_are_not_remembered() {
    let place = Place::new();
    let file = study_file(STUDY);
    let stop = Stop::new();
    let folder = conductor::open_folder(&file, &place.path()).unwrap();
    let first = conductor::run(&file, &folder, &mut StopAfter(5, stop.clone()), &stop).unwrap();
    assert!(first.interrupted);
    drop(folder);
    let summary = place.run(&with_trials(3));
    assert_eq!(summary.total, 12);
    assert_eq!(place.folder().completed_trials().unwrap().len(), 12);
    assert_eq!(place.extended_after(), Vec::<u32>::new());
}

#[test]
fn a_new_title_and_comments_go_on() {
    let place = Place::new();
    place.run(STUDY);
    let before = place.records();
    let titled = format!(
        "# Mine.\ntitle = \"Two stores\"\n{}",
        STUDY.replace("= 100\n", "= \"100\"\n")
    );
    let summary = place.run(&titled);
    assert_eq!((summary.already_done, summary.completed), (8, 0));
    assert_eq!(place.records(), before);
    assert_eq!(place.folder().study_text().unwrap(), titled);
    let planned = place.folder().plan().unwrap().unwrap().study.unwrap();
    assert_eq!(planned.title.as_deref(), Some("Two stores"));
    assert_eq!(planned.extended_after, Vec::<u32>::new());
}

#[test]
fn trials_that_ran_are_never_dropped() {
    let place = Place::new();
    place.run(STUDY);
    let error = place.refuse(&with_trials(1));
    assert!(
        matches!(
            error,
            StudyError::FewerTrials {
                begun: 2,
                trials: 1,
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error.to_string().contains("already contains 2 trials per cell"),
        "{error}"
    );
    assert_eq!(
        place.folder().study_text().unwrap(),
        STUDY,
        "nothing was replaced"
    );

    // Trials that were only planned may go.
    let file = study_file(&with_trials(9));
    drop(conductor::open_folder(&file, &place.path()).unwrap());
    let fewer = place.run(&with_trials(3));
    assert_eq!((fewer.total, fewer.completed), (12, 4));
}

#[test]
fn another_precision_goes_on_and_drops_no_block() {
    let place = Place::new();
    place.run(STUDY);
    let precise = format!("precision = \"0.1%\"\nmax_trials = 4\n{STUDY}");
    let summary = place.run(&precise);
    assert_eq!(
        (summary.total, summary.already_done, summary.completed),
        (16, 8, 8)
    );
    assert_eq!(place.extended_after(), [2]);
    // By this limit two blocks would do.
    let summary = place.run(&precise.replace("max_trials = 4", "max_trials = 2"));
    assert_eq!(
        (summary.total, summary.already_done, summary.completed),
        (16, 16, 0)
    );
    assert!(matches!(
        place.refuse(STUDY),
        StudyError::FewerTrials { begun: 4, .. }
    ));
    // A trial of an early block is missing: the later ones stay planned.
    let third = Plan::new(&study_file(STUDY).study).trials[2]
        .planned
        .trial
        .clone();
    std::fs::remove_dir_all(place.path().join("trials").join(third)).unwrap();
    let summary = place.run(&precise);
    assert_eq!(
        (summary.total, summary.already_done, summary.completed),
        (16, 15, 2),
        "with the one that took turns with it"
    );
}

#[test]
fn a_sweep_measures_its_steps_once_more() {
    let place = Place::new();
    place.run(SWEEP);
    let before = place.records();
    assert_eq!(before.len(), 4);
    let summary = place.run(&SWEEP.replace("trials = 2", "trials = 3\nslo = \"p99<1s\""));
    assert_eq!(
        (summary.already_done, summary.completed, summary.total),
        (4, 2, 6)
    );
    let after = place.records();
    assert!(before.iter().all(|(trial, record)| after[trial] == *record));
    assert_eq!(place.extended_after(), [2]);
    // Nothing is left to measure, and the report is held against the new objective.
    let summary = place.run(&SWEEP.replace("trials = 2", "trials = 3\nslo = \"p99<2s\""));
    assert_eq!((summary.already_done, summary.completed), (6, 0));
    let planned = place.folder().plan().unwrap().unwrap().study.unwrap();
    assert_eq!(planned.kind.objective().unwrap().text(), "p99<2s");
    assert_eq!(planned.extended_after, [2]);
    let error = place.refuse(SWEEP);
    assert!(
        matches!(error, StudyError::FewerTrials { begun: 3, .. }),
        "{error}"
    );
}

#[test]
fn a_changed_property_file_is_another_study() {
    let place = Place::new();
    let folder = place.0.path();
    let text = STUDY.replace("[\"a\", \"d\"]", "[\"mix.properties\"]");
    let open = |text: &str, mix: &str| {
        std::fs::write(folder.join("mix.properties"), mix).unwrap();
        let file = CheckedStudy {
            study: parse(text, folder).unwrap(),
            text: text.to_owned(),
        };
        let opened = conductor::open_folder(&file, &place.path());
        opened.map(|opened| (file, opened))
    };
    let half = "readproportion=0.5\nupdateproportion=0.5\n";
    let (file, opened) = open(&text, half).unwrap();
    conductor::run(&file, &opened, &mut (), &Stop::new()).unwrap();
    drop(opened);
    let longer = text.replace("trials = 2", "trials = 3");
    for text in [&text, &longer] {
        let error = open(text, "readproportion=0.9\nupdateproportion=0.1\n").unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("`readproportion` of workload mix was 0.5 and is now 0.9"),
            "{error}"
        );
    }
    assert_eq!(place.folder().study_text().unwrap(), text, "nothing was replaced");
    // Other words for the same.
    let same = "# Mine.\nreadproportion = 0.50\nupdateproportion = 0.50\n";
    open(&longer, same).unwrap();
}

#[test]
fn what_a_property_file_says_of_records_and_their_lengths_is_part_of_the_study() {
    let place = Place::new();
    let folder = place.0.path();
    let text = STUDY
        .replace("[\"a\", \"d\"]", "[\"mix.properties\"]")
        .replace("records = 100\n", "");
    let mix = "readproportion=1\nfieldlengthdistribution=histogram\nfieldlengthhistogram=lengths.txt\n";
    let open = |records: u32, lengths: &str| {
        std::fs::write(
            folder.join("mix.properties"),
            format!("recordcount={records}\n{mix}"),
        )
        .unwrap();
        std::fs::write(folder.join("lengths.txt"), lengths).unwrap();
        let file = CheckedStudy {
            study: parse(&text, folder).unwrap(),
            text: text.clone(),
        };
        let opened = conductor::open_folder(&file, &place.path());
        opened.map(|opened| (file, opened))
    };
    let lengths = "BlockSize\t10\n0\t5\n1\t2\n";
    let (file, opened) = open(100, lengths).unwrap();
    conductor::run(&file, &opened, &mut (), &Stop::new()).unwrap();
    drop(opened);
    for (records, lengths, reason) in [
        (
            200,
            lengths,
            "`recordcount` of workload mix was 100 and is now 200",
        ),
        (
            100,
            "BlockSize\t10\n0\t2\n1\t5\n",
            "`fieldlengthhistogram.digest` of workload mix was ",
        ),
    ] {
        let error = open(records, lengths).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
    open(100, lengths).unwrap();
}
