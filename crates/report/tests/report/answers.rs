//! Answers to several needs on one page, the requirement that decides, and what published studies say beside the answer.

use crate::common::needs::{advise, goal, need, require, small, source};
use crate::common::{Engine, FJALL, REDB, SQLITE, WORKLOADS, study};
use dbdyno_record::Fact;
use dbdyno_report::advice::{Advice, Need, PublishedClaim, RequirementKind, Standing, Word};
use dbdyno_report::answers::{Answer, Answers};
use dbdyno_report::{Render, StudyResults, Style};
use dbdyno_trial::{Durability, ScanOrder};

/// The small study, in which the fastest system scans in no order.
fn with_an_unordered_fastest() -> StudyResults {
    let mut results = small();
    for trial in results
        .trials
        .iter_mut()
        .filter(|trial| trial.system.name == "fjall")
    {
        trial.system.scan_order = Fact::Known(ScanOrder::Other);
    }
    results
}

fn of_updates(title: &str) -> Need {
    let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    need.title = title.to_owned();
    need
}

fn claim(paper: &str, claim: &str, favours: &[&str]) -> PublishedClaim {
    PublishedClaim {
        paper: paper.to_owned(),
        claim: claim.to_owned(),
        favours: favours.iter().map(|name| (*name).to_owned()).collect(),
    }
}

fn answer(need: &Need, results: &StudyResults) -> Answer {
    Answer {
        need: format!("needs/{}.toml", need.title.to_lowercase().replace(' ', "-")),
        advice: advise(need, &[("results/small", results)]).unwrap(),
    }
}

#[test]
fn a_requirement_that_decides_is_named_with_the_answer_without_it() {
    let results = with_an_unordered_fastest();
    let mut need = of_updates("Updates");
    need.requirements = vec![
        require("scans in key order", RequirementKind::OrderedScans),
        require("errors at most 1%", RequirementKind::Errors(0.01)),
    ];
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert!(
        !advice.systems.contains(&"fjall".to_owned()),
        "{:?}",
        advice.systems
    );
    let sentences: Vec<&str> = advice.sensitivity.iter().map(|one| one.text.as_str()).collect();
    let without: Vec<&&str> = sentences
        .iter()
        .filter(|text| text.starts_with("Without"))
        .collect();
    assert_eq!(without.len(), 1, "what all meet decides nothing: {sentences:?}");
    assert_eq!(
        *without[0],
        "Without the requirement \"scans in key order\", fjall would be recommended."
    );
}

/// Three servers, of which two were compared by studies and one was not.
fn of_servers(writes_of_cassandra: f64) -> StudyResults {
    let named = |name, engine: Engine| Engine { name, ..engine };
    let cassandra = Engine {
        write: writes_of_cassandra,
        ..REDB
    };
    let servers = [
        named("postgres", FJALL),
        named("mongodb", REDB),
        named("cassandra", cassandra),
    ];
    study("servers", &servers, &WORKLOADS[..3], 6, 10)
}

#[test]
fn a_published_claim_is_held_against_the_databases_of_its_study() {
    let mut need = of_updates("Updates");
    need.published = vec![
        claim("abramova-2013", "C8", &["cassandra"]),
        claim("altoros-2013", "C2", &["cassandra", "hbase"]),
        claim("madureira", "C1", &["mongodb"]),
        claim("dhayalan-2018", "C2", &["mongodb"]),
        claim("abramova-2013", "C4", &["hbase"]),
    ];
    let results = of_servers(20_000.0);
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_eq!(
        (advice.word, &advice.systems[..]),
        (Word::Recommend, &["postgres".to_owned()][..])
    );
    let standings: Vec<Standing> = advice.published.iter().map(|claim| claim.standing).collect();
    assert_eq!(
        standings,
        [
            Standing::Disagrees,
            Standing::Disagrees,
            Standing::Agrees,
            Standing::NotMeasured,
            Standing::NotMeasured,
        ],
        "none of the studies measured postgres; nobody measured hbase here"
    );
    let lead = advice.published[0].lead.as_ref().unwrap();
    assert_eq!((&*lead.first, &*lead.other), ("mongodb", "cassandra"));
    assert!(lead.times.1 > 1.5 && lead.times.1 < lead.times.0, "{lead:?}");
    assert!(advice.published[0].text.contains("Cassandra faster than MongoDB"));
    let text = advice.text(Style::plain(200));
    assert!(text.contains("disagree: mongodb is 2."), "{text}");
    need.published = vec![claim("shwaysh-2018", "C99", &["cassandra"])];
    let refused = advise(&need, &[("r", &results)]).unwrap_err();
    assert!(refused.message.contains("no claim `C99`"), "{refused:?}");
}

#[test]
fn a_published_claim_for_two_databases_holds_in_part_where_one_is_behind() {
    let named = |name, write| Engine { name, write, ..REDB };
    let servers = |cassandra| {
        let servers = [
            named("hbase", FJALL.write),
            named("mongodb", 20_000.0),
            named("cassandra", cassandra),
        ];
        study("servers", &servers, &WORKLOADS[..3], 6, 10)
    };
    let mut need = of_updates("Updates");
    need.published = vec![claim("altoros-2013", "C2", &["cassandra", "hbase"])];
    let published = |cassandra| advise(&need, &[("r", &servers(cassandra))]).unwrap();
    let both = published(40_000.0);
    assert_eq!(both.published[0].standing, Standing::Agrees);
    let one = published(10_000.0);
    assert_eq!(one.published[0].standing, Standing::AgreesInPart);
    assert_eq!(one.published[0].behind, ["cassandra"]);
    let text = one.markdown();
    assert!(text.contains("agree in part: hbase is 9."), "{text}");
    assert!(text.contains("; cassandra is behind mongodb"), "{text}");
}

/// An answer that is undecided for want of sound trials still names all that may be best.
#[test]
fn a_published_claim_needs_no_recommendation() {
    let mut need = of_updates("Updates");
    need.published = vec![
        claim("abramova-2013", "C8", &["cassandra"]),
        claim("madureira", "C1", &["mongodb"]),
    ];
    let mut results = of_servers(20_000.0);
    results.trials.retain(|trial| trial.block < 3);
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_eq!(advice.word, Word::Undecided);
    let standings: Vec<Standing> = advice.published.iter().map(|claim| claim.standing).collect();
    assert_eq!(standings, [Standing::Disagrees, Standing::Agrees]);
}

#[test]
fn a_published_claim_about_a_database_that_is_out_is_left_open() {
    let mut need = of_updates("Updates");
    need.requirements = vec![require("scans in key order", RequirementKind::OrderedScans)];
    need.published = vec![claim("madureira", "C1", &["mongodb"])];
    let mut results = of_servers(20_000.0);
    for trial in &mut results.trials {
        let is_out = trial.system.name == "cassandra";
        trial.system.scan_order = Fact::Known(if is_out { ScanOrder::Other } else { ScanOrder::Key });
    }
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_eq!(advice.published[0].standing, Standing::Open);
    assert_eq!(advice.published[0].lead, None);
}

#[test]
fn a_published_claim_of_databases_that_are_equal_here_is_left_open() {
    let mut need = of_updates("Updates");
    need.published = vec![claim("abramova-2013", "C8", &["cassandra"])];
    let results = of_servers(REDB.write);
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_eq!(advice.published[0].standing, Standing::Open);
    assert!(advice.published[0].lead.is_some());
}

fn answers() -> Answers {
    let results = study("small", &[FJALL, REDB, SQLITE], &WORKLOADS[..3], 6, 10);
    let mut updates = of_updates("Updates");
    updates.published = vec![
        claim("abramova-2013", "C10", &["redb"]),
        claim("dhayalan-2018", "C2", &["sqlite"]),
    ];
    let mut strict = of_updates("Synced updates");
    strict.requirements = vec![require(
        "durability at least synced",
        RequirementKind::Durability(Durability::Synced),
    )];
    let given = vec![answer(&updates, &results), answer(&strict, &results)];
    Answers::of(&[source("results/small", &results)], given).unwrap()
}

#[test]
fn the_page_of_answers_as_text() {
    insta::assert_snapshot!(answers().text(Style::plain(110)));
}

#[test]
fn the_page_of_answers_links_each_line_to_its_need_and_cites_nothing_it_does_not_list() {
    let answers = answers();
    let page = answers.html();
    for id in ["need-updates", "need-synced-updates"] {
        assert!(
            page.contains(&format!("id=\"{id}\"")) && page.contains(&format!("href=\"#{id}\"")),
            "{id}"
        );
    }
    assert!(
        !page.contains("href=\"#evidence"),
        "evidence is numbered by each advice for itself"
    );
    let json: serde_json::Value = serde_json::from_str(&answers.json()).unwrap();
    assert_eq!(json["format"], "dbdyno.answers/1");
    let words = |advice: &Advice| advice.word.name();
    assert_eq!(
        json["answers"][0]["advice"]["word"],
        words(&answers.answers[0].advice)
    );
    assert_eq!(json["studies"][0]["id"], "abramova-2013");
}
