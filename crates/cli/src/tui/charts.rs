//! The last minutes of the running trial as bars, a column for one or several seconds.

use dbdyno_record::IntervalRow;
use dbdyno_serve::SECONDS_SHOWN;
use dbdyno_vocabulary::number;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Sparkline;

use super::colors::{faint, strong};

/// The height of the highest bar, in the whole numbers that a sparkline takes.
const FULL: f64 = 10_000.0;

/// A quantity of a second.
pub struct Quantity {
    title: &'static str,
    of: fn(&IntervalRow) -> Option<f64>,
    format: fn(f64) -> String,
    /// What stands for several seconds: their largest value, or their mean.
    is_largest: bool,
}

pub const THROUGHPUT: Quantity = Quantity {
    title: "Throughput",
    of: |row| Some(row.rate),
    format: number::rate,
    is_largest: false,
};

pub const P99: Quantity = Quantity {
    title: "p99 latency",
    of: |row| row.p99_us.map(|microseconds| microseconds * 1e3),
    format: number::duration_ns,
    is_largest: true,
};

pub const SERVER_CPU: Quantity = Quantity {
    title: "CPUs of servers",
    of: |row| per_second(row.server_cpu_seconds?, row),
    format: cpus,
    is_largest: false,
};

pub const SERVER_MEMORY: Quantity = Quantity {
    title: "Memory of servers",
    of: |row| row.server_memory_bytes.map(|bytes| bytes as f64),
    format: number::bytes,
    is_largest: true,
};

pub const CLIENT_CPU: Quantity = Quantity {
    title: "CPUs of dbdyno",
    of: |row| per_second(row.client_cpu_seconds, row),
    format: cpus,
    is_largest: false,
};

impl Quantity {
    /// Its value in a second, in words.
    pub fn shown(&self, row: &IntervalRow) -> Option<String> {
        (self.of)(row).map(self.format)
    }

    /// Whether it is known of any of the seconds that a chart shows.
    pub fn is_known(&self, rows: &[IntervalRow]) -> bool {
        last_minutes(rows).iter().any(|row| (self.of)(row).is_some())
    }
}

/// Draws a chart: its title with the largest value, and the bars below.
pub fn chart(frame: &mut Frame<'_>, area: Rect, quantity: &Quantity, rows: &[IntervalRow], style: Style) {
    let [title, bars] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let columns = columns(rows, quantity, usize::from(bars.width));
    let largest = columns.iter().flatten().copied().fold(0.0, f64::max);
    let words = Line::from(vec![
        Span::styled(quantity.title, strong()),
        Span::styled(format!("  up to {}", (quantity.format)(largest)), faint()),
    ]);
    frame.render_widget(words, title);
    let height = |value: f64| (value / largest * FULL).round() as u64;
    let data: Vec<Option<u64>> = columns.into_iter().map(|value| value.map(height)).collect();
    let sparkline = Sparkline::default().data(data).max(FULL as u64).style(style);
    frame.render_widget(sparkline, bars);
}

fn last_minutes(rows: &[IntervalRow]) -> &[IntervalRow] {
    &rows[rows.len().saturating_sub(SECONDS_SHOWN)..]
}

/// The last seconds in at most this many columns. A second stays with the seconds of its column while others follow.
fn columns(rows: &[IntervalRow], quantity: &Quantity, width: usize) -> Vec<Option<f64>> {
    let seconds = rows.len().min(SECONDS_SHOWN).div_ceil(width.max(1)).max(1);
    let chunks = rows.chunks(seconds);
    let passed_over = chunks
        .len()
        .saturating_sub(width.min(SECONDS_SHOWN.div_ceil(seconds)));
    let of_chunk = |chunk: &[IntervalRow]| {
        let known = || chunk.iter().filter_map(quantity.of);
        let largest = known().reduce(f64::max)?;
        if quantity.is_largest {
            return Some(largest);
        }
        Some(known().sum::<f64>() / known().count() as f64)
    };
    chunks.skip(passed_over).map(of_chunk).collect()
}

fn per_second(seconds: f64, row: &IntervalRow) -> Option<f64> {
    (row.duration_s > 0.0).then(|| seconds / row.duration_s)
}

fn cpus(value: f64) -> String {
    format!("{value:.2}")
}

#[cfg(test)]
mod tests {
    use dbdyno_record::Latency;
    use dbdyno_record::intervals::IntervalCounts;

    use super::*;

    fn rows(rates: impl IntoIterator<Item = u32>) -> Vec<IntervalRow> {
        let row = |rate: u32| {
            let counts = IntervalCounts {
                ok: u64::from(rate),
                ..IntervalCounts::default()
            };
            IntervalRow::new("measure", 0, 1_000_000_000, counts, &Latency::new())
        };
        rates.into_iter().map(row).collect()
    }

    #[test]
    fn a_column_is_a_second_until_there_are_too_many() {
        let few = columns(&rows([1, 2, 3]), &THROUGHPUT, 10);
        assert_eq!(few, [Some(1.0), Some(2.0), Some(3.0)]);
        let more = columns(&rows([1, 3, 5, 7, 9]), &THROUGHPUT, 3);
        assert_eq!(more, [Some(2.0), Some(6.0), Some(9.0)], "means of two seconds");
        assert_eq!(columns(&rows([1, 2]), &P99, 10), [None, None]);
        assert!(columns(&rows([]), &THROUGHPUT, 10).is_empty());
        assert!(columns(&rows([1]), &THROUGHPUT, 0).is_empty());
    }

    #[test]
    fn a_long_trial_is_shown_by_its_last_minutes() {
        let long = columns(&rows(0..10_000), &THROUGHPUT, 100);
        assert_eq!(long.len(), 100);
        assert_eq!(long.last(), Some(&Some(9_999.0)), "alone in its column so far");
        assert_eq!(long[0], Some(9_703.0), "{long:?}");
        let wide = columns(&rows(0..10_000), &THROUGHPUT, 1_000);
        assert_eq!(wide.len(), SECONDS_SHOWN);
    }
}
