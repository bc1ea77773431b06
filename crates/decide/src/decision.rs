//! The decision: everything computed, nothing printed.

use crate::flip::{Flip, Shift, flips, smallest_shift};
use crate::problem::{Compliance, Problem};
use crate::ranking::{Drawing, Ranked, rank};
use crate::verdict::{Obstacle, Recommendation, verdict};

/// What follows from a problem. Candidates and criteria are indices into it.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The answer.
    pub verdict: Recommendation,
    /// Why the first one is not recommended; empty when it is.
    pub obstacles: Vec<Obstacle>,
    /// Who can be ranked, best score first.
    pub ranked: Vec<Ranked>,
    /// Who is out.
    pub violating: Vec<usize>,
    /// Who is not out, but lacks a measurement of something that counts, with what is lacking.
    pub unmeasured: Vec<(usize, Vec<usize>)>,
    /// Changes of one weight that turn the ranking round, the nearest first.
    pub flips: Vec<Flip>,
    /// The smallest shift of weight that does.
    pub shift: Option<Shift>,
}

/// Decides.
#[must_use]
pub fn decide(problem: &Problem) -> Decision {
    let drawing = Drawing::new(problem);
    let utilities = drawing.utilities();
    let ranked = rank(&drawing, &utilities);
    let compliance = |wanted: fn(Compliance) -> bool| {
        let all = problem.candidates.iter().enumerate();
        all.filter(move |(_, candidate)| wanted(candidate.compliance))
    };
    let violating: Vec<usize> = compliance(|compliance| compliance == Compliance::Violated)
        .map(|(index, _)| index)
        .collect();
    let unmeasured: Vec<(usize, Vec<usize>)> = compliance(|compliance| compliance != Compliance::Violated)
        .map(|(index, candidate)| (index, candidate.unmeasured(&problem.criteria)))
        .filter(|(_, lacking)| !lacking.is_empty())
        .collect();
    let (verdict, obstacles) = verdict(problem, &ranked, !violating.is_empty(), !unmeasured.is_empty());
    let mut flips = flips(&utilities, &drawing.stated);
    for flip in &mut flips {
        flip.winner = drawing.members[flip.winner];
    }
    let mut shift = smallest_shift(&utilities, &drawing.stated);
    if let Some(shift) = &mut shift {
        shift.winner = drawing.members[shift.winner];
    }
    Decision {
        verdict,
        obstacles,
        ranked,
        violating,
        unmeasured,
        flips,
        shift,
    }
}
