//! The agents that `--agents` names.

use std::sync::Arc;

use dbdyno_agents::{
    AgentsError, AgentsErrorKind, AgentsWanted, Fleet, FleetRequest, LocalAgents, check_target, start_local,
};
use dbdyno_driver::Target;
use dbdyno_engine::{LoadGenerators, Stop};
use dbdyno_lab::LabHome;
use dbdyno_report::number;
use dbdyno_vocabulary::shell;

use crate::arguments::{AgentsArguments, InstallArguments};
use crate::commands::lab;
use crate::exit_code::ExitCode;
use crate::install::LabProgress;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// The words by which a command names its agents again, without their server's secrets; they follow other words.
pub fn again(arguments: &AgentsArguments) -> String {
    let wanted = arguments.agents.as_deref();
    let wanted = wanted.and_then(|wanted| wanted.parse::<AgentsWanted>().ok());
    wanted.map_or_else(String::new, |wanted| {
        format!(" --agents {}", shell::word(&wanted.to_string()))
    })
}

/// Refuses what no agents can do, before anything is made or started for it.
///
/// # Errors
/// When the agents are not named as they can be, or one of the targets has none.
pub fn check<'a>(
    arguments: &AgentsArguments,
    targets: impl IntoIterator<Item = &'a Target>,
) -> Result<(), Problem> {
    let Some(wanted) = &arguments.agents else {
        return Ok(());
    };
    wanted.parse::<AgentsWanted>().map_err(problem)?;
    targets
        .into_iter()
        .try_for_each(|target| check_target(target).map_err(problem))
}

/// The load generators that are asked for; `None`: this process.
///
/// # Errors
/// When there are too few agents, or their server cannot be reached.
pub fn recruit(
    arguments: &AgentsArguments,
    study: &str,
    install: InstallArguments,
    stop: &Stop,
    terminal: Terminal,
) -> Result<Option<Arc<dyn LoadGenerators>>, Problem> {
    let Some(wanted) = &arguments.agents else {
        return Ok(None);
    };
    let wanted: AgentsWanted = wanted.parse().map_err(problem)?;
    let (request, local) = match &wanted {
        AgentsWanted::Local(count) => {
            let home = LabHome::of_user().map_err(lab::problem)?;
            let mut progress = LabProgress::new(terminal, install, stop);
            let local = start_local(*count, &home, &mut progress, stop).map_err(problem)?;
            (request_of(&local, *count, study)?, Some(local))
        }
        AgentsWanted::Of { server, min, labels } => {
            let request = FleetRequest {
                server: server.clone(),
                min: *min,
                labels: labels.clone(),
                study: study.to_owned(),
            };
            (request, None)
        }
    };
    if let AgentsWanted::Of { server, min, .. } = &wanted {
        let agents = number::plural(*min as usize, "agent", "agents");
        terminal.note(&format!(
            "Looking for at least {agents} at {server}, for up to 30 s"
        ));
    }
    let fleet = Fleet::recruit(request, local, stop).map_err(problem)?;
    let names = fleet.names();
    terminal.note(&format!(
        "{} {} the load: {}",
        number::plural(names.len(), "agent", "agents"),
        if names.len() == 1 { "sends" } else { "send" },
        listed(&names)
    ));
    Ok(Some(Arc::new(fleet)))
}

fn request_of(local: &LocalAgents, count: u32, study: &str) -> Result<FleetRequest, Problem> {
    Ok(FleetRequest {
        server: local.address().map_err(problem)?,
        min: count,
        labels: dbdyno_agents::Labels::new(),
        study: study.to_owned(),
    })
}

/// The first names, and how many there are beside them.
fn listed(names: &[String]) -> String {
    const MOST: usize = 8;
    let shown = names
        .iter()
        .take(MOST)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Why agents are not to be had, for people.
pub fn problem(error: AgentsError) -> Problem {
    let exit = match error.kind {
        AgentsErrorKind::Request => ExitCode::Usage,
        AgentsErrorKind::Server | AgentsErrorKind::Unreachable | AgentsErrorKind::Agents => {
            ExitCode::SystemUnreachable
        }
        AgentsErrorKind::Interrupted => ExitCode::Interrupted,
    };
    let problem = Problem::new(exit, error.message);
    match error.help.is_empty() {
        true => problem,
        false => problem.help(error.help),
    }
}
