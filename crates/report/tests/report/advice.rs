//! Advice on made-up studies: what it says, letter by letter, and what it must never say.

use crate::common::needs::{advise, goal, need, small, trade_off};
use crate::common::{Engine, FJALL, REDB, SQLITE, WORKLOADS, study};
use dbdyno_report::advice::{Statement, Word};
use dbdyno_report::{Render, Style};

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
        alone.why.iter().any(|statement| statement.text.contains(
            "tail of reads is not comparable: at full speed each system ran at its own throughput"
        )),
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
            .any(|statement| statement.text.contains("counts for nothing")),
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

#[test]
fn every_figure_leads_to_its_trials() {
    let results = small();
    let advice = advise(&trade_off(), &[("results/small", &results)]).unwrap();
    let sentences = advice.why.iter().chain(&advice.sensitivity);
    for number in sentences.flat_map(|statement| &statement.evidence) {
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
        |statement: &&Statement| statement.text.contains('×') || statement.text.contains("against");
    for statement in advice.why.iter().filter(with_figures) {
        assert!(!statement.evidence.is_empty(), "{}", statement.text);
    }
    let page = advice.html();
    for evidence in &advice.evidence {
        assert!(page.contains(&format!("id=\"reference-{}\"", evidence.number)));
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
fn folders_are_pooled_when_they_are_the_same_work_and_refused_otherwise() {
    let (one, mut two) = (small(), small());
    let need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    // The very same trials show nothing more, be their folder named twice or copied.
    let again = advise(&need, &[("one", &one), ("copy", &two)]).unwrap();
    assert!(again.goals[0].systems.iter().all(|cell| cell.trials == 6));
    assert!(
        again
            .cautions
            .iter()
            .any(|statement| statement.text == "54 trials were given more than once and count once."),
        "{:?}",
        again.cautions
    );
    for trial in &mut two.trials {
        trial.started_at = "2026-11-22T10:00:00Z".to_owned();
    }
    let pooled = advise(&need, &[("one", &one), ("two", &two)]).unwrap();
    assert!(pooled.goals[0].systems.iter().all(|cell| cell.trials == 12));
    assert_eq!(pooled.evidence[0].places.len(), 2);
    assert!(
        pooled
            .cautions
            .iter()
            .any(|statement| statement.text.contains("2 result folders"))
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
