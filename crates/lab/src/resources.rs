//! CPUs and memory of servers, and CPUs of the load generator: what requests ask for, and what this machine grants of it.

use std::sync::OnceLock;

use dbdyno_machine::CpuList;
use dbdyno_vocabulary::words::plural;

use crate::control_group::Groups;
use crate::error::{LabError, LabErrorKind};
use crate::granted::{Granted, NodeMemory};
use crate::recipe::Recipe;
use crate::recipe_info::{CLIENT_OPTION, COMMON, CPUS_OPTION, MEMORY_OPTION, RecipeOption};
use crate::request::ServerRequest;

/// The least share of a CPU: the kernel grants no less than a hundredth of its period.
const SMALLEST_SHARE: f64 = 0.01;

/// The CPUs that a request asks for.
#[derive(Clone, Debug, PartialEq)]
enum Cpus {
    Share(f64),
    List(CpuList),
}

/// The CPUs that a request asks for the load generator.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Client {
    Shared,
    Apart,
    List(CpuList),
}

/// The means of a machine to limit servers.
struct Means<'a> {
    /// The CPUs that this process may use.
    allowed: Option<&'a CpuList>,
    cpu_groups: bool,
    memory_groups: bool,
}

/// Decides how this machine limits the servers of a request.
///
/// # Errors
/// When an option has no value that can be, or the machine or the product cannot do it, with what would.
pub(crate) fn granted(recipe: &dyn Recipe, request: &ServerRequest) -> Result<Granted, LabError> {
    if COMMON.iter().all(|option| request.option(option.name).is_none()) {
        return Ok(Granted::default());
    }
    let limits = [CPUS_OPTION.name, MEMORY_OPTION.name];
    let groups = limits
        .iter()
        .any(|name| request.option(name).is_some())
        .then(Groups::of_machine);
    let means = Means {
        allowed: allowed(),
        cpu_groups: groups.is_some_and(Groups::limit_cpu),
        memory_groups: groups.is_some_and(Groups::limit_memory),
    };
    granted_by(&means, recipe, request)
}

/// Refuses impossible limits before anything starts.
///
/// # Errors
/// With the option and what mends it.
pub fn check_resources(recipe: &dyn Recipe, request: &ServerRequest) -> Result<(), LabError> {
    granted(recipe, request).map(drop)
}

/// The CPUs that a request separates for the load generator; `None`: it shares those of the servers.
///
/// # Errors
/// As [`check_resources`].
pub fn client_cpus(request: &ServerRequest) -> Result<Option<CpuList>, LabError> {
    if request.option(CLIENT_OPTION.name).is_none() {
        return Ok(None);
    }
    client_of(request, allowed())
}

/// About how much memory the servers of a request may take together, bytes, with its `memory`.
///
/// # Errors
/// As [`Recipe::memory_bytes`].
pub fn memory_bytes(recipe: &dyn Recipe, request: &ServerRequest) -> Result<u64, LabError> {
    recipe.memory_bytes(&sized(request, &own_limits(recipe, request)?))
}

/// The request with the options by which the product limits itself.
pub(crate) fn sized(request: &ServerRequest, own: &NodeMemory) -> ServerRequest {
    let mut request = request.clone();
    for (name, value) in &own.options {
        request
            .options
            .entry((*name).to_owned())
            .or_insert_with(|| value.clone());
    }
    request
}

fn own_limits(recipe: &dyn Recipe, request: &ServerRequest) -> Result<NodeMemory, LabError> {
    match memory(request)? {
        Some(mebibytes) => recipe.within_memory(request, mebibytes),
        None => Ok(NodeMemory::default()),
    }
}

/// The CPUs that this process was allowed before it was bound to fewer.
fn allowed() -> Option<&'static CpuList> {
    static ALLOWED: OnceLock<Option<CpuList>> = OnceLock::new();
    ALLOWED.get_or_init(CpuList::of_this_process).as_ref()
}

fn granted_by(means: &Means<'_>, recipe: &dyn Recipe, request: &ServerRequest) -> Result<Granted, LabError> {
    let client = client_of(request, means.allowed)?;
    let mut granted = Granted {
        cpus: client
            .as_ref()
            .zip(means.allowed)
            .map(|(client, all)| all.without(client)),
        client,
        ..Granted::default()
    };
    let left = granted.cpus.as_ref().or(means.allowed);
    match cpus(request)? {
        None => {}
        Some(asked) => {
            let left = left.ok_or_else(|| elsewhere(request, &CPUS_OPTION))?.clone();
            grant_cpus(&mut granted, &asked, left, means.cpu_groups, request)?;
        }
    }
    if let Some(mebibytes) = memory(request)? {
        granted.own = recipe.within_memory(request, mebibytes)?;
        if means.memory_groups {
            granted.group.memory_bytes = Some(u64::from(mebibytes) << 20);
        } else if granted.own == NodeMemory::default() {
            return Err(refused(
                request,
                &MEMORY_OPTION,
                "it needs a control group of version 2 here, and this process can make none",
                GROUPS_HELP,
            ));
        }
    }
    Ok(granted)
}

const GROUPS_HELP: &str = "run dbdyno as root where control groups are version 2, or in a scope of its own: systemd-run --user --scope -p Delegate=yes dbdyno ...";

fn grant_cpus(
    granted: &mut Granted,
    asked: &Cpus,
    left: CpuList,
    groups: bool,
    request: &ServerRequest,
) -> Result<(), LabError> {
    let with_client = match &granted.client {
        Some(client) => format!(" beside CPU {client} of the load generator"),
        None => String::new(),
    };
    match asked {
        Cpus::List(list) if !list.is_within(&left) => Err(refused(
            request,
            &CPUS_OPTION,
            &format!("servers can run on CPU {left}{with_client}"),
            "name CPUs among these",
        )),
        Cpus::List(list) => {
            granted.cpus = Some(list.clone());
            Ok(())
        }
        Cpus::Share(share) if *share > left.len() as f64 => Err(refused(
            request,
            &CPUS_OPTION,
            &format!(
                "servers can have {}{with_client}: CPU {left}",
                plural(left.len(), "CPU", "CPUs")
            ),
            &format!("ask for {} at most", left.len()),
        )),
        Cpus::Share(share) if groups => {
            granted.group.cpus = Some(*share);
            Ok(())
        }
        Cpus::Share(share) if share.fract() == 0.0 => {
            granted.cpus_each = Some(*share as usize);
            granted.cpus = Some(left);
            Ok(())
        }
        Cpus::Share(_) => Err(refused(
            request,
            &CPUS_OPTION,
            "a part of a CPU needs a control group, and this process can make none",
            &format!("ask for whole CPUs, which need none; or {GROUPS_HELP}"),
        )),
    }
}

fn cpus(request: &ServerRequest) -> Result<Option<Cpus>, LabError> {
    let Some(text) = request.option(CPUS_OPTION.name) else {
        return Ok(None);
    };
    let share = text
        .parse::<f64>()
        .ok()
        .filter(|share| share.is_finite() && *share >= SMALLEST_SHARE);
    let list = || text.contains([',', '-']).then(|| text.parse().ok()).flatten();
    let asked = share.map(Cpus::Share).or_else(|| list().map(Cpus::List));
    asked.map(Some).ok_or_else(|| {
        let why = "it is neither a share of CPU time from 0.01 nor a list of CPU numbers";
        refused(
            request,
            &CPUS_OPTION,
            why,
            "write e.g. cpus=0.5, cpus=2, cpus=0,2 or cpus=0-1",
        )
    })
}

fn memory(request: &ServerRequest) -> Result<Option<u32>, LabError> {
    let asked = request.option(MEMORY_OPTION.name).is_some();
    asked
        .then(|| request.mebibytes(MEMORY_OPTION.name, 0))
        .transpose()
}

fn client_of(request: &ServerRequest, allowed: Option<&CpuList>) -> Result<Option<CpuList>, LabError> {
    let asked = match request.option(CLIENT_OPTION.name) {
        None | Some("shared") => Client::Shared,
        Some("apart") => Client::Apart,
        Some(list) => Client::List(list.parse().map_err(|_| {
            let why = "it is shared, apart or a list of CPU numbers";
            refused(
                request,
                &CLIENT_OPTION,
                why,
                "write e.g. client=apart or client=0-1",
            )
        })?),
    };
    if asked == Client::Shared {
        return Ok(None);
    }
    let all = allowed.ok_or_else(|| elsewhere(request, &CLIENT_OPTION))?;
    if all.len() < 2 {
        return Err(refused(
            request,
            &CLIENT_OPTION,
            &format!("dbdyno may use CPU {all} alone, and servers need one, too"),
            "leave out `client`, or run on a machine with two CPUs",
        ));
    }
    match asked {
        Client::List(list) if !list.is_within(all) || list.len() == all.len() => Err(refused(
            request,
            &CLIENT_OPTION,
            &format!("dbdyno may use CPU {all}, and servers need one of them"),
            "name fewer CPUs among these",
        )),
        Client::List(list) => Ok(Some(list)),
        _ => Ok(Some(CpuList::new(all.numbers().take(all.len() / 2)))),
    }
}

fn refused(request: &ServerRequest, option: &RecipeOption, why: &str, help: &str) -> LabError {
    let name = option.name;
    let value = request.option(name).unwrap_or_default();
    LabError::new(
        LabErrorKind::Request,
        format!("{name}={value} of {} is not possible: {why}", request.name),
    )
    .help(help)
}

fn elsewhere(request: &ServerRequest, option: &RecipeOption) -> LabError {
    refused(
        request,
        option,
        "the kernel does not state the CPUs of processes",
        "leave it out",
    )
}

#[cfg(test)]
#[path = "resources_tests.rs"]
mod tests;
