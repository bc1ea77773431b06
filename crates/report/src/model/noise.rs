//! How much equal systems may differ, in words.

use std::ops::Deref;

use dbdyno_analysis::metric::JUDGED;
use dbdyno_analysis::noise;
use dbdyno_stats::pooled::FEWEST_BLOCKS;
use serde::Serialize;

use super::{MetricNoise, System};
use crate::number;

/// The noise of a study, with the sentences that state it.
#[derive(Clone, Debug, Serialize)]
pub struct Noise {
    /// The noise of the metrics with verdicts in words, and by how much intervals were widened.
    pub sentence: String,
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
fn sentence(metrics: &[MetricNoise], twice: &[&str]) -> String {
    // Where so few blocks give no verdict, nobody needs to know how wide their intervals are.
    let known = metrics.iter().filter(|noise| noise.blocks >= FEWEST_BLOCKS);
    let (judged, others): (Vec<&MetricNoise>, Vec<&MetricNoise>) =
        known.partition(|noise| JUDGED.contains(&noise.metric));
    let mut sentences: Vec<String> = judged.iter().map(|noise| in_words(noise, twice)).collect();
    let is_widened = |noise: &&MetricNoise| noise.widened() > 1.0;
    if judged.iter().any(|noise| noise.twins.is_some()) && !judged.iter().any(is_widened) {
        sentences.push(format!(
            "{}, measured twice, {} with that.",
            number::list(twice),
            number::agreeing(&twice.len(), "agrees", "agree")
        ));
    }
    let wider: Vec<String> = others
        .into_iter()
        .filter(is_widened)
        .map(|noise| format!("{} ({:.1} times)", noise.metric.name(), noise.widened()))
        .collect();
    if !wider.is_empty() {
        let wider = number::list(&wider);
        sentences.push(if judged.iter().any(is_widened) {
            format!("Intervals of {wider} are wider, too.")
        } else {
            format!(
                "Intervals are wider in {wider}, because {}, measured twice, differed by more than that explains.",
                number::list(twice)
            )
        });
    }
    sentences.join(" ")
}

/// A difference as a share, a large one as a ratio.
fn size(difference: f64) -> String {
    if difference < 1.0 {
        number::share(difference)
    } else {
        format!("{}x", number::ratio_digits(1.0 + difference))
    }
}

fn in_words(noise: &MetricNoise, twice: &[&str]) -> String {
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
        format!(
            "{trials}, but {}, measured twice, differed by more than that explains, so every interval is {:.1} times as wide: \
             {equal}.",
            number::list(twice),
            noise.widened()
        )
    } else {
        format!("{trials}, so {equal}.")
    }
}
