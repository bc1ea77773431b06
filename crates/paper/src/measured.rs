//! A claim on new runs: the language of [`crate::predicate`] over samples in place of printed numbers.

mod evidence;
mod quotient;
mod ratios;
mod some;

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_stats::BAND;
use dbdyno_stats::covariate::Slope;
use dbdyno_stats::family::simultaneous;

use crate::claim_verdict::ClaimVerdict;
use crate::predicate::{Predicate, Product, Relation, Sentence, bindings};
use evidence::{Names, told};
use quotient::{Quotient, SampleCell};
use ratios::{Ratio, Ratios};
use some::Existence;

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
    /// Values of a second measurement of the system (A/A), where there was one, by column: they check the noise of the column.
    pub again: BTreeMap<String, BTreeMap<u32, f64>>,
    /// Values that no trial varies, by column: counts of what an audit observed.
    pub exact: BTreeMap<String, f64>,
    /// What its scans do, in words; empty where it does not scan. Two that scan differently do different work.
    pub scans: String,
    /// How long a fixed piece of work took beside each block's trial, nanoseconds; empty where nobody knows.
    pub reference_ns: BTreeMap<u32, f64>,
}

/// What new runs say of a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasuredVerdict {
    /// Every comparison was shown.
    Holds,
    /// The opposite of one comparison or more was shown.
    Fails,
    /// Not all of it was shown, and where it was not, both sides lie within the band of bounded verdicts, each time or on average.
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

/// What new runs say of a claim, and what that rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The answer.
    pub verdict: MeasuredVerdict,
    /// Every comparison, for every choice of the variables.
    pub cases: Vec<Case>,
    /// Every comparison on average over the choices, where there are several.
    pub averages: Vec<Case>,
    /// The columns whose sizes are compared as at the machine's usual speed, with what the logarithm of a value owes to that of the
    /// reference work's time.
    pub at_usual_speed: BTreeMap<String, Slope>,
}

/// Judges a predicate. A comparison `left < right` is judged as `left / right < 1`, by the interval of that ratio: all of it below 1
/// shows the comparison. A claim holds when all of its comparisons are shown (which needs no correction for their number, for one
/// doubtful comparison is enough to leave it open). It fails when the opposite of one is shown: all of an interval lies on the other side
/// that is wide enough to hold for all of the claim's comparisons together. It is close when each comparison is shown or bounded: the whole
/// interval lies within [`BAND`] of what was claimed (which needs no correction either). A comparison that is made for several choices of
/// variables is bounded, too, when the interval of its average is, and no choice is shown to lie outside.
#[must_use]
pub fn evaluate(predicate: &Predicate, measured: &Measurements) -> Judgement {
    let (mut cases, mut missing) = (Vec::new(), Vec::new());
    let mut forms: Vec<Form<'_>> = Vec::new();
    let mut ratios = Ratios::new(measured);
    let mut existences = Vec::new();
    let names = Names::of(predicate);
    for sentence in &predicate.0 {
        if sentence.is_some {
            existences.push(Existence::of(sentence, &names, &mut ratios));
            continue;
        }
        let first = forms.len();
        for bound in bindings(sentence) {
            let mut form = first;
            for comparison in &sentence.comparisons {
                let mut left = &comparison.first;
                for (relation, right) in &comparison.rest {
                    if form == forms.len() {
                        forms.push(Form::of(sentence, names.name(left, right)));
                    }
                    match case(left, *relation, right, &bound, &mut ratios) {
                        Ok(asked) => {
                            let text = told(&forms[form].name, &bound, &asked.text());
                            cases.push((text, form, forms[form].choices.len()));
                            forms[form].choices.push(asked);
                        }
                        Err(what) => missing.push(what),
                    }
                    form += 1;
                    left = right;
                }
            }
        }
    }
    let asked = forms.iter().flat_map(|form| &form.choices);
    let wider = simultaneous(intervals(asked) + existences.len());
    let mut cases: Vec<Case> = cases
        .into_iter()
        .map(|(text, form, choice)| forms[form].choices[choice].case(text, wider))
        .collect();
    let of_forms = forms.iter().flat_map(|form| &form.choices);
    let together = simultaneous(intervals(
        of_forms.chain(existences.iter().flat_map(Existence::asked)),
    ));
    for existence in existences {
        match existence.case(together) {
            Ok(case) => cases.push(case),
            Err(what) => missing.extend(what),
        }
    }
    let means = Form::means(&forms);
    let averages: Vec<Case> = forms
        .iter()
        .zip(&means)
        .filter_map(|(form, mean)| Some(form.average(mean.as_ref()?)))
        .collect();
    let verdict = if cases.iter().any(|case| case.shown == Some(false)) {
        MeasuredVerdict::Fails
    } else if !missing.is_empty() {
        missing.sort();
        missing.dedup();
        MeasuredVerdict::NotComparable { reasons: missing }
    } else if cases.iter().all(|case| case.shown == Some(true)) {
        MeasuredVerdict::Holds
    } else if cases.len() == forms.iter().map(|form| form.choices.len()).sum::<usize>()
        && forms
            .iter()
            .zip(&means)
            .all(|(form, mean)| form.is_bounded(mean.as_ref(), wider))
    {
        MeasuredVerdict::Close
    } else {
        MeasuredVerdict::Undecided
    };
    let at_usual_speed = match verdict {
        MeasuredVerdict::NotComparable { .. } => BTreeMap::new(),
        _ => ratios.at_usual_speed(),
    };
    Judgement {
        verdict,
        cases,
        averages,
        at_usual_speed,
    }
}

/// One comparison as it is written, for all choices of the variables.
struct Form<'a> {
    /// Its name, where the claim has several.
    name: String,
    variables: Vec<&'a str>,
    choices: Vec<Asked>,
}

impl<'a> Form<'a> {
    fn of(sentence: &'a Sentence, name: String) -> Self {
        Self {
            name,
            variables: sentence.variables.iter().map(|(name, _)| name.as_str()).collect(),
            choices: Vec::new(),
        }
    }

    /// Whether both sides are shown to be close wherever the comparison is not shown, each time or on average.
    fn is_bounded(&self, mean: Option<&Asked>, wider: f64) -> bool {
        let is_answered = |choice: &Asked| choice.shown(wider) == Some(true) || choice.is_close();
        let is_outside = |choice: &Asked| choice.is_outside(wider);
        self.choices.iter().all(is_answered)
            || (mean.is_some_and(Asked::is_close) && !self.choices.iter().any(is_outside))
    }

    /// The ratio of each on average over its choices.
    fn means(forms: &[Self]) -> Vec<Option<Asked>> {
        let mut lists: Vec<Vec<&Ratio>> = Vec::new();
        for form in forms {
            lists.push(form.choices.iter().map(|choice| &choice.ratio).collect());
        }
        let mean = |(form, ratio): (&Self, Option<Ratio>)| {
            let first = form.choices.first()?;
            Some(Asked {
                samples: Samples::default(),
                ratio: ratio?,
                relation: first.relation,
                threshold: first.threshold,
            })
        };
        forms.iter().zip(Ratio::means(&lists)).map(mean).collect()
    }

    /// The mean as evidence of whether both sides are close on average. It shows nothing and fails nothing.
    fn average(&self, mean: &Asked) -> Case {
        Case {
            text: told(
                &self.name,
                &[],
                &format!("on average over {}: {}", self.variables.join(", "), mean.text()),
            ),
            shown: None,
            close: mean.is_close(),
        }
    }
}

type Bound<'a> = [(&'a str, &'a str)];

fn case(
    left: &Product,
    relation: Relation,
    right: &Product,
    bound: &Bound<'_>,
    ratios: &mut Ratios<'_>,
) -> Result<Asked, String> {
    let measured = ratios.measured;
    let mut quotient = Quotient {
        constant: 1.0,
        ..Quotient::default()
    };
    quotient.take(left, false, bound, measured)?;
    quotient.take(right, true, bound, measured)?;
    quotient.cancel();
    quotient.check_scans()?;
    let samples = quotient.samples();
    if quotient.is_exact {
        return Ok(Asked {
            samples,
            ratio: Ratio::exact(quotient.constant),
            relation,
            threshold: 1.0,
        });
    }
    let asked = Asked {
        samples,
        ratio: quotient.judge(ratios),
        relation,
        // left / right = constant x samples: what is asked of the samples is the relation to 1 / constant.
        threshold: 1.0 / quotient.constant,
    };
    // Who reads that 1500 <= x reads of x, and not of its inverse.
    let is_inverse = quotient.above.is_empty() && !quotient.below.is_empty();
    Ok(if is_inverse { asked.inverse() } else { asked })
}

/// The samples of a quotient: those of one side, and those of the other. A quotient and its inverse have the same.
type Samples = [Vec<*const BTreeMap<u32, f64>>; 2];

/// How many intervals so many questions rest on: one that is asked twice, or the other way round, is wrong once. Together they are
/// wrong no more often than their intervals.
fn intervals<'a>(asked: impl IntoIterator<Item = &'a Asked>) -> usize {
    let samples: BTreeSet<&Samples> = asked.into_iter().map(|asked| &asked.samples).collect();
    // Numbers without noise are never wrong.
    samples
        .into_iter()
        .filter(|sides| sides.iter().any(|side| !side.is_empty()))
        .count()
}

/// A ratio, and what it ought to be.
struct Asked {
    samples: Samples,
    ratio: Ratio,
    relation: Relation,
    threshold: f64,
}

impl Asked {
    /// The same question about the inverse of its ratio.
    fn inverse(self) -> Self {
        Self {
            ratio: self.ratio.inverse(),
            relation: self.relation.mirrored(),
            threshold: 1.0 / self.threshold,
            ..self
        }
    }

    fn text(&self) -> String {
        let value = rounded(self.ratio.value);
        let found = match self.ratio.interval {
            Some(interval) if interval.low == interval.high => value,
            Some(interval) => format!(
                "{value} ({} to {})",
                rounded(interval.low),
                rounded(interval.high)
            ),
            None => format!("{value} ({})", self.ratio.why),
        };
        format!(
            "{found}, claimed {} {}",
            self.relation.sign(),
            rounded(self.threshold)
        )
    }

    /// As evidence, told by this text.
    fn case(&self, text: String, wider: f64) -> Case {
        let shown = self.shown(wider);
        let is_refuted_alone = |ends: [f64; 2]| {
            ends.into_iter()
                .all(|end| !self.relation.holds(end, self.threshold))
        };
        let text = match self.ends().filter(|ends| is_refuted_alone(*ends)) {
            Some([low, high]) if shown.is_none() => format!(
                "{text}; {} to {} for all of the claim's ratios together",
                rounded(self.farther(low, wider)),
                rounded(self.farther(high, wider))
            ),
            _ => text,
        };
        Case {
            text,
            shown,
            close: self.is_close(),
        }
    }

    fn ends(&self) -> Option<[f64; 2]> {
        let interval = self.ratio.interval?;
        Some([interval.low, interval.high])
    }

    /// The end of an interval so many times as wide.
    fn farther(&self, end: f64, wider: f64) -> f64 {
        self.ratio.value * (end / self.ratio.value).powf(wider)
    }

    /// Whether that is shown by an interval so many times `wider`.
    fn is_shown_by(&self, wider: f64) -> bool {
        self.ends().is_some_and(|ends| {
            let holds = |end: f64| self.relation.holds(end, self.threshold);
            ends.into_iter()
                .all(|end| holds(end) && holds(self.farther(end, wider)))
        })
    }

    /// Whether that is shown, or, by an interval so many times `wider`, the opposite.
    fn shown(&self, wider: f64) -> Option<bool> {
        let ends = self.ends()?;
        let holds = |end: f64| self.relation.holds(end, self.threshold);
        if ends.into_iter().all(holds) {
            return Some(true);
        }
        let is_against = ends
            .into_iter()
            .all(|end| !holds(end) && !holds(self.farther(end, wider)));
        is_against.then_some(false)
    }

    /// How far the ratio lies on the claimed side of the threshold, as a logarithm; negative on the other.
    fn lead(&self) -> f64 {
        let beyond = (self.ratio.value / self.threshold).ln();
        match self.relation {
            Relation::Less | Relation::AtMost => -beyond,
            Relation::Greater | Relation::AtLeast => beyond,
        }
    }

    /// How far from what was claimed a ratio lies, in bands: at most 1 within [`BAND`].
    fn bands(&self, ratio: f64) -> f64 {
        (ratio / self.threshold).ln() / BAND.ln_1p()
    }

    fn is_close(&self) -> bool {
        self.ends()
            .is_some_and(|ends| ends.into_iter().all(|end| self.bands(end).abs() <= 1.0))
    }

    /// Whether all of an interval so many times `wider` lies outside of the band.
    fn is_outside(&self, wider: f64) -> bool {
        self.ends().is_some_and(|ends| {
            let [low, high] = ends.map(|end| self.bands(self.farther(end, wider)));
            low > 1.0 || high < -1.0
        })
    }
}

impl Measurements {
    /// The value of the one row that meets all conditions, where no trial varies it.
    fn exact(&self, column: &str, conditions: &[(&str, &str)]) -> Option<f64> {
        let rows = self.rows.iter().filter(|row| row.meets(conditions));
        let mut found = rows.filter_map(|row| row.exact.get(column).copied());
        found.next().filter(|_| found.next().is_none())
    }

    /// The cell of the one row that meets all conditions.
    fn find<'a>(&'a self, column: &'a str, conditions: &[(&str, &str)]) -> Result<SampleCell<'a>, String> {
        let rows = self.rows.iter().filter(|row| row.meets(conditions));
        let mut found = rows.filter_map(|row| {
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

impl Row {
    fn meets(&self, conditions: &[(&str, &str)]) -> bool {
        conditions.iter().all(|(attribute, word)| {
            let value = self.attributes.get(*attribute);
            value.is_some_and(|value| value == word || numbers_equal(value, word))
        })
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
mod tests;
