//! What is seen beside each trial and moves its value, taken out of the noise: analysis of covariance.
//!
//! A shared machine is not equally fast all the time. When a fixed piece of work takes longer, databases are slower, too, whichever
//! is being measured. Within a cell (one system, one work) nothing but chance and that differs between trials, so the slope of the
//! values over the covariate is fitted there, by least squares on all cells together, each around its own mean (Cochran, "Analysis of
//! Covariance: Its Nature and Uses", Biometrics 13, 1957). What one cell differs from another by has no part in it.

use std::collections::{BTreeMap, BTreeSet};

/// With fewer degrees of freedom the error of the slope would bring in about as much noise as the slope takes out.
pub const FEWEST_FREEDOM: usize = 20;

/// One trial: its covariate, and its value. Both are logarithms where ratios are what counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// The reading beside it.
    pub covariate: f64,
    /// The measured value.
    pub value: f64,
}

/// How values follow a covariate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The change of the value for a change of the covariate by one.
    pub slope: f64,
    /// Its standard error.
    pub error: f64,
    /// The share of the variance within cells that goes with the covariate, 0 to 1.
    pub explained: f64,
    /// Trials that the slope rests on, less one for each cell and one for the slope.
    pub freedom: usize,
}

/// The common slope within these cells. `None` with fewer than [`FEWEST_FREEDOM`] degrees of freedom, and where the covariate or the
/// value is the same all the time. Values must be finite.
#[must_use]
pub fn slope(cells: &[Vec<Observation>]) -> Option<Slope> {
    let (mut squares_x, mut products, mut squares_y, mut freedom) = (0.0, 0.0, 0.0, 0_usize);
    for cell in cells.iter().filter(|cell| cell.len() > 1) {
        let mean = |of: fn(&Observation) -> f64| cell.iter().map(of).sum::<f64>() / cell.len() as f64;
        let (mean_x, mean_y) = (mean(|one| one.covariate), mean(|one| one.value));
        for one in cell {
            let (x, y) = (one.covariate - mean_x, one.value - mean_y);
            squares_x += x * x;
            products += x * y;
            squares_y += y * y;
        }
        freedom += cell.len() - 1;
    }
    let freedom = freedom
        .checked_sub(1)
        .filter(|&freedom| freedom >= FEWEST_FREEDOM)?;
    let varies = |squares: f64| squares.is_finite() && squares > f64::EPSILON * f64::EPSILON;
    if !varies(squares_x) || !varies(squares_y) {
        return None;
    }
    let slope = products / squares_x;
    let rest = (squares_y - products * slope).max(0.0);
    Some(Slope {
        slope,
        error: (rest / freedom as f64 / squares_x).sqrt(),
        explained: (1.0 - rest / squares_y).clamp(0.0, 1.0),
        freedom,
    })
}

/// Values as they would be at the usual level of what was seen beside them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usual {
    /// How the values follow the covariate.
    pub slope: Slope,
    /// Its mean.
    level: f64,
}

impl Usual {
    /// Of values that were measured together, group by group, with one covariate for the group: the systems of a cell in a block, which
    /// took turns. Each cell has the values of its systems by block, and a block counts where it has all of them. What the systems of a
    /// group have in common is one value of the fit, for their number says nothing new about the covariate. `None` where [`slope`] has
    /// none.
    #[must_use]
    pub fn of_groups(cells: &[Vec<BTreeMap<u32, Observation>>]) -> Option<Self> {
        let cells: Vec<Vec<Observation>> = cells.iter().map(|cell| of_cell(cell)).collect();
        Self::of_trials(&cells)
    }

    /// Of values that each have a covariate of their own. `None` where [`slope`] has none.
    #[must_use]
    pub fn of_trials(cells: &[Vec<Observation>]) -> Option<Self> {
        let slope = slope(cells)?;
        let trials = cells.iter().flatten();
        let covariates: Vec<f64> = trials.map(|one| one.covariate).collect();
        let level = covariates.iter().sum::<f64>() / covariates.len() as f64;
        Some(Self { slope, level })
    }

    /// The sum to add to a value beside which this was read.
    #[must_use]
    pub fn correction(&self, covariate: f64) -> f64 {
        self.slope.slope * (self.level - covariate)
    }
}

/// The mean of each group of a cell.
fn of_cell(systems: &[BTreeMap<u32, Observation>]) -> Vec<Observation> {
    let all: BTreeSet<u32> = systems.iter().flat_map(|own| own.keys().copied()).collect();
    let whole = all
        .into_iter()
        .filter(|block| systems.iter().all(|own| own.contains_key(block)));
    let count = systems.len() as f64;
    let mean = |block: u32, of: fn(&Observation) -> f64| {
        systems.iter().map(|own| of(&own[&block])).sum::<f64>() / count
    };
    whole
        .map(|block| Observation {
            covariate: mean(block, |one| one.covariate),
            value: mean(block, |one| one.value),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_random::SplitMix64;

    /// Cells of so many trials whose values are their level, and follow a covariate with this slope.
    fn cells(cells: usize, trials: usize, slope: f64, noise: f64) -> Vec<Vec<Observation>> {
        let mut random = SplitMix64::new(7);
        let mut cell = |level: usize| -> Vec<Observation> {
            let trial = |_| {
                let covariate = 0.03 * random.normal();
                Observation {
                    covariate,
                    value: level as f64 + slope * covariate + noise * random.normal(),
                }
            };
            (0..trials).map(trial).collect()
        };
        (0..cells).map(&mut cell).collect()
    }

    #[test]
    fn a_planted_slope_is_found_whatever_the_levels_of_the_cells() {
        let found = slope(&cells(7, 6, -4.0, 0.05)).unwrap();
        assert_eq!(found.freedom, 7 * 5 - 1);
        assert!((found.slope + 4.0).abs() < 3.0 * found.error, "{found:?}");
        assert!((0.1..0.5).contains(&found.error), "{found:?}");
        assert!((0.7..0.95).contains(&found.explained), "{found:?}");
        let exact = slope(&cells(7, 6, -4.0, 0.0)).unwrap();
        assert!(
            (exact.slope + 4.0).abs() < 1e-9 && (exact.explained - 1.0).abs() < 1e-9,
            "{exact:?}"
        );
    }

    #[test]
    fn where_nothing_follows_nothing_is_explained() {
        let found = slope(&cells(10, 10, 0.0, 0.05)).unwrap();
        assert!(
            found.slope.abs() < 3.0 * found.error && found.explained < 0.1,
            "{found:?}"
        );
    }

    /// Groups of three systems of different levels: what a group has in common follows the covariate.
    fn groups(cells: usize, blocks: u32) -> Vec<Vec<BTreeMap<u32, Observation>>> {
        let mut random = SplitMix64::new(11);
        let mut cell = |_| -> Vec<BTreeMap<u32, Observation>> {
            let mut systems = vec![BTreeMap::new(); 3];
            for block in 0..blocks {
                let covariate = 5.0 + 0.06 * random.normal();
                for (level, system) in systems.iter_mut().enumerate() {
                    let value = 3.0 * level as f64 - 1.7 * covariate + 0.02 * random.normal();
                    system.insert(block, Observation { covariate, value });
                }
            }
            systems
        };
        (0..cells).map(&mut cell).collect()
    }

    #[test]
    fn groups_count_once_and_their_values_come_to_the_usual_level() {
        let mut cells = groups(5, 6);
        let usual = Usual::of_groups(&cells).unwrap();
        assert_eq!(usual.slope.freedom, 5 * 5 - 1, "groups, not trials");
        assert!((usual.slope.slope + 1.7).abs() < 0.2, "{usual:?}");
        let corrected = cells[0][0]
            .values()
            .map(|one| one.value + usual.correction(one.covariate));
        let corrected: Vec<f64> = corrected.collect();
        let mean = corrected.iter().sum::<f64>() / 6.0;
        assert!(
            corrected.iter().all(|value| (value - mean).abs() < 0.08),
            "{corrected:?}"
        );
        // A block that lacks a system says nothing: the mean of the others is on another level.
        cells[0][2].remove(&0);
        let without = Usual::of_groups(&cells).unwrap();
        assert_eq!(without.slope.freedom, 5 * 5 - 2);
        assert!((without.slope.slope + 1.7).abs() < 0.2, "{without:?}");
        assert_eq!(Usual::of_groups(&groups(3, 6)), None, "14 degrees of freedom");
        assert_eq!(Usual::of_groups(&[]), None);
    }

    #[test]
    fn few_trials_and_constants_have_no_slope() {
        assert_eq!(slope(&cells(4, 6, -4.0, 0.05)), None, "19 degrees of freedom");
        assert_eq!(slope(&cells(50, 1, -4.0, 0.05)), None);
        assert_eq!(slope(&[]), None);
        let mut same = cells(7, 6, -4.0, 0.05);
        same.iter_mut().flatten().for_each(|one| one.covariate = 0.1);
        assert_eq!(slope(&same), None);
    }
}
