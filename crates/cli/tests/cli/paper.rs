//! `dbdyno paper run`: studies of others, measured again.

use dbdyno_driver::Target;
use dbdyno_paper::{Differs, Extent, Paper, Rerun, RerunSystem, TopologyDiffers};
use dbdyno_study::address;

use crate::common::Place;

/// Every part of every paper that can be measured again.
const PARTS: [(&str, &str); 12] = [
    ("abramova-2013", "single"),
    ("altoros-2013", "single"),
    ("altoros-2013", "rates"),
    ("altoros-2013", "more-rates"),
    ("altoros-2013", "nodes"),
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
fn a_run_for_claims_is_a_study_of_what_they_name() {
    let place = Place::new();
    let study = place.succeed("paper run altoros-2013 --claim C8 --scale 0.01 --print");
    std::fs::write(place.path("paper.toml"), &study.stdout).unwrap();
    let plan = place.succeed("study plan paper.toml");
    assert!(
        plan.stdout.contains("altoros-2013-single-C8-x0.01"),
        "{}",
        plan.stdout
    );
    assert!(study.stdout.contains("name = \"G\"") && !study.stdout.contains("name = \"A\""));

    let several = place.succeed("paper run altoros-2013 --claim C8,C5 --scale 0.01 --print");
    for folder in [
        "results/altoros-2013-single-C8-x0.01",
        "results/altoros-2013-rates-C5-x0.01",
    ] {
        assert!(several.stdout.contains(folder), "{}", several.stdout);
    }
    for (line, help) in [
        ("--claim c8", "did you mean --claim C8?"),
        ("--claim C8 --part rates", "leave --part out"),
        ("--claim C8,C5 --output r", "leave --output out"),
        ("--scale -1", "use --scale 0.1"),
    ] {
        let refused = place.run(&format!("paper run altoros-2013 {line}"));
        assert_eq!(refused.code, 2, "{line}");
        assert!(refused.stderr.contains(help), "{line}: {}", refused.stderr);
    }
}

/// The number of one kind that a repetition plans, and the paper's.
fn differs_of<'a>(rerun: &'a Rerun, extent: Extent, system: &str) -> Option<&'a TopologyDiffers> {
    rerun.differs.iter().find_map(|differs| match differs {
        Differs::Topology(differs) => {
            let is_of = differs.of == extent && differs.systems.iter().any(|id| id == system);
            is_of.then_some(differs)
        }
        Differs::Otherwise(_) => None,
    })
}

/// Where the topology of a system in a repetition is not the paper's, and its file does not say so.
fn undeclared(paper: &Paper, rerun: &Rerun, system: &RerunSystem) -> Vec<String> {
    let place = format!("{}, part {}, {}", paper.head.id, rerun.part, system.id);
    let Some(topology) = paper.topology.get(&rerun.topology) else {
        return vec![format!("{place}: the paper has no topology {}", rerun.topology)];
    };
    let printed = topology.of(&system.id);
    let target = Target::parse(&system.address).unwrap();
    let planned = address::topology(&target).expect("the lab starts it").unwrap();
    let mut wrong = Vec::new();
    for extent in Extent::ALL {
        let here = match extent {
            Extent::Nodes => planned.nodes,
            Extent::Copies => planned.copies,
            Extent::Shards => planned.shards,
        };
        let name = extent.name();
        let declared = differs_of(rerun, extent, &system.id);
        match (printed.extent(extent), declared) {
            (Some(paper), None) if paper != here => {
                wrong.push(format!(
                    "{place}: {paper} {name} in the paper, {here} here, not in `differs`"
                ));
            }
            (Some(paper), Some(differs))
                if (differs.paper, differs.here) != (paper, here) || paper == here =>
            {
                wrong.push(format!(
                    "{place}: `differs` states {differs:?} for {paper} and {here}"
                ));
            }
            (None, Some(differs)) => {
                wrong.push(format!("{place}: the paper does not state {name}: {differs:?}"))
            }
            (None, None) if extent != Extent::Shards => {
                let assumed = paper.assumptions.iter().any(|assumption| {
                    assumption.field == name && assumption.value.as_integer() == Some(i64::from(here))
                });
                if !assumed {
                    wrong.push(format!(
                        "{place}: {name} is not stated, and {here} is not assumed"
                    ));
                }
            }
            _ => {}
        }
    }
    wrong
}

#[test]
fn every_difference_from_a_papers_topology_is_declared() {
    let papers = dbdyno_paper::all().unwrap();
    let mut wrong = Vec::new();
    let mut differences = 0;
    for paper in &papers {
        for rerun in &paper.reruns {
            let systems = rerun.systems.iter();
            wrong.extend(systems.flat_map(|system| undeclared(paper, rerun, system)));
            for differs in &rerun.differs {
                let Differs::Topology(differs) = differs else {
                    continue;
                };
                differences += 1;
                let known = |id: &String| rerun.systems.iter().any(|system| system.id == *id);
                assert!(
                    differs.systems.iter().all(known),
                    "{}: {differs:?}",
                    paper.head.id
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(differences > 0, "some papers had more than one machine has");
}

#[test]
fn a_difference_of_the_topologies_that_is_not_declared_is_found() {
    let mut paper = dbdyno_paper::find("shwaysh-2018").unwrap().unwrap();
    let place = paper
        .reruns
        .iter()
        .position(|rerun| rerun.part == "single")
        .unwrap();
    let mut rerun = paper.reruns.remove(place);
    let system = rerun
        .systems
        .iter()
        .position(|system| system.id == "cassandra-oss")
        .unwrap();
    let found = |rerun: &Rerun| undeclared(&paper, rerun, &rerun.systems[system]);
    assert!(found(&rerun).is_empty());
    rerun.systems[system].address = "lab:cassandra@5.0?nodes=2".to_owned();
    let undeclared = found(&rerun).join("; ");
    assert!(
        undeclared.contains("1 nodes in the paper, 2 here"),
        "{undeclared}"
    );
    assert!(undeclared.contains("for 3 and 2"), "{undeclared}");
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
    page_of_the_paper(&place);
}

/// The page of a paper whose repetition is in `r`.
fn page_of_the_paper(place: &Place) {
    place.succeed("paper report abramova-2013 r --output paper.html --figures drawn");
    let page = std::fs::read_to_string(place.path("paper.html")).unwrap();
    for part in [
        "Workload B, printed: run time over records",
        "Load phase, now: run time over records",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let drawn = std::fs::read_dir(place.path("drawn")).unwrap();
    let names: Vec<String> = drawn
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        names.iter().any(|name| name.ends_with("-printed.svg")),
        "{names:?}"
    );
    place.succeed("paper report abramova-2013 r --output paper.tex");
    let latex = std::fs::read_to_string(place.path("paper.tex")).unwrap();
    let figure = latex.split("\\includegraphics[width=").nth(1).unwrap();
    let name = figure.split(['{', '}']).nth(1).unwrap();
    assert!(
        names.contains(&format!("{name}.svg")),
        "{name} is a file: {names:?}"
    );
    let refused = place.run("paper report dhayalan-2018 r");
    assert_eq!(refused.code, 2);
    assert!(
        refused
            .stderr
            .contains("repeats abramova-2013, not dhayalan-2018"),
        "{}",
        refused.stderr
    );
    let twice = place.run("paper report abramova-2013 r r");
    assert!(twice.stderr.contains("two of these folders"), "{}", twice.stderr);
}

#[test]
fn without_results_a_papers_page_is_its_printed_half() {
    let place = Place::new();
    let text = place.succeed("paper report dhayalan-2018").stdout;
    assert!(text.contains("Not measured again yet"), "{text}");
    let page = place.succeed("paper report shwaysh-2018 --format html").stdout;
    assert!(page.contains("Workload A, printed: run time over operations"));
    assert!(
        page.contains("Printed: run time by workload"),
        "the tables of encryption have no sizes"
    );
    assert!(!page.contains("now: run time"));
}

#[test]
fn a_budget_chooses_the_scale_of_all_parts() {
    let place = Place::new();
    let plan = |time: &str| {
        place
            .succeed(&format!("paper run madureira --whole --budget {time} --print"))
            .stdout
    };
    let scale = |plan: &str| -> f64 {
        let rest = plan.split("scale ").nth(1).unwrap();
        rest.split(',').next().unwrap().parse().unwrap()
    };
    let (short, long) = (plan("1h"), plan("10h"));
    assert!(short.starts_with("Within 1h: scale "), "{short}");
    // Fewer trials, so that there is more than one size.
    assert!(
        short.contains("5 trials per cell") && short.contains("2 of 4 sizes"),
        "{short}"
    );
    assert!(!plan("10h").contains(" sizes"), "{long}");
    for part in ["  single: ", "  nodes: "] {
        assert!(short.contains(part), "{short}");
    }
    assert!(scale(&short) < scale(&long), "{short}{long}");
    assert_eq!(
        plan("1h"),
        short,
        "the same command goes on with the same results"
    );
    let one = place
        .succeed("paper run madureira --part nodes --budget 1h --print")
        .stdout;
    assert!(
        !one.contains("  single: ") && scale(&one) >= scale(&short),
        "{one}"
    );
}

#[test]
fn a_budget_leaves_out_the_last_parts_where_not_all_fit() {
    let place = Place::new();
    let plan = |budget: &str| {
        let line = format!("paper run altoros-2013 --whole --budget {budget} --print");
        place.succeed(&line).stdout
    };
    let short = plan("80m");
    for line in [
        ", 4 trials per cell, about ",
        "  single: ",
        "  rates: ",
        "  Left out: more-rates, about ",
        "; `--part nodes` runs it alone",
    ] {
        assert!(short.contains(line), "{short}");
    }
    assert!(!plan("10h").contains("Left out"), "{}", plan("10h"));
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
        (
            "paper run abramova-2013 --whole --budget 1s",
            "at scale 0.001, the smallest",
        ),
        (
            "paper run abramova-2013 --budget 1h --scale 0.1",
            "cannot be used with",
        ),
        (
            "paper run abramova-2013 --whole --part single",
            "cannot be used with",
        ),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, 2, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
    }
}
