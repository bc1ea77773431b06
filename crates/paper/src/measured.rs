//! A claim on new runs: the language of [`crate::predicate`] over samples in place of printed numbers.

mod ratios;

use std::collections::BTreeMap;

use dbdyno_stats::blocks::align;
use dbdyno_stats::family::simultaneous;
use dbdyno_stats::{BAND, Better, Interval, Pairing, Sample, compare, estimate};

use crate::claim_verdict::ClaimVerdict;
use crate::predicate::{Factor, Predicate, Product, Relation, bindings, described, words};
use ratios::Ratios;

/// What was measured: rows as of one table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurements {
    /// In the order of systems, workloads, sizes.
    pub rows: Vec<Row>,
}

/// One system under one workload at one size, over all trials.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// `system`, `workload`, `topology`, `records`, `ops`: in the paper's words and the paper's sizes.
    pub attributes: BTreeMap<String, String>,
    /// By column (`run_time_s`, `throughput_ops_s`, `read_avg_us`, ...): one value for each block.
    pub values: BTreeMap<String, BTreeMap<u32, f64>>,
    /// The same system measured a second time (A/A), where it was: it checks the noise of the column. By column, too.
    pub again: BTreeMap<String, BTreeMap<u32, f64>>,
}

/// What new runs say of a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasuredVerdict {
    /// Every comparison was shown.
    Holds,
    /// The opposite of one comparison or more was shown.
    Fails,
    /// Not all of it was shown, and where it was not, both sides lie within the band of bounded verdicts.
    Close,
    /// Nothing was shown against it, and not all of it was shown.
    Undecided,
    /// It asks for what was not measured here, or for what may not be compared.
    NotComparable {
        /// Why.
        reasons: Vec<String>,
    },
}

impl MeasuredVerdict {
    /// The answer in one or two words.
    #[must_use]
    pub const fn word(&self) -> ClaimVerdict {
        match self {
            Self::Holds => ClaimVerdict::Holds,
            Self::Fails => ClaimVerdict::Fails,
            Self::Close => ClaimVerdict::Close,
            Self::Undecided => ClaimVerdict::Undecided,
            Self::NotComparable { .. } => ClaimVerdict::NotComparable,
        }
    }
}

/// One comparison of a claim, on new runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The variables' choice, the ratio of both sides with its interval, and what it ought to be.
    pub text: String,
    /// Whether that was shown, the opposite was shown, or neither.
    pub shown: Option<bool>,
    /// Whether the whole interval lies so near what was claimed that the difference is small.
    pub close: bool,
}

/// Judges a predicate. A comparison `left < right` is judged as `left / right < 1`, by the interval of that ratio: all of it below 1
/// shows the comparison. A claim holds when all of its comparisons are shown (which needs no correction for their number, for one
/// doubtful comparison is enough to leave it open). It fails when the opposite of one is shown: all of an interval lies on the other side
/// that is wide enough to hold for all of the claim's comparisons together. It is close when each comparison is shown or bounded: the whole
/// interval lies within [`BAND`] of what was claimed (which needs no correction either).
#[must_use]
pub fn evaluate(predicate: &Predicate, measured: &Measurements) -> (MeasuredVerdict, Vec<Case>) {
    let (mut cases, mut missing) = (Vec::new(), Vec::new());
    let mut ratios = Ratios::new(measured);
    for sentence in &predicate.0 {
        for bound in bindings(sentence) {
            for comparison in &sentence.comparisons {
                let mut left = &comparison.first;
                for (relation, right) in &comparison.rest {
                    match case(left, *relation, right, &bound, &mut ratios) {
                        Ok((text, asked)) => cases.push((described(&bound, &text), asked)),
                        Err(what) => missing.push(what),
                    }
                    left = right;
                }
            }
        }
    }
    let wider = simultaneous(cases.len());
    let cases: Vec<Case> = cases
        .into_iter()
        .map(|(text, asked): (String, Option<Asked>)| Case {
            text,
            shown: asked.as_ref().and_then(|asked| asked.shown(wider)),
            close: asked.is_some_and(|asked| asked.is_close()),
        })
        .collect();
    let answer = if cases.iter().any(|case| case.shown == Some(false)) {
        MeasuredVerdict::Fails
    } else if !missing.is_empty() {
        missing.sort();
        missing.dedup();
        MeasuredVerdict::NotComparable { reasons: missing }
    } else if cases.iter().all(|case| case.shown == Some(true)) {
        MeasuredVerdict::Holds
    } else if cases.iter().all(|case| case.shown == Some(true) || case.close) {
        MeasuredVerdict::Close
    } else {
        MeasuredVerdict::Undecided
    };
    (answer, cases)
}

/// What one side is divided by the other: a constant, and samples above and below the line.
#[derive(Default)]
struct Quotient<'a> {
    constant: f64,
    above: Vec<SampleCell<'a>>,
    below: Vec<SampleCell<'a>>,
}

/// One column of one row.
#[derive(Clone, Copy)]
struct SampleCell<'a> {
    row: &'a Row,
    column: &'a str,
    sample: &'a BTreeMap<u32, f64>,
}

type Bound<'a> = [(&'a str, &'a str)];

fn case(
    left: &Product,
    relation: Relation,
    right: &Product,
    bound: &Bound<'_>,
    ratios: &mut Ratios<'_>,
) -> Result<(String, Option<Asked>), String> {
    let measured = ratios.measured;
    let mut quotient = Quotient {
        constant: 1.0,
        ..Quotient::default()
    };
    quotient.take(left, false, bound, measured)?;
    quotient.take(right, true, bound, measured)?;
    quotient.cancel();
    // left / right = constant x samples: what is asked of the samples is the relation to 1 / constant.
    let threshold = 1.0 / quotient.constant;
    let (value, interval, why) = quotient.judge(ratios);
    let ought = format!("{} {}", relation.sign(), rounded(threshold));
    Ok(match interval {
        Some(interval) => {
            let asked = Asked {
                value,
                interval,
                relation,
                threshold,
            };
            let range = if interval.low == interval.high {
                String::new()
            } else {
                format!(" ({} to {})", rounded(interval.low), rounded(interval.high))
            };
            (format!("{}{range}, claimed {ought}", rounded(value)), Some(asked))
        }
        None => (format!("{} ({why}), claimed {ought}", rounded(value)), None),
    })
}

/// A ratio with its interval, and what it ought to be.
struct Asked {
    value: f64,
    interval: Interval,
    relation: Relation,
    threshold: f64,
}

impl Asked {
    /// Whether that is shown, or, by an interval so many times `wider`, the opposite.
    fn shown(&self, wider: f64) -> Option<bool> {
        let ends = [self.interval.low, self.interval.high];
        let holds = |end: f64| self.relation.holds(end, self.threshold);
        if ends.into_iter().all(holds) {
            return Some(true);
        }
        let farther = |end: f64| self.value * (end / self.value).powf(wider);
        let is_against = ends.into_iter().all(|end| !holds(end) && !holds(farther(end)));
        is_against.then_some(false)
    }

    fn is_close(&self) -> bool {
        let ends = [self.interval.low, self.interval.high];
        ends.into_iter()
            .all(|end| (end / self.threshold).ln().abs() <= BAND.ln_1p())
    }
}

impl<'a> Quotient<'a> {
    fn take(
        &mut self,
        product: &'a Product,
        divides: bool,
        bound: &Bound<'_>,
        measured: &'a Measurements,
    ) -> Result<(), String> {
        let first = std::iter::once((false, &product.first));
        for (inverse, factor) in first.chain(product.rest.iter().map(|(inverse, by)| (*inverse, by))) {
            let below = inverse != divides;
            match factor {
                Factor::Number(number) if below => self.constant /= number,
                Factor::Number(number) => self.constant *= number,
                Factor::Cell { column, conditions } => {
                    let cell = measured.find(column, &words(conditions, bound))?;
                    if below {
                        self.below.push(cell);
                    } else {
                        self.above.push(cell);
                    }
                }
            }
        }
        Ok(())
    }

    /// A cell over itself is 1.
    fn cancel(&mut self) {
        self.above.retain(|above| {
            let same = |below: &SampleCell<'_>| std::ptr::eq(above.sample, below.sample);
            let same = self.below.iter().position(same);
            same.map(|index| self.below.swap_remove(index)).is_none()
        });
    }

    /// The quotient of the samples with its interval, or why there is none.
    fn judge(&self, ratios: &mut Ratios<'_>) -> (f64, Option<Interval>, String) {
        let certain = |value| Interval {
            low: value,
            high: value,
            confidence: 1.0,
        };
        match (self.above.as_slice(), self.below.as_slice()) {
            ([], []) => (1.0, Some(certain(1.0)), String::new()),
            ([above], [below]) if above.column == below.column => {
                let pooled = ratios.of(above.column, above.row, below.row);
                pooled.unwrap_or_else(|| by_itself(above, below))
            }
            ([above], [below]) => by_itself(above, below),
            _ => {
                let blocks = self.above.first().or(self.below.first());
                let keys = blocks.into_iter().flat_map(|cell| cell.sample.keys());
                let values = keys.filter_map(|block| {
                    let of = |cells: &[SampleCell<'_>]| -> Option<f64> {
                        cells.iter().map(|cell| cell.sample.get(block).copied()).product()
                    };
                    Some(of(&self.above)? / of(&self.below)?)
                });
                match Sample::new(values.collect()) {
                    Ok(sample) => {
                        let estimate = estimate(&sample);
                        let why = estimate.why_no_interval.unwrap_or_default();
                        (estimate.median, estimate.interval, why)
                    }
                    Err(error) => (f64::NAN, None, error.to_string()),
                }
            }
        }
    }
}

/// Two cells of different columns, or of different systems and sizes: a quotient that only its own blocks say anything about.
fn by_itself(above: &SampleCell<'_>, below: &SampleCell<'_>) -> (f64, Option<Interval>, String) {
    match align(above.sample, below.sample) {
        Ok(both) => {
            let comparison = compare(&both.a, &both.b, Better::Lower, 0.0, Pairing::Blocks);
            (comparison.ratio, comparison.interval, too_few(both.a.len()))
        }
        Err(_) => (f64::NAN, None, "no block has both".to_owned()),
    }
}

fn too_few(blocks: usize) -> String {
    format!("{blocks} trials of each: too few for an interval")
}

impl Measurements {
    /// The cell of the one row that meets all conditions.
    fn find<'a>(&'a self, column: &'a str, conditions: &[(&str, &str)]) -> Result<SampleCell<'a>, String> {
        let meets = |row: &Row| {
            conditions.iter().all(|(attribute, word)| {
                let value = row.attributes.get(*attribute);
                value.is_some_and(|value| value == word || numbers_equal(value, word))
            })
        };
        let mut found = self.rows.iter().filter(|row| meets(row)).filter_map(|row| {
            let sample = row.values.get(column)?;
            Some(SampleCell { row, column, sample })
        });
        let conditions: Vec<String> = conditions
            .iter()
            .map(|(name, word)| format!("{name} {word}"))
            .collect();
        let what = format!("{column} of {}", conditions.join(", "));
        match (found.next(), found.next()) {
            (Some(cell), None) => Ok(cell),
            (None, _) => Err(format!("not measured here: {what}")),
            (Some(_), Some(_)) => Err(format!("measured several times: {what}")),
        }
    }
}

fn numbers_equal(left: &str, right: &str) -> bool {
    matches!((left.parse::<f64>(), right.parse::<f64>()), (Ok(left), Ok(right)) if left == right)
}

/// Three significant digits, as people write them.
fn rounded(value: f64) -> String {
    if !value.is_finite() {
        return "no number".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predicate::parse;

    fn row(system: &str, records: &str, times: &[f64]) -> Row {
        Row {
            attributes: BTreeMap::from([
                ("system".to_owned(), system.to_owned()),
                ("records".to_owned(), records.to_owned()),
            ]),
            values: BTreeMap::from([(
                "time".to_owned(),
                times
                    .iter()
                    .enumerate()
                    .map(|(block, time)| (block as u32, *time))
                    .collect(),
            )]),
            again: BTreeMap::new(),
        }
    }

    fn measured() -> Measurements {
        Measurements {
            rows: vec![
                row("a", "10", &[1.0, 1.01, 1.02, 0.99, 1.03, 1.0]),
                row("b", "10", &[2.0, 2.01, 2.05, 1.99, 2.04, 2.02]),
                row("a", "20", &[3.0, 1.0, 2.0, 4.0, 1.5, 2.5]),
                row("b", "20", &[1.0, 3.0, 2.0, 1.4, 4.0, 2.5]),
            ],
        }
    }

    fn answer(text: &str) -> MeasuredVerdict {
        evaluate(&parse(text).unwrap(), &measured()).0
    }

    #[test]
    fn what_is_shown_holds_and_its_opposite_fails() {
        assert_eq!(
            answer("time(system=a, records=10) < time(system=b, records=10)"),
            MeasuredVerdict::Holds
        );
        assert_eq!(
            answer("time(system=a, records=10) > time(system=b, records=10)"),
            MeasuredVerdict::Fails
        );
        assert_eq!(
            answer("1.9 <= time(system=b, records=10) / time(system=a, records=10) <= 2.1"),
            MeasuredVerdict::Holds
        );
        assert_eq!(answer("time(system=b, records=10) > 1.9"), MeasuredVerdict::Holds);
        assert_eq!(
            answer("time(system=b, records=10) <= 1.9"),
            MeasuredVerdict::Fails
        );
    }

    #[test]
    fn what_differs_little_is_close() {
        let mut measured = measured();
        measured
            .rows
            .push(row("c", "10", &[1.01, 1.0, 1.02, 1.0, 1.02, 1.01]));
        let answer = |text: &str| evaluate(&parse(text).unwrap(), &measured).0;
        let of_c = "time(system=c, records=10)";
        assert_eq!(
            answer(&format!("time(system=a, records=10) < {of_c}")),
            MeasuredVerdict::Close
        );
        // One comparison is shown.
        assert_eq!(
            answer(&format!(
                "time(system=a, records=10) < time(system=b, records=10) and time(system=a, records=10) > {of_c}"
            )),
            MeasuredVerdict::Close
        );
        assert_eq!(
            answer(&format!("{of_c} < time(system=a, records=20)")),
            MeasuredVerdict::Undecided
        );
    }

    /// What the sizes of one system scatter by is known from all of them.
    #[test]
    fn sizes_of_one_system_lend_each_other_their_noise() {
        let noisy = |shift: usize| {
            let mut values = [1.0, 1.1, 0.95, 1.05, 0.9, 1.02];
            values.rotate_left(shift);
            values
        };
        let of = |systems: &[&str]| {
            let mut measured = Measurements::default();
            for (number, system) in systems.iter().enumerate() {
                measured.rows.push(row(system, "10", &noisy(number)));
                measured.rows.push(row(system, "80", &noisy(number + 2)));
            }
            let text = "time(system=a, records=10) < time(system=a, records=80)";
            evaluate(&parse(text).unwrap(), &measured).1[0].text.clone()
        };
        let width = |text: &str| {
            let (_, range) = text.split_once('(').unwrap();
            let (low, rest) = range.split_once(" to ").unwrap();
            let high = rest.split_once(')').unwrap().0;
            high.parse::<f64>().unwrap() / low.parse::<f64>().unwrap()
        };
        let (alone, among) = (width(&of(&["a"])), width(&of(&["a", "b", "c", "d"])));
        assert!(among < alone, "{among} {alone}");
    }

    #[test]
    fn what_varies_too_much_is_undecided_unless_something_else_fails() {
        assert_eq!(
            answer("time(system=a, records=20) < time(system=b, records=20)"),
            MeasuredVerdict::Undecided
        );
        assert_eq!(
            answer("for all n in 10 20: time(system=a, records=$n) < time(system=b, records=$n)"),
            MeasuredVerdict::Undecided
        );
        assert_eq!(
            answer("for all n in 10 20: time(system=a, records=$n) > time(system=b, records=$n)"),
            MeasuredVerdict::Fails
        );
    }

    /// It checks the noise: what a second measurement of the same system differs by widens the intervals of its column.
    #[test]
    fn a_system_that_differs_from_itself_makes_its_column_less_certain() {
        let mut measured = measured();
        let predicate = parse("time(system=a, records=10) < time(system=b, records=10)").unwrap();
        measured.rows[0].again = measured.rows[0].values.clone();
        assert_eq!(evaluate(&predicate, &measured).0, MeasuredVerdict::Holds);
        for value in measured.rows[0].again.values_mut().flat_map(BTreeMap::values_mut) {
            *value *= 2.5;
        }
        let (answer, cases) = evaluate(&predicate, &measured);
        assert_eq!(answer, MeasuredVerdict::Undecided, "{cases:?}");
    }

    #[test]
    fn what_was_not_measured_is_not_comparable() {
        assert_eq!(
            answer("time(system=c, records=10) < 5"),
            MeasuredVerdict::NotComparable {
                reasons: vec!["not measured here: time of system c, records 10".to_owned()]
            }
        );
    }

    #[test]
    fn a_cell_over_itself_is_one_without_doubt() {
        assert_eq!(
            answer("for all m in 10 20: time(system=a, records=$m) / time(system=a, records=$m) < 1.2"),
            MeasuredVerdict::Holds
        );
    }

    #[test]
    fn ratios_of_ratios_are_taken_block_by_block() {
        let (answer, cases) = evaluate(
            &parse(
                "time(system=b, records=10) / time(system=a, records=10) * time(system=a, records=10) / time(system=b, records=20) < 10",
            )
            .unwrap(),
            &measured(),
        );
        assert_eq!(answer, MeasuredVerdict::Holds, "{cases:?}");
    }

    #[test]
    fn cases_tell_the_ratio_and_what_was_claimed() {
        let (_, cases) = evaluate(
            &parse("for all n in 10: time(system=b, records=$n) < 0.5 * time(system=a, records=$n)").unwrap(),
            &measured(),
        );
        assert_eq!(cases.len(), 1);
        assert!(cases[0].text.starts_with("n = 10: 2 ("), "{cases:?}");
        assert!(cases[0].text.ends_with("claimed < 0.5"), "{cases:?}");
        assert_eq!(cases[0].shown, Some(false));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [1.0, 0.5, 12345.6, 2.0166, 0.001_234].map(rounded),
            ["1", "0.5", "12346", "2.02", "0.00123"]
        );
    }
}
