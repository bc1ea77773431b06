//! How much equal systems may differ, where a system was measured twice: no smaller advantage is one.

use dbdyno_stats::pooled::Noise;

use super::comparisons::compared;
use super::compose::statement;
use super::gather::Source;
use super::{Goal, Need, Statement, Worth};
use crate::number;

/// The noise of a goal, and the systems that were measured twice to show it; `None` where none was.
fn of_goal(goal: &Goal, sources: &[Source<'_>], margin: f64) -> Option<(Noise, Vec<String>)> {
    let folders = sources.iter().map(|source| compared(goal, source, margin));
    let twice = folders.filter_map(|own| {
        let noise = own.noise.filter(|noise| noise.agreement.is_some())?;
        Some((noise, own.twice.into_iter().collect::<Vec<String>>()))
    });
    twice.max_by(|(a, _), (b, _)| a.bound.total_cmp(&b.bound))
}

/// How many times as good as its equal a system may seem over all goals whose ratios count: the noise of each by its weight. 1 where no
/// system was measured twice.
pub fn bound(need: &Need, sources: &[Source<'_>]) -> f64 {
    let whole: f64 = need.goals.iter().map(|goal| goal.weight).sum();
    let ratios = need.goals.iter().filter(|goal| goal.weight > 0.0);
    let ratios = ratios.filter(|goal| matches!(goal.worth, Worth::Ratio(_) | Worth::Enough(_)));
    let share = |goal: &Goal| {
        let (noise, _) = of_goal(goal, sources, need.margin)?;
        Some(goal.weight / whole * noise.bound.ln())
    };
    let squares: f64 = ratios.filter_map(share).map(|share| share * share).sum();
    squares.sqrt().exp()
}

/// What systems that were measured twice say, goal by goal; `ahead` is how many times as good the first is as the next one, where equal
/// systems would differ by as much.
pub fn cautions(need: &Need, sources: &[Source<'_>], ahead: Option<f64>) -> Vec<Statement> {
    let tell = |goal: &Goal| {
        let (noise, twice) = of_goal(goal, sources, need.margin)?;
        let verdict = match ahead {
            Some(ahead) if noise.bound >= ahead => {
                ": the leader's advantage is no larger, so it may be noise"
            }
            _ if noise.bound > 1.0 + need.margin => {
                ": more than the margin, so differences of this size are noise"
            }
            _ => "",
        };
        let says = if noise.widened() > 1.0 {
            "differed by more than its trials explain"
        } else {
            number::agreeing(&twice.len(), "agrees", "agree")
        };
        Some(statement(
            format!(
                "{}: two equal systems would differ by up to {} ({}, measured twice, {says}){verdict}.",
                goal.name,
                number::share(noise.bound - 1.0),
                number::list(&twice),
            ),
            Vec::new(),
        ))
    };
    need.goals.iter().filter_map(tell).collect()
}
