//! What a study at rising load asked, as its study file says it.

use dbdyno_record::Objective;
use dbdyno_stats::capacity;
use toml::Value;

/// The keys of a study file that its report needs. `dbdyno-study` has checked the file before anything was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderPlan {
    /// Whether a capacity is searched; else latency at rising load is shown.
    pub capacity: bool,
    /// What must hold; a sweep may have none.
    pub objective: Option<Objective>,
    /// Distance of two rates of a search, as a share.
    pub step: f64,
    /// Trials of a confirmed rate or of a step.
    pub trials: u32,
    /// Clients that were said; `None`: the pilot found them.
    pub clients: Option<u32>,
}

impl LadderPlan {
    /// Reads a study file; `None` when the study is of another kind.
    #[must_use]
    pub fn read(study_text: &str) -> Option<Self> {
        let study: toml::Table = study_text.parse().ok()?;
        let kind = study.get("kind").and_then(Value::as_str)?;
        if !["capacity", "sweep"].contains(&kind) {
            return None;
        }
        let texts: Vec<&str> = match study.get("slo") {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(texts)) => texts.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let clients: Vec<u32> = match study.get("clients") {
            Some(Value::Array(levels)) => levels.iter().filter_map(number).collect(),
            Some(level) => number(level).into_iter().collect(),
            None => Vec::new(),
        };
        let share = |text: &str| text.strip_suffix('%')?.trim().parse::<f64>().ok();
        Some(Self {
            capacity: kind == "capacity",
            objective: Objective::parse(texts)
                .ok()
                .filter(|objective| !objective.expectations.is_empty()),
            step: study
                .get("step")
                .and_then(Value::as_str)
                .and_then(share)
                .map_or(capacity::STEP, |percent| percent / 100.0),
            trials: study.get("trials").and_then(number).unwrap_or(capacity::TRIALS),
            clients: match clients[..] {
                [one] => Some(one),
                _ => None,
            },
        })
    }
}

/// A whole number as a study file may write it: `16`, `"16"`, `"2k"`.
fn number(value: &Value) -> Option<u32> {
    match value {
        Value::Integer(number) => u32::try_from(*number).ok(),
        Value::String(text) => match text.strip_suffix(['k', 'K']) {
            Some(thousands) => thousands.parse::<u32>().ok()?.checked_mul(1000),
            None => text.replace('_', "").parse().ok(),
        },
        _ => None,
    }
}
