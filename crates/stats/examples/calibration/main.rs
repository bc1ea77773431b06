//! Prints how often verdicts and intervals are right when the truth is known: the table of `docs/analysis.md`.
//!
//! `cargo run --release -p dbdyno-stats --example calibration -- [COMPARISONS PER ROW]`

mod simulation;

use dbdyno_stats::Pairing;
use simulation::{World, simulate};

#[expect(
    clippy::print_stdout,
    reason = "a table for people is what this example is for"
)]
fn main() {
    let times = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(20_000);
    println!(
        "{times} comparisons per row, margin 5%, shares in percent; `covers`: interval holds the true value\n"
    );
    println!(
        "| true ratio | noise | blocks' noise | disturbed | trials | compared | faster | slower | equivalent | undecided \
         | p <= 0.05 | covers ratio | covers median |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (row, world) in worlds().into_iter().enumerate() {
        let shares = simulate(world, times, 1 + row as u64);
        let percent = |share: f64| {
            if share.is_nan() {
                "-".to_owned()
            } else {
                format!("{:.1}", share * 100.0)
            }
        };
        let pairing = match world.pairing {
            Pairing::Blocks => "in blocks",
            Pairing::Independent => "freely",
        };
        println!(
            "| {} | {}% | {}% | {}% | {} | {pairing} | {} | {} | {} | {} | {} | {} | {} |",
            world.ratio,
            world.noise * 100.0,
            world.block_noise * 100.0,
            world.disturbed * 100.0,
            world.trials,
            percent(shares.faster),
            percent(shares.slower),
            percent(shares.equivalent),
            percent(shares.undecided),
            percent(shares.significant),
            percent(shares.ratio_covered),
            percent(shares.median_covered),
        );
    }
}

fn worlds() -> Vec<World> {
    let quiet = World {
        ratio: 1.0,
        noise: 0.03,
        block_noise: 0.0,
        disturbed: 0.0,
        trials: 10,
        pairing: Pairing::Blocks,
    };
    let mut worlds = Vec::new();
    for trials in [4, 5, 6, 7, 8, 10, 20] {
        worlds.push(World { trials, ..quiet });
    }
    for ratio in [1.03, 1.05, 1.1, 1.2] {
        worlds.push(World { ratio, ..quiet });
    }
    worlds.push(World { noise: 0.01, ..quiet });
    worlds.push(World { noise: 0.1, ..quiet });
    worlds.push(World {
        ratio: 1.2,
        trials: 5,
        ..quiet
    });
    worlds.push(World {
        ratio: 1.2,
        block_noise: 0.2,
        ..quiet
    });
    worlds.push(World {
        ratio: 1.2,
        block_noise: 0.2,
        pairing: Pairing::Independent,
        ..quiet
    });
    worlds.push(World {
        disturbed: 0.1,
        ..quiet
    });
    worlds.push(World {
        ratio: 1.2,
        disturbed: 0.1,
        ..quiet
    });
    worlds.push(World {
        trials: 10,
        pairing: Pairing::Independent,
        ..quiet
    });
    worlds
}
