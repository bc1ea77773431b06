//! The index as text: for a terminal, for a README, for spreadsheets.

use dbdyno_vocabulary::visible;

use super::{Group, Index, Measured, Row};
use crate::model::{Metric, Standing};
use crate::{Style, number, text_table};

/// What a table shows besides the factors, of which few studies have any.
const HEADER: [&str; 7] = [
    "study",
    "date",
    "system",
    "product",
    "throughput",
    "p99 latency",
    "trials",
];
/// Where the factors stand when there are some.
const FACTORS: usize = 4;

impl Index {
    /// For people at a terminal: a table for each group.
    #[must_use]
    pub fn text(&self, style: Style) -> String {
        let (header, factors) = (self.header(), self.has_factors());
        let mut text = String::new();
        for group in &self.groups {
            text.push_str(&style.bold(&format!("Workload {}", group.workload)));
            text.push('\n');
            for line in crate::terminal::wrap(&group.about(), style.width, "  ") {
                text.push_str(&style.dim(&line));
                text.push('\n');
            }
            let mut table = text_table::new(&header, style);
            for row in &group.rows {
                table.add_row(fields(row, factors));
            }
            text.push_str(&text_table::finish(table, FACTORS + usize::from(factors)));
            text.push_str("\n\n");
        }
        for line in self.remarks() {
            for line in crate::terminal::wrap(&line, style.width, "") {
                text.push_str(&style.dim(&line));
                text.push('\n');
            }
        }
        text
    }

    /// For a README or an issue.
    #[must_use]
    pub fn markdown(&self) -> String {
        let (header, factors) = (self.header(), self.has_factors());
        let mut text = format!("# {}\n", number::plural(self.studies, "study", "studies"));
        for group in &self.groups {
            text.push_str(&format!(
                "\n## Workload {}\n\n{}\n\n",
                crate::markdown::escape(&group.workload),
                crate::markdown::escape(&group.about())
            ));
            let rows = group.rows.iter().map(|row| fields(row, factors));
            crate::markdown::table(&mut text, &header, rows);
        }
        for line in self.remarks() {
            text.push_str(&format!("\n{}\n", crate::markdown::escape(&line)));
        }
        text
    }

    /// One row for each row, with plain numbers and the unit in the column's name.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut out = csv::Writer::from_writer(Vec::new());
        let header = [
            "study",
            "folder",
            "started_at",
            "machine",
            "workload",
            "records",
            "clients",
            "rate",
            "durability",
            "consistency",
            "system",
            "product",
            "factors",
            "trials",
            "throughput_ops_s",
            "throughput_low_ops_s",
            "throughput_high_ops_s",
            "throughput_verdict",
            "latency_p99_ns",
            "latency_p99_low_ns",
            "latency_p99_high_ns",
            "latency_p99_verdict",
        ];
        let rows = self
            .groups
            .iter()
            .flat_map(|group| group.rows.iter().map(move |row| self.plain_fields(group, row)));
        let header = header.map(str::to_owned).to_vec();
        for row in std::iter::once(header).chain(rows) {
            out.write_record(row.iter().map(|field| visible::cell(field).into_owned()))
                .expect("writing to memory does not fail and all rows are of one length");
        }
        let bytes = out.into_inner().expect("writing to memory does not fail");
        String::from_utf8(bytes).expect("every field was text")
    }

    fn plain_fields(&self, group: &Group, row: &Row) -> Vec<String> {
        let machine = self
            .machines
            .iter()
            .find(|machine| machine.letter == group.machine);
        let levels = |levels: Vec<String>| levels.join(" or ");
        let scope = &group.scope;
        let mut fields = vec![
            row.study.clone(),
            row.folder.clone(),
            row.started_at.clone(),
            machine.map_or(String::new(), |machine| machine.name.clone()),
            group.workload.clone(),
            levels(scope.records.iter().map(ToString::to_string).collect()),
            levels(scope.clients.iter().map(ToString::to_string).collect()),
            levels(scope.rate.iter().cloned().collect()),
            group.durability.clone(),
            group.consistency.clone(),
            row.system.clone(),
            row.product.clone(),
            row.factors.clone(),
            row.trials.to_string(),
        ];
        for measured in [&row.throughput, &row.latency_p99_ns] {
            let ends = measured.as_ref().and_then(|measured| measured.interval);
            let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
            fields.push(number(measured.as_ref().map(|measured| measured.median)));
            fields.push(number(ends.map(|ends| ends.low)));
            fields.push(number(ends.map(|ends| ends.high)));
            let standing = measured.as_ref().and_then(|measured| measured.standing);
            fields.push(standing.map_or(String::new(), |standing| standing.name().to_owned()));
        }
        fields
    }

    fn header(&self) -> Vec<&'static str> {
        let mut header = HEADER.to_vec();
        if self.has_factors() {
            header.insert(FACTORS, "factors");
        }
        header
    }

    fn remarks(&self) -> Vec<String> {
        let machines = self
            .machines
            .iter()
            .map(|machine| format!("Machine {}: {}.", machine.letter, machine.name));
        let rule = "▲ shown best in its study, = equivalent to the best, ? undecided, n/c not comparable (latency without \
                    a rate that all systems sustained, or different promises). Numbers of different groups do not rank, and rows of \
                    different studies were not measured in turns.";
        machines.chain([rule.to_owned()]).collect()
    }
}

fn fields(row: &Row, factors: bool) -> Vec<String> {
    let mut fields = vec![
        row.study.clone(),
        row.started_at.get(..10).unwrap_or_default().to_owned(),
        row.system.clone(),
        row.product.clone(),
        told(row.throughput.as_ref(), Metric::Throughput),
        told(row.latency_p99_ns.as_ref(), Metric::LatencyP99),
        row.trials.to_string(),
    ];
    if factors {
        fields.insert(FACTORS, row.factors.clone());
    }
    fields
}

/// `298k/s (292k/s to 309k/s) ▲`.
fn told(measured: Option<&Measured>, metric: Metric) -> String {
    let Some(measured) = measured else {
        return "–".to_owned();
    };
    let mut text = measured.text(metric);
    if let Some(interval) = &measured.interval {
        text.push_str(&format!(
            " ({} to {})",
            metric.format(interval.low),
            metric.format(interval.high)
        ));
    }
    match measured.standing {
        Some(Standing::Best) => text.push_str(" ▲"),
        Some(Standing::Tied) => text.push_str(" ="),
        Some(Standing::Open) => text.push_str(" ?"),
        Some(Standing::NotComparable) => text.push_str(" n/c"),
        Some(Standing::Behind) | None => {}
    }
    text
}
