//! Studies that vary options of servers: a planted price is found and covered, nothing is claimed of an equal level, and products are
//! not compared with each other.

use crate::common::{Engine, FJALL, REDB, TrialPlan, WORKLOADS, mark_invalid, results, trial, wobble};
use dbdyno_analysis::level_order;
use dbdyno_record::{ServerCost, TrialRecord};
use dbdyno_report::index::{Index, StudyEntry};
use dbdyno_report::model::{Metric, PriceFigure, PriceQuantity, Tone, Word};
use dbdyno_report::{Render, ReportModel, StudyResults, Style, json};
use dbdyno_trial::SystemSpec;

const BLOCKS: u32 = 8;

/// A trial of `base` at a level of `security` that is `speed` times as fast; `twin` is the A/A pair's second.
fn at(base: &Engine, block: u32, level: &str, speed: f64, twin: bool) -> TrialRecord {
    let name = match level {
        "none" => base.name.to_owned(),
        level => format!("{} security={level}", base.name),
    };
    let name = if twin { format!("{name} (A/A)") } else { name };
    let luck = 1.0 + 0.02 * wobble(&name, &[u64::from(block), 7]);
    let own = Engine {
        read: base.read * speed * luck,
        write: base.write * speed * luck,
        noise: 0.01,
        ..*base
    };
    let mut record = trial(&TrialPlan {
        study: "s",
        engine: &own,
        mix: &WORKLOADS[0],
        block,
        position: block,
        seconds: 10,
        rate: None,
    });
    record.trial = format!("{:03}-{}", block, name.replace(' ', "-"));
    record.system.name.clone_from(&name);
    record.spec.system = SystemSpec {
        name,
        address: format!("lab:{}?security={level}", base.name),
        factors: [("security".to_owned(), level.to_owned())].into(),
        base: Some(base.name.to_owned()),
    };
    // The servers' processor time for an operation grows as the throughput falls.
    record.measure.as_mut().unwrap().server = Some(ServerCost {
        cpu_seconds: 8.0,
        ..ServerCost::default()
    });
    record
}

/// Two products: TLS costs the first a fifth of its throughput, a login costs nothing.
pub fn study(aa: bool) -> StudyResults {
    let mut trials = Vec::new();
    for block in 0..BLOCKS {
        for base in [&REDB, &FJALL] {
            for (level, speed) in [("none", 1.0), ("auth", 1.0), ("tls", 0.8)] {
                trials.push(at(base, block, level, speed, false));
            }
        }
        if aa {
            trials.push(at(&REDB, block, "none", 1.0, true));
        }
    }
    results("s", trials)
}

fn figure(model: &ReportModel, base: &str, level: &str, quantity: PriceQuantity) -> PriceFigure {
    let price = model.prices.iter().find(|price| price.base == base).unwrap();
    let level = price.levels.iter().find(|own| own.level == level).unwrap();
    level
        .figures
        .iter()
        .find(|own| own.quantity == quantity)
        .unwrap_or_else(|| panic!("{level:?}"))
        .clone()
}

#[test]
fn a_planted_price_is_found_with_an_interval_that_covers_it() {
    let model = ReportModel::build(&study(true));
    for base in ["redb", "fjall"] {
        let of_tls = figure(&model, base, "security=tls", PriceQuantity::Throughput);
        let interval = of_tls.interval.unwrap();
        assert!(interval.low < 0.8 && 0.8 < interval.high, "{interval:?}");
        assert!(interval.high - interval.low < 0.06, "{interval:?}");
        assert_eq!(of_tls.word, Some(Word::Slower));
        let of_servers = figure(&model, base, "security=tls", PriceQuantity::ServerCpu);
        let interval = of_servers.interval.unwrap();
        assert!(interval.low < 1.25 && 1.25 < interval.high, "{interval:?}");
        assert_eq!(of_servers.word, None, "an estimate has no verdict");
        let of_login = figure(&model, base, "security=auth", PriceQuantity::Throughput);
        assert_eq!(of_login.word, Some(Word::Equivalent));
    }
    for text in [model.html(), model.markdown(), model.text(Style::plain(120))] {
        for expected in [
            "What each level costs",
            "security=tls",
            "server CPU per operation",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }
    // No level of these is faster than its baseline.
    let page = model.html();
    assert!(
        page.contains(">different<") && !page.contains(">faster<"),
        "{page}"
    );
    assert!(json(&model).contains("\"prices\""));
    assert!(model.effects.is_none(), "a price is shown once");
}

#[test]
fn a_level_is_compared_with_its_baseline_alone() {
    let model = ReportModel::build(&study(true));
    let of = |metric| {
        let all = model.cells.iter().flat_map(|cell| &cell.comparisons);
        all.filter(move |own| own.metric == metric)
            .map(|own| (own.a.as_str(), own.b.as_str()))
            .collect::<Vec<_>>()
    };
    let expected = [
        ("fjall security=auth", "fjall"),
        ("fjall security=tls", "fjall"),
        ("redb security=auth", "redb"),
        ("redb security=tls", "redb"),
    ];
    assert_eq!(of(Metric::Throughput), expected);
    assert_eq!(of(Metric::LoadThroughput), expected);
    let said: Vec<String> = model
        .summary
        .iter()
        .map(|sentence| sentence.text.exact())
        .collect();
    assert!(
        said[0].starts_with("Throughput against fjall: security=tls 1.2")
            && said[0].ends_with("x lower; security=auth equivalent."),
        "what differs comes first: {said:?}"
    );
    assert!(said[1].starts_with("Throughput against redb: "), "{said:?}");
    assert_eq!(said.len(), 2, "nothing is undecided: {said:?}");
    assert_eq!(model.summary[0].tone, Tone::Shown);
    assert!(!model.text(Style::plain(120)).contains("highest throughput"));
}

/// Two products at every security profile, and at two ways to encrypt files, with this study file.
fn of_two_options(study_text: &str) -> ReportModel {
    let mut trials = Vec::new();
    for block in 0..2 {
        for base in [&REDB, &FJALL] {
            for level in ["hardened", "none", "mtls", "auth", "tls"] {
                trials.push(at(base, block, level, 1.0, false));
            }
            for level in ["engine", "volume"] {
                let mut record = at(base, block, "none", 1.0, false);
                record.system.name = format!("{} at_rest={level}", base.name);
                record.trial.push_str(level);
                let system = &mut record.spec.system;
                system.name.clone_from(&record.system.name);
                system.factors.insert("at_rest".to_owned(), level.to_owned());
                trials.push(record);
            }
        }
    }
    for trial in &mut trials {
        let factors = &mut trial.spec.system.factors;
        factors
            .entry("at_rest".to_owned())
            .or_insert_with(|| "off".to_owned());
    }
    let mut results = results("s", trials);
    results.asked.levels = Some(level_order::of_folder(None, study_text));
    ReportModel::build(&results)
}

#[test]
fn levels_stand_in_the_order_of_the_study() {
    let with_file = of_two_options(
        "name = \"s\"\nsystems = [\"lab:redb\", \"lab:fjall\"]\nworkloads = [\"a\"]\n[vary]\n\
         security = [\"none\", \"auth\", \"tls\", \"mtls\", \"hardened\"]\nat_rest = [\"off\", \"volume\", \"engine\"]\n",
    );
    let levels_of = |model: &ReportModel| -> Vec<Vec<String>> {
        let prices = model.prices.iter();
        prices
            .map(|price| price.levels.iter().map(|level| level.level.clone()).collect())
            .collect()
    };
    let listed = [
        "security=auth",
        "security=tls",
        "security=mtls",
        "security=hardened",
        "at_rest=volume",
        "at_rest=engine",
    ];
    assert_eq!(levels_of(&with_file), [listed, listed]);
    let page = with_file.html();
    let prices = page.split_once("<section id=\"price\"").unwrap().1;
    let prices = prices.split_once("<section id=\"glance\"").unwrap().0;
    let heads = prices.split("<th scope=\"row\">").skip(1);
    let heads: Vec<&str> = heads
        .map(|rest| rest.split("</th>").next().unwrap())
        .filter(|head| !head.starts_with('<'))
        .collect();
    assert_eq!(heads, [listed, listed].concat());

    // So do the systems everywhere else, and on a page of many studies.
    let systems: Vec<&str> = with_file
        .systems
        .iter()
        .map(|system| system.name.as_str())
        .collect();
    let below = |base: &str| -> Vec<String> {
        let levels = listed.iter().map(|level| format!("{base} {level}"));
        std::iter::once(base.to_owned()).chain(levels).collect()
    };
    assert_eq!(systems, [below("fjall"), below("redb")].concat());
    let index = Index::new(vec![StudyEntry::new(&with_file, "s", None)]);
    let rows = index.groups.iter().flat_map(|group| &group.rows);
    assert_eq!(rows.map(|row| row.system.as_str()).collect::<Vec<_>>(), systems);

    // Without its file, options and levels have the order of their names.
    let unlisted = [
        "at_rest=engine",
        "at_rest=volume",
        "security=auth",
        "security=hardened",
        "security=mtls",
        "security=tls",
    ];
    assert_eq!(levels_of(&of_two_options("")), [unlisted, unlisted]);
}

#[test]
fn nothing_is_claimed_of_equal_levels_or_of_invalid_trials() {
    let mut equal = study(true);
    for trial in &mut equal.trials {
        let again = at(
            if trial.system.driver == "redb" {
                &REDB
            } else {
                &FJALL
            },
            trial.block,
            &trial.spec.system.factors["security"],
            1.0,
            trial.system.name.ends_with("(A/A)"),
        );
        *trial = again;
    }
    let model = ReportModel::build(&equal);
    let comparisons = || model.cells.iter().flat_map(|cell| &cell.comparisons);
    assert!(comparisons().count() > 0);
    assert!(comparisons().all(|own| !matches!(own.word, Word::Faster | Word::Slower)));

    let mut invalid = study(true);
    for trial in &mut invalid.trials {
        if trial.system.name == "redb security=tls" && trial.block == 3 {
            mark_invalid(trial, "lost-values");
        }
    }
    let model = ReportModel::build(&invalid);
    let word = |base| figure(&model, base, "security=tls", PriceQuantity::Throughput).word;
    assert_eq!(
        (word("redb"), word("fjall")),
        (Some(Word::Undecided), Some(Word::Slower))
    );
}

#[test]
fn undecided_levels_are_one_sentence_with_their_number() {
    let mut results = study(true);
    // Two trials of each decide nothing; redb has them all.
    results
        .trials
        .retain(|trial| trial.system.driver == "redb" || trial.block < 2);
    let model = ReportModel::build(&results);
    let said: Vec<String> = model
        .summary
        .iter()
        .map(|sentence| sentence.text.exact())
        .collect();
    assert!(said[0].starts_with("Throughput against redb: "), "{said:?}");
    assert_eq!(
        said[1],
        "Undecided: 2 of 4 comparisons of throughput; `--trials +2` (about 2 seconds) would probably decide them."
    );
    assert_eq!(model.summary[1].tone, Tone::Undecided);
    assert!(
        !said.iter().any(|text| text.contains("against fjall")),
        "{said:?}"
    );

    results.trials.retain(|trial| trial.block < 2);
    let model = ReportModel::build(&results);
    assert_eq!(
        model.summary[0].text.exact(),
        "Undecided: all 4 comparisons of throughput; `--trials +2` (about 2 seconds) would probably decide them."
    );
    let verdict = &model.cells[0].verdicts;
    let undecided = verdict.iter().find(|own| own.systems[0] == "redb").unwrap();
    assert_eq!(
        undecided.sentence.flat().matches("undecided for ").count(),
        1,
        "levels of one reason are named together: {}",
        undecided.sentence
    );
}

#[test]
fn the_prices_follow_the_verdict_a_table_for_each_cell() {
    let page = ReportModel::build(&study(true)).html();
    let place = |id: &str| page.find(&format!("<section id=\"{id}\"")).unwrap();
    assert!(place("verdict") < place("price") && place("price") < place("glance"));
    let prices = &page[place("price")..place("glance")];
    assert_eq!(prices.matches("<table").count(), 1);
    assert_eq!(prices.matches("<h3").count(), 1, "{prices}");
    assert!(prices.contains("A: update heavy<"), "{prices}");
    let rows = prices.matches("<th scope=\"row\"").count();
    assert_eq!(rows, 2 * 3, "each baseline above its levels: {prices}");
}
