//! A paper as a study of today: a study file, with everything that it assumes and changes.

use std::collections::BTreeMap;
use std::time::Duration;

use dbdyno_files::values::{
    Clients, Consistency, Count, Durability, Operations as FileOperations, PhaseTime, Rate, Switch, Text,
    Trials,
};
use dbdyno_files::{
    List, PaperSizes, PaperTable, StudyFile, SystemTable, Table, Tables, WorkloadTable, with_comment_above,
};
use dbdyno_vocabulary::words::list;

use crate::claimed::{check_sizes, narrowed, part};
use crate::model::{Operations, Paper, Rerun, plain};
use crate::rerun_error::RerunError;
use crate::stated::Version;

/// No size shrinks below this: YCSB's own default, and what the linter asks of a client.
pub const SMALLEST_SIZE: u64 = 1000;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The part of the paper; its first one when none is named.
    pub part: Option<&'a str>,
    /// The claims that are to be judged; all that the part can judge when none is named.
    pub claims: &'a [String],
    /// What records and operations are multiplied by.
    pub scale: f64,
    /// Repetitions in place of the part's own.
    pub trials: Option<u32>,
    /// Sizes of the table in place of the part's own, before scaling.
    pub records: &'a [u64],
    /// Lengths of a run in place of the part's own, before scaling.
    pub operations: &'a [u64],
}

/// A part of a paper as a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// Its study file.
    pub file: StudyFile,
    /// What it assumes, replaces and changes, one sentence each.
    pub notes: Vec<String>,
}

impl Study {
    /// The text of its study file.
    #[must_use]
    pub fn text(&self) -> String {
        let paper = self.file.paper.as_ref().map(|paper| &paper.value.0.id.value.0);
        let made_by = format!(
            "# {}, measured again; made by `dbdyno paper run`.\n",
            paper.map_or("", String::as_str)
        );
        let text = self.file.to_text(&made_by);
        ["[paper.records]", "[paper.operations]"]
            .into_iter()
            .fold(text, |text, table| {
                with_comment_above(&text, table, "# Ours, and the paper's.")
            })
    }
}

/// The study that measures a part of a paper again. Its table `paper` says whose sizes its sizes stand for, so that a report
/// can put both side by side.
///
/// # Errors
/// See [`RerunError`].
pub fn study(paper: &Paper, request: &Request<'_>) -> Result<Study, RerunError> {
    let id = &paper.head.id;
    if !request.scale.is_finite() || request.scale <= 0.0 {
        return Err(RerunError::Scale { scale: request.scale });
    }
    let whole = part(paper, request.part)?;
    let rerun = &match request.claims {
        [] => whole.clone(),
        claims => narrowed(paper, whole, claims)?,
    };
    let mut notes = assumed(paper, rerun, request);
    if !request.claims.is_empty() {
        notes.push(format!(
            "Measured for {} alone: what else the part `{}` measures is left out.",
            list(request.claims),
            rerun.part
        ));
    }
    let Sizes {
        records,
        operations,
        duration,
    } = Sizes::of(paper, rerun, request)?;
    notes.extend(scaling("records", &records, request.scale));
    notes.extend(
        operations
            .as_ref()
            .and_then(|operations| scaling("operations", operations, request.scale)),
    );
    let trials = request.trials.unwrap_or(rerun.trials);
    notes.extend(repetitions(paper, trials));
    let title = format!(
        "{} ({}), measured again",
        paper.head.title,
        plain(&paper.head.year)
    );
    let file = StudyFile {
        name: Text(name(paper, rerun, request)).into(),
        title: Some(Text(title).into()),
        trials: Some(Trials(trials).into()),
        aa: Some(Switch(true).into()),
        durability: List::of(rerun.durability.clone().map(Durability)),
        consistency: List::of(rerun.consistency.clone().map(Consistency)),
        rates: List::of(rerun.rates.iter().copied().map(Rate::PerSecond)),
        clients: List::of([Clients(rerun.clients)]),
        records: List::of(records.keys().copied().map(Count)),
        operations: match &operations {
            Some(operations) => List::of(operations.keys().copied().map(FileOperations::Count)),
            None if duration.is_some() => List::default(),
            None => List::of([FileOperations::AsRecords]),
        },
        duration: duration.map(Into::into),
        system: Tables::of(rerun.systems.iter().map(|system| SystemTable {
            name: Some(Text::from(system.id.as_str()).into()),
            address: Text::from(system.address.as_str()).into(),
            ..SystemTable::default()
        })),
        workload: Tables::of(rerun.workloads.iter().map(|workload| WorkloadTable {
            name: Some(Text::from(workload.id.as_str()).into()),
            base: Some(Text::from(workload.base.as_str()).into()),
            ..WorkloadTable::default()
        })),
        paper: Some(
            Table(PaperTable {
                id: Text::from(id.as_str()).into(),
                part: Text::from(rerun.part.as_str()).into(),
                claims: List::of(request.claims.iter().map(|claim| Text::from(claim.as_str()))),
                scale: Some(request.scale),
                notes: List::of(notes.iter().map(|note| Text::from(note.as_str()))),
                operations: match duration {
                    Some(_) => None,
                    None => Some(PaperSizes(operations.unwrap_or_else(|| records.clone()))),
                },
                records: Some(PaperSizes(records)),
            })
            .into(),
        ),
        ..StudyFile::default()
    };
    Ok(Study { file, notes })
}

/// How much is measured: the paper's sizes by ours.
struct Sizes {
    records: BTreeMap<u64, u64>,
    /// `None` where they follow the records, or a time ends a run.
    operations: Option<BTreeMap<u64, u64>>,
    duration: Option<PhaseTime>,
}

impl Sizes {
    fn of(paper: &Paper, rerun: &Rerun, request: &Request<'_>) -> Result<Self, RerunError> {
        let records = match request.records {
            [] => &rerun.records,
            asked => asked,
        };
        let records = scaled(records, request.scale);
        let mut duration = None;
        let operations = match (&rerun.operations, request.operations) {
            (Operations::AsRecords(_), []) => None,
            (Operations::AsRecords(_), _) => {
                return Err(RerunError::Operations {
                    paper: paper.head.id.clone(),
                });
            }
            (Operations::Timed(timed), []) => {
                duration = Some(PhaseTime(Duration::from_secs(timed.duration_s.get().into())));
                None
            }
            (Operations::Counts(own), []) => Some(scaled(own, request.scale)),
            (Operations::Counts(_) | Operations::Timed(_), asked) => Some(scaled(asked, request.scale)),
        };
        let of_operations = match rerun.operations {
            Operations::AsRecords(_) => Some(&records),
            Operations::Counts(_) | Operations::Timed(_) => operations.as_ref(),
        };
        check_sizes(paper, request.claims, &records, of_operations)?;
        Ok(Self {
            records,
            operations,
            duration,
        })
    }
}

/// The name of the study, and of its result folder.
fn name(paper: &Paper, rerun: &Rerun, request: &Request<'_>) -> String {
    let mut name = paper.head.id.clone();
    if paper.reruns.len() > 1 {
        name.push_str(&format!("-{}", rerun.part));
    }
    for claim in request.claims {
        name.push_str(&format!("-{claim}"));
    }
    if request.scale != 1.0 {
        name.push_str(&format!("-x{}", request.scale));
    }
    // Other sizes are another study: what has the sizes of the paper lies beside it.
    for (of, sizes) in [("records", request.records), ("operations", request.operations)] {
        if !sizes.is_empty() {
            let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
            name.push_str(&format!("-{of}-{}", sizes.join("-")));
        }
    }
    name
}

/// What the paper did not state, and what cannot be had today.
fn assumed(paper: &Paper, rerun: &Rerun, request: &Request<'_>) -> Vec<String> {
    let overridden = [
        ("record_count", request.records),
        ("op_count", request.operations),
    ];
    let mut notes = Vec::new();
    for assumption in &paper.assumptions {
        let instead = overridden
            .iter()
            .find(|(field, sizes)| assumption.field.starts_with(field) && !sizes.is_empty());
        let value = match instead {
            Some((_, sizes)) => sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
            None => plain(&assumption.value),
        };
        notes.push(format!(
            "Assumed: {} {value} ({}).",
            assumption.field.replace('_', " "),
            assumption.reason
        ));
    }
    for system in &rerun.systems {
        notes.push(replaced(paper, &system.id, &system.address));
    }
    for left_out in &paper.systems {
        if paper
            .reruns
            .iter()
            .all(|rerun| rerun.systems.iter().all(|system| system.id != left_out.id))
        {
            notes.push(format!(
                "Left out: {} ({}), which cannot be had.",
                left_out.id, left_out.version
            ));
        }
    }
    notes.extend(rerun.differs.iter().map(ToString::to_string));
    notes
}

/// Each of our sizes, and the paper's that it stands for. Of several sizes that shrink to the same one, it stands for the
/// largest.
fn scaled(sizes: &[u64], scale: f64) -> BTreeMap<u64, u64> {
    let scaled = sizes.iter().map(|&size| {
        let ours = (size as f64 * scale).round() as u64;
        (ours.max(SMALLEST_SIZE.min(size)), size)
    });
    let mut by_ours = BTreeMap::new();
    for (ours, printed) in scaled {
        let largest = by_ours.entry(ours).or_insert(printed);
        *largest = printed.max(*largest);
    }
    by_ours
}

fn scaling(what: &str, sizes: &BTreeMap<u64, u64>, scale: f64) -> Option<String> {
    if scale == 1.0 {
        return None;
    }
    let pairs: Vec<String> = sizes
        .iter()
        .map(|(ours, printed)| format!("{ours} for {printed}"))
        .collect();
    let floored = sizes
        .iter()
        .any(|(ours, printed)| *ours > (*printed as f64 * scale).round() as u64);
    let floor = if floored {
        format!("; none shrinks below {SMALLEST_SIZE}")
    } else {
        String::new()
    };
    Some(format!("Scaled by {scale}: {what} {}{floor}.", pairs.join(", ")))
}

fn repetitions(paper: &Paper, trials: u32) -> Option<String> {
    let runs = ["runs", "runs_inferred"]
        .iter()
        .find_map(|key| paper.protocol.get(*key)?.as_integer())?;
    (runs != i64::from(trials)).then(|| {
        let why = if runs < 4 && trials > 3 {
            ": fewer than four allow no 95% interval"
        } else {
            ""
        };
        format!("Repeated {trials} times in place of {runs}{why}.")
    })
}

/// That one of the paper's systems is measured at this address.
#[must_use]
pub fn replaced(paper: &Paper, id: &str, address: &str) -> String {
    let printed = paper.systems.iter().find(|printed| printed.id == id);
    let version = match printed.map(|printed| &printed.version) {
        Some(Version::Stated(version)) => version,
        Some(Version::NotStated(_)) | None => "its version not stated",
    };
    format!("Replaced: {id} ({version}) by {address}, which can be had today.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request<'static> {
        Request {
            part: None,
            claims: &[],
            scale: 1.0,
            trials: None,
            records: &[],
            operations: &[],
        }
    }

    #[test]
    fn sizes_shrink_to_a_floor_and_never_grow() {
        assert_eq!(
            scaled(&[10_000, 100_000, 700_000], 0.02),
            BTreeMap::from([(1000, 10_000), (2000, 100_000), (14_000, 700_000)])
        );
        assert_eq!(scaled(&[500], 0.5), BTreeMap::from([(500, 500)]));
        assert_eq!(scaled(&[2000, 3000], 0.1), BTreeMap::from([(1000, 3000)]));
    }

    #[test]
    fn a_scale_that_makes_no_size_is_refused() {
        let paper = crate::find("abramova-2013").unwrap().unwrap();
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let asked = Request { scale, ..request() };
            assert!(matches!(study(&paper, &asked), Err(RerunError::Scale { .. })));
        }
    }

    #[test]
    fn an_unknown_part_is_refused_with_those_that_are_there() {
        let paper = crate::find("shwaysh-2018").unwrap().unwrap();
        let asked = Request {
            part: Some("clutser"),
            ..request()
        };
        let error = study(&paper, &asked).unwrap_err().to_string();
        assert_eq!(
            error,
            "shwaysh-2018 has no part `clutser`; it has single, encryption, cluster, ordered"
        );
    }

    #[test]
    fn what_was_assumed_replaced_and_scaled_is_reported() {
        let paper = crate::find("abramova-2013").unwrap().unwrap();
        let asked = Request {
            scale: 0.02,
            operations: &[100_000],
            ..request()
        };
        let notes = study(&paper, &asked).unwrap().notes.join("\n");
        for part in [
            "Assumed: op count 100000 (not stated",
            "Replaced: mongodb (2.4.3) by lab:mongodb",
            "Scaled by 0.02: records 2000 for 100000, 5600 for 280000, 14000 for 700000.",
            "Repeated 6 times in place of 3: fewer than four allow no 95% interval.",
        ] {
            assert!(notes.contains(part), "{part} is not in\n{notes}");
        }
    }

    #[test]
    fn a_run_for_a_claim_has_all_the_sizes_that_it_names() {
        let paper = crate::find("abramova-2013").unwrap().unwrap();
        let claims = ["C3".to_owned()];
        let study = |scale, records| {
            study(
                &paper,
                &Request {
                    claims: &claims,
                    scale,
                    records,
                    ..request()
                },
            )
        };
        assert!(study(0.02, &[]).is_ok());
        for (scale, records) in [(0.001, &[][..]), (0.02, &[100_000])] {
            let error = study(scale, records).unwrap_err();
            assert!(matches!(error, RerunError::ClaimSize { .. }), "{error}");
        }
        assert_eq!(
            study(0.001, &[]).unwrap_err().to_string(),
            "C3 asks about 280000 records, and this run stands for 700000 alone"
        );
    }

    #[test]
    fn a_run_of_a_time_keeps_it_at_every_scale() {
        let paper = crate::find("altoros-2013").unwrap().unwrap();
        let text = |operations| {
            let asked = Request {
                scale: 0.005,
                operations,
                ..request()
            };
            study(&paper, &asked).unwrap().text()
        };
        let timed = text(&[]);
        assert!(timed.contains("\nduration = \"3s\"\n"), "{timed}");
        assert!(!timed.contains("operations ="), "{timed}");
        let counted = text(&[1_000_000]);
        assert!(counted.contains("\noperations = 5000\n"), "{counted}");
    }

    #[test]
    fn other_sizes_are_a_study_of_another_name() {
        let paper = crate::find("abramova-2013").unwrap().unwrap();
        let asked = Request {
            scale: 0.5,
            records: &[100_000, 200_000],
            operations: &[9000],
            ..request()
        };
        let text = study(&paper, &asked).unwrap().text();
        let name = "name = \"abramova-2013-x0.5-records-100000-200000-operations-9000\"";
        assert!(text.contains(name), "{text}");
    }

    #[test]
    fn operations_that_follow_records_cannot_be_set_apart() {
        let paper = crate::find("shwaysh-2018").unwrap().unwrap();
        let asked = Request {
            operations: &[1000],
            ..request()
        };
        assert!(matches!(
            study(&paper, &asked),
            Err(RerunError::Operations { .. })
        ));
    }
}
