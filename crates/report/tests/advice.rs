//! Advice on made-up studies: what it says, letter by letter, and what it must never say.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod common;

use common::{Engine, FJALL, REDB, SQLITE, TrialPlan, WORKLOADS, results, study, trial};
use dbdyno_record::{Severity, TrialRecord};
use dbdyno_report::advice::{
    Advice, AdviceError, Goal, Metric, Need, Objective, RateChoice, Requirement, RequirementKind, Source,
    Word, WorkChoice, Worth,
};
use dbdyno_report::{StudyResults, Style};

fn work(workload: &str) -> WorkChoice {
    WorkChoice {
        workload: workload.to_owned(),
        records: None,
        clients: None,
        rate: None,
        place: 0..0,
    }
}

fn goal(name: &str, metric: &str, workload: &str, weight: f64) -> Goal {
    Goal {
        name: name.to_owned(),
        metric: Metric::parse(metric).unwrap(),
        work: work(workload),
        weight,
        worth: Worth::Ratio(None),
    }
}

fn need(goals: Vec<Goal>) -> Need {
    Need {
        title: "A store for sessions".to_owned(),
        systems: Vec::new(),
        margin: 0.05,
        weight_spread: 0.1,
        draws: 1000,
        seed: 42,
        across_durability: false,
        across_consistency: false,
        across_machines: false,
        requirements: Vec::new(),
        goals,
    }
}

fn require(text: &str, kind: RequirementKind) -> Requirement {
    Requirement {
        text: text.to_owned(),
        kind,
    }
}

fn advise(need: &Need, folders: &[(&str, &StudyResults)]) -> Result<Advice, AdviceError> {
    let sources: Vec<Source<'_>> = folders
        .iter()
        .map(|(name, results)| Source {
            name,
            results,
            environment: None,
        })
        .collect();
    Advice::of(need, &sources)
}

fn small() -> StudyResults {
    study("small", &[FJALL, REDB, SQLITE], &WORKLOADS[..3], 6, 10)
}

/// Reads count most; fjall writes fastest and redb reads fastest.
fn trade_off() -> Need {
    let mut need = need(vec![
        goal("updates", "throughput", "a", 1.0),
        goal("reads", "throughput", "c", 4.0),
        goal("tail of reads", "p99(read)", "b", 1.0),
    ]);
    need.requirements = vec![
        require(
            "durability at least buffered",
            RequirementKind::Durability("buffered".to_owned()),
        ),
        require("errors at most 0.1 %", RequirementKind::Errors(0.001)),
        require(
            "throughput > 90k in a",
            RequirementKind::Objective {
                objective: Objective {
                    metric: Metric::Throughput(None),
                    limit: 90_000.0,
                },
                work: work("a"),
            },
        ),
        require(
            "security encryption at rest",
            RequirementKind::NotMeasured {
                shown_by: "a security audit of the running system would show it".to_owned(),
            },
        ),
    ];
    need
}

#[test]
fn the_whole_advice_as_text() {
    let advice = advise(&trade_off(), &[("results/small", &small())]).unwrap();
    insta::assert_snapshot!(advice.text(Style::plain(110)));
}

#[test]
fn the_whole_advice_as_markdown() {
    let advice = advise(&trade_off(), &[("results/small", &small())]).unwrap();
    insta::assert_snapshot!(advice.markdown());
}

#[test]
fn a_latency_of_closed_loops_chooses_nobody() {
    let results = small();
    let tail = || goal("tail of reads", "p99(read)", "b", 1.0);
    let alone = advise(&need(vec![tail()]), &[("r", &results)]).unwrap();
    assert_eq!(alone.word, Word::Refused);
    assert!(
        alone.why.iter().any(|told| told
            .text
            .contains("tail of reads is not comparable: each system ran at its own throughput")),
        "{:?}",
        alone.why
    );
    let beside = need(vec![goal("updates", "throughput", "a", 1.0), tail()]);
    let beside = advise(&beside, &[("r", &results)]).unwrap();
    assert_eq!(
        (beside.word, beside.systems.as_slice()),
        (Word::Recommend, &["fjall".to_owned()][..]),
        "as if the tail were no goal"
    );
    assert_eq!(beside.goals[1].weight, 0.0);
    assert!(
        beside
            .cautions
            .iter()
            .any(|told| told.text.contains("counts for nothing")),
        "{:?}",
        beside.cautions
    );
}

#[test]
fn a_clear_case_is_recommended() {
    let results = small();
    let advice = advise(
        &need(vec![goal("updates", "throughput", "a", 1.0)]),
        &[("r", &results)],
    )
    .unwrap();
    assert_eq!(
        (advice.word, advice.systems.as_slice()),
        (Word::Recommend, &["fjall".to_owned()][..])
    );
    assert!(advice.next.is_empty(), "{:?}", advice.next);
    assert!(
        advice.sensitivity[0].text.contains("No weights"),
        "{:?}",
        advice.sensitivity
    );
}

/// What takes a verdict away in a report takes a recommendation away.
#[test]
fn nobody_is_recommended_on_trials_on_which_no_verdict_rests() {
    type Doubt = fn(&mut TrialRecord);
    let ours = |trial: &TrialRecord| trial.workload.name == "a" && trial.system.name == "sqlite";
    let doubts: [(&str, Doubt); 3] = [
        ("invalid (integrity)", |trial| {
            common::mark_invalid(trial, "integrity")
        }),
        ("had no answer", |trial| common::reads_fail(trial, 0.05)),
        ("steady state", common::never_settles),
    ];
    for (reason, doubt) in doubts {
        let mut results = small();
        results
            .trials
            .iter_mut()
            .filter(|trial| ours(trial))
            .for_each(doubt);
        let answer = |metric: &str| {
            let need = need(vec![goal("updates", metric, "a", 1.0)]);
            advise(&need, &[("r", &results)]).unwrap()
        };
        let advice = answer("throughput");
        assert_ne!(advice.word, Word::Recommend, "{reason}");
        let told = advice.text(Style::plain(400));
        assert!(told.contains(reason), "{told}");
        let of_load = answer("throughput(load)");
        let recommended = of_load.word == Word::Recommend;
        assert_eq!(recommended, !reason.contains("invalid"), "{reason}");
    }
}

/// Losing is worse than being slow: it is not weighed against anything, and the others are ranked without it.
#[test]
fn who_lost_data_is_out_by_name_first_and_keeps_nobody_else_from_being_recommended() {
    for code in ["not-found", "verification-failed"] {
        let mut results = small();
        let lost = results
            .trials
            .iter_mut()
            .find(|trial| trial.system.name == "redb" && trial.workload.name == "c");
        common::mark_invalid(lost.unwrap(), code);
        let need = need(vec![goal("updates", "throughput", "a", 1.0)]);
        let advice = advise(&need, &[("r", &results)]).unwrap();
        assert_eq!(advice.word, Word::Recommend, "{:?}", advice.why);
        assert_eq!(advice.systems, ["fjall"]);
        assert!(
            advice.why[0]
                .text
                .starts_with("redb is out: no acknowledged data lost: missed in 1 of 18 trials"),
            "{:?}",
            advice.why
        );
        assert_eq!(advice.requirements[0].requirement, "no acknowledged data lost");
    }
}

#[test]
fn every_figure_leads_to_its_trials() {
    let results = small();
    let advice = advise(&trade_off(), &[("results/small", &results)]).unwrap();
    let sentences = advice.why.iter().chain(&advice.sensitivity);
    for number in sentences.flat_map(|told| &told.evidence) {
        let evidence = &advice.evidence[number - 1];
        assert_eq!(evidence.number, *number);
        for trial in evidence.places.iter().flat_map(|place| &place.trials) {
            assert!(
                results.trials.iter().any(|known| known.trial == *trial),
                "{trial}"
            );
        }
    }
    let with_figures =
        |told: &&dbdyno_report::advice::Told| told.text.contains('×') || told.text.contains("against");
    for told in advice.why.iter().filter(with_figures) {
        assert!(!told.evidence.is_empty(), "{}", told.text);
    }
    let page = advice.html();
    for evidence in &advice.evidence {
        assert!(page.contains(&format!("id=\"evidence-{}\"", evidence.number)));
    }
    assert!(page.contains("href=\"results/small/trials/000-fjall-a-block0/record.json\""));
    assert!(
        !page.contains("http://") && !page.contains("https://"),
        "it loads nothing"
    );
}

#[test]
fn the_same_results_give_the_same_bytes_in_any_order() {
    let results = small();
    let mut turned = results.clone();
    turned.trials.reverse();
    let one = advise(&trade_off(), &[("r", &results)]).unwrap();
    let two = advise(&trade_off(), &[("r", &turned)]).unwrap();
    assert_eq!(one.json(), two.json());
    assert_eq!(one.html(), two.html());
}

#[test]
fn adding_a_loser_does_not_turn_the_others_round() {
    let loser = Engine {
        name: "zloser",
        read: 1_000.0,
        write: 1_000.0,
        ..REDB
    };
    let order = |engines: &[Engine]| -> Vec<String> {
        let results = study("small", engines, &WORKLOADS[..3], 6, 10);
        let mut need = trade_off();
        need.requirements.clear();
        let advice = advise(&need, &[("r", &results)]).unwrap();
        advice
            .ranking
            .into_iter()
            .map(|row| row.system)
            .filter(|name| name != "zloser")
            .collect()
    };
    assert_eq!(
        order(&[FJALL, REDB, SQLITE]),
        order(&[FJALL, REDB, SQLITE, loser])
    );
}

#[test]
fn who_violates_is_out_and_who_is_not_shown_is_neither() {
    let none = Engine {
        durability: "none",
        ..FJALL
    };
    let results = study("small", &[none, REDB, SQLITE], &WORKLOADS[..1], 6, 10);
    let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    need.requirements = trade_off().requirements[..1].to_vec();
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert!(advice.why.iter().any(|told| {
        told.text
            .contains("fjall is out: durability at least buffered: none")
    }));
    assert!(advice.ranking.iter().all(|row| row.system != "fjall"));
    assert_ne!(
        advice.word,
        Word::Refused,
        "the one that promises less is out already"
    );

    // Of everybody the security is not shown: nobody is recommended, nobody is out.
    need.requirements = trade_off().requirements[3..].to_vec();
    let advice = advise(&need, &[("r", &small())]).unwrap();
    assert_eq!(
        (advice.word, advice.systems.as_slice()),
        (Word::Shortlist, &["fjall".to_owned()][..])
    );
    assert_eq!(advice.ranking.len(), 3);
    assert!(advice.not_measured[0].text.contains("a security audit"));

    // Nobody is that durable.
    need.requirements = vec![require(
        "durability at least synced",
        RequirementKind::Durability("synced".to_owned()),
    )];
    let advice = advise(&need, &[("r", &small())]).unwrap();
    assert_eq!((advice.word, advice.ranking.len()), (Word::Nobody, 0));
}

#[test]
fn unequal_promises_are_not_ranked_unless_the_need_says_so() {
    let synced = Engine {
        durability: "synced",
        ..FJALL
    };
    let results = study("small", &[synced, REDB], &WORKLOADS[..1], 6, 10);
    let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_eq!(advice.word, Word::Refused);
    assert!(advice.ranking.is_empty() && advice.sensitivity.is_empty());
    assert!(
        advice
            .goals
            .iter()
            .flat_map(|row| &row.systems)
            .all(|cell| cell.contribution.is_none())
    );
    assert!(
        advice.why[0]
            .text
            .contains("Durability differs: buffered for redb; synced for fjall")
            && advice.why[0].text.contains("across_durability = true"),
        "{:?}",
        advice.why
    );
    need.across_durability = true;
    assert_eq!(advise(&need, &[("r", &results)]).unwrap().word, Word::Recommend);
}

#[test]
fn too_few_trials_ask_for_more() {
    let results = study("small", &[FJALL, REDB], &WORKLOADS[..1], 3, 10);
    let advice = advise(
        &need(vec![goal("updates", "throughput", "a", 1.0)]),
        &[("r", &results)],
    )
    .unwrap();
    assert_eq!(advice.word, Word::Undecided);
    let next = &advice.next[0];
    assert!(
        next.what
            .contains("7 more trials of fjall and redb under workload a"),
        "{}",
        next.what
    );
    // Two systems, seven trials, at least the 12 s of warm-up and measured phase.
    assert!(next.minutes > 2.0 * 7.0 * 12.0 / 60.0, "{}", next.minutes);
    let study: toml::Table = next.study.parse().unwrap();
    assert_eq!(study["trials"].as_integer(), Some(7));
    assert_eq!(study["system"].as_array().unwrap().len(), 2);
    assert_eq!(
        study["workload"][0]["properties"]["readproportion"].as_str(),
        Some("0.5")
    );
}

#[test]
fn what_one_lacks_is_measured_first() {
    let mut results = small();
    results
        .trials
        .retain(|trial| trial.system.name != "sqlite" || trial.workload.name == "a");
    let need = need(vec![
        goal("updates", "throughput", "a", 1.0),
        goal("reads", "throughput", "c", 1.0),
    ]);
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert!(
        advice
            .why
            .iter()
            .any(|told| told.text == "sqlite is neither in nor out: reads was not measured of it.")
    );
    assert!(
        advice.next[0]
            .what
            .contains("6 more trials of sqlite under workload c"),
        "{}",
        advice.next[0].what
    );
    // Nobody has servers here.
    let need = self::need(vec![goal("servers", "server-cpu", "a", 1.0)]);
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_eq!((advice.word, advice.next.len()), (Word::Undecided, 0));
}

#[test]
fn rates_are_told_apart_and_a_rate_that_was_not_held_keeps_nothing() {
    let mut trials = Vec::new();
    for (position, rate) in [None, Some(20_000.0), Some(400_000.0)].into_iter().enumerate() {
        for block in 0..6 {
            for (index, engine) in [FJALL, REDB].iter().enumerate() {
                trials.push(trial(&TrialPlan {
                    study: "rates",
                    engine,
                    mix: &WORKLOADS[0],
                    block,
                    position: block * 6 + position as u32 * 2 + index as u32,
                    seconds: 10,
                    rate,
                }));
            }
        }
    }
    let results = results("rates", trials);
    let mut need = need(vec![goal("tail", "p99(read)", "a", 1.0)]);
    let error = advise(&need, &[("r", &results)]).unwrap_err();
    assert!(error.message.contains("several rate levels"), "{error:?}");
    need.goals[0].work.rate = Some(RateChoice::PerSecond(20_000.0));
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert!(advice.cautions.is_empty(), "{:?}", advice.cautions);

    let mut kept = work("a");
    kept.rate = Some(RateChoice::PerSecond(400_000.0));
    let objective = Objective {
        metric: Metric::parse("p99").unwrap(),
        limit: 1e12,
    };
    need.requirements = vec![require(
        "p99 kept",
        RequirementKind::Objective {
            objective,
            work: kept,
        },
    )];
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_eq!(
        advice.word,
        Word::Nobody,
        "no latency is that of a rate that was not held"
    );

    need.goals[0].work.rate = Some(RateChoice::PerSecond(5.0));
    let error = advise(&need, &[("r", &results)]).unwrap_err();
    assert!(error.help.contains("rate = 20000"), "{error:?}");
}

#[test]
fn folders_are_pooled_when_they_are_the_same_work_and_refused_otherwise() {
    let (one, mut two) = (small(), small());
    let need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    let pooled = advise(&need, &[("one", &one), ("two", &two)]).unwrap();
    assert!(pooled.goals[0].systems.iter().all(|cell| cell.trials == 12));
    assert_eq!(pooled.evidence[0].places.len(), 2);
    assert!(
        pooled
            .cautions
            .iter()
            .any(|told| told.text.contains("2 result folders"))
    );

    for trial in &mut two.trials {
        trial
            .workload
            .properties
            .insert("fieldlength".to_owned(), "1000".to_owned());
    }
    let error = advise(&need, &[("one", &one), ("two", &two)]).unwrap_err();
    assert!(
        error
            .message
            .contains("fieldlength is 100 in one and 1000 in two"),
        "{error:?}"
    );

    // Another version is another candidate.
    let (one, mut two) = (small(), small());
    for trial in &mut two.trials {
        trial.system.version = "9.9".to_owned();
    }
    let advice = advise(&need, &[("one", &one), ("two", &two)]).unwrap();
    assert!(
        advice.all_systems().contains(&"redb (9.9)"),
        "{:?}",
        advice.all_systems()
    );
}

#[test]
fn a_cluster_that_knew_less_of_itself_at_first_is_one_system() {
    let mut results = small();
    for trial in results
        .trials
        .iter_mut()
        .filter(|trial| trial.system.name == "redb")
    {
        trial.system.topology = if trial.block == 0 {
            "3 nodes"
        } else {
            "3 nodes, rf 3"
        }
        .to_owned();
    }
    let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    need.requirements = vec![require("nodes at least 3", RequirementKind::Nodes(3))];
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_eq!(advice.all_systems(), ["fjall", "redb", "sqlite"]);
    assert_eq!(advice.systems, ["redb"]);
    assert!(advice.scope[1].1.contains("3 nodes, rf 3"), "{:?}", advice.scope);
}

#[test]
fn a_system_measured_twice_says_what_is_noise() {
    let twin = |noise: f64| Engine {
        name: "redb (A/A)",
        write: REDB.write * noise,
        ..REDB
    };
    let need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    let cautions = |noise: f64| {
        let results = study("aa", &[FJALL, REDB, twin(noise)], &WORKLOADS[..1], 6, 10);
        let advice = advise(&need, &[("r", &results)]).unwrap();
        assert_eq!(
            advice.all_systems(),
            ["fjall", "redb"],
            "a twin is nobody to choose"
        );
        advice.cautions
    };
    let text = &cautions(1.0)[0].text;
    assert!(
        text.contains("updates: redb, measured twice (A/A), differs from itself by")
            && !text.contains("noise"),
        "{text}"
    );
    assert!(cautions(0.8)[0].text.contains("more than the margin"));
    assert!(cautions(0.2)[0].text.contains("may be noise"));
}

#[test]
fn mistakes_in_a_need_name_what_there_is() {
    let results = small();
    let error = advise(&need(vec![goal("x", "throughput", "z", 1.0)]), &[("r", &results)]).unwrap_err();
    assert!(error.help.contains("a, b and c"), "{error:?}");
    let mut need = need(vec![goal("x", "throughput", "a", 1.0)]);
    need.systems = vec!["mongodb".to_owned()];
    let error = advise(&need, &[("r", &results)]).unwrap_err();
    assert!(error.help.contains("fjall, redb and sqlite"), "{error:?}");
}

#[test]
fn doubtful_trials_are_told() {
    let mut results = small();
    results.trials[0].findings.push(dbdyno_record::Finding {
        code: "x".to_owned(),
        severity: Severity::Invalid,
        message: "m".to_owned(),
        remedy: "r".to_owned(),
    });
    let advice = advise(
        &need(vec![goal("updates", "throughput", "a", 1.0)]),
        &[("r", &results)],
    )
    .unwrap();
    assert!(
        advice
            .cautions
            .iter()
            .any(|told| told.text.starts_with("1 of 18 trials")),
        "{:?}",
        advice.cautions
    );
}
