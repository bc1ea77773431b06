//! `dbdyno agent` and `dbdyno agents`.

use dbdyno_agents::{AgentOptions, AgentsAddress, Allowed, Listed, list, serve};
use dbdyno_report::number;
use serde_json::{Value, json};

use crate::arguments::{AgentArguments, AgentsFormat, AgentsListArguments};
use crate::exit_code::ExitCode;
use crate::interrupt;
use crate::load_generators::problem;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// The variable in which Kubernetes numbers the pods of an indexed job.
const INDEX: &str = "JOB_COMPLETION_INDEX";

/// `dbdyno agent`: sends load for others until it is stopped.
pub fn serve_load(arguments: &AgentArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let options = AgentOptions {
        server: server(&arguments.join)?,
        name: arguments.name.clone(),
        number: arguments
            .number
            .or_else(|| std::env::var(INDEX).ok()?.parse().ok()),
        labels: arguments.labels.iter().cloned().collect(),
        allowed: Allowed::of(&arguments.allow).map_err(problem)?,
        wait: arguments.wait,
        once: arguments.once,
    };
    let stop = interrupt::end_on_signals()?;
    serve(&options, &stop, &mut |sentence| terminal.note(sentence)).map_err(problem)?;
    Ok(ExitCode::Success)
}

/// `dbdyno agents`: who is there.
pub fn show(arguments: &AgentsListArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let server = server(&arguments.server)?;
    let agents = list(&server).map_err(problem)?;
    match arguments.format {
        AgentsFormat::Table => terminal.print(&table(&agents, &server, &terminal))?,
        AgentsFormat::Json => {
            terminal.print(&format!("{:#}\n", Value::from_iter(agents.iter().map(value))))?
        }
    }
    Ok(ExitCode::Success)
}

/// Reads an address. Clap would show what it cannot read, with the token in it.
fn server(text: &str) -> Result<AgentsAddress, Problem> {
    text.parse().map_err(problem)
}

fn table(agents: &[Listed], server: &AgentsAddress, terminal: &Terminal) -> String {
    if agents.is_empty() {
        return format!(
            "No agents are at {0}; `dbdyno agent --join {0}` starts one\n",
            server
        );
    }
    let mut text = String::new();
    for agent in agents {
        let state = match &agent.study {
            Some(study) => format!("works for {study}"),
            None => "free".to_owned(),
        };
        text.push_str(&format!("{}  {state}\n", terminal.stdout.bold(&agent.name)));
        let mut row = |label: &str, value: &str| text.push_str(&format!("  {label:<11} {value}\n"));
        row(
            "machine",
            &format!("{}, {}", agent.host, number::plural(agent.cpus, "CPU", "CPUs")),
        );
        row("version", &agent.version);
        if !agent.labels.is_empty() {
            let labels: Vec<String> = agent
                .labels
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            row("labels", &labels.join(", "));
        }
        row("clock", &clock(agent));
    }
    text
}

/// How an agent's time of day stands to that of this machine.
fn clock(agent: &Listed) -> String {
    let (Some(offset_ns), Some(round_trip)) = (agent.wall_offset_ns, agent.round_trip) else {
        return "it did not answer".to_owned();
    };
    let uncertainty_ns = round_trip.as_nanos() as f64 / 2.0;
    let offset = number::duration_ns(offset_ns.unsigned_abs() as f64);
    let side = if offset_ns < 0 { "behind" } else { "ahead" };
    format!(
        "{offset} {side}, within {}; round trip {}",
        number::duration_ns(uncertainty_ns),
        number::duration_ns(round_trip.as_nanos() as f64)
    )
}

fn value(agent: &Listed) -> Value {
    json!({
        "name": agent.name,
        "host": agent.host,
        "version": agent.version,
        "cpus": agent.cpus,
        "labels": agent.labels,
        "study": agent.study,
        "round_trip_ns": agent.round_trip.map(|time| time.as_nanos() as u64),
        "clock_offset_ns": agent.wall_offset_ns,
    })
}
