//! Prints how often verdicts and intervals are right when the truth is known: the tables of `docs/analysis.md`.
//!
//! `cargo xtask calibration` runs it and writes the page. By itself:
//! `cargo run --release -p dbdyno-stats --example calibration -- [COMPARISONS PER ROW]`

mod families;
mod recorded;
mod rows;
mod simulation;
mod stopping;

use dbdyno_stats::Pairing;
use families::{Family, Noise, Speed, simulate_family};
use rows::{Row, RowShares};
use simulation::{Shares, World, simulate};
use stopping::{PrecisionGoal, simulate_stopping};

#[expect(
    clippy::print_stdout,
    reason = "tables for people are what this example is for"
)]
fn main() {
    let times = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(20_000);
    let rows: Vec<(World, Shares)> = worlds()
        .into_iter()
        .enumerate()
        .map(|(row, world)| (world, simulate(world, times, 1 + row as u64)))
        .collect();
    let studies = (times / 5).max(4);
    let simulated = |rows: Vec<Row>, seed: u64| -> Vec<(Row, RowShares)> {
        let seeds = seed..;
        rows.into_iter()
            .zip(seeds)
            .map(|(row, seed)| (row, row.simulate(studies, seed)))
            .collect()
    };
    let (noises, sizes) = (simulated(rows::noises(), 101), simulated(rows::sizes(), 151));
    println!("{}", promises(&rows, &noises, &sizes));
    print_studies(&noises, &sizes, studies);
    print_speeds(studies / 2);
    print_pairs(&rows, times);
    print_stopping(studies / 2);
}

#[expect(
    clippy::print_stdout,
    reason = "tables for people are what this example is for"
)]
fn print_studies(noises: &[(Row, RowShares)], sizes: &[(Row, RowShares)], studies: u32) {
    println!(
        "{studies} studies in each row, 21 comparisons of three systems in seven cells, six blocks, shares in percent. Where a difference is \
         looked for, the first system of each cell is ahead of the other two:\n"
    );
    println!(
        "| noise of a trial | studies with a false verdict | 1.1x found | 1.2x found | 1.5x found | equal systems bounded or equivalent \
         | intervals hold |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (row, shares) in noises {
        println!("| {} | {} |", row.name, figures(shares));
    }
    println!(
        "\n{studies} studies in each row, in other sizes. *Modes* is the noise of the third row above, *uneven* that of the sixth:\n"
    );
    println!(
        "| noise | cells | systems | blocks | studies with a false verdict | 1.1x found | 1.2x found | 1.5x found \
         | equal systems bounded or equivalent | intervals hold |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (row, shares) in sizes {
        let world = row.world;
        println!(
            "| {} | {} | {} | {} | {} |",
            row.name,
            world.cells,
            world.systems,
            world.blocks,
            figures(shares)
        );
    }
}

fn figures(shares: &RowShares) -> String {
    let found = shares.found.map(percent).join(" | ");
    format!(
        "{} | {found} | {} | {}",
        percent(shares.any_false),
        percent(shares.answered),
        percent(shares.covered)
    )
}

#[expect(
    clippy::print_stdout,
    reason = "tables for people are what this example is for"
)]
fn print_speeds(studies: u32) {
    println!(
        "\n{studies} such studies in each row at 5% noise, 3% more between starts of servers, on a machine whose reference work takes 3% \
         longer or shorter from start to start, and 1% within one; throughput changes by 2.4, 4.0 and 5.6 times as much:\n"
    );
    println!("| true ratio | compared | blocks | differences found | studies with any false verdict |");
    println!("|---|---|---|---|---|");
    for (row, world) in on_a_moody_machine().into_iter().enumerate() {
        let shares = simulate_family(world, studies, 301 + row as u64);
        println!(
            "| {} | {} | {} | {} | {} |",
            world.ratio,
            match world.speed {
                Some(Speed { adjusted: true, .. }) => "at the usual speed",
                _ => "as measured",
            },
            world.blocks,
            percent(shares.found),
            percent(shares.any_false)
        );
    }
}

#[expect(
    clippy::print_stdout,
    reason = "tables for people are what this example is for"
)]
fn print_pairs(rows: &[(World, Shares)], times: u32) {
    println!(
        "\n{times} comparisons of two samples in each row, as `dbdyno compare` makes them, a margin of 5%, shares in percent:\n"
    );
    println!(
        "| true ratio | noise | shared by a block | trials halved | trials | faster | slower | equivalent | bounded | undecided \
         | ratio's interval holds | median's interval holds |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (world, shares) in rows {
        println!("{}", line(world, shares));
    }
}

#[expect(
    clippy::print_stdout,
    reason = "tables for people are what this example is for"
)]
fn print_stopping(studies: u32) {
    println!(
        "\n{studies} studies of two equal systems in each row that ask for a `precision`, with their stopping rule:\n"
    );
    println!("| precision | noise | blocks | mean blocks | ratio's interval holds | faster or slower |");
    println!("|---|---|---|---|---|---|");
    for (row, goal) in precision_goals().into_iter().enumerate() {
        let shares = simulate_stopping(goal, studies, 201 + row as u64);
        println!(
            "| {}% | {}% | {} to {} | {:.1} | {} | {} |",
            goal.share * 100.0,
            goal.noise * 100.0,
            goal.fewest,
            goal.most,
            shares.blocks,
            percent(shares.covered),
            percent(shares.any_false)
        );
    }
}

fn precision_goals() -> [PrecisionGoal; 5] {
    let goal = |share, noise, fewest| PrecisionGoal {
        share,
        noise,
        fewest,
        most: 60,
    };
    [
        goal(0.05, 0.03, 6),
        goal(0.05, 0.05, 6),
        goal(0.05, 0.08, 6),
        goal(0.05, 0.08, 10),
        goal(0.1, 0.08, 6),
    ]
}

/// A machine whose speed changes by some 3%, on which a system that waits for memory loses four times as much.
fn on_a_moody_machine() -> Vec<Family> {
    let mut families = Vec::new();
    for (ratio, all_blocks) in [(1.0, &[4, 6, 8][..]), (1.3, &[6, 8])] {
        for adjusted in [false, true] {
            families.extend(all_blocks.iter().map(|&blocks| Family {
                blocks,
                ratio,
                noise: Noise::Normal {
                    own: 0.05,
                    shared: 0.0,
                },
                speed: Some(Speed {
                    spread: 0.03,
                    slope: -4.0,
                    starts: 0.03,
                    adjusted,
                }),
                ..Family::STANDARD
            }));
        }
    }
    families
}

/// The promises, each with the worst row that it is about.
fn promises(rows: &[(World, Shares)], noises: &[(Row, RowShares)], sizes: &[(Row, RowShares)]) -> String {
    let of = |keep: fn(&World) -> bool, share: fn(&Shares) -> f64| -> Vec<f64> {
        rows.iter()
            .filter(|(world, _)| keep(world))
            .map(|(_, shares)| share(shares))
            .filter(|share| !share.is_nan())
            .collect()
    };
    let studies = |keep: fn(&Row) -> bool, share: fn(&RowShares) -> f64| -> Vec<f64> {
        let all = noises.iter().chain(sizes);
        all.filter(|(row, _)| keep(row))
            .map(|(_, shares)| share(shares))
            .collect()
    };
    let most = |shares: &[f64]| percent(shares.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    let least = |shares: &[f64]| percent(shares.iter().copied().fold(f64::INFINITY, f64::min));
    let wrong = of(|world| world.ratio == 1.0, |shares| shares.faster + shares.slower);
    let covered = studies(|row| row.covers, |shares| shares.covered);
    // What blocks share moves all trials of a block: the median over few blocks is then about these blocks.
    let median = of(
        |world| world.block_noise == 0.0 && world.disturbed == 0.0,
        |shares| shares.median_covered,
    );
    let found = of(|world| *world == World::TEN_PERCENT, |shares| shares.faster);
    format!(
        "| guarantee | simulated |\n|---|---|\n\
         | at most 5% of studies have a false *faster* or *slower*, whatever the noise | at most {}% (worst row) |\n\
         | six blocks find 95% of differences of 1.2x on a machine of two modes, measured in turns | at least {}% |\n\
         | and half of those of 1.1x | at least {}% |\n\
         | 95% intervals of a ratio hold the truth in 93% to 97% | {}% to {}% |\n\
         | and in at least 93% where some trials are far from the others | at least {}% |\n\
         | two folders of one system are called faster or slower in at most 5% | at most {}% (worst row) |\n\
         | 95% intervals of a median hold the truth in 93% to 97% | {}% to {}% |\n\
         | two folders with 10 trials of each find a difference of 10% at 5% noise in at least 90% | {}% |\n",
        most(&studies(|_| true, |shares| shares.any_false)),
        least(&studies(|row| row.finds, |shares| shares.found[1])),
        least(&studies(|row| row.finds, |shares| shares.found[0])),
        least(&covered),
        most(&covered),
        least(&studies(|row| !row.covers, |shares| shares.covered)),
        most(&wrong),
        least(&median),
        most(&median),
        least(&found),
    )
}

fn line(world: &World, shares: &Shares) -> String {
    let blocks = match world.pairing {
        Pairing::Blocks => "",
        Pairing::Independent => ", blocks ignored",
    };
    format!(
        "| {} | {}% | {}% | {}% | {}{blocks} | {} | {} | {} | {} | {} | {} | {} |",
        world.ratio,
        world.noise * 100.0,
        world.block_noise * 100.0,
        world.disturbed * 100.0,
        world.trials,
        percent(shares.faster),
        percent(shares.slower),
        percent(shares.equivalent),
        percent(shares.bounded),
        percent(shares.undecided),
        percent(shares.ratio_covered),
        percent(shares.median_covered),
    )
}

fn percent(share: f64) -> String {
    if share.is_nan() {
        "-".to_owned()
    } else {
        format!("{:.1}", share * 100.0)
    }
}

fn worlds() -> Vec<World> {
    let same = World {
        ratio: 1.0,
        ..World::TEN_PERCENT
    };
    let ten = World::TEN_PERCENT;
    let mut worlds: Vec<World> = [4, 5, 6, 7, 8, 10, 20, 30]
        .map(|trials| World { trials, ..same })
        .into();
    worlds.extend([0.01, 0.03, 0.1].map(|noise| World { noise, ..same }));
    worlds.push(World {
        disturbed: 0.1,
        ..same
    });
    worlds.push(World {
        pairing: Pairing::Independent,
        ..same
    });
    worlds.extend([1.03, 1.05].map(|ratio| World { ratio, ..ten }));
    worlds.extend([5, 6, 8, 10, 20].map(|trials| World { trials, ..ten }));
    worlds.push(World { noise: 0.03, ..ten });
    worlds.push(World {
        disturbed: 0.1,
        ..ten
    });
    worlds.push(World {
        block_noise: 0.2,
        ..ten
    });
    worlds.push(World {
        block_noise: 0.2,
        pairing: Pairing::Independent,
        ..ten
    });
    worlds.push(World {
        trials: 5,
        block_noise: 0.2,
        ..ten
    });
    worlds.push(World { ratio: 1.2, ..ten });
    worlds.push(World {
        ratio: 1.2,
        noise: 0.03,
        disturbed: 0.1,
        ..ten
    });
    // Two result folders: nothing is shared, nothing is in blocks.
    worlds.push(World {
        pairing: Pairing::Independent,
        ..ten
    });
    worlds
}
