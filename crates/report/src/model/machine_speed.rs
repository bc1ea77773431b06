//! What throughput owes to the speed of the machine, in words.

use std::ops::Deref;

use dbdyno_analysis::speed;
use serde::Serialize;

use crate::number;

/// What throughput owes to the speed of the machine, with the sentence that states it.
#[derive(Clone, Debug, Serialize)]
pub struct MachineSpeed {
    #[serde(flatten)]
    found: speed::MachineSpeed,
    /// The same in words.
    pub sentence: String,
}

impl MachineSpeed {
    /// Of trials in blocks, whose throughputs are compared with each other.
    pub fn new(found: speed::MachineSpeed) -> Self {
        let compared = "Throughputs are compared as at the machine's usual speed; medians are as measured.";
        Self {
            sentence: sentence(&found, "before and after each trial", compared),
            found,
        }
    }
}

/// What tests of systems that took turns owe to it.
pub fn between_tests(found: &speed::MachineSpeed) -> String {
    let compared = "Tests that were measured at different times are compared as at the machine's usual speed. Systems of one test took \
                    turns, so the speed affects them alike.";
    sentence(found, "between the turns", compared)
}

impl Deref for MachineSpeed {
    type Target = speed::MachineSpeed;

    fn deref(&self) -> &speed::MachineSpeed {
        &self.found
    }
}

/// `timed`: when the work was timed; `compared`: what follows.
fn sentence(speed: &speed::MachineSpeed, timed: &str, compared: &str) -> String {
    format!(
        "The machine's speed changed: a fixed piece of work, timed {timed}, took up to {} longer than at its fastest. For each 1% longer, \
         throughput was {}. {compared}",
        tenths(speed.range),
        for_each_percent(speed.slope, speed.explained)
    )
}

/// What a value is where the reference work takes 1% longer, and how much that explains: the end of a sentence.
pub fn for_each_percent(slope: f64, explained: f64) -> String {
    let change = (slope * 0.01_f64.ln_1p()).exp_m1();
    format!(
        "{} {}, which explains {} of its variance within a test",
        tenths(change.abs()),
        if change < 0.0 { "lower" } else { "higher" },
        number::whole_share(explained)
    )
}

fn tenths(share: f64) -> String {
    number::share((share * 1000.0).round() / 1000.0)
}
