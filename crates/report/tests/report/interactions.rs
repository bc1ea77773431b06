//! What a reader does on the page: one system alone, the other axis, sorting, and addresses that keep it. In a real browser.

use std::path::Path;

use crate::browser::{browse, probed, stated, studies};
use crate::common::{FJALL, REDB, WORKLOADS, study};
use dbdyno_document::{Block, Document, Section, live_html};
use dbdyno_report::{Render, ReportModel};

/// What every driver of the page needs. A driver throws what it does not find.
const TOOLS: &str = r##"
const problems = [];
addEventListener("error", (event) => problems.push("error: " + event.message));
addEventListener("unhandledrejection", (event) => problems.push("rejected: " + event.reason));
addEventListener("securitypolicyviolation", (event) => problems.push("violation: " + event.violatedDirective));
const expect = (what, found, wanted) => {
  if (String(found) !== String(wanted)) problems.push(`${what}: ${found}, not ${wanted}`);
};
const one = (selector, within = document) => {
  const found = within.querySelector(selector);
  if (!found) throw new Error(`no ${selector}`);
  return found;
};
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const classed = (figure, name) => [...new Set(all(`[data-series].${name}`, figure).map((part) => part.dataset.series))].join();
const click = (element, shiftKey = false) => element.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey }));
const press = (element, key) => element.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, key, cancelable: true }));
const point = (element) => element.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: 5, clientY: 5 }));
addEventListener("load", async () => {
  try { await drive(); } catch (error) { problems.push(`thrown: ${error.message}`); }
  document.body.append("probe " + `says problems=[${problems.join("; ")}]`);
});
"##;

/// The page after this driver has run on it, opened at this place.
fn driven(page: &str, place: &str, drive: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    let script = format!("<script>{TOOLS}async function drive() {{{drive}}}</script>");
    std::fs::write(&file, probed(page, &script)).unwrap();
    let address = format!("{}{place}", file.display());
    let dom = browse(
        folder.path(),
        Path::new(&address),
        &[
            "--window-size=1280,900",
            "--virtual-time-budget=3000",
            "--dump-dom",
        ],
    );
    stated(&dom).to_owned()
}

fn page() -> String {
    ReportModel::build(&study("small", &[FJALL, REDB], &WORKLOADS[..2], 6, 10)).html()
}

const CLEAN: &str = "problems=[]";

#[test]
fn a_name_in_a_figure_shows_its_system_alone_by_pointer_and_by_keys() {
    let said = driven(
        &page(),
        "",
        r##"
        const figure = document.getElementById("workload-a--throughput-over-time");
        const other = document.getElementById("workload-b--throughput-over-time");
        const name = (system) => one(`.legend [data-series="${system}"]`, figure);
        expect("role of the drawing", one("svg", figure).getAttribute("role"), "group");
        expect("role", name("redb").getAttribute("role") + name("redb").getAttribute("aria-pressed"), "buttonfalse");
        click(name("redb"));
        expect("alone", classed(figure, "off"), "fjall");
        expect("pressed", name("redb").getAttribute("aria-pressed") + name("fjall").getAttribute("aria-pressed"), "truefalse");
        expect("elsewhere", classed(other, "off"), "");
        expect("address", location.hash, "#?only.workload-a--throughput-over-time=redb");
        expect("seen", Number(getComputedStyle(one("g[data-series=fjall] path", figure)).opacity) < 0.3, true);
        click(name("fjall"), true);
        expect("both", classed(figure, "off") + location.hash, "");
        click(name("fjall"), true);
        expect("one less", classed(figure, "off"), "fjall");
        press(document.body, "Escape");
        expect("restored", classed(figure, "off"), "");
        name("fjall").focus();
        expect("focus", document.activeElement === name("fjall"), true);
        // A window in the background sends no event of its own.
        name("fjall").dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
        expect("picked out by focus", classed(other, "dim"), "redb");
        press(name("fjall"), "Enter");
        expect("by keys", classed(figure, "off"), "redb");
        press(name("fjall"), " ");
        expect("again", classed(figure, "off"), "");
        // A figure of one system has nothing to choose from.
        expect("names that are buttons", all("figure [role=button]").every((key) =>
          new Set(all("[data-series]", key.closest("figure")).map((part) => part.dataset.series)).size > 1), true);
        "##,
    );
    assert!(said.contains(CLEAN), "{said}");
}

#[test]
fn pointing_at_a_system_picks_it_out_in_every_figure() {
    let said = driven(
        &page(),
        "",
        r##"
        const figures = all("figure").filter((figure) => all("[data-series=redb]", figure).length && all("[data-series=fjall]", figure).length);
        expect("several figures", figures.length > 4, true);
        point(one("[data-series=redb] .dot"));
        expect("dim", figures.every((figure) => classed(figure, "dim") === "fjall"), true);
        expect("tip", document.getElementById("tip").hidden, false);
        point(document.body);
        expect("nothing", all(".dim").length, 0);
        "##,
    );
    assert!(said.contains(CLEAN), "{said}");
}

#[test]
fn the_other_axis_shows_the_same_values_and_the_first_one_comes_back() {
    let said = driven(
        &page(),
        "",
        r##"
        const figure = document.getElementById("workload-a--throughput");
        const button = one("[data-toggle=axis]", figure);
        const shown = (figure) => one("[data-toggle=axis] .on", figure).textContent;
        expect("both kinds", all("span", button).map((kind) => kind.textContent).join(), "linear,log");
        expect("shown", shown(figure), "linear");
        const before = one("svg", figure).outerHTML;
        const title = one("figcaption span", figure).textContent;
        expect("bars", all(".bar", figure).length, 2);
        click(button);
        expect("shown then", shown(figure), "log");
        expect("bars on a logarithmic axis", all(".bar", figure).length, 0);
        expect("title", one("figcaption span", figure).textContent, `${title}, logarithmic axis`);
        const numbers = one("[data-axis]", figure).dataset.axis.split("|")[0].split(" ").slice(2).map(Number);
        const [, , start, end, low, high] = numbers;
        const placeOf = (value) => start + Math.log(value / low) / Math.log(high / low) * (end - start);
        const dots = all(".dot", figure);
        expect("dots", dots.length, 12);
        for (const dot of dots) {
          const value = Number(/: ([\d.]+)k\/s/.exec(dot.dataset.tip)[1]) * 1e3;
          const off = Math.abs(Number(dot.getAttribute("cx")) - placeOf(value));
          if (!(off < 2.5)) problems.push(`${dot.dataset.tip} is ${off} off`);
        }
        const labels = all("[data-axis] text", figure);
        expect("several values", labels.filter((label) => label.textContent).length > 1, true);
        for (const label of labels.filter((label) => /^\d+k\/s$/.test(label.textContent))) {
          const off = Math.abs(Number(label.getAttribute("x")) - placeOf(Number.parseInt(label.textContent) * 1e3));
          if (!(off < 1)) problems.push(`the label ${label.textContent} is ${off} off`);
        }
        expect("whiskers inside", all(".whisker, .median", figure).every((mark) => {
          const from = Number(/^M([\d.]+)/.exec(mark.getAttribute("d"))[1]);
          return from >= start && from <= end;
        }), true);
        expect("address", location.hash, "#?axis=workload-a--throughput");
        click(button);
        expect("back", one("svg", figure).outerHTML === before, true);
        expect("title then", one("figcaption span", figure).textContent, title);
        // From logarithmic to linear, names keep their distance.
        const curve = document.getElementById("workload-a--latency-of-read");
        click(one("[data-toggle=axis]", curve));
        const heights = all(".label", curve).map((label) => Number(label.getAttribute("y"))).sort((a, b) => a - b);
        expect("names apart", heights.length === 2 && heights[1] - heights[0] >= 12.9, true);
        expect("no broken path", all("path", curve).some((path) => /NaN|undefined/.test(path.getAttribute("d"))), false);
        "##,
    );
    assert!(said.contains(CLEAN), "{said}");
}

#[test]
fn tables_of_numbers_sort_and_come_back() {
    let said = driven(
        &page(),
        "",
        r##"
        const table = all("#workload-a table").find((table) => table.closest("details")?.textContent.startsWith("Every trial"));
        const head = [...table.tHead.rows[0].cells].find((head) => head.textContent === "throughput");
        const column = head.cellIndex;
        const values = () => [...table.tBodies[0].rows].map((row) => Number(row.cells[column].dataset.value));
        const first = values();
        expect("rows", first.length, 12);
        expect("known", first.every((value) => value > 1000), true);
        click(one("button", head));
        expect("descending", values().join(), [...first].sort((a, b) => b - a).join());
        expect("marked", head.getAttribute("aria-sort"), "descending");
        click(one("button", head));
        expect("ascending", values().join(), [...first].sort((a, b) => a - b).join());
        click(one("button", head));
        expect("as it was", values().join() + head.getAttribute("aria-sort"), first.join() + "null");
        expect("no sorting of an overview", all(".glance button").length, 0);
        "##,
    );
    assert!(said.contains(CLEAN), "{said}");
}

#[test]
fn an_address_leads_to_its_place_and_restores_what_was_chosen() {
    let said = driven(
        &page(),
        "#workload-b--throughput?only.workload-a--throughput=redb&axis=workload-a--throughput",
        r##"
        const figure = document.getElementById("workload-a--throughput");
        expect("alone", classed(figure, "off"), "fjall");
        expect("axis", one("[data-toggle=axis] .on", figure).textContent, "log");
        expect("marked", one(".target").id, "workload-b--throughput");
        const cell = one("td[id]");
        expect("anchor of a cell", one("a.anchor", cell).getAttribute("href"), "#" + cell.id);
        expect("anchor of a figure", one("figcaption > a.anchor", figure).getAttribute("href"), "#workload-a--throughput");
        expect("anchor of a section", one("#workload-a > h2 > a.anchor").getAttribute("href"), "#workload-a");
        const changed = new Promise((done) => addEventListener("hashchange", done));
        location.hash = "#" + cell.id;
        await changed;
        expect("marked then", one(".target").id, cell.id);
        expect("kept", location.hash, `#${cell.id}?only.workload-a--throughput=redb&axis=workload-a--throughput`);
        "##,
    );
    assert!(said.contains(CLEAN), "{said}");
}

#[test]
fn a_place_that_is_folded_away_opens() {
    let inner = Section::new("inner", "Inner", vec![Block::paragraph("here")]);
    let outer = Block::Details(
        "outer".into(),
        vec![Block::Details("more".into(), vec![inner.into()])],
    );
    let closed = Block::Details("closed".into(), vec![Block::paragraph("there")]);
    let document = Document {
        title: "Folded".to_owned(),
        body: vec![Section::new("top", "Top", vec![outer, closed]).into()],
        ..Document::default()
    };
    // A live page has the script whatever it shows.
    let said = driven(
        &live_html(&document, ""),
        "#inner",
        r##"expect("open", all("details").map((details) => details.open).join(), "true,true,false");"##,
    );
    assert!(said.contains(CLEAN), "{said}");
}

#[test]
fn a_part_that_is_replaced_keeps_what_was_chosen() {
    let page = page();
    let from = page.find("<section id=\"workload-a\"").unwrap();
    let raw = &page[from..from + page[from..].find("</section>").unwrap() + "</section>".len()];
    let raw = serde_json::to_string(raw).unwrap().replace("</", "<\\/");
    let drive = format!(
        r##"
        const raw = {raw};
        const id = "workload-a--throughput";
        const name = (system) => one(`[data-series="${{system}}"] > .name`, document.getElementById(id));
        click(one("[data-toggle=axis]", document.getElementById(id)));
        click(name("redb"));
        const head = () => all("#workload-a th[data-order]").find((head) => head.textContent === "throughput");
        click(one("button", head()));
        const old = document.getElementById(id);
        document.getElementById("workload-a").outerHTML = raw;
        await Promise.resolve();
        const figure = document.getElementById(id);
        expect("another figure", figure !== old, true);
        expect("alone", classed(figure, "off"), "fjall");
        expect("axis", one("[data-toggle=axis] .on", figure).textContent + all(".bar", figure).length, "log0");
        expect("buttons", all("[data-save]", figure).length, 3);
        expect("sorted", head().getAttribute("aria-sort"), "descending");
        expect("titles", all(".chart *:not(svg) > title").length, 0);
        press(document.body, "Escape");
        expect("restored", classed(figure, "off"), "");
        "##
    );
    let said = driven(&page, "", &drive);
    assert!(said.contains(CLEAN), "{said}");
}

#[test]
fn a_filtered_index_can_be_shared() {
    let said = driven(
        &studies().html(),
        "#?filter.product=fjall+3.1.13",
        r##"
        const rows = () => all("tr[data-keys]").filter((row) => !row.hidden && !row.parentNode.hidden).length;
        const filters = document.getElementById("filters");
        expect("restored", filters.elements.product.value + rows(), "fjall 3.1.132");
        filters.elements.workload.value = "b";
        filters.elements.workload.dispatchEvent(new Event("input", { bubbles: true }));
        expect("rows", rows(), 1);
        expect("address", new URLSearchParams(location.hash.slice(2)).get("filter.workload"), "b");
        filters.reset();
        await new Promise((done) => setTimeout(done, 20));
        expect("all", rows() + location.hash, "5");
        "##,
    );
    assert!(said.contains(CLEAN), "{said}");
}
