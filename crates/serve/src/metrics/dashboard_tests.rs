//! The dashboard for Grafana: its file has the fields that Grafana 11 documents for version 39 of its dashboards, and asks for what
//! `/metrics` has.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::catalogue::ALL;
use super::family::{Kind, Metric, Unit};

const DASHBOARD: &str = include_str!("../../../../docs/grafana/dbdyno.json");
const BOOK: &str = include_str!("../../../../docs/monitoring.md");
/// Of dashboards, as Grafana 11 writes them.
const SCHEMA_VERSION: u32 = 39;
/// Grafana's grid.
const COLUMNS: u32 = 24;

/// <https://grafana.com/docs/grafana/v11.0/dashboards/build-dashboards/view-dashboard-json-model/>
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "reading the fields is the check")]
struct Dashboard {
    title: String,
    uid: String,
    description: String,
    tags: Vec<String>,
    editable: bool,
    schema_version: u32,
    version: u32,
    timezone: String,
    refresh: String,
    time: Range,
    graph_tooltip: u8,
    annotations: List<Annotation>,
    templating: List<Variable>,
    panels: Vec<Panel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "reading the fields is the check")]
struct Range {
    from: String,
    to: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List<T> {
    list: Vec<T>,
}

#[derive(Deserialize, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
struct DataSource {
    r#type: String,
    uid: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "reading the fields is the check")]
struct Annotation {
    name: String,
    datasource: DataSource,
    enable: bool,
    hide: bool,
    icon_color: String,
    expr: String,
    step: String,
    title_format: String,
    text_format: String,
    tag_keys: String,
    use_value_for_time: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "reading the fields is the check")]
struct Variable {
    name: String,
    label: String,
    r#type: String,
    datasource: Option<DataSource>,
    definition: Option<String>,
    query: Value,
    refresh: u8,
    sort: Option<u8>,
    multi: bool,
    include_all: bool,
    current: Value,
    hide: u8,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "reading the fields is the check")]
struct Panel {
    id: u32,
    r#type: String,
    title: String,
    description: String,
    datasource: DataSource,
    grid_pos: Place,
    targets: Vec<Target>,
    field_config: FieldConfig,
    /// Of the kind of panel, not of dashboards.
    options: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    x: u32,
    y: u32,
    w: u32,
    h: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "reading the fields is the check")]
struct Target {
    datasource: DataSource,
    editor_mode: String,
    expr: String,
    format: String,
    legend_format: String,
    range: bool,
    ref_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "reading the fields is the check")]
struct FieldConfig {
    defaults: FieldDefaults,
    overrides: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "reading the fields is the check")]
struct FieldDefaults {
    unit: String,
    min: Option<f64>,
}

fn dashboard() -> Dashboard {
    serde_json::from_str(DASHBOARD).unwrap()
}

/// A metric's name in Prometheus.
fn exposed(metric: &Metric) -> String {
    let unit = match metric.unit {
        Unit::Count => "",
        Unit::Seconds => "_seconds",
        Unit::Bytes => "_bytes",
    };
    let suffix = match metric.kind {
        Kind::Counter => "_total",
        Kind::Info => "_info",
        Kind::Gauge | Kind::Histogram => "",
    };
    format!("{}{unit}{suffix}", metric.name)
}

/// The words of an expression that [`bare`] left over.
fn words(expression: &str) -> Vec<&str> {
    expression
        .split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty() && !word.starts_with(|letter: char| letter.is_ascii_digit()))
        .collect()
}

/// An expression without its strings and durations.
fn bare(expression: &str) -> String {
    let outside = expression.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let mut bare = String::new();
    let mut is_range = false;
    for letter in outside.chars() {
        is_range = is_range && letter != ']' || letter == '[';
        bare.push(if is_range || letter == ']' { ' ' } else { letter });
    }
    bare
}

/// What PromQL and Grafana mean by themselves.
const LANGUAGE: [&str; 6] = [
    "sum",
    "by",
    "rate",
    "histogram_quantile",
    "label_values",
    "increase",
];

/// Which metric an expression asks for; every other word of it is a label of that metric.
fn checked(expression: &str) -> &'static Metric {
    let bare = bare(expression);
    let words = words(&bare);
    let known: BTreeMap<String, &'static Metric> =
        ALL.iter().map(|metric| (exposed(metric), *metric)).collect();
    let metrics: BTreeSet<&str> = words
        .iter()
        .copied()
        .filter(|word| word.starts_with("dbdyno_"))
        .collect();
    assert_eq!(metrics.len(), 1, "{expression}");
    let name = metrics.first().unwrap();
    let metric = known
        .get(*name)
        .copied()
        .unwrap_or_else(|| panic!("{name} is not exported: {expression}"));
    for word in words
        .iter()
        .filter(|word| *word != name && !LANGUAGE.contains(word))
    {
        assert!(
            metric.labels.contains(word),
            "{name} has no label {word}: {expression}"
        );
    }
    metric
}

/// The labels that a legend or a title shows.
fn shown(text: &str) -> Vec<&str> {
    let parts = text.split("{{").skip(1);
    parts.filter_map(|part| Some(part.split_once("}}")?.0)).collect()
}

#[test]
fn every_expression_asks_for_what_is_exported() {
    let dashboard = dashboard();
    let mut asked: BTreeSet<String> = BTreeSet::new();
    for target in dashboard.panels.iter().flat_map(|panel| &panel.targets) {
        let metric = checked(&target.expr);
        for label in shown(&target.legend_format) {
            assert!(metric.labels.contains(&label), "{label}: {}", target.expr);
        }
        asked.insert(exposed(metric));
    }
    for annotation in &dashboard.annotations.list {
        let metric = checked(&annotation.expr);
        let formats = [&annotation.title_format, &annotation.text_format];
        let tags = annotation.tag_keys.split(',');
        for label in formats.iter().flat_map(|text| shown(text)).chain(tags) {
            assert!(metric.labels.contains(&label), "{label}: {}", annotation.expr);
        }
        asked.insert(exposed(metric));
    }
    for definition in dashboard
        .templating
        .list
        .iter()
        .filter_map(|variable| variable.definition.as_ref())
    {
        checked(definition);
    }
    // The rest is for alerts.
    let left: Vec<String> = ALL
        .iter()
        .map(|metric| exposed(metric))
        .filter(|name| !asked.contains(name))
        .collect();
    assert_eq!(left, ["dbdyno_trial_number", "dbdyno_dropped_series"]);
}

#[test]
fn the_dashboard_is_whole() {
    let dashboard = dashboard();
    assert_eq!(dashboard.schema_version, SCHEMA_VERSION);
    let variable = DataSource {
        r#type: "prometheus".to_owned(),
        uid: "${datasource}".to_owned(),
    };
    let mut ids = BTreeSet::new();
    for panel in &dashboard.panels {
        assert!(ids.insert(panel.id), "two panels have the number {}", panel.id);
        assert_eq!(panel.datasource, variable, "{}", panel.title);
        let refs: BTreeSet<&str> = panel
            .targets
            .iter()
            .map(|target| target.ref_id.as_str())
            .collect();
        assert_eq!(refs.len(), panel.targets.len(), "{}", panel.title);
        assert!(panel.grid_pos.x + panel.grid_pos.w <= COLUMNS, "{}", panel.title);
    }
    for (index, one) in dashboard.panels.iter().enumerate() {
        for other in &dashboard.panels[index + 1..] {
            let (a, b) = (&one.grid_pos, &other.grid_pos);
            let is_apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
            assert!(is_apart, "{} covers {}", one.title, other.title);
        }
    }
    let mut names = dashboard
        .templating
        .list
        .iter()
        .map(|variable| variable.name.as_str());
    assert!(names.any(|name| name == "datasource"));
}

#[test]
fn the_book_lists_every_metric_with_its_labels() {
    for metric in ALL {
        let name = exposed(metric);
        let row = BOOK
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("{name} is not in docs/monitoring.md"));
        let labels = metric.labels.iter().map(|label| format!("`{label}`"));
        let labels = labels.collect::<Vec<_>>().join(", ");
        assert!(row.contains(&format!("| {labels} |")), "{labels}: {row}");
    }
}
