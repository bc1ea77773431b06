//! `dbdyno report` for papers, and of many studies.

use crate::common::Place;

/// Two result folders in `results`, one of them deeper, both with their page.
fn two() -> Place {
    let place = Place::new();
    for (name, workload) in [("one", "a"), ("deeper/two", "c")] {
        place.succeed(&format!(
            "run memory --records 1000 --operations 20k --workload {workload} --output results/{name} --quiet"
        ));
        place.succeed(&format!("report results/{name} --format html"));
    }
    place
}

#[test]
fn authors_get_tables_and_figures() {
    let place = two();
    let ended = place.succeed("report results/one --output tables.tex --figures figures");
    assert!(ended.stdout.is_empty(), "{}", ended.stdout);
    let tables = std::fs::read_to_string(place.path("tables.tex")).unwrap();
    assert!(
        tables.contains("\\toprule") && tables.contains("memory"),
        "{tables}"
    );
    let printed = place.succeed("report results/one --format latex");
    assert_eq!(printed.stdout, tables);
    let page = std::fs::read_to_string(place.path("results/one/report.html")).unwrap();
    let mut figures = 0;
    for file in std::fs::read_dir(place.path("figures")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(page.contains(&format!("<figure id=\"{name}\"")), "{name}");
        assert!(path.metadata().unwrap().len() > 20, "{name}");
        figures += 1;
    }
    assert_eq!(figures, 2 * page.matches("<figure id=").count());
    // Alone, it writes the figures and prints nothing else.
    let alone = place.succeed("report results/one --figures again");
    assert!(
        alone.stdout.is_empty() && alone.stderr.contains("again"),
        "{alone:?}"
    );
}

#[test]
fn many_studies_make_one_page() {
    let place = two();
    place.succeed("report results --output results/index.html");
    let page = std::fs::read_to_string(place.path("results/index.html")).unwrap();
    for link in ["one/report.html#workload-a", "deeper/two/report.html#workload-c"] {
        assert!(page.contains(&format!("href=\"{link}\"")), "{link}");
    }
    // The page does not depend on who names the folders, nor on their order.
    place.succeed("report results/deeper/two results/one results/one --output results/named.html");
    let named = std::fs::read_to_string(place.path("results/named.html")).unwrap();
    assert!(named == page);
    let table = place.succeed("report results");
    assert!(
        table.stdout.contains("durability none; machine A"),
        "{}",
        table.stdout
    );
    let csv = place.succeed("report results --format csv").stdout;
    assert_eq!(csv.lines().count(), 3, "{csv}");
    let json: serde_json::Value =
        serde_json::from_str(&place.succeed("report results --format json").stdout).unwrap();
    assert_eq!(json["groups"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_found_and_cannot_be_read_is_reported_and_left_out() {
    let place = two();
    place.write("results/one/trials/001/record.json", "{");
    let table = place.succeed("report results");
    assert!(table.stderr.contains("Skipped"), "{}", table.stderr);
    assert!(!table.stdout.contains("Workload a"), "{}", table.stdout);
    // Named, it is an error.
    let named = place.run("report results/one results/deeper/two");
    assert_eq!(named.code, 6, "{}", named.stderr);
}

#[test]
fn mistakes_name_their_remedy() {
    let place = two();
    for (line, code, expected) in [
        ("report", 2, "DIR"),
        ("report results --format latex", 2, "one result folder"),
        ("report results --figures f", 2, "one result folder"),
        (
            "report results/one results/deeper/two --format html",
            2,
            "--output",
        ),
        ("report results/missing", 6, "missing"),
        (
            "report results/one --figures results/one/folder.json",
            6,
            "--figures",
        ),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
    }
}
