//! How much equal systems may differ: one number for each metric, and what systems that were measured twice say of it.

use dbdyno_stats::pooled;
use serde::Serialize;

use super::metric::JUDGED;
use super::{Cell, Comparison, Metric, Word};

/// What the comparisons of one metric found.
pub struct Twins {
    /// The metric.
    pub metric: Metric,
    /// Its noise; `None` where nothing was compared within blocks.
    pub noise: Option<pooled::Noise>,
    /// Systems that were measured twice, against themselves, each with its cell.
    pub comparisons: Vec<(usize, Comparison)>,
}

/// How much equal systems may differ.
#[derive(Clone, Debug, Serialize)]
pub struct Noise {
    /// One number for each metric.
    pub metrics: Vec<MetricNoise>,
    /// Systems that were measured twice against themselves: per cell, metric and pair.
    pub comparisons: Vec<NoiseRow>,
}

/// One A/A comparison.
#[derive(Clone, Debug, Serialize)]
pub struct NoiseRow {
    /// Title of the cell.
    pub cell: String,
    /// The comparison of the twin with its original.
    pub comparison: Comparison,
}

/// The noise of one metric.
#[derive(Clone, Debug, Serialize)]
pub struct MetricNoise {
    /// The metric.
    pub metric: Metric,
    /// How much two systems that are equal would differ at most in 95% of cases, after the trials of this study, as a share.
    pub between_equal_systems: f64,
    /// Standard deviation of the logarithm of one trial around what its block shares: the noise of a plan.
    pub of_trial: f64,
    /// Blocks of a typical comparison.
    pub blocks: usize,
    /// What systems that were measured twice say of it; `None` where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twins: Option<TwinsAgree>,
}

/// Whether systems that were measured twice differ from themselves as much as noise explains.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TwinsAgree {
    /// How many comparisons of a system with itself there are.
    pub comparisons: usize,
    /// The chance of differences at least as large if noise explains them.
    pub p_value: f64,
    /// By how many times every interval of the metric was widened: 1 where they agree.
    pub widened: f64,
}

/// The noise of a study; `None` where nothing was compared.
pub fn noise(cells: &[Cell], found: Vec<Twins>) -> Option<Noise> {
    let metrics: Vec<MetricNoise> = found.iter().filter_map(of_metric).collect();
    if metrics.is_empty() {
        return None;
    }
    let judged = found.into_iter().filter(|one| JUDGED.contains(&one.metric));
    let rows = judged
        .flat_map(|one| one.comparisons)
        .map(|(cell, comparison)| NoiseRow {
            cell: cells[cell].title.clone(),
            comparison,
        });
    Some(Noise {
        comparisons: rows.collect(),
        metrics,
    })
}

fn of_metric(found: &Twins) -> Option<MetricNoise> {
    let noise = found.noise?;
    Some(MetricNoise {
        metric: found.metric,
        between_equal_systems: noise.bound - 1.0,
        of_trial: noise.of_trial(),
        blocks: noise.blocks,
        twins: noise.agreement.map(|agreement| TwinsAgree {
            comparisons: agreement.twins,
            p_value: agreement.p_value,
            widened: agreement.factor,
        }),
    })
}

impl MetricNoise {
    /// By how many times every interval of the metric was widened; 1 where nothing speaks against its noise.
    #[must_use]
    pub fn widened(&self) -> f64 {
        self.twins.map_or(1.0, |twins| twins.widened)
    }
}

impl Noise {
    /// The noise of one metric.
    #[must_use]
    pub fn of(&self, metric: Metric) -> Option<&MetricNoise> {
        self.metrics.iter().find(|noise| noise.metric == metric)
    }

    /// Comparisons of a system with itself that show a difference.
    #[must_use]
    pub fn differing(&self) -> usize {
        let words = self.comparisons.iter().map(|row| row.comparison.word);
        words
            .filter(|word| matches!(word, Word::Faster | Word::Slower))
            .count()
    }
}
