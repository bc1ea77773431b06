//! Where the CPUs of the machine ran, in words.

use dbdyno_analysis::core_modes;
use dbdyno_vocabulary::{Text, named, text};
use serde::Serialize;

use super::{Metric, ModeShare, OtherRatio};
use crate::number;
use crate::words::figures::MetricFigures;

/// The modes of the machine during a study.
#[derive(Clone, Debug, Serialize)]
pub struct CoreModes {
    /// The modes with their shares of the slices, the largest first: throughputs are compared in the first.
    pub shares: Vec<ModeShare>,
    /// The same in words, with the ratios that differ in the other mode.
    pub sentence: Text,
    /// These ratios.
    pub otherwise: Vec<OtherRatio>,
}

impl CoreModes {
    /// In words.
    pub fn new(found: core_modes::CoreModes) -> Self {
        let mut sentence = Text::from(changed_places(&found.shares, found.chosen.cells));
        let (groups, left_out) = found.chosen.groups;
        if left_out > 0 {
            sentence.push(format!(
                " {left_out} of {} had hardly any of them and {} left out.",
                number::plural(groups, "group of trials", "groups of trials"),
                number::agreeing(&left_out, "is", "are")
            ));
        }
        found
            .otherwise
            .iter()
            .for_each(|other| sentence.push(otherwise(other)));
        Self {
            shares: found.shares,
            sentence,
            otherwise: found.otherwise,
        }
    }
}

/// Where the CPUs were, and in which mode throughputs are compared: of so many `cells`, some over all slices.
fn changed_places(shares: &[ModeShare], cells: (usize, usize)) -> String {
    let Some((usual, others)) = shares.split_first() else {
        return String::new();
    };
    let share = |own: &ModeShare| number::whole_share(own.share);
    let others = others
        .iter()
        .map(|own| format!(", in {} they {}", share(own), own.mode.in_words()));
    let compared = match cells {
        (_, 0) => format!(
            "Throughputs at full speed are compared in those {}.",
            share(usual)
        ),
        (all, whole) if whole == all => {
            "Too few trials were measured in that mode alone, so throughputs at full speed are compared over \
                                         all slices."
                .to_owned()
        }
        (all, whole) => format!(
            "Throughputs at full speed are compared in those {}, but in {whole} of {} over all slices: too few of their trials were \
             measured in that mode.",
            share(usual),
            number::plural(all, "test", "tests")
        ),
    };
    format!(
        "The CPUs of the machine changed places: in {} of the slices they {}{}. {compared}",
        share(usual),
        usual.mode.in_words(),
        others.collect::<String>(),
    )
}

fn otherwise(other: &OtherRatio) -> Text {
    let quantity = Metric::Throughput.quantity();
    text![
        format!(" {} – ", other.cell),
        named(&other.a),
        " is ",
        number::times_than(other.other, None, quantity, named(&other.b)),
        format!(
            " while they {}, instead of {}.",
            other.mode.in_words().replacen("shared", "share", 1),
            number::times(other.ratio, None, quantity)
        )
    ]
}
