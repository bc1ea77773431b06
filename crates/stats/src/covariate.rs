//! What is seen beside each trial and moves its value, taken out of the noise: analysis of covariance.
//!
//! A shared machine is not equally fast all the time. When a fixed piece of work takes longer, databases are slower, too, whichever
//! is being measured. Within a cell (one system, one work) nothing but chance and that differs between trials, so the slope of the
//! values over the covariate is fitted there, by least squares on all cells together, each around its own mean (Cochran, "Analysis of
//! Covariance: Its Nature and Uses", Biometrics 13, 1957). What one cell differs from another by has no part in it.

/// With fewer degrees of freedom the error of the slope would bring in about as much noise as the slope takes out.
pub const FEWEST_FREEDOM: usize = 20;

/// One trial: its covariate, and its value. Both are logarithms where ratios are what counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// What was seen beside it.
    pub covariate: f64,
    /// What was measured.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix64;

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
