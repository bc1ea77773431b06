//! Live pages in a real browser while a real study runs.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};

use dbdyno_record::{PlanFile, PlannedStudy, ResultFolder, TrialRecord};
use dbdyno_vocabulary::number;
use serde_json::json;

use crate::browser::Browser;
use crate::common::{Place, wait_for};
use crate::serve::Served;

const STUDY: &str = "name = \"watched\"\nsystems = [\"memory\"]\nworkloads = [\"a\"]\nrecords = 500\ntrials = 3\n\
                     duration = \"6s\"\nwarmup = \"0s\"\n";

/// The cells of each row in the list of trials, by the row's id.
fn rows(browser: &mut Browser) -> BTreeMap<String, Vec<String>> {
    let rows = browser.evaluate(
        "Object.fromEntries([...document.querySelectorAll('#trials tr[id]')].map(\
         (row) => [row.id, [...row.cells].map((cell) => cell.textContent)]))",
    );
    serde_json::from_value(rows).unwrap()
}

/// Trials that the page shows as done, after a look at whether their numbers are those of the records.
fn done(browser: &mut Browser, results: &std::path::Path) -> BTreeMap<String, Vec<String>> {
    let mut rows = rows(browser);
    rows.retain(|_, cells| cells[3] == "completed");
    let folder = ResultFolder::open(results).unwrap();
    for (id, cells) in &rows {
        let record = folder.trial(id.strip_prefix("trial-").unwrap()).unwrap().unwrap();
        assert_eq!(cells[4..], numbers(&record), "{id}");
    }
    rows
}

/// Throughput, p99 latency and errors of a record, as people read them.
fn numbers(record: &TrialRecord) -> [String; 3] {
    let measure = record.measure.as_ref().unwrap();
    let operations = || measure.operations.values();
    let ok: u64 = operations()
        .map(|operation| operation.ok - operation.drained)
        .sum();
    let errors: u64 = operations().flat_map(|operation| operation.errors.values()).sum();
    let p99 = record.latency(None).percentile(99.0).unwrap();
    [
        number::rate(ok as f64 * 1e9 / measure.duration_ns as f64),
        number::latency(Some(p99.ns()), p99.is_bound()),
        number::count(errors),
    ]
}

#[test]
fn a_page_shows_what_the_records_say_and_a_reload_loses_nothing() {
    let place = Place::new();
    place.write("watched.toml", STUDY);
    std::fs::create_dir(place.path("results")).unwrap();
    let served = Served::start(&place, "serve results --listen 127.0.0.1:0");
    let mut study = place.start("study run watched.toml");
    wait_for("the study's page", || {
        served.get("/studies/watched").contains("HTTP/1.1 200")
    });
    let results = place.path("results/watched");
    let mut browser = Browser::open(&place, &served.url("/studies/watched"));
    for figure in ["throughput", "latency", "latencies", "client-cpu"] {
        let drawn = format!("document.querySelector('#now #now--{figure} svg') !== null");
        browser.wait_for(figure, &drawn);
    }
    browser.wait_for(
        "the end of the first trial",
        "document.getElementById('trials').textContent.includes('completed')",
    );
    let before = done(&mut browser, &results);
    assert!(!before.is_empty());
    browser.reload();
    let after = done(&mut browser, &results);
    assert!(
        before.iter().all(|(id, cells)| after.get(id) == Some(cells)),
        "{before:?} {after:?}"
    );
    assert_eq!(rows(&mut browser).len(), 3, "planned trials are there, too");

    assert!(study.wait().unwrap().success());
    browser.wait_for(
        "the end",
        "document.getElementById('now').textContent.includes('The study is over: 3 of 3')",
    );
    let before = done(&mut browser, &results);
    assert_eq!(before.len(), 3);
    browser.reload();
    assert_eq!(done(&mut browser, &results), before);
    assert_eq!(browser.exceptions, Vec::<String>::new());
}

#[test]
fn a_thousand_trials_are_shown_whole_and_each_update_is_small() {
    let place = Place::new();
    place.write(
        "watched.toml",
        &STUDY.replace("trials = 3", "trials = 1").replace("6s", "1s"),
    );
    place.succeed("study run watched.toml");
    let small = ResultFolder::open(&place.path("results/watched")).unwrap();
    let planned = small.plan().unwrap().unwrap().trials.remove(0);
    let record = small.trials().unwrap().remove(0);
    let name = |number: u32| format!("{number:04}-memory-a");
    let large = ResultFolder::create(&place.path("results/large"), &small.study_text().unwrap()).unwrap();
    let all = (1..=1000).map(|number| {
        let mut planned = planned.clone();
        planned.trial = name(number);
        planned
    });
    let plan = PlanFile::new(PlannedStudy::default(), all.collect());
    large.write_plan(&plan).unwrap();
    let write = |number: u32| {
        let mut record = record.clone();
        record.trial = name(number);
        large.write_trial(&record).unwrap();
    };
    (1..=100).for_each(write);

    let served = Served::start(&place, "serve results --listen 127.0.0.1:0");
    let mut browser = Browser::open(&place, &served.url("/studies/large"));
    assert_eq!(rows(&mut browser).len(), 1000);
    assert_eq!(done(&mut browser, &place.path("results/large")).len(), 100);

    let host = format!("Host: {}\r\n", served.address);
    let mut lines = BufReader::new(served.connect("/studies/large/events", &host)).lines();
    let mut until = |wanted: &str| -> usize {
        let mut bytes = 0;
        for line in lines.by_ref() {
            let line = line.unwrap();
            bytes += line.len();
            if line.starts_with("data:") && line.contains(wanted) {
                return bytes;
            }
        }
        panic!("the stream ended before {wanted}");
    };
    let whole = until("\"id\":\"errors\"");
    assert!(whole > 100_000, "all sections at first: {whole} bytes");
    write(500);
    let update = until("trial-0500-memory-a");
    assert!(update < 4_000, "{update} bytes for one trial");
    browser.wait_for(
        "the trial in the page",
        "document.getElementById('trial-0500-memory-a').textContent.includes('completed')",
    );
    assert_eq!(done(&mut browser, &place.path("results/large")).len(), 101);
    assert_eq!(rows(&mut browser).len(), 1000);

    // Two results are chosen on the first page, and compared.
    browser.go(&served.url("/"));
    let offered =
        browser.evaluate("[...document.querySelectorAll('#studies input')].map((tick) => tick.value)");
    assert_eq!(offered, json!(["large", "watched"]));
    browser
        .evaluate("document.querySelectorAll('#studies input').forEach((tick) => { tick.checked = true; })");

    // The list stays while its text is selected, and follows again after that.
    browser.evaluate(
        "(() => {
            const ask = window.fetch;
            window.looks = 0;
            window.fetch = (...asked) => ask(...asked).finally(() => { window.looks += 1; });
            const list = document.getElementById('studies');
            list.isShownSince = 'then';
            getSelection().selectAllChildren(list);
        })()",
    );
    write(501);
    browser.wait_for("two looks for news", "window.looks >= 2");
    let list = "document.getElementById('studies').isShownSince === 'then'";
    assert_eq!(browser.evaluate(list), json!(true));
    browser.evaluate("getSelection().removeAllRanges()");
    browser.wait_for("the news", &format!("!({list})"));

    let ticked = "document.querySelectorAll('#studies input:checked').length";
    assert_eq!(
        browser.evaluate(ticked),
        json!(2),
        "ticks stay as the list changes"
    );

    browser.evaluate("document.querySelector('#studies form > p button').click()");
    browser.wait_for(
        "the comparison",
        "location.pathname === '/compare' && document.body.textContent.includes('watched compared with large')",
    );
    assert_eq!(browser.exceptions, Vec::<String>::new());
}

/// The ids of the rows in the list of trials and the throughput of each in operations per second, as shown from the top.
fn shown_order(browser: &mut Browser) -> Vec<(String, Option<f64>)> {
    let shown = browser.evaluate(
        "[...document.querySelectorAll('#trials tr[id]')].map(\
         (row) => [row.id, row.cells[4].dataset.value ?? row.cells[4].textContent])",
    );
    let shown: Vec<(String, String)> = serde_json::from_value(shown).unwrap();
    shown
        .into_iter()
        .map(|(id, throughput)| (id, throughput.parse().ok()))
        .collect()
}

#[test]
fn a_table_stays_sorted_when_rows_change_and_arrive() {
    const FIRST: [u32; 4] = [2, 4, 6, 8];
    let place = Place::new();
    place.write(
        "watched.toml",
        &STUDY.replace("trials = 3", "trials = 1").replace("6s", "1s"),
    );
    place.succeed("study run watched.toml");
    let small = ResultFolder::open(&place.path("results/watched")).unwrap();
    let planned = small.plan().unwrap().unwrap().trials.remove(0);
    let record = small.trials().unwrap().remove(0);
    let name = |number: u32| format!("{number:03}-memory-a");
    let folder = ResultFolder::create(&place.path("results/sorted"), &small.study_text().unwrap()).unwrap();
    let all = (1..=9).map(|number| {
        let mut planned = planned.clone();
        planned.trial = name(number);
        planned
    });
    folder
        .write_plan(&PlanFile::new(PlannedStudy::default(), all.collect()))
        .unwrap();
    // Each takes its own multiple of the time for the same operations.
    let write = |trial: &str, times: u64| {
        let mut record = record.clone();
        record.trial = trial.to_owned();
        record.measure.as_mut().unwrap().duration_ns *= times;
        folder.write_trial(&record).unwrap();
    };
    FIRST
        .into_iter()
        .zip([3, 7, 1, 5])
        .for_each(|(number, times)| write(&name(number), times));

    let served = Served::start(&place, "serve results --listen 127.0.0.1:0");
    let mut browser = Browser::open(&place, &served.url("/studies/sorted"));
    let click = "document.querySelectorAll('#trials thead th')[4].querySelector('button').click()";
    browser.wait_for(
        "the sections of the stream",
        "document.querySelector('#trials th[data-order] button') !== null",
    );
    browser.evaluate(click);
    let sorted = |browser: &mut Browser, done: usize| {
        let shown = shown_order(browser);
        let (known, unknown) = shown.split_at(done);
        assert!(
            known.iter().all(|(_, throughput)| throughput.is_some())
                && known.is_sorted_by(|(_, one), (_, other)| one > other),
            "the highest first: {shown:?}"
        );
        assert!(
            unknown.iter().all(|(_, throughput)| throughput.is_none()),
            "what is not known comes last: {shown:?}"
        );
        shown
    };
    let rows_shown = |count: usize| format!("document.querySelectorAll('#trials tr[id]').length === {count}");
    let completed =
        |trial: &str| format!("document.getElementById('trial-{trial}').textContent.includes('completed')");
    assert_eq!(sorted(&mut browser, 4).len(), 9);

    // A planned trial ends, then another attempt at one that had ended, which gets a row of its own.
    write(&name(5), 4);
    browser.wait_for("the trial that ended", &completed(&name(5)));
    sorted(&mut browser, 5);
    write(&format!("{}~2", name(2)), 2);
    browser.wait_for("the new row", &rows_shown(10));
    sorted(&mut browser, 6);
    let first = format!("{}~3", name(8));
    write(&first, 6);
    write("000-pilot", 8);
    browser.wait_for("two more rows", &rows_shown(12));
    let shown = sorted(&mut browser, 8);
    assert_eq!(shown[1].0, format!("trial-{}~2", name(2)), "{shown:?}");

    // Without a choice of the reader, the page has the order of the study again: that of a page that is opened now.
    browser.evaluate(click);
    browser.evaluate(click);
    let unsorted = shown_order(&mut browser);
    browser.go(&served.url("/"));
    browser.go(&served.url("/studies/sorted"));
    assert_eq!(unsorted, shown_order(&mut browser));
    assert_eq!(unsorted[0].0, "trial-000-pilot", "{unsorted:?}");
    assert_eq!(unsorted[2].0, format!("trial-{}", name(2)), "{unsorted:?}");
    assert_eq!(unsorted[3].0, format!("trial-{}~2", name(2)), "{unsorted:?}");
    assert_eq!(browser.exceptions, Vec::<String>::new());
}

#[test]
fn the_buttons_pause_and_stop_a_study() {
    let place = Place::new();
    place.write(
        "watched.toml",
        &STUDY.replace("trials = 3", "trials = 50").replace("6s", "1s"),
    );
    std::fs::create_dir(place.path("results")).unwrap();
    let served = Served::start(&place, "serve results --listen 127.0.0.1:0");
    let mut study = place.start("study run watched.toml");
    wait_for("the first trial", || {
        served.get("/studies/watched").contains(">running<")
    });
    let mut browser = Browser::open(&place, &served.url("/studies/watched"));
    let shown = |name: &str| format!("document.getElementById('ask-{name}')?.hidden === false");
    let click = |name: &str| format!("document.getElementById('ask-{name}').click()");
    let now = |text: &str| format!("document.getElementById('now').textContent.includes('{text}')");
    browser.wait_for("the button", &shown("pause"));
    browser.evaluate(&click("pause"));
    browser.wait_for("the pause", &now("Paused between two trials"));
    browser.wait_for("the other button", &shown("run"));
    browser.evaluate(&click("run"));
    browser.wait_for("the next trial", &now("update heavy"));
    browser.evaluate("window.confirm = () => true");
    browser.evaluate(&click("stop"));
    assert_eq!(study.wait().unwrap().code(), Some(130));
    browser.wait_for("the end", &now("Nothing runs"));
    assert_eq!(browser.exceptions, Vec::<String>::new());
}

#[test]
fn what_a_reader_opened_and_where_the_focus_is_survive_an_update() {
    let place = Place::new();
    place.succeed("run memory --records 500 --operations 1000 --warmup 0s --output results/single");
    let served = Served::start(&place, "serve results --listen 127.0.0.1:0");
    let mut browser = Browser::open(&place, &served.url("/studies/single"));
    let kept = browser.evaluate(
        "(async () => {
           const details = (open, text) => `<details ${open}><summary>${text}</summary></details>`;
           const figure = '<figure id=\"drawn\"><button>one</button><button>two</button></figure>';
           const shown = document.createElement('section');
           document.body.append(shown);
           shown.innerHTML = details('open', 'a') + details('', 'b') + figure;
           shown.querySelectorAll('button')[1].focus();
           replacing.replaceElement(shown, `<section id=\"next\">${details('', 'b') + details('', 'a') + figure}</section>`);
           await new Promise((done) => setTimeout(done, 100));
           const next = document.getElementById('next');
           return { open: [...next.querySelectorAll('details')].map((found) => found.open), focus: document.activeElement.textContent };
         })()",
    );
    assert_eq!(kept, json!({ "open": [false, true], "focus": "two" }));
}
