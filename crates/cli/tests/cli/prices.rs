//! Prices: in the study, in a file for results that are there, and as a budget of a need.

use crate::common::{Place, as_released, read_json};

/// `memory` answers from a map and `redb` from a file: by far.
const STUDY: &str = "name = \"tiny\"\ntrials = 5\nsystems = [\"memory\", \"redb\"]\nworkloads = [\"a\"]\n\
                     records = 500\noperations = 2000\nwarmup = \"0s\"\ndurability = \"none\"\n";

/// `memory` costs 36.5 a month and `redb` 146.
const COST: &str = "[cost]\ncurrency = \"USD\"\nnode_hour = 0.05\nsource = \"a price list\"\nas_of = \"2026-06-17\"\n\
                    [[cost.system]]\nname = \"redb\"\nnode_hour = 0.2\n";

fn measured() -> Place {
    let place = Place::new();
    place.write("study.toml", &format!("{STUDY}{COST}"));
    place.succeed("study run study.toml --quiet");
    as_released(&place, "results/tiny");
    place
}

/// A file as text.
fn read(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.path(name)).unwrap()
}

/// The money for a million operations of a system, in a report as JSON.
fn per_million(report: &serde_json::Value, system: &str) -> f64 {
    let systems = report["cost"]["cells"][0]["systems"].as_array().unwrap();
    let own = systems.iter().find(|own| own["system"] == system).unwrap();
    own["per_million"]["value"].as_f64().unwrap()
}

#[test]
fn a_study_with_prices_reports_money_in_every_format() {
    let place = measured();
    let text = place.succeed("report results/tiny").stdout;
    for expected in [
        "Cost\n",
        "(a price list, as of 2026-06-17)",
        "USD per million",
        "redb",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let markdown = place.succeed("report results/tiny --format markdown").stdout;
    assert!(
        markdown.contains("## Cost\n") && markdown.contains("| redb | 1 | 0.2 USD a node-hour |"),
        "{markdown}"
    );
    place.succeed("report results/tiny --output page.html");
    assert!(read(&place, "page.html").contains("id=\"cost\""));
    let latex = place.succeed("report results/tiny --format latex").stdout;
    assert!(
        latex.contains("Cost (USD)") && latex.contains("a price list"),
        "{latex}"
    );
    let summary = place.succeed("report results/tiny --format summary").stdout;
    assert!(
        summary.contains("- **Cost, A: update heavy:** memory is cheapest."),
        "{summary}"
    );
    place.succeed("report results/tiny --output table.csv");
    let table = read(&place, "table.csv");
    let rows = table
        .lines()
        .filter(|row| row.ends_with("cost.per_hour,0.2,USD/h"));
    assert_eq!(rows.count(), 5, "{table}");
    place.succeed("report results/tiny --output report.json");
    let report = read_json(&place.path("report.json"));
    assert_eq!(report["cost"]["prices"]["currency"], "USD");
    // Half the throughput or less, at four times the price.
    assert!(
        per_million(&report, "redb") > 4.0 * per_million(&report, "memory"),
        "{}",
        report["cost"]
    );
}

#[test]
fn other_prices_need_no_new_run() {
    let place = measured();
    place.write("other.toml", "[cost]\ncurrency = \"EUR\"\nnode_hour = 0.1\n");
    place.succeed("report results/tiny --cost other.toml --output file.json");
    let of_file = read_json(&place.path("file.json"));
    assert_eq!(of_file["cost"]["prices"]["currency"], "EUR");
    place.succeed("report results/tiny --output before.json");
    let before = read_json(&place.path("before.json"));
    let double = |system: &str| per_million(&of_file, system) / per_million(&before, system);
    assert!((double("memory") - 2.0).abs() < 1e-9 && (double("redb") - 0.5).abs() < 1e-9);

    let records = || {
        let trials = std::fs::read_dir(place.path("results/tiny/trials")).unwrap();
        let mut times: Vec<_> = trials
            .map(|trial| {
                std::fs::metadata(trial.unwrap().path().join("record.json"))
                    .unwrap()
                    .modified()
                    .unwrap()
            })
            .collect();
        times.sort();
        times
    };
    let measured = records();
    place.write(
        "study.toml",
        &format!("{STUDY}[cost]\ncurrency = \"CHF\"\ncpu_hour = 2\n"),
    );
    place.succeed("study run study.toml --quiet");
    assert_eq!(records(), measured, "nothing was measured again");
    let text = place.succeed("report results/tiny").stdout;
    assert!(text.contains("Prices: 2 CHF a CPU-hour."), "{text}");
}

#[test]
fn a_budget_excludes_who_costs_more() {
    let place = measured();
    let need = |budget: &str| {
        format!(
            "draws = 1000\n[require]\nbudget = \"{budget}\"\n[[goal]]\nmetric = \"cost\"\nworkload = \"a\"\n\
             [[goal]]\nmetric = \"throughput\"\nworkload = \"a\"\n"
        )
    };
    let advised = |budget: &str| {
        place.write("need.toml", &need(budget));
        place.succeed("advise need.toml results/tiny --format json --output advice.json");
        read_json(&place.path("advice.json"))
    };
    let stands = |advice: &serde_json::Value| {
        let rows = advice["requirements"].as_array().unwrap();
        let row = rows
            .iter()
            .find(|row| row["requirement"].as_str().unwrap().starts_with("budget"))
            .unwrap();
        let systems = row["systems"].as_array().unwrap();
        systems
            .iter()
            .map(|system| system["standing"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let one = advised("100 USD a month");
    assert_eq!(stands(&one), ["shown", "violated"]);
    assert!(
        one["ranking"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["system"] != "redb")
    );
    let text = place.succeed("advise need.toml results/tiny").stdout;
    for expected in [
        "redb is out: budget 100 USD a month: 1 node at 0.2 USD an hour: 146 USD a month",
        "cost in USD per million operations",
        "Costs hold for these prices: 0.05 USD a node-hour; redb: 0.2 USD a node-hour",
    ] {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(expected), "{expected}: {text}");
    }
    let none = advised("10 USD a month");
    assert_eq!(
        (&none["word"], stands(&none)),
        (&"nobody".into(), vec!["violated".to_owned(); 2])
    );
    let both = advised("200 USD a month");
    assert_eq!(stands(&both), ["shown", "shown"]);

    place.write("dear.toml", "[cost]\ncurrency = \"USD\"\nnode_hour = 1\n");
    place.succeed("advise need.toml results/tiny --cost dear.toml --format json --output advice.json");
    assert_eq!(
        stands(&read_json(&place.path("advice.json"))),
        ["violated", "violated"]
    );
    place.write("need.toml", &need("200 EUR a month"));
    let refused = place.run("advise need.toml results/tiny");
    assert!(
        refused
            .stderr
            .contains("the budget is in EUR, and the prices are in USD"),
        "{}",
        refused.stderr
    );
}

#[test]
fn without_prices_a_budget_is_not_shown() {
    let place = Place::new();
    place.write("study.toml", STUDY);
    place.succeed("study run study.toml --quiet");
    place.write(
        "need.toml",
        "draws = 1000\n[require]\nbudget = \"200 a month\"\n[[goal]]\nmetric = \"throughput\"\nworkload = \"a\"\n",
    );
    let text = place.succeed("advise need.toml results/tiny").stdout;
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("budget 200 a month: there are no prices; add a table [cost] to the need file, or pass --cost FILE."),
        "{text}"
    );
}

#[test]
fn mistakes_in_prices_are_shown_at_their_keys() {
    let place = Place::new();
    for (cost, expected) in [
        ("node_hour = 1\n", "the prices have no `currency`"),
        ("currency = \"USD\"\nnode_hour = -1\n", "a price is above 0"),
        ("currency = \"USD\"\nnode_hour = nan\n", "`NaN` is not a price"),
        (
            "currency = \"USD\"\nnodehour = 1\n",
            "unknown key `nodehour`; did you mean `node_hour`?",
        ),
        (
            "currency = \"USD\"\nnode_hour = 1\n[[cost.system]]\nname = \"rebd\"\nnodes = 2\n",
            "[[cost.system]] names no system of the study: `rebd`; did you mean `redb`?",
        ),
    ] {
        place.write("study.toml", &format!("{STUDY}[cost]\n{cost}"));
        let refused = place.run("study plan study.toml");
        assert_eq!(refused.code, 2, "{cost}: {}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{cost}: {}", refused.stderr);
    }
}

#[test]
fn a_server_of_the_lab_costs_what_it_uses() {
    let place = Place::new();
    place.write(
        "study.toml",
        "name = \"lab\"\ntrials = 2\nrestart = \"study\"\nsystems = [\"lab:redis\"]\nworkloads = [\"a\"]\nrecords = 500\n\
         operations = 5000\nwarmup = \"0s\"\n[cost]\ncurrency = \"EUR\"\ncpu_hour = 3600\nmemory_gib_hour = 1\n\
         storage_gib_hour = 0.001\n",
    );
    place.succeed("study run study.toml --quiet");
    place.succeed("report results/lab --output report.json");
    let report = read_json(&place.path("report.json"));
    let own = &report["cost"]["cells"][0]["systems"][0];
    let value = |name: &str| own[name]["value"].as_f64().unwrap();
    // Memory and disk cost cents beside a CPU at 1 EUR a second.
    let cpu = value("cpu_seconds_per_million");
    assert!(cpu > 0.0, "{own}");
    assert!((0.9 * cpu..1.5 * cpu).contains(&value("per_million")), "{own}");
    assert_eq!(own["cpu_of"], "servers");
    let text = place.succeed("report results/lab").stdout;
    assert!(
        text.contains("Prices: 3600 EUR a CPU-hour, 1 EUR a GiB-hour of memory"),
        "{text}"
    );
}
