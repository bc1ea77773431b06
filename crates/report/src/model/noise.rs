//! How much equal systems may differ, in words.

use std::ops::Deref;

use dbdyno_analysis::metric::JUDGED;
use dbdyno_analysis::noise;
use dbdyno_stats::pooled::FEWEST_BLOCKS;
use dbdyno_vocabulary::{Text, text};
use serde::Serialize;

use super::{MetricNoise, System};
use crate::number;
use crate::words::names::Named;

/// The noise of a study, with the sentences that state it.
#[derive(Clone, Debug, Serialize)]
pub struct Noise {
    /// The noise of the metrics with verdicts in words, and by how much intervals were widened.
    pub sentence: Text,
    #[serde(flatten)]
    found: noise::Noise,
}

impl Noise {
    /// In words.
    pub fn new(found: noise::Noise, systems: &[System]) -> Self {
        let twice = systems.iter().filter_map(|system| system.twin_of.as_deref());
        Self {
            sentence: sentence(&found.metrics, &twice.collect::<Vec<_>>()),
            found,
        }
    }
}

impl Deref for Noise {
    type Target = noise::Noise;

    fn deref(&self) -> &noise::Noise {
        &self.found
    }
}

/// The noise of the metrics with verdicts, and by how much intervals were widened; `twice` are the systems that were measured twice.
fn sentence(metrics: &[MetricNoise], twice: &[&str]) -> Text {
    // Where so few blocks give no verdict, nobody needs to know how wide their intervals are.
    let known = metrics.iter().filter(|noise| noise.blocks >= FEWEST_BLOCKS);
    let (judged, others): (Vec<&MetricNoise>, Vec<&MetricNoise>) =
        known.partition(|noise| JUDGED.contains(&noise.metric));
    let names = || Text::names(twice.iter().copied());
    let mut sentences: Vec<Text> = judged.iter().map(|noise| in_words(noise, twice)).collect();
    let is_widened = |noise: &&MetricNoise| noise.widened() > 1.0;
    if judged.iter().any(|noise| noise.twins.is_some()) && !judged.iter().any(is_widened) {
        let agree = number::agreeing(&twice.len(), "agrees", "agree");
        sentences.push(text![names(), format!(", measured twice, {agree} with that.")]);
    }
    let wider: Vec<String> = others
        .into_iter()
        .filter(is_widened)
        .map(|noise| format!("{} ({:.1} times)", noise.metric.name(), noise.widened()))
        .collect();
    if !wider.is_empty() {
        let wider = number::list(&wider);
        sentences.push(if judged.iter().any(is_widened) {
            format!("Intervals of {wider} are wider, too.").into()
        } else {
            text![
                format!("Intervals are wider in {wider}, because "),
                names(),
                ", measured twice, differed by more than that explains."
            ]
        });
    }
    Text::joined(sentences, " ")
}

/// A difference as a share, a large one as a ratio.
fn size(difference: f64) -> String {
    if difference < 1.0 {
        number::share(difference)
    } else {
        format!("{}x", number::ratio_digits(1.0 + difference))
    }
}

fn in_words(noise: &MetricNoise, twice: &[&str]) -> Text {
    let trials = format!(
        "Trials differ by {} in {}",
        number::share(noise.of_trial),
        noise.metric.name()
    );
    let equal = format!(
        "two equal systems would differ by up to {} after {} of each",
        size(noise.between_equal_systems),
        number::plural(noise.blocks, "trial", "trials")
    );
    if noise.widened() > 1.0 {
        text![
            format!("{trials}, but "),
            Text::names(twice.iter().copied()),
            format!(
                ", measured twice, differed by more than that explains, so every interval is {:.1} times as wide: {equal}.",
                noise.widened()
            )
        ]
    } else {
        format!("{trials}, so {equal}.").into()
    }
}
