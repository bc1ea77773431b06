//! A study that measures a paper again: the paper's claims on its own numbers and on ours, and both side by side.

mod bars;
mod claims;
mod rows;
mod sides;

use dbdyno_paper::measured::Measurements;
use dbdyno_paper::{Paper, Rerun};
use dbdyno_record::TrialRecord;
use serde::Serialize;

use super::{Flag, FlagCode, Pace, PrintedQuantity};
use crate::number;
use crate::{AuditReport, StudyResults};

pub use bars::{BarGroup, BarValue, Bars};
pub use claims::ClaimRow;
pub use sides::{Side, SidePoint, SideSystem};

/// What the results of a study that measures a paper again say of the paper.
#[derive(Clone, Debug, Serialize)]
pub struct PaperReport {
    /// The paper's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Who wrote it when.
    pub citation: String,
    /// Which part of it was measured.
    pub part: String,
    /// The claims that it was measured for; empty where for all that the part can judge.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// What its sizes were multiplied by.
    pub scale: f64,
    /// What was measured in place of the paper's systems, as the trials name it.
    pub systems: Vec<MeasuredSystem>,
    /// What was assumed, replaced and changed, one sentence each.
    pub notes: Vec<String>,
    /// Its claims.
    pub claims: Vec<ClaimRow>,
    /// Its numbers beside ours.
    pub sides: Vec<Side>,
}

/// What was measured in place of one of the paper's systems.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredSystem {
    /// The paper's name for it.
    pub id: String,
    /// The product with its version, as its servers say.
    pub product: String,
    /// The address in the study.
    pub address: String,
}

/// What the study says about the paper that it measures again; `None` when it measures none that we know. `flags` are those that
/// refuse verdicts between its systems.
pub fn paper(results: &StudyResults, trials: &[TrialRecord], flags: &[Flag]) -> Option<PaperReport> {
    let reference = results.asked.paper.as_ref()?;
    let paper = dbdyno_paper::find(&reference.id).ok()??;
    let rerun = paper.reruns.iter().find(|rerun| rerun.part == reference.part)?;
    let (measured, mut usable) = rows::measured(reference, rerun, trials);
    usable.rows.extend(rows::audited(&results.audits));
    // Different scans refuse the comparisons of scans alone, which each claim knows by its rows.
    let refusals: Vec<String> = flags
        .iter()
        .filter(|flag| flag.refuses && flag.code != FlagCode::ScanOrderDiffers)
        .map(|flag| flag.text.exact())
        .collect();
    let is_closed_loop = Pace::of(trials) == Pace::ClosedLoop;
    let systems = systems(rerun, trials);
    let mut sides = sides::sides(&paper, rerun, &measured);
    sides.retain(Side::is_measured);
    let mut claims = claims::claims(&paper, rerun, &usable, &refusals, is_closed_loop);
    claims.retain(|claim| reference.claims.is_empty() || reference.claims.contains(&claim.id));
    Some(PaperReport {
        title: paper.head.title.clone(),
        citation: citation(&paper),
        claims,
        sides,
        id: reference.id.clone(),
        part: reference.part.clone(),
        asked: reference.claims.clone(),
        scale: reference.scale,
        notes: notes(&paper, rerun, &systems, &reference.notes),
        systems,
    })
}

/// What the trials were of. Who edits a study file may put another system in the place of one.
fn systems(rerun: &Rerun, trials: &[TrialRecord]) -> Vec<MeasuredSystem> {
    let measured = |id: &String| {
        let trial = trials.iter().find(|trial| trial.system.name == *id)?;
        let product = format!("{} {}", trial.system.product, trial.system.version);
        Some(MeasuredSystem {
            id: id.clone(),
            product: product.trim().to_owned(),
            address: trial.spec.system.address.clone(),
        })
    };
    rerun
        .systems
        .iter()
        .filter_map(|system| measured(&system.id))
        .collect()
}

/// The notes of the study with the systems that were measured.
fn notes(paper: &Paper, rerun: &Rerun, systems: &[MeasuredSystem], stored: &[String]) -> Vec<String> {
    let mut notes = stored.to_vec();
    for system in systems {
        let planned = rerun.systems.iter().find(|planned| planned.id == system.id);
        let Some(planned) = planned.filter(|planned| planned.address != system.address) else {
            continue;
        };
        let planned = dbdyno_paper::replaced(paper, &system.id, &planned.address);
        for note in notes.iter_mut().filter(|note| **note == planned) {
            *note = dbdyno_paper::replaced(paper, &system.id, &system.address);
        }
    }
    notes
}

/// Who wrote a paper when.
pub fn citation(paper: &Paper) -> String {
    let authors = number::list(&paper.head.authors);
    format!("{authors}, {}", dbdyno_paper::plain(&paper.head.year))
}

/// All numbers of a part of a paper, with ours beside them where `results` has some: over sizes, and by workload.
pub fn figures(paper: &Paper, rerun: &Rerun, results: Option<&StudyResults>) -> (Vec<Side>, Vec<Bars>) {
    let reference = results.and_then(|results| Some((results.asked.paper.as_ref()?, results)));
    let measured = reference.map(|(reference, results)| rows::measured(reference, rerun, &results.trials).0);
    let measured = measured.unwrap_or_default();
    (
        sides::sides(paper, rerun, &measured),
        bars::bars(paper, rerun, &measured),
    )
}

/// The claims of a paper on its own numbers and on what audits observed, without a run.
pub fn claims_without_runs(paper: &Paper, audits: &[AuditReport]) -> Vec<ClaimRow> {
    let measured = Measurements {
        rows: rows::audited(audits),
    };
    let rerun = paper.reruns.first();
    rerun.map_or_else(Vec::new, |rerun| {
        claims::claims(paper, rerun, &measured, &[], false)
    })
}

impl PaperReport {
    /// What claims about latency rest on; `None` without such a claim. A paper's claim is judged as its authors measured it, where
    /// a report's own verdict would be "not comparable".
    #[must_use]
    pub fn closed_loop_note(&self) -> Option<String> {
        let claims: Vec<String> = self
            .claims
            .iter()
            .filter(|claim| claim.closed_loop_latency)
            .map(ClaimRow::name)
            .collect();
        (!claims.is_empty()).then(|| {
            format!(
                "{} {} judged as the authors measured it: latency in a closed loop, with each system at its own \
                 throughput.",
                number::list(&claims),
                number::agreeing(&claims.len(), "is", "are")
            )
        })
    }

    /// That sizes were measured at different times, and how they are compared nevertheless; `None` without such a claim.
    #[must_use]
    pub fn usual_speed_note(&self) -> Option<String> {
        let adjusted = self.claims.iter().filter(|claim| claim.at_usual_speed);
        let claims: Vec<String> = adjusted.map(ClaimRow::name).collect();
        (!claims.is_empty()).then(|| {
            format!(
                "{} {} sizes that were measured at different times; their values are adjusted to the machine's usual speed.",
                number::list(&claims),
                number::agreeing(&claims.len(), "compares", "compare")
            )
        })
    }
}
