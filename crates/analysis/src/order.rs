//! Which of several systems stands first: the one that no comparison shows behind.

use dbdyno_stats::Better;

use super::{CellSystem, Comparison, Metric, Word};

/// Orders systems that stand in the order of their medians by what comparisons show: those that are shown behind fewer others first, then
/// those with the better ratios. A median over trials and a ratio within blocks may differ in their order; the verdict rests on the ratio.
pub fn by_comparisons(metric: Metric, systems: &mut [&CellSystem], known: &[&Comparison]) {
    let known: Vec<&&Comparison> = known.iter().filter(|own| own.metric == metric).collect();
    let standing = |system: &&CellSystem| {
        let mut behind = 0_usize;
        let mut ahead = 0.0;
        for own in &known {
            let (ratio, word) = match &system.name {
                name if *name == own.a => (own.ratio, own.word),
                name if *name == own.b => (1.0 / own.ratio, own.word.reversed()),
                _ => continue,
            };
            behind += usize::from(word == Word::Slower);
            let better = match metric.better() {
                Better::Higher => ratio.ln(),
                Better::Lower => -ratio.ln(),
            };
            ahead += if better.is_finite() { better } else { 0.0 };
        }
        (behind, ahead)
    };
    systems.sort_by(|first, second| {
        let ((behind, ahead), (others_behind, others_ahead)) = (standing(first), standing(second));
        behind.cmp(&others_behind).then(others_ahead.total_cmp(&ahead))
    });
}
