//! How much equal systems may differ, where a system was measured twice: no smaller advantage is one.

use super::comparisons::compared;
use super::compose::statement;
use super::gather::Source;
use super::{Goal, Need, Statement};
use crate::number;

/// What systems that were measured twice say, goal by goal; `ahead` is how many times as good the first is as the next one.
pub fn cautions(need: &Need, sources: &[Source<'_>], ahead: Option<f64>) -> Vec<Statement> {
    let tell = |goal: &Goal| {
        let folders = sources.iter().map(|source| compared(goal, source, need.margin));
        let twice = folders.filter_map(|own| {
            let noise = own.noise.filter(|noise| noise.agreement.is_some())?;
            Some((noise, own.twice.into_iter().collect::<Vec<String>>()))
        });
        let (noise, twice) = twice.max_by(|(a, _), (b, _)| a.bound.total_cmp(&b.bound))?;
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
