//! `dbdyno lab`: real servers that stay until they are told to go.

mod list;

use dbdyno_driver::Target;
use dbdyno_lab::{Instance, InstanceRequest, Keep, Lab, LabError, LabErrorKind, LabHome, ServerRequest};
use dbdyno_trial::lab_request;

use crate::arguments::{InstallArguments, LabCommand};
use crate::exit_code::ExitCode;
use crate::install::LabProgress;
use crate::interrupt::{self, Ending};
use crate::problem::Problem;
use crate::terminal::Terminal;

/// `dbdyno lab`.
pub fn execute(command: &LabCommand, terminal: Terminal) -> Result<ExitCode, Problem> {
    let home = LabHome::of_user().map_err(problem)?;
    match command {
        LabCommand::Up { request, install } => up(request, *install, &home, terminal),
        LabCommand::Down {
            name,
            all,
            left_behind,
        } => down(name.as_deref(), *all, *left_behind, &home, terminal),
        LabCommand::List { database: None } => list::all(&home, terminal),
        LabCommand::List { database: Some(name) } => list::one(name, &home, terminal),
        LabCommand::Logs { name, lines } => logs(name, *lines, &home, terminal),
        LabCommand::Env { name } => env(name, &home, terminal),
    }
}

pub fn problem(error: LabError) -> Problem {
    let exit = match error.kind {
        LabErrorKind::Request => ExitCode::Usage,
        LabErrorKind::Software | LabErrorKind::Machine | LabErrorKind::Server | LabErrorKind::PortTaken => {
            ExitCode::SystemUnreachable
        }
        LabErrorKind::Files => ExitCode::Files,
        LabErrorKind::Interrupted => ExitCode::Interrupted,
    };
    Problem::new(exit, error.message).help(error.help)
}

fn up(
    request: &str,
    install: InstallArguments,
    home: &LabHome,
    terminal: Terminal,
) -> Result<ExitCode, Problem> {
    let request = ServerRequest::parse(lab_request(request).unwrap_or(request)).map_err(problem)?;
    let recipe = dbdyno_registry::find_recipe(&request.name).map_err(|error| {
        Problem::usage(error.to_string()).help("`dbdyno lab list` shows what the lab can start")
    })?;
    let stop = interrupt::stop_on_signals(Ending::Start, terminal)?;
    let instance = InstanceRequest {
        recipe,
        request: &request,
        home,
        keep: Keep::Detached,
    };
    let mut progress = LabProgress::new(terminal, install, &stop);
    let lab: Lab = dbdyno_lab::up(&instance, &mut progress, &|| stop.is_requested()).map_err(problem)?;
    let instance = lab.instance();
    terminal.print(&format!("{}  {}\n", instance.name, shown(&instance.address)))?;
    terminal.note(&format!(
        "`dbdyno lab down {}` stops it and removes its data",
        instance.name
    ));
    Ok(ExitCode::Success)
}

/// An address without its password.
pub(in crate::commands) fn shown(address: &str) -> String {
    // What stands before the host of a NATS server is a token.
    if let Some((_, host)) = address
        .strip_prefix("nats://")
        .and_then(|rest| rest.rsplit_once('@'))
    {
        return format!("nats://***@{host}");
    }
    Target::parse(address).map_or_else(|_| String::new(), |target| target.to_string())
}

/// What runs under this name: an instance, or every instance of a database.
fn named(name: &str, home: &LabHome) -> Result<Vec<Instance>, Problem> {
    let all = dbdyno_lab::instances(home).map_err(problem)?;
    let database = |instance: &Instance| instance.request.split(['@', '?']).next() == Some(name);
    // As it is kept, without a password.
    let request = ServerRequest::parse(name).map_or_else(|_| name.to_owned(), |request| request.to_string());
    let found: Vec<Instance> = all
        .iter()
        .filter(|instance| instance.name == name || instance.request == request || database(instance))
        .cloned()
        .collect();
    if found.is_empty() {
        let names: Vec<&str> = all.iter().map(|instance| instance.name.as_str()).collect();
        return Err(
            Problem::usage(format!("the lab has no instance or database `{request}`")).help(
                if names.is_empty() {
                    "no servers are running; start some with `dbdyno lab up`".to_owned()
                } else {
                    format!("there are {}", names.join(", "))
                },
            ),
        );
    }
    Ok(found)
}

fn one(name: &str, home: &LabHome) -> Result<Instance, Problem> {
    let mut found = named(name, home)?;
    if found.iter().any(|instance| !instance.is_left_behind()) {
        found.retain(|instance| !instance.is_left_behind());
    }
    if found.len() > 1 {
        let names: Vec<&str> = found.iter().map(|instance| instance.name.as_str()).collect();
        return Err(
            Problem::usage(format!("`{name}` has {} running instances", found.len()))
                .help(format!("name one of {}", names.join(", "))),
        );
    }
    Ok(found.remove(0))
}

fn down(
    name: Option<&str>,
    all: bool,
    left_behind: bool,
    home: &LabHome,
    terminal: Terminal,
) -> Result<ExitCode, Problem> {
    let chosen = match name {
        Some(name) => named(name, home)?,
        None => dbdyno_lab::instances(home)
            .map_err(problem)?
            .into_iter()
            .filter(|instance| instance.is_left_behind() || (all && !left_behind))
            .collect(),
    };
    for instance in &chosen {
        if instance.owner.is_some() && !instance.is_left_behind() {
            terminal.warn(&format!(
                "{} belongs to a running measurement and was not stopped",
                instance.name
            ));
            continue;
        }
        dbdyno_lab::down(instance).map_err(problem)?;
        terminal.print(&format!("Stopped and removed {}\n", instance.name))?;
    }
    if chosen.is_empty() {
        terminal.note("No servers to stop.");
    }
    Ok(ExitCode::Success)
}

fn logs(name: &str, lines: usize, home: &LabHome, terminal: Terminal) -> Result<ExitCode, Problem> {
    let instance = one(name, home)?;
    for server in &instance.servers {
        terminal.print(&format!(
            "== {} ({})\n{}\n",
            server.name,
            server.log.display(),
            dbdyno_lab::last_lines(&server.log, lines)
        ))?;
    }
    Ok(ExitCode::Success)
}

fn env(name: &str, home: &LabHome, terminal: Terminal) -> Result<ExitCode, Problem> {
    let instance = one(name, home)?;
    // The address as it is: whoever asks for it needs the password that they chose.
    let mut text = format!(
        "export DBDYNO_SYSTEM='{}'\nexport DBDYNO_LAB_DIRECTORY='{}'\n",
        instance.address,
        instance.directory.display()
    );
    let processes: Vec<String> = instance
        .servers
        .iter()
        .map(|server| server.process.id.to_string())
        .collect();
    text.push_str(&format!("export DBDYNO_LAB_PIDS='{}'\n", processes.join(" ")));
    terminal.print(&text)?;
    Ok(ExitCode::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_token_and_no_password_is_shown() {
        assert_eq!(shown("nats://0a5d@127.0.0.1:14370"), "nats://***@127.0.0.1:14370");
        assert_eq!(shown("nats://127.0.0.1:1"), "nats://127.0.0.1:1");
        assert!(!shown("postgres://u:sekret@127.0.0.1:1/d").contains("sekret"));
    }
}
