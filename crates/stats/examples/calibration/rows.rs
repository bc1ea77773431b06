//! The studies of the calibration: kinds of noise, and sizes.

use super::families::{Family, FamilyShares, Noise, simulate_family};

/// A kind of noise in the standard study, or a size of study.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What moves a trial.
    pub name: &'static str,
    /// With equal systems.
    pub world: Family,
    /// Whether it is promised that 1.2x and 1.1x are found.
    pub finds: bool,
    /// Whether it is promised that intervals hold the truth in 93 to 97%. Otherwise, they hold it in at least 93%: what lies far from the others
    /// counts less than it is there, and the intervals are wider than they had to be.
    pub covers: bool,
}

/// The results of a row.
#[derive(Clone, Copy, Debug)]
pub struct RowShares {
    /// Studies with a false verdict: those of equal systems, or those with differences, whichever has more.
    pub any_false: f64,
    /// Differences of 1.1x, 1.2x and 1.5x found.
    pub found: [f64; 3],
    /// Equal systems that were found bounded or equivalent.
    pub answered: f64,
    /// Intervals of equal systems that hold the truth.
    pub covered: f64,
}

/// The ratios that are looked for.
pub const RATIOS: [f64; 3] = [1.1, 1.2, 1.5];

impl Row {
    /// Draws `times` studies of equal systems, and a quarter as many for each ratio.
    pub fn simulate(&self, times: u32, seed: u64) -> RowShares {
        let equal = simulate_family(self.world, times, seed);
        let fewer = (times / 4).max(1);
        let of = |ratio: f64| simulate_family(Family { ratio, ..self.world }, fewer, seed);
        let unequal: [FamilyShares; 3] = RATIOS.map(of);
        let beside_differences = unequal.iter().map(|own| own.any_false).sum::<f64>() / 3.0;
        RowShares {
            any_false: equal.any_false.max(beside_differences),
            found: unequal.map(|own| own.found),
            answered: equal.answered,
            covered: equal.covered,
        }
    }
}

/// Kinds of noise.
pub fn noises() -> Vec<Row> {
    let row = |name, noise, finds, covers| Row {
        name,
        world: Family {
            noise,
            ..Family::STANDARD
        },
        finds,
        covers,
    };
    let normal = |own, shared| Noise::Normal { own, shared };
    vec![
        row("normal, 8%", normal(0.08, 0.0), false, true),
        row(
            "normal, 4%, and 20% that a block shares",
            normal(0.04, 0.2),
            true,
            true,
        ),
        row(
            "modes, measured in turns: 4%, and a fifth of the blocks at 0.52x",
            Noise::ModesShared,
            true,
            true,
        ),
        row(
            "modes, measured in turns in two batches, which each block draws anew",
            Noise::ModesInBatches,
            false,
            false,
        ),
        row(
            "recorded, measured in turns",
            Noise::RecordedTurns { changes: 0.0 },
            true,
            false,
        ),
        row(
            "recorded, measured in turns; the mode changes within a fifth of the blocks",
            Noise::RecordedTurns { changes: 0.2 },
            true,
            false,
        ),
        row(
            "normal, 5%, times 0.6 to 1.6 by system and cell",
            Noise::Uneven(0.05),
            false,
            true,
        ),
        row(
            "normal, 4%, and one cell with 32%",
            Noise::OneNoisyCell(0.04),
            false,
            true,
        ),
        row(
            "heavy tails: Student's t (3), 4%",
            Noise::HeavyTails(0.04),
            false,
            true,
        ),
        row(
            "4%, and one trial of each cell at 0.52x",
            Noise::OneWildTrial,
            false,
            false,
        ),
        row(
            "modes, one trial after the other, in spells of ten",
            Noise::ModesInSpells,
            false,
            false,
        ),
        row(
            "modes, one trial after the other: 4%, and a fifth of the trials at 0.52x",
            Noise::ModesOwn,
            false,
            false,
        ),
        row(
            "recorded, one trial after the other",
            Noise::RecordedBlocks,
            false,
            false,
        ),
    ]
}

/// Sizes of studies, in the modes that systems share, and where noise differs from system to system.
pub fn sizes() -> Vec<Row> {
    let sizes = [
        (1, 2, 4),
        (1, 2, 6),
        (1, 2, 10),
        (1, 2, 30),
        (2, 2, 5),
        (3, 3, 6),
        (7, 3, 4),
        (7, 3, 5),
        (7, 3, 10),
        (40, 2, 6),
        (1, 20, 6),
    ];
    let row = |(cells, systems, blocks)| {
        let of = |name, noise| Row {
            name,
            world: Family {
                cells,
                systems,
                blocks,
                noise,
                ..Family::STANDARD
            },
            finds: false,
            covers: true,
        };
        [of("modes", Noise::ModesShared), of("uneven", Noise::Uneven(0.05))]
    };
    sizes.into_iter().flat_map(row).collect()
}
