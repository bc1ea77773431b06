//! What the view draws of result folders that tests write.

use std::collections::BTreeMap;
use std::path::PathBuf;

use dbdyno_engine::Stop;
use dbdyno_record::intervals::IntervalCounts;
use dbdyno_record::live::{self, Asked, GeneratorRow, LIVE_FORMAT, LiveEvent, LiveTrial, LiveWriter};
use dbdyno_record::trial::TRIAL_FORMAT;
use dbdyno_record::{
    ClientCost, Conditions, Drain, Floor, IntervalRow, IntervalServers, Latency, MeasureRecord,
    OperationRecord, PlanFile, PlannedStudy, PlannedTrial, ResultFolder, SystemRecord, TrialRecord,
    TrialStatus, WorkloadRecord,
};
use dbdyno_serve::Watched;
use dbdyno_trial::{Arrivals, Factor, Pace, SystemSpec, TrialSpec};
use jiff::Timestamp;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;

use super::colors::Palette;
use super::page;
use super::view::{Then, View};

const BEGAN: &str = "2026-11-23T19:00:00Z";
const SYSTEMS: [&str; 3] = ["redb", "sqlite", "redb (A/A)"];

/// A result folder that this process holds, as a study that runs does.
struct Study {
    _place: tempfile::TempDir,
    path: PathBuf,
    folder: Option<ResultFolder>,
}

fn name(position: usize) -> String {
    let system = SYSTEMS[position % SYSTEMS.len()].replace(" (A/A)", "-aa");
    format!("{:03}-{system}-a", position + 1)
}

/// Every second one at a rate.
fn spec(position: usize) -> TrialSpec {
    TrialSpec {
        factors: [Factor::Rate].into(),
        pace: (position % 2 == 1).then_some(Pace {
            rate: 11_000.0,
            arrivals: Arrivals::default(),
        }),
        ..TrialSpec::new(SystemSpec::named(SYSTEMS[position % SYSTEMS.len()]), "a", 1_000)
    }
}

/// What the plan says of workload a.
fn update_heavy() -> PlannedStudy {
    let half = ["readproportion", "updateproportion"].map(|name| (name.to_owned(), "0.5".to_owned()));
    PlannedStudy {
        workloads: [("a".to_owned(), half.into())].into(),
        ..PlannedStudy::default()
    }
}

impl Study {
    fn planned(trials: usize) -> Self {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("quickstart");
        let folder = ResultFolder::create(&path, "name = \"quickstart\"\n").unwrap();
        let planned = |position: usize| PlannedTrial {
            trial: name(position),
            block: 0,
            position: u32::try_from(position).unwrap(),
            seed: 0,
            spec: spec(position),
        };
        let plan = PlanFile::new(update_heavy(), (0..trials).map(planned).collect());
        folder.write_plan(&plan).unwrap();
        Self {
            _place: place,
            path,
            folder: Some(folder),
        }
    }

    fn end_trial(&self, position: usize, status: TrialStatus, errors: u64) {
        let folder = self.folder.as_ref().unwrap();
        folder.write_trial(&record(position, status, errors)).unwrap();
    }

    /// Begins a trial that is in its measured phase.
    fn begin_trial(&self, position: usize, seconds: u64) -> LiveWriter {
        let mut writer = LiveWriter::begin(&self.path, live_trial(position)).unwrap();
        let mut write = |event: &LiveEvent| writer.write(event).unwrap();
        write(&LiveEvent::Phase {
            phase: "measure".to_owned(),
            expected_operations: None,
            expected_s: Some(60.0),
        });
        for second in 0..seconds {
            write(&LiveEvent::Second(row(second)));
        }
        writer
    }

    fn view(&self) -> View {
        let mut view = View::new(Watched::open(&self.path).unwrap(), Stop::new());
        look(&mut view);
        view
    }

    /// Lets the folder go: the study does not run any more.
    fn end(&mut self) {
        self.folder = None;
    }
}

/// Half a minute after the running trial began.
fn look(view: &mut View) {
    let began: Timestamp = BEGAN.parse().unwrap();
    view.look(began + jiff::SignedDuration::from_secs(30));
}

fn live_trial(position: usize) -> LiveTrial {
    LiveTrial {
        format: LIVE_FORMAT.to_owned(),
        trial: name(position),
        system: SYSTEMS[position % SYSTEMS.len()].to_owned(),
        takes_turns_with: match position % SYSTEMS.len() {
            1 => vec!["redb".to_owned(), "redb (A/A)".to_owned()],
            _ => Vec::new(),
        },
        workload: "a".to_owned(),
        number: position + 1,
        total: 12,
        started_at: BEGAN.to_owned(),
        remaining_s: 1230.0,
        repeats_s: 300.0,
    }
}

fn row(second: u64) -> IntervalRow {
    let mut latency = Latency::new();
    latency.record_many(120_000, 990);
    latency.record_many(1_000_000 + 50_000 * (second % 7), 10);
    let counts = IntervalCounts {
        ok: 40_000 + 1_000 * (second % 5),
        errors: u64::from(second == 3),
        ..IntervalCounts::default()
    };
    let servers = IntervalServers {
        cpu_seconds: 1.25,
        memory_bytes: 1_200_000_000 + 10_000_000 * second,
        ..IntervalServers::default()
    };
    IntervalRow::new("measure", second * 1_000_000_000, 1_000_000_000, counts, &latency)
        .with_client(0.8, 150_000_000)
        .with_servers(Some(servers))
}

fn record(position: usize, status: TrialStatus, errors: u64) -> TrialRecord {
    let mut service = Latency::new();
    service.record_many(1_500_000, 1_000);
    let reads = OperationRecord {
        ok: 400_000 + 1_000 * position as u64,
        errors: BTreeMap::from([("timeout".to_owned(), errors)]),
        service,
        ..OperationRecord::default()
    };
    let measure = MeasureRecord {
        duration_ns: 10_000_000_000,
        tail: None,
        drain: Drain::default(),
        operations: BTreeMap::from([("read".to_owned(), reads)]),
        pacing: None,
        client: ClientCost::default(),
        server: None,
        clock_drift_ppm: None,
        error_samples: Vec::new(),
    };
    let failed = matches!(status, TrialStatus::Failed { .. });
    TrialRecord {
        format: TRIAL_FORMAT.to_owned(),
        study: "quickstart".to_owned(),
        trial: name(position),
        block: 0,
        position: u32::try_from(position).unwrap(),
        seed: 0,
        started_at: BEGAN.to_owned(),
        spec: spec(position),
        threads: 1,
        system: SystemRecord {
            name: SYSTEMS[position % SYSTEMS.len()].to_owned(),
            ..SystemRecord::default()
        },
        workload: WorkloadRecord {
            name: "a".to_owned(),
            records: 1_000,
            properties: BTreeMap::new(),
        },
        status,
        load: None,
        measure: (!failed).then_some(measure),
        floor: Floor::default(),
        skew: None,
        generators: Vec::new(),
        findings: Vec::new(),
        conditions: Conditions::default(),
    }
}

/// A study of twelve trials in its eighth, after one that was disturbed and one that failed.
fn in_the_middle() -> Study {
    let study = Study::planned(12);
    for position in 0..5 {
        study.end_trial(position, TrialStatus::Completed, 0);
    }
    study.end_trial(5, TrialStatus::Disturbed, 12);
    let reason = "cannot connect to 127.0.0.1:9042".to_owned();
    study.end_trial(6, TrialStatus::failed(reason), 0);
    study
}

fn drawn(view: &mut View, width: u16, height: u16, palette: Palette) -> TestBackend {
    let mut terminal = ratatui::Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| page::draw(frame, view, palette)).unwrap();
    terminal.backend().clone()
}

fn shown(view: &mut View, width: u16, height: u16) -> String {
    drawn(view, width, height, Palette::Monochrome).to_string()
}

fn press(view: &mut View, code: KeyCode) -> Then {
    view.key(KeyEvent::new(code, KeyModifiers::NONE))
}

#[test]
fn a_running_study_is_whole_on_a_small_terminal() {
    let study = in_the_middle();
    let _writer = study.begin_trial(7, 24);
    insta::assert_snapshot!(shown(&mut study.view(), 80, 24));
}

#[test]
fn a_larger_terminal_has_more_charts_and_columns() {
    let study = in_the_middle();
    let _writer = study.begin_trial(7, 24);
    insta::assert_snapshot!(shown(&mut study.view(), 120, 40));
}

/// What a load generator did in a second.
fn generator(name: &str, ok: u64) -> LiveEvent {
    LiveEvent::Generator(GeneratorRow {
        generator: name.to_owned(),
        phase: "measure".to_owned(),
        start_s: 3.0,
        duration_s: 1.0,
        ok,
        errors: 0,
        cpu_seconds: 0.5,
    })
}

#[test]
fn load_generators_have_a_line_with_the_slowest_first() {
    let study = in_the_middle();
    let mut writer = study.begin_trial(7, 24);
    for (name, ok) in [("one", 1_200), ("two\u{1b}[2J", 900), ("one", 1_300)] {
        writer.write(&generator(name, ok)).unwrap();
    }
    let text = shown(&mut study.view(), 80, 24);
    assert!(
        text.contains("2 load generators: two\\u001b[2J 900/s   one 1.30k/s"),
        "{text}"
    );
    assert!(
        text.contains("CPUs of servers") && text.contains("Trials"),
        "{text}"
    );
}

#[test]
fn no_size_is_too_small() {
    let study = in_the_middle();
    let _writer = study.begin_trial(7, 24);
    let mut view = study.view();
    for width in [1, 2, 7, 8, 9, 20, 79, 300] {
        for height in [1, 2, 5, 9, 17, 18, 33, 34, 100] {
            drawn(&mut view, width, height, Palette::Rgb);
        }
    }
}

#[test]
fn it_says_what_the_study_does_between_trials_and_after_them() {
    let mut study = in_the_middle();
    let mut view = study.view();
    let text = shown(&mut view, 80, 24);
    assert!(
        text.contains("Between two trials.") && text.contains("5 of 12 trials done"),
        "{text}"
    );
    live::ask(&study.path, Asked::Pause).unwrap();
    look(&mut view);
    let text = shown(&mut view, 80, 24);
    assert!(
        text.contains("Paused between two trials") && text.contains(" resume"),
        "{text}"
    );
    let mut writer = study.begin_trial(7, 1);
    look(&mut view);
    let text = shown(&mut view, 80, 24);
    assert!(text.contains("pausing after this trial"), "{text}");
    let what = "Cassandra 5.0 starts".to_owned();
    writer.write(&LiveEvent::Preparing { what }).unwrap();
    look(&mut view);
    let text = shown(&mut view, 80, 24);
    assert!(text.contains("Phase  Cassandra 5.0 starts"), "{text}");
    study.end();
    look(&mut view);
    let text = shown(&mut view, 80, 24);
    assert!(text.contains("not running") && !text.contains("pause"), "{text}");
}

#[test]
fn a_thousand_trials_are_followed_and_scrolled() {
    let study = Study::planned(1_000);
    let _writer = study.begin_trial(499, 2);
    let mut view = study.view();
    let text = shown(&mut view, 80, 24);
    assert!(text.contains("Trials 495 to 505 of 1000"), "{text}");
    assert!(
        text.contains(" 500  sqlite, A: update heavy") && !text.contains(" 506  "),
        "{text}"
    );
    for (key, expected) in [
        (KeyCode::Down, "Trials 496 to 506"),
        (KeyCode::PageUp, "Trials 486 to 496"),
        (KeyCode::Home, "Trials 1 to 11"),
        (KeyCode::Up, "Trials 1 to 11"),
        (KeyCode::End, "Trials 990 to 1000"),
        (KeyCode::Down, "Trials 990 to 1000"),
        (KeyCode::Char('f'), "Trials 495 to 505"),
    ] {
        assert_eq!(press(&mut view, key), Then::Stay);
        let text = shown(&mut view, 80, 24);
        assert!(text.contains(expected), "{key:?}: {text}");
    }
}

#[test]
fn names_and_messages_of_others_command_no_terminal() {
    let study = Study::planned(1);
    let hostile = LiveTrial {
        // In no plan, which would say what it does.
        trial: "pilot-01-redb-a".to_owned(),
        system: "redb\u{1b}[2J".to_owned(),
        workload: "a\nb\tc".to_owned(),
        ..live_trial(0)
    };
    let mut writer = LiveWriter::begin(&study.path, hostile).unwrap();
    let what = "\u{1b}]0;title\u{7}".to_owned();
    writer.write(&LiveEvent::Preparing { what }).unwrap();
    let text = shown(&mut study.view(), 120, 40);
    assert!(text.contains("redb\\u001b[2J"), "{text}");
    assert!(
        text.contains("\\u001b]0;title\\u0007") && text.contains("a b c"),
        "{text}"
    );
}

#[test]
fn a_system_has_its_products_colour_where_there_are_colours() {
    let study = in_the_middle();
    let _writer = study.begin_trial(7, 24);
    let mut view = study.view();
    let has_color = |backend: &TestBackend, color: Color| {
        let cells = &backend.buffer().content;
        cells.iter().any(|cell| cell.fg == color)
    };
    let sqlite = Color::Rgb(0x2f, 0x8c, 0xa3);
    assert!(has_color(&drawn(&mut view, 80, 24, Palette::Rgb), sqlite));
    let monochrome = drawn(&mut view, 80, 24, Palette::Monochrome);
    assert!(
        monochrome
            .buffer()
            .content
            .iter()
            .all(|cell| cell.fg == Color::Reset)
    );
}

#[test]
fn keys_ask_the_study_and_stopping_needs_a_yes() {
    let study = in_the_middle();
    let _writer = study.begin_trial(7, 1);
    let mut view = study.view();
    let asked = || live::asked(&study.path);
    press(&mut view, KeyCode::Char('p'));
    assert_eq!(asked(), Asked::Pause);
    press(&mut view, KeyCode::Char('r'));
    assert_eq!(asked(), Asked::Run);
    for answer in ['n', 's', 'q'] {
        press(&mut view, KeyCode::Char('s'));
        assert!(shown(&mut view, 80, 24).contains("Stop the study?"));
        assert_eq!(press(&mut view, KeyCode::Char(answer)), Then::Stay);
        assert_eq!(asked(), Asked::Run, "{answer}");
    }
    press(&mut view, KeyCode::Char('s'));
    press(&mut view, KeyCode::Char('y'));
    assert_eq!(asked(), Asked::Stop);
    assert!(shown(&mut view, 80, 24).contains("stopping"));
    assert_eq!(press(&mut view, KeyCode::Char('q')), Then::Leave);
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(view.key(interrupt), Then::Interrupt);
}

#[test]
fn a_study_that_does_not_run_is_asked_nothing() {
    let mut study = in_the_middle();
    study.end();
    let mut view = study.view();
    for key in ['p', 'r', 's'] {
        press(&mut view, KeyCode::Char(key));
        let text = shown(&mut view, 80, 24);
        assert!(text.contains("This study does not run."), "{key}: {text}");
    }
    assert_eq!(live::asked(&study.path), Asked::Run);
}

#[test]
fn a_single_run_is_neither_paused_nor_resumed() {
    let mut study = Study::planned(0);
    let only = PlannedTrial {
        trial: "001".to_owned(),
        block: 0,
        position: 0,
        seed: 0,
        spec: TrialSpec::new(SystemSpec::default(), "", 0),
    };
    let plan = PlanFile::new(PlannedStudy::default(), vec![only]);
    study.folder.as_ref().unwrap().write_plan(&plan).unwrap();
    let mut view = study.view();
    let text = shown(&mut view, 80, 24);
    assert!(text.contains(" stop") && !text.contains("pause"), "{text}");
    press(&mut view, KeyCode::Char('p'));
    let text = shown(&mut view, 80, 24);
    assert!(text.contains("no trials to pause between"), "{text}");
    assert_eq!(live::asked(&study.path), Asked::Run);
    study.end();
    look(&mut view);
    let text = shown(&mut view, 80, 24);
    assert!(text.contains("The run did not complete."), "{text}");
}
