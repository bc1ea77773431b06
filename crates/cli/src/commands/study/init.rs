//! `dbdyno study init`: a study file with comments, to start from.

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use dbdyno_report::number;
use dbdyno_study::{file, single, targets, workloads};
use dbdyno_vocabulary::shell;

use super::guarantees;
use super::outline::short_duration;
use crate::arguments::StudyInitArguments;
use crate::commands::after;
use crate::commands::lab::shown;
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;
use crate::work::refused;

/// Writes the file and says what to do with it.
pub fn execute(arguments: &StudyInitArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let path = &arguments.file;
    for (place, system) in arguments.systems.iter().enumerate() {
        check(system)?;
        if arguments.systems[..place].contains(system) {
            return Err(given_twice(system));
        }
    }
    let workloads = arguments.workloads.iter().map(|workload| beside(workload, path));
    let text = text(arguments, &workloads.collect::<Result<Vec<_>, _>>()?);
    if path == Path::new("-") {
        terminal.print(&text)?;
        return Ok(ExitCode::Success);
    }
    let mut created = File::create_new(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Problem::files(format!("{} is there already", path.display())).help(format!(
                "name another file, or edit it and run `dbdyno study plan {}`",
                shell::path(path)
            ))
        }
        _ => Problem::files(format!("cannot write {}", path.display())).caused_by(error),
    })?;
    created
        .write_all(text.as_bytes())
        .map_err(|error| Problem::files(format!("cannot write {}", path.display())).caused_by(error))?;
    let study = file::read(path).map_err(|error| {
        // Nobody has seen it yet, and the same command must work once its cause is mended.
        std::fs::remove_file(path).ok();
        after::study_file_problem(error)
    })?;
    terminal.print(&format!(
        "Wrote {}. Next: `dbdyno study plan {1}` shows what it runs, `dbdyno study run {1}` runs it.\n",
        path.display(),
        shell::path(path)
    ))?;
    if let Some(warning) = guarantees::warning(&study.study) {
        terminal.warn(&warning);
    }
    Ok(ExitCode::Success)
}

/// The study measures its first system twice anyway.
fn given_twice(system: &str) -> Problem {
    Problem::usage(format!("`{}` is given twice", shown(system)))
        .help("name it once: `aa = true` in the file measures the first system a second time")
}

/// A system that can be written into a file, where its password would stay.
fn check(address: &str) -> Result<(), Problem> {
    let target = targets::parse(address).map_err(|refusal| refused(&refusal))?;
    if target.holds_secret() {
        return Err(
            Problem::usage(format!("the address of {} contains a password", target.scheme)).help(
                "it does not belong in a study file: use the option `password_env=VARIABLE` or `password_file=FILE`",
            ),
        );
    }
    Ok(())
}

/// A workload as the study file names it: paths there are relative to the file.
fn beside(workload: &str, study: &Path) -> Result<String, Problem> {
    workloads::base(workload, Path::new("")).map_err(|refusal| refused(&refusal))?;
    let is_here = study.parent().is_none_or(|folder| folder.as_os_str().is_empty());
    if is_here || !Path::new(workload).exists() {
        return Ok(workload.to_owned());
    }
    let absolute = std::path::absolute(workload);
    let absolute =
        absolute.map_err(|error| Problem::files(format!("cannot find {workload}")).caused_by(error))?;
    Ok(absolute.display().to_string())
}

/// The file.
fn text(arguments: &StudyInitArguments, workloads: &[String]) -> String {
    let StudyInitArguments {
        file,
        systems,
        records,
        duration,
        ..
    } = arguments;
    // Whoever prints it names the file later.
    let file = if file == Path::new("-") {
        Path::new("study.toml")
    } else {
        file
    };
    let stem = file
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let shown = shell::path(file);
    let (name, title) = (single::study_name(&stem), number::list(systems));
    let (systems, workloads) = (array(systems), array(workloads));
    let records = dbdyno_vocabulary::Count::new(*records);
    let duration = short_duration(*duration);
    format!(
        r#"# A study of {title}. docs/studies.md describes every key.
#   dbdyno study plan {shown}    shows what it runs, and for how long
#   dbdyno study run {shown}     runs it; after Ctrl-C, the same command resumes it

# Results go to results/{name}.
name = "{name}"

# What is compared: addresses, as for `dbdyno run`. `dbdyno databases` lists them.
systems = {systems}
# Built-in workloads (`dbdyno workloads` lists them), or YCSB property files beside this file.
workloads = {workloads}

# Records in the table, of 1 kB each in the built-in workloads. Use more than fit into memory to measure the disk.
records = "{records}"
# Clients, each with one request in flight. A list, e.g. [1, 4, 16], measures every number.
clients = 4
# "unlimited": full speed, which compares throughput. Add "common" to compare latency at a load that all systems sustain.
rates = ["unlimited"]

# Trials of each system in each test, in random order. Fewer than four decide nothing, and more find smaller differences.
trials = 6
# Length of the measured phase of each trial. Use a minute or more for figures to publish.
duration = "{duration}"
# Measures the first system a second time, to see how much it differs from itself.
aa = true

# Failures that an acknowledged write must survive: "none", "buffered" (a crash of the process) or "synced" (a crash of the
# machine). Without it, each system keeps its default, and systems of different durability are not ranked.
#durability = "buffered"
"#
    )
}

/// An array of texts as TOML writes it, whose strings JSON's are.
fn array(texts: &[String]) -> String {
    let quoted: Vec<String> = texts
        .iter()
        .map(|text| serde_json::Value::from(text.as_str()).to_string())
        .collect();
    format!("[{}]", quoted.join(", "))
}
