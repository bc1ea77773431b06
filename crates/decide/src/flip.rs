//! Which change of weights turns the answer round, computed exactly: scores are linear in the weights.

use crate::score::{order, score};

/// A change of one weight at which another one becomes the best; the other weights keep their proportions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flip {
    /// The criterion whose weight changes.
    pub criterion: usize,
    /// Its share now.
    pub from: f64,
    /// The share beyond which the answer is another one.
    pub to: f64,
    /// Who is best beyond it.
    pub winner: usize,
}

/// The smallest amount of weight that must move from some criteria to another one until somebody else is best.
#[derive(Clone, Debug, PartialEq)]
pub struct Shift {
    /// How much weight moves, as a share of all.
    pub share: f64,
    /// Where it comes from: criteria and shares.
    pub from: Vec<(usize, f64)>,
    /// Where it goes.
    pub into: usize,
    /// Who is then as good as the winner.
    pub winner: usize,
}

/// For each criterion the nearest flips below and above its weight, the nearest of all first. `utilities` has a row for each
/// candidate, `weights` sum to 1.
#[must_use]
pub fn flips(utilities: &[Vec<f64>], weights: &[f64]) -> Vec<Flip> {
    let Some(winner) = best(utilities, weights) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for criterion in 0..weights.len() {
        let from = weights[criterion];
        if from >= 1.0 {
            continue;
        }
        let mut nearest: [Option<Flip>; 2] = [None, None];
        for rival in (0..utilities.len()).filter(|rival| *rival != winner) {
            let ahead: Vec<f64> = differences(&utilities[winner], &utilities[rival]);
            // With share t here, the lead is t * here + (1 - t) * elsewhere.
            let here = ahead[criterion];
            let elsewhere = (score(weights, &ahead) - from * here) / (1.0 - from);
            let to = elsewhere / (elsewhere - here);
            if !to.is_finite() || !(0.0..=1.0).contains(&to) || to == from {
                continue;
            }
            let side = usize::from(to > from);
            let is_nearer = nearest[side].is_none_or(|known| (to - from).abs() < (known.to - from).abs());
            // At a share of exactly 0 or 1 there is no beyond.
            if is_nearer && to > 0.0 && to < 1.0 {
                nearest[side] = Some(Flip {
                    criterion,
                    from,
                    to,
                    winner: rival,
                });
            }
        }
        found.extend(nearest.into_iter().flatten());
    }
    found.sort_by(|a, b| (a.to - a.from).abs().total_cmp(&(b.to - b.from).abs()));
    found
}

/// The smallest shift of weight that makes somebody as good as the winner; `None` when no weights do. Weight is taken from
/// where the winner is furthest ahead and given to where it is furthest behind, until nothing is left of its lead.
#[must_use]
pub fn smallest_shift(utilities: &[Vec<f64>], weights: &[f64]) -> Option<Shift> {
    let winner = best(utilities, weights)?;
    let rivals = (0..utilities.len()).filter(|rival| *rival != winner);
    rivals
        .filter_map(|rival| {
            shift(
                &differences(&utilities[winner], &utilities[rival]),
                weights,
                rival,
            )
        })
        .min_by(|a, b| a.share.total_cmp(&b.share))
}

fn shift(ahead: &[f64], weights: &[f64], rival: usize) -> Option<Shift> {
    let mut lead = score(weights, ahead);
    let into = (0..ahead.len()).min_by(|a, b| ahead[*a].total_cmp(&ahead[*b]))?;
    let mut from = Vec::new();
    for criterion in order(ahead) {
        let gain = ahead[criterion] - ahead[into];
        if lead <= 0.0 || gain <= 0.0 {
            break;
        }
        let share = weights[criterion].min(lead / gain);
        if share > 0.0 {
            from.push((criterion, share));
            lead -= share * gain;
        }
    }
    (lead <= 1e-12 && !from.is_empty()).then(|| Shift {
        share: from.iter().map(|(_, share)| share).sum(),
        from,
        into,
        winner: rival,
    })
}

fn differences(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// Who has the best score; the first of equals.
fn best(utilities: &[Vec<f64>], weights: &[f64]) -> Option<usize> {
    let scores: Vec<f64> = utilities.iter().map(|own| score(weights, own)).collect();
    order(&scores).first().copied()
}
