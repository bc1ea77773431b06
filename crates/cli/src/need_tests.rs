use std::fmt::Write;

use super::*;

const GOAL: &str = "[[goal]]\nmetric = \"throughput\"\nworkload = \"a\"\n";
/// A goal to which a test adds.
const OF_P99: &str = "[[goal]]\nmetric = \"p99(read)\"\nworkload = \"a\"\n";
const KEPT: &str = "[[goal]]\nkeep = \"p99 < 5ms\"\nworkload = \"a\"\n";

/// Every mistake that a need file may have: the message, and at which place.
#[test]
fn mistakes_in_need_files() {
    let mut shown = String::new();
    for text in [
        "",
        "title = \n",
        "[[goal]\n",
        &format!("[[gaol]]\n{GOAL}"),
        &format!("title = [\"x\"]\n{GOAL}"),
        &format!("systems = []\n{GOAL}"),
        &format!("systems = {{ a = 1 }}\n{GOAL}"),
        &format!("systems = [[\"redb\"]]\n{GOAL}"),
        &format!("margin = \"5\"\n{GOAL}"),
        &format!("margin = \"a fifth\"\n{GOAL}"),
        &format!("margin = true\n{GOAL}"),
        &format!("weight_spread = 2\n{GOAL}"),
        &format!("weight_spread = \"some\"\n{GOAL}"),
        &format!("draws = 10\n{GOAL}"),
        &format!("draws = \"1.5\"\n{GOAL}"),
        &format!("seed = -1\n{GOAL}"),
        &format!("seed = \"x\"\n{GOAL}"),
        &format!("across_durability = \"yes\"\n{GOAL}"),
        &format!("across_machines = 1\n{GOAL}"),
        &format!("across_durabilty = true\n{GOAL}"),
        &format!("require = 5\n{GOAL}"),
        &format!("[[require]]\nnodes = 1\n{GOAL}"),
        &format!("[require]\ndurabilty = \"none\"\n{GOAL}"),
        &format!("[require]\ndurability = \"hard\"\n{GOAL}"),
        &format!("[require]\ndurability = [\"none\"]\n{GOAL}"),
        &format!("[require]\nconsistency = \"most\"\n{GOAL}"),
        &format!("[require]\nnodes = \"many\"\n{GOAL}"),
        &format!("[require]\nnodes = 1.5\n{GOAL}"),
        &format!("[require]\nerrors = 2\n{GOAL}"),
        &format!("[require]\nversion = \"4.0\"\n{GOAL}"),
        &format!("[require]\nversion = {{ redb = [4] }}\n{GOAL}"),
        &format!("[require]\nsecurity = []\n{GOAL}"),
        &format!("[require]\nlicense = {{ a = 1 }}\n{GOAL}"),
        &format!("objective = 5\n{GOAL}"),
        &format!("[objective]\nkeep = \"p99 < 5ms\"\n{GOAL}"),
        &format!("[[objective]]\nkep = \"p99 < 5ms\"\n{GOAL}"),
        &format!("[[objective]]\nworkload = \"a\"\n{GOAL}"),
        &format!("[[objective]]\nkeep = \"p99 < 5ms\"\n{GOAL}"),
        &format!("[[objective]]\nkeep = \"p99 > 5ms\"\nworkload = \"a\"\n{GOAL}"),
        &format!("[[objective]]\nkeep = \"p99 < 5\"\nworkload = \"a\"\n{GOAL}"),
        &format!("[[objective]]\nkeep = \"p99(load) < 5ms\"\nworkload = \"a\"\n{GOAL}"),
        &format!("[[objective]]\nkeep = \"errors < 5\"\nworkload = \"a\"\n{GOAL}"),
        &format!("[require]\nordered_scans = \"yes\"\n{GOAL}"),
        &format!("published = \"C1\"\n{GOAL}"),
        &format!("[[published]]\npaper = \"abramova-2013\"\n{GOAL}"),
        &format!("[[published]]\npaper = \"abramova\"\nclaim = \"C1\"\nfavours = \"mongodb\"\n{GOAL}"),
        &format!("[[published]]\npaper = \"madureira\"\nclaim = \"C99\"\nfavours = \"mongo\"\n{GOAL}"),
        &format!("[[published]]\npaper = \"abramova-2013\"\nclaim = \"C1\"\nfavours = \"redis\"\n{GOAL}"),
        "goal = \"throughput\"\n",
        "[goal]\nmetric = \"throughput\"\n",
        "[[goal]]\nmetric = \"throughput\"\n",
        "[[goal]]\nworkload = \"a\"\n",
        "[[goal]]\nmetrik = \"throughput\"\nworkload = \"a\"\n",
        "[[goal]]\nmetric = \"thruput\"\nworkload = \"a\"\n",
        "[[goal]]\nmetric = \"p99(red)\"\nworkload = \"a\"\n",
        "[[goal]]\nmetric = \"p99(load)\"\nworkload = \"a\"\n",
        "[[goal]]\nmetric = \"errors\"\nworkload = \"a\"\n",
        "[[goal]]\nkeep = \"p99\"\nworkload = \"a\"\n",
        "[[goal]]\nkeep = \"throughput < 5k\"\nworkload = \"a\"\n",
        "[[goal]]\nmetric = \"p99\"\nkeep = \"p99 < 5ms\"\nworkload = \"a\"\n",
        &format!("{OF_P99}worth = 3\n"),
        &format!("{KEPT}worth = 1\n"),
        &format!("{KEPT}worth = \"much\"\n"),
        &format!("{KEPT}reference = \"1ms\"\n"),
        &format!("{KEPT}enough = \"1ms\"\n"),
        &format!("{OF_P99}reference = \"0ms\"\n"),
        &format!("{OF_P99}enough = 5\n"),
        &format!("{OF_P99}reference = \"1ms\"\nenough = \"2ms\"\n"),
        &format!("{OF_P99}records = \"5q\"\n"),
        &format!("{OF_P99}clients = \"some\"\n"),
        &format!("{OF_P99}rate = 0\n"),
        &format!("{OF_P99}rate = \"quick\"\n"),
        &format!("{OF_P99}weight = -1\n"),
        &format!("{OF_P99}weight = 2000000\n"),
        &format!("{OF_P99}weight = [1]\n"),
        &format!("{OF_P99}weight = 0\n"),
        &format!("{OF_P99}{OF_P99}"),
    ] {
        for mistake in parse(text).expect_err(text) {
            let line = text[..mistake.span.start].matches('\n').count() + 1;
            writeln!(
                shown,
                "line {line}, `{}`: {}\n    help: {}",
                &text[mistake.span.clone()],
                mistake.message,
                mistake.help
            )
            .unwrap();
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn the_need_in_the_book_is_understood() {
    let page = include_str!("../../../docs/advise.md");
    let need = page
        .split("```toml\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let need = parse(need.unwrap()).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    assert_eq!((need.requirements.len(), need.goals.len()), (12, 3));
    for key in NeedFile::keys() {
        assert!(page.contains(key), "docs/advise.md does not mention `{key}`");
    }
    for name in Metric::names() {
        let name = name.split('(').next().unwrap_or(name);
        assert!(
            page.contains(&format!("`{name}")),
            "docs/advise.md does not mention `{name}`"
        );
    }
    assert_eq!(need.goals[0].work.rate, Some(RateChoice::Unlimited));
    assert_eq!(need.goals[1].worth, Worth::Enough(2e6));
    assert_eq!(
        need.goals[2].worth,
        Worth::Objective {
            limit: 5e7,
            times: 3.0
        }
    );
}

#[test]
fn the_ready_need_is_understood() {
    let text = include_str!("../../../studies/needs/sessions.toml");
    let need = parse(text).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    assert_eq!((need.requirements.len(), need.goals.len()), (3, 4));
    assert_eq!((need.draws, need.weight_spread), (10_000, WEIGHT_SPREAD));
}

#[test]
fn needs_of_the_answer_are_understood() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/needs/which-database");
    let files = files(&directory).unwrap_or_else(|problem| panic!("{problem:?}"));
    assert_eq!(files.len(), 6);
    let mut papers = std::collections::BTreeSet::new();
    for file in files {
        let (need, _) = read(&file).unwrap_or_else(|problem| panic!("{problem:?}"));
        assert!(
            !need.goals.is_empty() && !need.published.is_empty(),
            "{}",
            file.display()
        );
        papers.extend(need.published.into_iter().map(|claim| claim.paper));
    }
    assert_eq!(
        papers.len(),
        5,
        "each of the published studies is heard: {papers:?}"
    );
}

#[test]
fn all_mistakes_are_found_at_once() {
    let text = format!(
        "margin = \"x\"\n[require]\ndurability = \"hard\"\n[[goal]]\nmetric = \"thruput\"\nworkload = \"a\"\n{OF_P99}wieght = 1\n"
    );
    assert_found(
        &text,
        &[
            "wieght: unknown key `wieght`",
            "\"x\": `x` is not",
            "\"hard\": durability `hard` is unknown",
            "\"thruput\": `thruput` is not a metric",
        ],
    );
}

#[test]
fn keys_that_do_not_fit_together_are_found_at_once() {
    let text = format!(
        "[require]\ndurability = \"hard\"\nconsistency = \"most\"\n\
         [[objective]]\nkeep = \"p99 > 5ms\"\nworkload = \"a\"\n\
         {OF_P99}worth = 3\nreference = \"1ms\"\nenough = \"2 apples\"\n\
         {KEPT}reference = \"4ms\"\nenough = \"5ms\"\n\
         [[goal]]\nmetric = \"errors\"\nkeep = \"throughput < 5k\"\nworkload = \"a\"\n\
         [[goal]]\nname = \"twice\"\nmetric = \"throughput\"\nworkload = \"a\"\n\
         [[goal]]\nname = \"twice\"\nmetric = \"p99\"\nworkload = \"b\"\n"
    );
    assert_found(
        &text,
        &[
            "\"hard\": durability `hard` is unknown",
            "\"most\": consistency `most` is unknown",
            "\"p99 > 5ms\": more of ",
            "3: `worth` has no effect without `keep`",
            "\"1ms\": `enough` already serves as the reference",
            "\"2 apples\": ",
            "\"4ms\": `reference` has no effect without `metric`",
            "\"5ms\": `enough` has no effect without `metric`",
            "\"errors\": a goal has a `metric` or an objective to `keep`, not both",
            "\"errors\": errors have no ratio",
            "\"throughput < 5k\": more of throughput is better",
            "[[goal]]: there are two goals `twice`",
        ],
    );
}

#[test]
fn nothing_is_missing_in_a_file_that_was_not_read_whole() {
    assert_found(
        "[[goal]]\nmetric = \"thruput\"\nworkload = \"a\"\n",
        &["\"thruput\": "],
    );
    assert_found(
        "[[goal]]\nmetric = 1\nweight = [1]\nworkload = \"a\"\n",
        &["[1]: "],
    );
    assert_found("[require]\ndurability = \"hard\"\n", &["\"hard\": "]);
}

/// The mistakes of a need file are these: what stands at each, and how its message begins.
fn assert_found(text: &str, expected: &[&str]) {
    let mistakes = parse(text).expect_err(text);
    let found: Vec<String> = mistakes
        .iter()
        .map(|mistake| format!("{}: {}", &text[mistake.span.clone()], mistake.message))
        .collect();
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found:?} is not {expected:?}");
    }
}
