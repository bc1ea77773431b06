//! The page in a real browser: it must run without an error, fit a phone, and print.
//!
//! Needs Chromium, which `cargo xtask test` sees to. `CHROMIUM` names another program.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common;
use crate::common::{FJALL, REDB, WORKLOADS, study};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dbdyno_report::index::{Index, StudyEntry};
use dbdyno_report::{Render, ReportModel};
use sha2::{Digest, Sha256};

/// Counts errors, looks for what is wider than the window, and tries the page's own buttons. Runs after the page's script.
const PROBE: &str = r#"<script>
addEventListener("error", (event) => report("error: " + event.message));
addEventListener("securitypolicyviolation", (event) => report("violation: " + event.violatedDirective));
const problems = [];
function report(text) { problems.push(text); }
// By messages, not by timers: the browser's clock is virtual here, and runs ahead of work on other threads.
async function until(there) {
  const { port1, port2 } = new MessageChannel();
  for (let round = 0; round < 200000 && !there(); round += 1) {
    await new Promise((done) => { port1.onmessage = done; port2.postMessage(0); });
  }
  return there();
}
addEventListener("load", async () => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) report(`overflow: ${document.documentElement.scrollWidth} > ${width}`);
  const before = getComputedStyle(document.body).backgroundColor;
  document.getElementById("theme").click();
  const after = getComputedStyle(document.body).backgroundColor;
  if (before === after) report("the theme button does nothing");
  const figure = document.querySelector("figure svg").getBoundingClientRect();
  if (figure.width < 200 || figure.height < 50) report(`figure of ${figure.width} x ${figure.height}`);
  const dot = document.querySelector(".dot");
  dot.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: 50, clientY: 50 }));
  if (document.getElementById("tip").hidden) report("no value on hover");
  HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
  const saved = [];
  document.querySelector("[data-save=svg]").click();
  if (saved.length !== 1 || !saved[0].endsWith(".svg")) report("the figure was not saved");
  if (parent === window) {
    const blobs = [];
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => { blobs.push(blob); return make(blob); };
    const data = document.querySelector("[data-save=csv]");
    data.click();
    const text = (await until(() => blobs[0])) ? await blobs[0].text() : "";
    if (!text.startsWith("cell,system,reference,throughput_ratio,interval_low,") || text.split("\n").length < 3) report(`the data was not saved: ${text.slice(0, 80)}`);
    if (!saved[1]?.endsWith("glance--throughput-ratio.csv")) report(`saved as ${saved[1]}`);
  }
  const said = "probe " + `says width=${innerWidth} before=${before} after=${after} problems=[${problems.join("; ")}]`;
  (parent === window ? document.body : null)?.append(said);
  parent.postMessage(said, "*");
});
</script>"#;

fn chromium() -> PathBuf {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return named.into();
    }
    [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ]
    .iter()
    .map(PathBuf::from)
    .find(|path| path.exists())
    .expect("Chromium is not installed: apt-get install chromium, or name it in CHROMIUM")
}

/// Runs Chromium with a fresh profile on a local file and returns its standard output.
pub(crate) fn browse(folder: &Path, page: &Path, arguments: &[&str]) -> String {
    let profile = tempfile::tempdir_in(folder).unwrap();
    let output = Command::new(chromium())
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(arguments)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A study with long names and every kind of remark, where overflow would show first.
fn page() -> String {
    let mut results = common::quickstart();
    for trial in &mut results.trials {
        if trial.system.name == "sqlite" {
            trial.system.name = "sqlite-with-a-very-long-name-and-options".to_owned();
            trial.system.durability = "synced".parse().unwrap();
        }
    }
    probed(&ReportModel::build(&results).html(), PROBE)
}

/// The page with one more script, which its policy allows by its hash.
pub(crate) fn probed(page: &str, probe: &str) -> String {
    let script = probe.trim_start_matches("<script>").trim_end_matches("</script>");
    let hash = STANDARD.encode(Sha256::digest(script));
    page.replacen("script-src ", &format!("script-src 'sha256-{hash}' "), 1)
        .replace("</body>", &format!("{probe}</body>"))
}

#[test]
fn a_script_that_is_not_ours_does_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    let intruder = "<script>document.title = 'intr' + 'uder';</script>";
    std::fs::write(&file, page().replace("</body>", &format!("{intruder}</body>"))).unwrap();
    let dom = browse(
        folder.path(),
        &file,
        &["--virtual-time-budget=3000", "--dump-dom"],
    );
    assert!(stated(&dom).contains("violation: script-src"), "{}", stated(&dom));
    assert!(!dom.contains("intruder"));
}

pub(crate) fn stated(dom: &str) -> &str {
    let from = dom.find("probe says ").unwrap_or_else(|| {
        panic!(
            "the probe said nothing: {}",
            &dom[dom.len().saturating_sub(2_000)..]
        )
    });
    dom[from..].split('<').next().unwrap()
}

#[test]
fn desktop_light_and_dark_have_no_errors_and_no_overflow() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    std::fs::write(&file, page()).unwrap();
    let light = browse(
        folder.path(),
        &file,
        &[
            "--window-size=1280,900",
            "--virtual-time-budget=3000",
            "--dump-dom",
        ],
    );
    assert!(stated(&light).contains("problems=[]"), "{}", stated(&light));
    assert!(
        stated(&light).contains("before=rgb(247, 248, 250) after=rgb(18, 22, 27)"),
        "{}",
        stated(&light)
    );
    let dark = browse(
        folder.path(),
        &file,
        &[
            "--window-size=1280,900",
            "--virtual-time-budget=3000",
            "--blink-settings=preferredColorScheme=0",
            "--dump-dom",
        ],
    );
    assert!(stated(&dark).contains("problems=[]"), "{}", stated(&dark));
    assert!(
        stated(&dark).contains("before=rgb(18, 22, 27) after=rgb(247, 248, 250)"),
        "{}",
        stated(&dark)
    );
}

/// What a folder's `report.html` says in a frame as narrow as a phone; windows are not.
fn on_a_phone(folder: &Path) -> String {
    let phone = folder.join("phone.html");
    let frame = r#"<iframe src="report.html" style="width:360px;height:740px;border:0"></iframe>
        <script>addEventListener("message", (event) => document.body.append(event.data));</script>"#;
    std::fs::write(&phone, format!("<!doctype html><body>{frame}</body>")).unwrap();
    browse(folder, &phone, &["--virtual-time-budget=3000", "--dump-dom"])
}

#[test]
fn a_phone_needs_no_sideways_scrolling() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.html"), page()).unwrap();
    let dom = on_a_phone(folder.path());
    assert!(stated(&dom).contains("width=360 "), "{}", stated(&dom));
    assert!(stated(&dom).contains("problems=[]"), "{}", stated(&dom));
}

#[test]
fn it_prints_and_draws() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    std::fs::write(&file, ReportModel::build(&common::quickstart()).html()).unwrap();
    let paper = folder.path().join("report.pdf");
    browse(
        folder.path(),
        &file,
        &[
            "--no-pdf-header-footer",
            &format!("--print-to-pdf={}", paper.display()),
        ],
    );
    let bytes = std::fs::read(&paper).unwrap();
    assert!(
        bytes.starts_with(b"%PDF-") && bytes.len() > 50_000,
        "{} bytes",
        bytes.len()
    );
    let picture = folder.path().join("report.png");
    browse(
        folder.path(),
        &file,
        &[
            "--window-size=1280,2400",
            &format!("--screenshot={}", picture.display()),
        ],
    );
    // A blank page of this size compresses to about 10 kB.
    assert!(std::fs::metadata(&picture).unwrap().len() > 100_000);
}

/// Tries the filters and the sorting of the index. Runs after the page's script.
const INDEX_PROBE: &str = r#"<script>
const problems = [];
addEventListener("error", (event) => problems.push("error: " + event.message));
addEventListener("securitypolicyviolation", (event) => problems.push("violation: " + event.violatedDirective));
addEventListener("load", () => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) problems.push(`overflow: ${document.documentElement.scrollWidth} > ${width}`);
  const expect = (what, found, wanted) => { if (found !== wanted) problems.push(`${what}: ${found}, not ${wanted}`); };
  const rows = () => [...document.querySelectorAll("tr[data-keys]")].filter((row) => !row.hidden && !row.parentNode.hidden);
  const values = (group) => [...group.rows].slice(1).map((row) => Number(row.querySelector("[data-value]").dataset.value));
  const filters = document.getElementById("filters");
  const set = (name, value) => {
    filters.elements[name].value = value;
    filters.elements[name].dispatchEvent(new Event("input", { bubbles: true }));
  };
  expect("rows", rows().length, 5);
  set("product", "fjall 3.1.13");
  expect("rows of a product", rows().length, 2);
  set("workload", "b");
  expect("rows of a product and workload", rows().length, 1);
  set("workload", ""); set("product", "");
  set("text", "THERE workload");
  expect("rows of a text", rows().length, 1);
  set("text", "");
  const head = [...document.querySelectorAll("th button")].find((button) => button.textContent === "throughput");
  for (const wanted of ["descending", "ascending"]) {
    head.click();
    expect("order", head.parentNode.getAttribute("aria-sort"), wanted);
    for (const group of document.querySelectorAll("tbody")) {
      const found = values(group);
      const sorted = [...found].sort((a, b) => wanted === "ascending" ? a - b : b - a);
      expect("values", found.join(), sorted.join());
      if (!group.rows[0].classList.contains("group")) problems.push("a heading was moved");
    }
  }
  const said = "probe " + `says width=${innerWidth} problems=[${problems.join("; ")}]`;
  (parent === window ? document.body : null)?.append(said);
  parent.postMessage(said, "*");
});
</script>"#;

/// Studies of two machines on one page.
pub(crate) fn studies() -> Index {
    let entry = |name: &str, machine: &str, workloads: usize| {
        let mut results = study(name, &[FJALL, REDB], &WORKLOADS[..workloads], 2, 5);
        if name == "there" {
            results.trials.retain(|trial| trial.system.name == "redb");
        }
        let report = format!("{name}/report.html");
        let mut model = ReportModel::build(&results);
        model.machine = machine.to_owned();
        StudyEntry::new(&model, name, Some(&report))
    };
    let studies = vec![
        entry("here", "One", 2),
        entry("there", "A machine with a long name, 64 processors", 1),
    ];
    Index::new(studies)
}

fn index() -> String {
    probed(&studies().html(), INDEX_PROBE)
}

#[test]
fn the_index_filters_and_sorts_within_groups() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.html"), index()).unwrap();
    let wide = [
        "--window-size=1280,900",
        "--virtual-time-budget=3000",
        "--dump-dom",
    ];
    let dom = browse(folder.path(), &folder.path().join("report.html"), &wide);
    assert!(stated(&dom).contains("problems=[]"), "{}", stated(&dom));
    let dom = on_a_phone(folder.path());
    assert!(stated(&dom).contains("width=360 "), "{}", stated(&dom));
    assert!(stated(&dom).contains("problems=[]"), "{}", stated(&dom));
}
