//! `dbdyno paper run`: studies of others, measured again.

use crate::common::Place;

/// Every part of every paper that can be measured again.
const PARTS: [(&str, &str); 9] = [
    ("abramova-2013", "single"),
    ("altoros-2013", "single"),
    ("dhayalan-2018", "single"),
    ("dhayalan-2018", "more-updates"),
    ("madureira", "single"),
    ("madureira", "nodes"),
    ("shwaysh-2018", "single"),
    ("shwaysh-2018", "encryption"),
    ("shwaysh-2018", "cluster"),
];

#[test]
fn every_paper_makes_a_study_that_can_be_planned() {
    let place = Place::new();
    for (id, part) in PARTS {
        let study = place.succeed(&format!("paper run {id} --part {part} --scale 0.01 --print"));
        std::fs::write(place.path("paper.toml"), &study.stdout).unwrap();
        let plan = place.succeed("study plan paper.toml");
        assert!(plan.stdout.contains("repeat of "), "{id}: {}", plan.stdout);
    }
}

#[test]
fn claims_are_judged_on_the_papers_numbers_and_on_ours() {
    let place = Place::new();
    let study = place
        .succeed("paper run abramova-2013 --scale 0.02 --trials 4 --print")
        .stdout;
    // Embedded stores in place of the lab's servers, and two workloads of six: the way to the report is the same.
    let workloads = study.split("\n[").filter(|part| {
        !part.starts_with("[workload]]") || part.contains("name = \"A\"") || part.contains("name = \"H\"")
    });
    let study = workloads
        .collect::<Vec<_>>()
        .join("\n[")
        .replace("lab:mongodb", "memory")
        .replace("lab:cassandra@5.0", "redb")
        .replace("\nclients = ", "\nwarmup = \"0s\"\nclients = ");
    std::fs::write(place.path("paper.toml"), study).unwrap();
    let ended = place.succeed("study run paper.toml --output r --quiet");
    // What the figures say hangs on the machine; which claims can be judged does not.
    let words: Vec<&str> = ended.stdout.split_whitespace().collect();
    for row in ["C4 undecided not comparable", "C11 not printed not tested"] {
        let row: Vec<&str> = row.split(' ').collect();
        assert!(
            words.windows(row.len()).any(|words| words == row),
            "{row:?}: {}",
            ended.stdout
        );
    }
    let page = std::fs::read_to_string(place.path("r/report.html")).unwrap();
    for part in [
        "The paper and now",
        "Printed: run time",
        "Measured now: run time",
        "Scaled by 0.02",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let json = place.succeed("report r --format json").stdout;
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let sides = report["paper"]["sides"].as_array().unwrap();
    let load = sides.iter().find(|side| side["workload"] == "load").unwrap();
    let largest = load["systems"][0]["points"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&largest["size"], &largest["printed"]),
        (&700_000.into(), &282.0.into())
    );
    assert!(largest["measured"].as_f64().unwrap() > 0.0);
}

#[test]
fn what_cannot_be_run_is_refused_with_what_can() {
    let place = Place::new();
    for (line, expected) in [
        ("paper run abramova", "did you mean `abramova-2013`"),
        ("paper run madureira --part cluster", "it has single, nodes"),
        ("paper run abramova-2013 --scale 0", "a positive number"),
        ("paper run shwaysh-2018 --operations 5k", "use --records"),
        ("paper run abramova-2013 --scael 1", "--scale"),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, 2, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
    }
}
