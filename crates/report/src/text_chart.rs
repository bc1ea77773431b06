//! One chart in characters: points with their intervals on an axis, for pull requests, logs and mails, where no drawing is shown.

use dbdyno_vocabulary::visible;
use unicode_width::UnicodeWidthStr;

use crate::number;

/// Columns of the axis. It is odd, so that a ratio of one has a column of its own.
const WIDTH: usize = 41;

/// A line of a chart.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is about.
    pub label: String,
    /// The estimate.
    pub point: f64,
    /// Its interval; none with too few trials.
    pub interval: Option<(f64, f64)>,
    /// The same in figures, to the right.
    pub figures: String,
}

/// Values on an axis from zero to the greatest of them, which `format` writes.
#[must_use]
pub fn from_zero(lines: &[Line], format: impl Fn(f64) -> String) -> String {
    let greatest = values(lines)
        .filter(|value| value.is_finite())
        .fold(0.0, f64::max);
    if greatest <= 0.0 {
        return String::new();
    }
    let place = |value: f64| column(value / greatest);
    let mut axis = [' '; WIDTH];
    axis[0] = '│';
    let end = format(greatest);
    draw(lines, place, &axis, &[(0, "0"), (WIDTH - 1, end.as_str())])
}

/// Ratios on a logarithmic axis with one in its middle; dots mark the margin within which a difference does not matter.
#[must_use]
pub fn ratios(lines: &[Line], margin: f64) -> String {
    let distance = |value: f64| value.ln().abs();
    let farthest = values(lines)
        .filter(|value| value.is_finite() && *value > 0.0)
        .map(distance)
        .fold(2.0 * distance(1.0 + margin), f64::max);
    if lines.is_empty() {
        return String::new();
    }
    let place = |value: f64| column((value.ln() / farthest + 1.0) / 2.0);
    let mut axis = [' '; WIDTH];
    axis[place(1.0 + margin)] = '┊';
    axis[place(1.0 / (1.0 + margin))] = '┊';
    axis[place(1.0)] = '│';
    let (low, high) = (number::ratio((-farthest).exp()), number::ratio(farthest.exp()));
    let numbers = [(0, low.as_str()), (place(1.0), "1×"), (WIDTH - 1, high.as_str())];
    draw(lines, place, &axis, &numbers)
}

fn values(lines: &[Line]) -> impl Iterator<Item = f64> {
    lines.iter().flat_map(|line| {
        let ends = line.interval.map(|(low, high)| [low, high]);
        std::iter::once(line.point).chain(ends.into_iter().flatten())
    })
}

/// The column of a share of the axis.
fn column(share: f64) -> usize {
    // A value that is no number is drawn at the start; the figures show what it is.
    (share.clamp(0.0, 1.0) * (WIDTH - 1) as f64).round() as usize
}

/// The lines, and a last one with numbers below the axis, each around its column.
fn draw(
    lines: &[Line],
    place: impl Fn(f64) -> usize,
    empty: &[char; WIDTH],
    numbers: &[(usize, &str)],
) -> String {
    let labels: Vec<String> = lines.iter().map(|line| one_line(&line.label)).collect();
    let widest = labels.iter().map(|label| label.width()).max().unwrap_or(0);
    let mut text = String::new();
    for (line, label) in lines.iter().zip(&labels) {
        let mut axis = *empty;
        if let Some((one, other)) = line.interval {
            let (one, other) = (place(one), place(other));
            let (low, high) = (one.min(other), one.max(other));
            axis[low..=high].fill('─');
            axis[low] = '├';
            axis[high] = '┤';
        }
        axis[place(line.point)] = '●';
        let axis: String = axis.iter().collect();
        let gap = " ".repeat(widest - label.width());
        let row = format!("{label}{gap}  {axis}  {}", one_line(&line.figures));
        text.push_str(row.trim_end());
        text.push('\n');
    }
    let mut below = " ".repeat(widest + 2);
    for (column, number) in numbers {
        let width = number.width();
        let start = (widest + 2 + column).saturating_sub(width / 2);
        let gap = start.saturating_sub(below.width());
        below.push_str(&" ".repeat(gap));
        below.push_str(number);
    }
    text.push_str(below.trim_end());
    text.push('\n');
    text
}

/// A name of somebody else's, on one line and without what would move it.
fn one_line(text: &str) -> String {
    visible::text(text).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(label: &str, point: f64, interval: Option<(f64, f64)>) -> Line {
        Line {
            label: label.to_owned(),
            point,
            interval,
            figures: format!("{point}"),
        }
    }

    /// The columns of these signs in each line.
    fn columns(chart: &str, sign: char) -> Vec<usize> {
        let of_line = |line: &str| line.chars().position(|character| character == sign);
        chart.lines().filter_map(of_line).collect()
    }

    #[test]
    fn values_lie_where_they_are_to_scale() {
        let lines = [
            line("redb", 50.0, Some((25.0, 100.0))),
            line("日本", 100.0, None),
            line("bad\u{1b}[31m\nname", f64::NAN, Some((f64::NAN, 10.0))),
        ];
        let chart = from_zero(&lines, |value| format!("{value}/s"));
        insta::assert_snapshot!(chart);
        assert!(!chart.contains('\u{1b}') && chart.lines().count() == 4, "{chart}");
        let start = columns(&chart, '├')[0];
        let (point, end) = (columns(&chart, '●')[0], columns(&chart, '┤')[0]);
        assert_eq!((point - start, end - point), (10, 20), "{chart}");
    }

    #[test]
    fn ratios_lie_around_one() {
        let lines = [
            line("half", 0.5, Some((0.25, 1.0))),
            line("same", 1.0, None),
            line("twice", 2.0, Some((1.5, 4.0))),
        ];
        let chart = ratios(&lines, 0.05);
        insta::assert_snapshot!(chart);
        let points = columns(&chart, '●');
        assert_eq!(points[1] - points[0], 10, "{chart}");
        assert_eq!(points[2] - points[1], 10, "{chart}");
        assert_eq!(ratios(&[], 0.05), "");
    }
}
