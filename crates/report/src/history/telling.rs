//! How a history is told.

use super::{History, Point, Series};
use crate::Style;
use crate::{number, text_table};

const HEADER: [&str; 6] = ["point", "version", "trials", "median", "95% interval", "change"];

impl History {
    /// For people.
    #[must_use]
    pub fn text(&self, style: Style) -> String {
        let mut text = String::new();
        for series in &self.series {
            text.push_str(&format!("{}\n", style.bold(&series.title())));
            let mut table = text_table::new(&HEADER, style);
            for point in &series.points {
                table.add_row(series.row(point));
            }
            text.push_str(&text_table::finish(table, 2));
            text.push('\n');
            for remark in series.remarks() {
                for line in crate::terminal::wrap(&remark, style.width, "  ") {
                    text.push_str(&line);
                    text.push('\n');
                }
            }
            text.push('\n');
        }
        text
    }

    /// For a summary page of a continuous integration.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for series in &self.series {
            text.push_str(&format!(
                "### {}\n\n| {} |\n|{}\n",
                series.title(),
                HEADER.join(" | "),
                "---|".repeat(HEADER.len())
            ));
            for point in &series.points {
                let row = series.row(point).map(|cell| cell.replace('|', "\\|"));
                text.push_str(&format!("| {} |\n", row.join(" | ")));
            }
            for remark in series.remarks() {
                text.push_str(&format!("\n- {remark}"));
            }
            text.push_str("\n\n");
        }
        text.trim_end().to_owned() + "\n"
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("it holds only maps with text keys");
        text.push('\n');
        text
    }
}

impl Series {
    fn title(&self) -> String {
        format!("{}: {}, {}", self.study, self.cell, self.metric)
    }

    fn row(&self, point: &Point) -> [String; 6] {
        let interval = point.interval.map_or_else(
            || "–".to_owned(),
            |(low, high)| format!("{} to {}", self.unit.format(low), self.unit.format(high)),
        );
        let change = point.change.map_or_else(String::new, |change| {
            let word = if change.slower { "slower" } else { "faster" };
            let times = number::times(change.ratio, None, number::Quantity::Level, None);
            format!("{word}: {times} than the level before")
        });
        [
            point.label.clone(),
            point.version.clone(),
            point.trials.to_string(),
            number::bounded(self.unit.format(point.median), point.at_least),
            interval,
            change,
        ]
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks: Vec<String> = self
            .points
            .iter()
            .filter(|point| !point.differences.is_empty())
            .map(|point| {
                format!(
                    "{} is not set against the point before it: {}",
                    point.label,
                    point.differences.join("; ")
                )
            })
            .collect();
        remarks.extend(self.points.iter().filter_map(|point| {
            let why = point.unreliable.as_ref()?;
            Some(format!("{} is part of no level: {why}", point.label))
        }));
        if let (Some(point), Some(last)) = (self.points.last(), &self.last) {
            remarks.push(format!(
                "{} against the level before it: {}; {}",
                point.label,
                last.verdict.name(),
                last.reason
            ));
        }
        remarks
    }
}
