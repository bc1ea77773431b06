//! The index for spreadsheets.

use dbdyno_vocabulary::visible;

use super::{Group, Index, Row};
use crate::words::names::Named;

impl Index {
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
            levels(scope.rate.iter().map(|rate| rate.for_programs()).collect()),
            group.durability.to_string(),
            group.consistency.to_string(),
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
            let rank = measured.as_ref().and_then(|measured| measured.rank);
            fields.push(rank.map_or(String::new(), |rank| rank.name().to_owned()));
        }
        fields
    }
}
