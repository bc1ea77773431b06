//! Expectations of a run: read before it, and refused when it cannot measure them.

use dbdyno_study::{Single, address};
use dbdyno_trial::Phases;
use dbdyno_vocabulary::{Expectation, Metric, Subject, words};

use super::after;
use crate::problem::Problem;

/// Reads the texts of `--expect`.
///
/// # Errors
/// The first one that cannot be understood, or that this run cannot measure.
pub fn read(texts: &[String], single: &Single) -> Result<Vec<Expectation>, Problem> {
    texts
        .iter()
        .map(|text| {
            let expectation =
                Expectation::parse(text).map_err(|error| after::misread_in("--expect", error))?;
            match unmeasurable(expectation.metric(), single) {
                None => Ok(expectation),
                Some((why, help)) => {
                    Err(Problem::usage(format!("--expect: `{text}` cannot be measured: {why}")).help(help))
                }
            }
        })
        .collect()
}

/// Why a run cannot measure this, and what to do instead; `None` when it can.
fn unmeasurable(metric: Metric, single: &Single) -> Option<(String, String)> {
    let mix = &single.workload.specification().mix;
    let only_loads = single.spec.phases == Phases::LoadOnly;
    let is_of_servers = matches!(
        metric,
        Metric::ServerCpu
            | Metric::ServerMemory
            | Metric::Disk
            | Metric::SpaceAmplification
            | Metric::WriteAmplification
    );
    match metric.subject() {
        Subject::Kind(kind) if !only_loads && !mix.has(kind) => {
            let kinds: Vec<&str> = mix.kinds().map(|kind| kind.name()).collect();
            return Some((
                format!(
                    "workload {} has no {} operations",
                    single.spec.workload,
                    kind.name()
                ),
                format!(
                    "its operations: {}; choose one of them, or another --workload",
                    words::list(&kinds)
                ),
            ));
        }
        Subject::All | Subject::Kind(_) if only_loads => {
            return Some((
                "a load has no measured phase".to_owned(),
                "expect something of the load, e.g. 'throughput(load)>10k'".to_owned(),
            ));
        }
        _ => {}
    }
    let is_known = address::read(&single.target).is_some();
    let may_be_named = matches!(metric, Metric::ServerCpu | Metric::ServerMemory)
        && single
            .target
            .options
            .contains_key(dbdyno_driver::remote::SERVER_PIDS);
    (is_of_servers && !is_known && !may_be_named).then(|| {
        (
            format!("dbdyno does not know the processes and files of {}", single.target),
            "for servers on this machine, add `server_pids=` to the address (for CPU and memory), or let the lab start \
             them (`lab:NAME`)"
                .to_owned(),
        )
    })
}
