//! Advice where something was not measured: a level, work, a rate. Nothing is concluded from what is not there, and the study that
//! would show it is written.

use crate::advice_certainty::flagged;
use crate::common::needs::{advise, goal, keep, need, require, small, source, trade_off, why, work};
use crate::common::{Engine, FJALL, REDB, SQLITE, TrialPlan, WORKLOADS, ask, results, study, trial};
use dbdyno_report::advice::{
    Advice, Catalogue, Metric, Objective, Offer, RateChoice, Requirement, RequirementKind, Word, Worth,
};
use dbdyno_trial::{Consistency, Durability};

fn none() -> Engine {
    Engine {
        durability: "none",
        ..FJALL
    }
}

fn durable(level: &str) -> Requirement {
    require(
        &format!("durability at least {level}"),
        RequirementKind::Durability(level.parse().unwrap()),
    )
}

#[test]
fn who_violates_is_out_and_who_is_not_shown_is_neither() {
    // Known to offer no more than it was measured at.
    let results = study("small", &[none(), REDB, SQLITE], &WORKLOADS[..1], 6, 10);
    let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    need.requirements = vec![durable("buffered")];
    let offer = Offer {
        durabilities: vec![Durability::None],
        consistencies: Vec::new(),
    };
    let catalogue = Catalogue {
        drivers: [("fjall".to_owned(), offer)].into(),
        ..Catalogue::default()
    };
    let source = source("r", &results);
    let advice = Advice::of(&need, &[source], &catalogue).unwrap();
    assert!(
        why(&advice).contains("fjall is out: durability at least buffered: none, as read back"),
        "{}",
        why(&advice)
    );
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
            .any(|reported| reported.text == "sqlite stays undecided: reads was not measured for it.")
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
fn rates_are_distinguished_and_a_rate_that_was_not_held_keeps_nothing() {
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

    need.requirements.clear();
    need.goals[0].work.rate = Some(RateChoice::PerSecond(5.0));
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_eq!(advice.word, Word::Undecided);
    assert!(why(&advice).contains("rate = 20000"), "{}", why(&advice));
    let next: toml::Table = advice.next[0].study.parse().unwrap();
    assert_eq!(next["workload"][0]["rates"][0].as_str(), Some("5"));
}

#[test]
fn mistakes_in_a_need_name_what_there_is() {
    let results = small();
    let mut need = need(vec![goal("x", "throughput", "a", 1.0)]);
    need.systems = vec!["mongodb".to_owned()];
    let error = advise(&need, &[("r", &results)]).unwrap_err();
    assert!(error.help.contains("fjall, redb and sqlite"), "{error:?}");
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
fn a_level_that_was_measured_is_no_limit_of_the_system() {
    let results = study("small", &[none(), REDB, SQLITE], &WORKLOADS[..1], 6, 10);
    let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    need.requirements = vec![durable("buffered")];
    let advice = advise(&need, &[("r", &results)]).unwrap();
    let fjall = &advice.requirements[0].systems[0];
    assert_eq!((fjall.system.as_str(), fjall.compliance), ("fjall", "not shown"));
    assert!(
        fjall
            .why
            .text
            .starts_with("not measured at `buffered`: its trials ran at none"),
        "{}",
        fjall.why.text
    );
    assert!(!why(&advice).contains("is out"), "{}", why(&advice));
    assert!(
        why(&advice).contains("fjall stays undecided: it was not measured at durability `buffered`"),
        "{}",
        why(&advice)
    );
    // Its speed without that durability says nothing of its speed with it.
    assert!(advice.ranking.iter().all(|row| row.system != "fjall"));
    assert_eq!(advice.goals[0].systems[0].shown, "not measured at `buffered`");
    assert!(
        !advice.systems.contains(&"fjall".to_owned()),
        "{:?}",
        advice.systems
    );
    let next: toml::Table = advice.next[0].study.parse().unwrap();
    assert_eq!(
        next["system"][0]["address"].as_str(),
        Some("fjall:?durability=buffered")
    );
    assert_eq!(next["workload"][0]["name"].as_str(), Some("a"));

    // Measured at both levels: what is asked for is known.
    let mut both = results.clone();
    both.trials
        .extend(study("small", &[FJALL], &WORKLOADS[..1], 6, 10).trials);
    let advice = advise(&need, &[("r", &both)]).unwrap();
    assert!(
        why(&advice).contains("fjall (none) is out: durability at least buffered: none, as read back: PersistMode::Buffer; fjall (buffered) was measured at `buffered`"),
        "{}",
        why(&advice)
    );
    assert_eq!(advice.systems, ["fjall (buffered)"]);
}

#[test]
fn levels_that_nobody_was_measured_at_leave_the_answer_open() {
    let mut need = need(vec![
        goal("updates", "throughput", "a", 1.0),
        goal("reads", "throughput", "c", 1.0),
    ]);
    need.requirements = vec![durable("synced")];
    let advice = advise(&need, &[("r", &small())]).unwrap();
    assert_eq!((advice.word, advice.ranking.len()), (Word::Undecided, 0));
    let next: toml::Table = advice.next[0].study.parse().unwrap();
    assert_eq!(next["system"].as_array().unwrap().len(), 3);
    assert_eq!(next["workload"].as_array().unwrap().len(), 2);
    for system in next["system"].as_array().unwrap() {
        let address = system["address"].as_str().unwrap();
        assert!(address.ends_with("?durability=synced"), "{address}");
    }
}

#[test]
fn consistency_and_nodes_are_asked_of_servers_and_never_of_stores_in_the_process() {
    let mut results = small();
    let servers = results
        .trials
        .iter_mut()
        .filter(|trial| trial.system.name == "redb");
    for trial in servers {
        trial.system.address = "lab:redb?cache=1M&nodes=1".to_owned();
        trial.system.topology = "1 node".to_owned();
        trial.system.consistency = "one".parse().unwrap();
    }
    let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    need.requirements = vec![
        require("nodes at least 3", RequirementKind::Nodes(3)),
        require(
            "consistency at least quorum",
            RequirementKind::Consistency(Consistency::Quorum),
        ),
    ];
    let advice = advise(&need, &[("r", &results)]).unwrap();
    let standing = |row: usize| -> Vec<&str> {
        advice.requirements[row]
            .systems
            .iter()
            .map(|cell| cell.compliance)
            .collect()
    };
    assert_eq!(standing(0), ["violated", "not shown", "violated"]);
    assert_eq!(standing(1), ["shown", "not shown", "shown"]);
    assert_eq!(advice.word, Word::Undecided);
    let told = why(&advice);
    assert!(
        told.contains("No system was measured at the levels that the need requires, so none can be ranked."),
        "{told}"
    );
    let next: toml::Table = advice.next[0].study.parse().unwrap();
    assert_eq!(
        next["system"][0]["address"].as_str(),
        Some("lab:redb?cache=1M&nodes=3&consistency=quorum")
    );
    // Nobody can ask a server that is already there for more nodes.
    for trial in &mut results.trials {
        trial.system.address = trial.system.address.replace("lab:redb", "redb://host");
    }
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert!(advice.next.is_empty(), "{:?}", advice.next);
}

#[test]
fn a_goal_that_was_not_measured_leaves_the_others() {
    let mut need = need(vec![
        goal("updates", "throughput", "a", 2.0),
        goal("lists", "throughput", "e", 1.0),
    ]);
    need.requirements = vec![keep("throughput", 1.0, work("d"))];
    let catalogue = Catalogue {
        workloads: [(
            "e".to_owned(),
            [("scanproportion".to_owned(), "0.95".to_owned())].into(),
        )]
        .into(),
        ..Catalogue::default()
    };
    let results = small();
    let advice = Advice::of(&need, &[source("r", &results)], &catalogue).unwrap();
    // Without the open objective, the goal that is left would recommend.
    assert_eq!(advice.requirements[0].systems[0].compliance, "not shown");
    assert_eq!(
        (advice.word, advice.systems.as_slice()),
        (Word::Shortlist, &["fjall".to_owned()][..])
    );
    assert_eq!(advice.goals[1].systems[0].shown, "not measured");
    assert_eq!(advice.goals[1].weight, 0.0);
    let reported = "lists is not measured: no completed trial has a workload `e`.";
    assert!(
        advice.not_measured.iter().any(|one| one.text == reported),
        "{:?}",
        advice.not_measured
    );
    assert!(
        why(&advice)
            .contains("The answer rests on 1 of 2 goals, with 66.7% of the weights: lists is not measured."),
        "{}",
        why(&advice)
    );
    let next: toml::Table = advice.next[0].study.parse().unwrap();
    assert_eq!(next["workload"][0]["name"].as_str(), Some("e"));
    assert_eq!(
        next["workload"][0]["properties"]["scanproportion"].as_str(),
        Some("0.95")
    );
    // No study can be written of work that nobody knows.
    assert!(advice.next.iter().all(|one| !one.what.contains("workload d")));

    need.requirements.clear();
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_eq!(advice.word, Word::Recommend);
    // The smaller part of what counts recommends nobody.
    need.goals[1].weight = 3.0;
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_eq!(advice.word, Word::Undecided);
    assert!(
        why(&advice).contains("60% of the weight lies on goals that could not be judged"),
        "{}",
        why(&advice)
    );
}

#[test]
fn a_need_of_which_nothing_was_measured_gets_a_study() {
    let results = small();
    let mut chosen = goal("updates", "throughput", "a", 1.0);
    chosen.work.clients = Some(64);
    let advice = advise(&need(vec![chosen]), &[("r", &results)]).unwrap();
    assert_eq!(advice.word, Word::Undecided);
    assert!(
        why(&advice).starts_with("No goal was measured, so no system can be ranked.\nupdates is not measured: no completed trial of workload a has these records, clients and rate; there are records = 100000, clients = 4"),
        "{}",
        why(&advice)
    );
    let next: toml::Table = advice.next[0].study.parse().unwrap();
    assert_eq!(next["clients"].as_integer(), Some(64));
    assert_eq!(next["system"].as_array().unwrap().len(), 3);
}

#[test]
fn a_limit_on_latency_is_not_judged_in_a_closed_loop() {
    let results = small();
    let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    need.requirements = vec![keep("p99(read)", 20e6, work("a"))];
    let advice = advise(&need, &[("r", &results)]).unwrap();
    let cell = &advice.requirements[0].systems[0];
    assert_eq!(
        (cell.compliance, cell.why.text.as_str()),
        (
            "not shown",
            "not comparable: at full speed each system ran at its own throughput"
        )
    );
    assert_ne!(advice.word, Word::Recommend);
    let next: toml::Table = advice.next[0].study.parse().unwrap();
    assert_eq!(next["workload"][0]["rates"][0].as_str(), Some("common"));

    // A goal that keeps a limit ranks nobody either, even where there is one system only.
    let mut kept = goal("tail", "p99(read)", "a", 1.0);
    kept.worth = Worth::Objective {
        limit: 20e6,
        times: 2.0,
    };
    need.requirements.clear();
    need.goals = vec![kept];
    need.systems = vec!["redb".to_owned()];
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_eq!(advice.word, Word::Refused, "{}", why(&advice));
}

/// The study that `--next` writes makes the answer: a latency means the one rate, a throughput the closed loop.
#[test]
fn trials_at_a_common_rate_join_those_of_the_closed_loop() {
    let mut trials = small().trials;
    for block in 0..6 {
        for (index, engine) in [FJALL, REDB, SQLITE].iter().enumerate() {
            let mut paced = trial(&TrialPlan {
                study: "paced",
                engine,
                mix: &WORKLOADS[0],
                block,
                position: 100 + block * 3 + index as u32,
                seconds: 10,
                rate: Some(20_000.0),
            });
            ask(&mut paced, "rate", "common");
            trials.push(paced);
        }
    }
    let results = results("both", trials);
    let mut need = need(vec![
        goal("updates", "throughput", "a", 1.0),
        goal("tail", "p99(read)", "a", 1.0),
    ]);
    need.requirements = vec![keep("p99(read)", 1e9, work("a"))];
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert!(
        advice.goals.iter().all(|row| row.unjudged.is_none()),
        "{:?}",
        advice.goals
    );
    assert!(
        advice.goals[0].measured.contains("full speed"),
        "{}",
        advice.goals[0].measured
    );
    assert!(
        advice.goals[1].measured.contains("at 20.0k/s"),
        "{}",
        advice.goals[1].measured
    );
    assert_eq!(advice.requirements[0].systems[0].compliance, "shown");
}

#[test]
fn throughput_at_a_rate_ranks_nobody() {
    let mut trials = Vec::new();
    for block in 0..6 {
        for engine in [&FJALL, &REDB] {
            trials.push(trial(&TrialPlan {
                study: "paced",
                engine,
                mix: &WORKLOADS[0],
                block,
                position: block,
                seconds: 10,
                rate: Some(20_000.0),
            }));
        }
    }
    let results = results("paced", trials);
    let advice = advise(
        &need(vec![goal("updates", "throughput", "a", 1.0)]),
        &[("r", &results)],
    )
    .unwrap();
    assert_eq!(advice.word, Word::Refused, "{}", why(&advice));
    assert!(
        why(&advice).contains("every system received this rate"),
        "{}",
        why(&advice)
    );
    let next: toml::Table = advice.next[0].study.parse().unwrap();
    assert!(
        next["workload"][0].get("rates").is_none(),
        "a closed loop: {next}"
    );
}

#[test]
fn objectives_of_the_same_work_are_shown_by_one_experiment() {
    let results = flagged("host-steal", |trial| trial.block < 5);
    let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    need.requirements = vec![
        keep("throughput", 1.0, work("a")),
        keep("throughput(read)", 1.0, work("a")),
    ];
    let advice = advise(&need, &[("r", &results)]).unwrap();
    let showing: Vec<&str> = advice.next.iter().map(|next| next.what.as_str()).collect();
    let both = "whether throughput kept in a and throughput(read) kept in a are kept";
    let of_both = showing.iter().filter(|what| what.contains(both));
    assert_eq!(of_both.count(), 1, "{showing:?}");
    let of_one = showing.iter().filter(|what| what.contains("would show whether"));
    assert_eq!(of_one.count(), 1, "{showing:?}");
}
