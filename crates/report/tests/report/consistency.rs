//! No sentence of a report contradicts another: headline, sentences of cells, tables, pages and JSON say what the comparisons say,
//! whatever the study looks like.

use crate::common::{
    Engine, FJALL, TrialPlan, WORKLOADS, mark_invalid, never_settles, results, trial, wobble,
};
use dbdyno_report::model::{Cell, Comparison, MARGIN, Metric, MetricNoise, MetricVerdict, Rank, Tone, Word};
use dbdyno_report::words::figures::MetricFigures as _;
use dbdyno_report::{Render, ReportModel, StudyResults, Style, json, number};
use dbdyno_vocabulary::named;
use proptest::prelude::*;

const NAMES: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

/// What a study looks like.
#[derive(Clone, Debug)]
struct Shape {
    /// How fast each system is, relative to the first.
    speeds: Vec<f64>,
    /// Spread between trials, as a share.
    noise: f64,
    /// How fast the copy of the first system is, relative to it; without one the system is measured once.
    twin: Option<f64>,
    workloads: usize,
    blocks: u32,
    rate: Option<f64>,
    /// One trial of the second system is so many times slower than the others.
    disturbed: Option<f64>,
    /// Trials that are missing, by their place.
    missing: Vec<usize>,
    /// Whether a trial of the second system is invalid, or all of them never settle.
    accident: Option<Accident>,
    /// Makes the spread another one.
    seed: u64,
}

#[derive(Clone, Copy, Debug)]
enum Accident {
    Invalid,
    NeverSteady,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            speeds: vec![1.0, 1.0],
            noise: 0.03,
            twin: None,
            workloads: 2,
            blocks: 6,
            rate: None,
            disturbed: None,
            missing: Vec::new(),
            accident: None,
            seed: 0,
        }
    }
}

impl Shape {
    fn results(&self) -> StudyResults {
        let mut systems: Vec<(&'static str, f64)> =
            NAMES.into_iter().zip(self.speeds.iter().copied()).collect();
        systems.extend(self.twin.map(|speed| ("alpha (A/A)", speed)));
        let mut trials = Vec::new();
        for block in 0..self.blocks {
            for mix in &WORKLOADS[..self.workloads] {
                for (name, speed) in &systems {
                    let numbers = [self.seed, u64::from(block), u64::from(mix.0.as_bytes()[0])];
                    let luck = 1.0 + self.noise * wobble(name, &numbers);
                    let engine = Engine {
                        name,
                        read: FJALL.read * speed * luck,
                        write: FJALL.write * speed * luck,
                        scan: FJALL.scan * speed * luck,
                        noise: 0.0,
                        ..FJALL
                    };
                    trials.push(trial(&TrialPlan {
                        study: "s",
                        engine: &engine,
                        mix,
                        block,
                        position: trials.len() as u32,
                        seconds: 10,
                        rate: self.rate,
                    }));
                }
            }
        }
        if let (Some(slower), Some(one)) = (self.disturbed, trials.get_mut(1)) {
            let measure = one.measure.as_mut().unwrap();
            measure.duration_ns = (measure.duration_ns as f64 * slower) as u64;
        }
        let of_second = trials.iter_mut().filter(|trial| trial.system.name == "beta");
        match self.accident {
            None => {}
            Some(Accident::Invalid) => of_second
                .take(1)
                .for_each(|trial| mark_invalid(trial, "integrity")),
            Some(Accident::NeverSteady) => of_second.for_each(never_settles),
        }
        let planned = trials.iter().map(|trial| trial.trial.clone()).collect();
        let mut place = 0;
        trials.retain(|_| {
            place += 1;
            !self.missing.contains(&(place - 1))
        });
        StudyResults {
            planned,
            ..results("s", trials)
        }
    }
}

/// Every number before this text that is a ratio: `3.6x`.
fn ratios_before(line: &str, text: &str) -> Vec<f64> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = line[from..].find(text).map(|at| from + at) {
        let ends_here = line[at + text.len()..]
            .chars()
            .next()
            .is_none_or(|next| !next.is_alphanumeric() && next != '-');
        if ends_here {
            let word = line[..at].trim_end().rsplit(' ').next().unwrap_or_default();
            found.extend(
                word.strip_suffix('x')
                    .and_then(|number| number.parse::<f64>().ok()),
            );
        }
        from = at + text.len();
    }
    found
}

fn is_good(comparison: &Comparison) -> bool {
    match comparison.metric {
        Metric::Throughput | Metric::LoadThroughput => comparison.ratio > 1.0,
        Metric::LatencyP99 | Metric::LatencyP50 => comparison.ratio < 1.0,
    }
}

fn reach(comparison: &Comparison) -> f64 {
    let interval = comparison.interval.unwrap();
    interval.high.max(1.0 / interval.low)
}

/// The word of each comparison follows from its own numbers.
fn check_comparison(comparison: &Comparison) {
    let excludes_one = |own: &Comparison| {
        let interval = own.interval.unwrap();
        interval.low > 1.0 || interval.high < 1.0
    };
    let adjusted = comparison.p_adjusted;
    match comparison.word {
        Word::Faster | Word::Slower => {
            assert!(excludes_one(comparison), "{comparison:?}");
            assert_eq!(
                comparison.word == Word::Faster,
                is_good(comparison),
                "{comparison:?}"
            );
            assert!(adjusted.unwrap() <= 0.05 + 1e-9, "{comparison:?}");
        }
        Word::Equivalent => assert!(reach(comparison) <= 1.0 + MARGIN + 1e-9, "{comparison:?}"),
        Word::Bounded => assert!(
            reach(comparison) <= 1.0 + dbdyno_stats::BAND + 1e-9,
            "{comparison:?}"
        ),
        Word::Undecided => assert!(!comparison.why.is_empty(), "{comparison:?}"),
        Word::NotComparable => assert!(adjusted.is_none(), "{comparison:?}"),
    }
    let is_decided = comparison.word != Word::Undecided;
    assert!(
        !(is_decided && comparison.more_blocks.is_some()),
        "{comparison:?}"
    );
}

/// The leader's comparisons, which the verdict sums up.
fn of_leader<'a>(cell: &'a Cell, verdict: &MetricVerdict) -> Vec<&'a Comparison> {
    let leader = verdict.leader.as_deref().unwrap_or_default();
    let own = cell.comparisons.iter();
    own.filter(|own| own.metric == verdict.metric && own.a == leader)
        .collect()
}

fn check_verdict(cell: &Cell, verdict: &MetricVerdict) {
    let against = of_leader(cell, verdict);
    let any = |word: Word| against.iter().any(|own| own.word == word);
    let expected = match () {
        () if any(Word::Undecided) || any(Word::Slower) => Tone::Undecided,
        () if any(Word::Bounded) => Tone::Bounded,
        () if any(Word::Equivalent) => Tone::Same,
        () => Tone::Shown,
    };
    assert_eq!(verdict.tone, expected, "{verdict:?}");
    let sentence = &verdict.sentence;
    for own in &against {
        let interval = own.interval.map(|interval| (interval.low, interval.high));
        let stated = number::times_than(own.ratio, interval, own.metric.quantity(), named(&own.b)).flat();
        assert!(sentence.flat().contains(&stated), "{stated} in {sentence}");
        let rank = cell.rank(&own.b, own.metric).unwrap();
        let expected = match own.word {
            Word::Faster => Rank::Behind,
            Word::Equivalent => Rank::Tied,
            Word::Bounded => Rank::Close,
            _ => Rank::Open,
        };
        assert_eq!(rank, expected, "{own:?}");
    }
    let is_undecided = expected == Tone::Undecided;
    assert_eq!(sentence.flat().contains("Undecided"), is_undecided, "{sentence}");
    assert_eq!(
        sentence.flat().contains("has the highest") || sentence.flat().contains("has the lowest"),
        expected == Tone::Shown
    );
    // Who leads is not shown behind anybody.
    let leader = verdict.leader.as_deref().unwrap();
    let mut others = cell.comparisons.iter().filter(|own| own.metric == verdict.metric);
    assert!(
        !others.any(|own| own.b == leader && own.word == Word::Faster),
        "{verdict:?}"
    );
}

fn check_line(line: &str, tone: Tone, cell: &Cell, verdict: &MetricVerdict) {
    assert_eq!(tone, verdict.tone, "{line}");
    let leader = verdict.leader.as_deref().unwrap();
    assert!(line.contains(leader), "{line}");
    assert_eq!(line.contains("undecided"), tone == Tone::Undecided, "{line}");
    let open: Vec<&Comparison> = of_leader(cell, verdict)
        .into_iter()
        .filter(|own| own.word == Word::Undecided)
        .collect();
    for own in of_leader(cell, verdict) {
        let lead = own.ratio.max(1.0 / own.ratio);
        let than = match own.metric {
            Metric::Throughput => ratios_before(line, &format!("as fast as {}", own.b))
                .into_iter()
                .chain(ratios_before(line, &format!("as {}", own.b)))
                .collect(),
            _ => ratios_before(line, &format!("lower than {}", own.b)),
        };
        if own.word == Word::Faster {
            // Two significant digits, and a range where several systems are ahead of it.
            let near = than.iter().any(|stated: &f64| (stated / lead - 1.0).abs() < 0.2);
            assert!(near, "{lead} against {} in {line}", own.b);
        }
        if matches!(own.word, Word::Equivalent | Word::Bounded) {
            let within = ratios_before(line, "of each other")
                .into_iter()
                .chain(ratios_before(line, &format!("of {leader}")))
                .fold(0.0, f64::max);
            assert!(within >= reach(own) - 1e-9, "{} in {line}", reach(own));
        }
    }
    let needed: Option<Vec<usize>> = open.iter().map(|own| own.more_blocks).collect();
    match needed.and_then(|needed| needed.into_iter().max()) {
        Some(most) => assert!(line.contains(&format!("`--trials +{most}`")), "{line}"),
        None => {
            for own in &open {
                assert!(line.contains(&own.why), "{} in {line}", own.why);
            }
        }
    }
}

/// One number for the noise of each metric, in words and in JSON, and one sentence where intervals were widened.
fn check_noise(model: &ReportModel, texts: &[String], document: &serde_json::Value) {
    let Some(noise) = &model.noise else { return };
    for (index, own) in noise.metrics.iter().enumerate() {
        let stated = &document["noise"]["metrics"][index]["between_equal_systems"];
        assert_eq!(stated.as_f64(), Some(own.between_equal_systems));
        if own.metric == Metric::Throughput && own.blocks >= 4 {
            let size = match own.between_equal_systems {
                share if share < 1.0 => number::share(share),
                share => format!("{}x", number::ratio_digits(1.0 + share)),
            };
            let number = format!("would differ by up to {size} after");
            assert!(
                noise.sentence.flat().contains(&number),
                "{number} in {}",
                noise.sentence
            );
        }
    }
    // Two or three blocks give no verdict, and a page does not say how wide their intervals are.
    let is_verdict = |own: &MetricNoise| matches!(own.metric, Metric::Throughput | Metric::LatencyP99);
    let is_stated = |own: &&MetricNoise| own.widened() > 1.0 && own.blocks >= 4 && is_verdict(own);
    let widened = noise.metrics.iter().filter(is_stated).count();
    assert_eq!(
        noise.sentence.flat().matches("times as wide").count(),
        widened,
        "{}",
        noise.sentence
    );
    for text in texts {
        assert_eq!(text.matches("times as wide").count(), widened, "{text}");
        assert_eq!(
            text.matches("would differ by up to").count(),
            noise.sentence.flat().matches("would differ by up to").count(),
            "{text}"
        );
        for retired in [
            "identical systems differed",
            "not beyond the noise",
            "may differ by",
        ] {
            assert!(!text.contains(retired), "{text}");
        }
    }
}

fn check(shape: &Shape) -> ReportModel {
    let model = ReportModel::build(&shape.results());
    let texts = [model.text(Style::plain(10_000)), model.markdown(), model.html()];
    let document: serde_json::Value = serde_json::from_str(&json(&model)).unwrap();
    for (index, cell) in model.cells.iter().enumerate() {
        for (place, comparison) in cell.comparisons.iter().enumerate() {
            check_comparison(comparison);
            let word = &document["cells"][index]["comparisons"][place]["word"];
            assert_eq!(word.as_str(), Some(comparison.word.class()));
        }
        let ranked = cell
            .verdicts
            .iter()
            .filter(|own| own.leader.is_some() && own.tone != Tone::Plain);
        for (place, verdict) in ranked.enumerate() {
            assert_eq!(place, 0, "one question for each test");
            check_verdict(cell, verdict);
            let line = model
                .summary
                .iter()
                .find(|line| line.text.flat().starts_with(&format!("{} – ", cell.title)));
            let line = line.unwrap_or_else(|| panic!("no line for {}", cell.title));
            check_line(&line.text.exact(), line.tone, cell, verdict);
            assert!(texts[0].contains(&line.text.flat()), "{}", texts[0]);
        }
    }
    check_noise(&model, &texts, &document);
    model
}

fn shapes() -> impl Strategy<Value = Shape> {
    let speed = prop_oneof![Just(1.0), 0.85..1.2_f64, 0.2..5.0_f64];
    let noise = prop_oneof![Just(0.002), 0.01..0.08_f64, 0.1..0.5_f64];
    let twin = proptest::option::of(prop_oneof![Just(1.0), 0.7..1.5_f64]);
    let accident = proptest::option::weighted(
        0.2,
        prop_oneof![Just(Accident::Invalid), Just(Accident::NeverSteady)],
    );
    (
        (proptest::collection::vec(speed, 1..4), noise, twin),
        (
            1..4_usize,
            1..9_u32,
            proptest::option::weighted(0.3, Just(9_000.0)),
        ),
        (
            proptest::option::weighted(0.3, 1.5..4.0_f64),
            proptest::collection::vec(0..40_usize, 0..6),
        ),
        (accident, any::<u64>()),
    )
        .prop_map(
            |((others, noise, twin), (workloads, blocks, rate), (disturbed, missing), (accident, seed))| {
                Shape {
                    speeds: std::iter::once(1.0).chain(others).collect(),
                    noise,
                    twin,
                    workloads,
                    blocks,
                    rate,
                    disturbed,
                    missing,
                    accident,
                    seed,
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_sentence_contradicts_another(shape in shapes()) {
        check(&shape);
    }
}

fn tones(model: &ReportModel) -> Vec<Tone> {
    model.summary.iter().map(|line| line.tone).collect()
}

fn widened(model: &ReportModel) -> f64 {
    model
        .noise
        .as_ref()
        .unwrap()
        .of(Metric::Throughput)
        .unwrap()
        .widened()
}

/// Four systems and a twin of which each block has wild trials: the page once never ended.
#[test]
fn two_blocks_of_five_systems_with_disturbed_trials_have_a_page() {
    check(&Shape {
        speeds: vec![1.0, 1.0, 1.0, 2.0163709121764604],
        noise: 0.002,
        twin: Some(1.3765208253233252),
        workloads: 2,
        blocks: 2,
        disturbed: Some(2.86746854454083),
        seed: 528394194378685800,
        ..Shape::default()
    });
}

/// Each kind of answer is given by a study that has it.
#[test]
fn every_kind_of_answer_is_given() {
    let of = |shape: Shape| check(&shape);
    let decided = of(Shape {
        speeds: vec![1.0, 0.5],
        ..Shape::default()
    });
    assert_eq!(tones(&decided), [Tone::Shown; 2]);
    let equal = of(Shape {
        noise: 0.005,
        ..Shape::default()
    });
    assert_eq!(tones(&equal), [Tone::Same; 2]);
    let bounded = of(Shape {
        noise: 0.06,
        ..Shape::default()
    });
    assert_eq!(tones(&bounded), [Tone::Bounded; 2]);
    let undecided = of(Shape {
        noise: 0.6,
        ..Shape::default()
    });
    assert_eq!(tones(&undecided), [Tone::Undecided; 2]);
}

/// One trial at half the speed takes no answer away.
#[test]
fn one_disturbed_trial_leaves_a_difference_decided() {
    let model = check(&Shape {
        speeds: vec![1.0, 0.56],
        twin: Some(1.0),
        disturbed: Some(2.0),
        ..Shape::default()
    });
    assert_eq!(tones(&model), [Tone::Shown; 2]);
}

/// What the twins show concerns all intervals alike, and takes no single verdict back.
#[test]
fn twins_that_disagree_widen_every_interval_and_veto_none() {
    let of = |twin: f64| {
        check(&Shape {
            speeds: vec![1.0, 0.3, 0.97],
            twin: Some(twin),
            ..Shape::default()
        })
    };
    let (quiet, loud) = (of(1.0), of(1.12));
    assert!((widened(&quiet) - 1.0).abs() < 1e-12);
    assert!(widened(&loud) > 1.5, "{:?}", loud.noise);
    let width = |model: &ReportModel, other: &str| {
        let mut of_metric = model.cells[0]
            .comparisons
            .iter()
            .filter(|own| own.metric == Metric::Throughput);
        let own = of_metric.find(|own| own.b == other).unwrap();
        let interval = own.interval.unwrap();
        ((interval.high / interval.low).ln(), own.word)
    };
    let ((narrow, _), (wide, word)) = (width(&quiet, "beta"), width(&loud, "beta"));
    assert!(wide > 1.4 * narrow, "{narrow} {wide}");
    assert_eq!(word, Word::Faster, "a difference beyond the noise stays one");
}

#[test]
fn the_first_screen_needs_no_glossary() {
    for shape in [
        Shape {
            speeds: vec![1.0, 0.5, 0.97],
            twin: Some(1.0),
            ..Shape::default()
        },
        Shape {
            noise: 0.5,
            twin: Some(1.3),
            rate: Some(9_000.0),
            ..Shape::default()
        },
    ] {
        let model = check(&shape);
        let text = model.text(Style::plain(120));
        let first_screen = &text[..text.find("\nA: update heavy").unwrap()];
        for jargon in ["cell", "closed loop", "closed-loop", "common rate", "A/A", "n/c"] {
            assert!(!first_screen.contains(jargon), "{jargon}: {first_screen}");
        }
    }
}

#[test]
fn answers_are_sentences_that_people_say() {
    let lines = |shape: Shape| -> Vec<String> {
        let model = check(&shape);
        model.summary.into_iter().map(|line| line.text.exact()).collect()
    };
    let quiet = Shape {
        noise: 0.004,
        workloads: 1,
        ..Shape::default()
    };
    assert_eq!(
        lines(Shape {
            speeds: vec![1.0, 1.0 / 3.6, 1.0 / 6.0],
            ..quiet.clone()
        }),
        ["A: update heavy – alpha, 3.6x as fast as beta, 6.0x as gamma."]
    );
    assert_eq!(
        lines(Shape {
            speeds: vec![1.0, 1.0, 1.0 / 8.0],
            ..quiet.clone()
        }),
        ["A: update heavy – beta and alpha within 1.01x of each other; both 8.0x as fast as gamma."]
    );
    let undecided = lines(Shape { noise: 0.4, ..quiet });
    assert!(
        undecided[0].starts_with("A: update heavy – undecided between ")
            && undecided[0].contains("`--trials +")
            && undecided[0].ends_with(") would probably decide it."),
        "{undecided:?}"
    );
}
