//! Whether twins, which are one system measured twice, agree with the noise that blocks show.
//!
//! Blocks show what differs from block to block. What sticks to a system for the whole study, such as where its files lie on a disk, they do
//! not show; twins do. Where they disagree, every interval is widened until they agree: the scale factor of the Particle
//! Data Group (Review of Particle Physics, introduction, "Unconstrained averaging").

use statrs::distribution::{ContinuousCDF as _, FisherSnedecor};

use super::certainty::Certainty;

/// Twins disagree when chance alone would set them so far apart in at most this share of studies.
const DISAGREEMENT: f64 = 0.01;

/// How twins agree with the noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Pairs of twins.
    pub twins: usize,
    /// The chance that twins differ at least so much if blocks show all of the noise.
    pub p_value: f64,
    /// The factor by which every interval was widened: 1 where they agree.
    pub factor: f64,
}

impl Agreement {
    /// Whether they agree.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.p_value > DISAGREEMENT
    }
}

/// Tests the twins of a study together: the mean square of their t values is 1 if blocks show all of the noise, and then
/// about F-distributed.
pub fn of(twins: &[Option<Certainty>]) -> Option<Agreement> {
    let known: Vec<&Certainty> = twins.iter().flatten().collect();
    if known.is_empty() {
        return None;
    }
    let n = known.len() as f64;
    let square = known.iter().map(|twin| twin.t().powi(2)).sum::<f64>() / n;
    let freedom = known.iter().map(|twin| twin.freedom).sum::<f64>() / n;
    let p_value = FisherSnedecor::new(n, freedom).map_or(1.0, |f| f.sf(square));
    let factor = if p_value <= DISAGREEMENT {
        square.sqrt().max(1.0)
    } else {
        1.0
    };
    Some(Agreement {
        twins: known.len(),
        p_value,
        factor,
    })
}
