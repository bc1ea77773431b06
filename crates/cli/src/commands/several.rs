//! `dbdyno run` with several systems, or several runs of one: a study without a file.

use std::ffi::OsString;
use std::path::Path;

use dbdyno_study::file::{self, SeveralRequest};
use dbdyno_study::{Single, single};
use dbdyno_vocabulary::shell;

use super::lab::shown;
use super::serve;
use super::study::{Conducted, conduct};
use crate::aborted;
use crate::arguments::{Format, RunArguments};
use crate::defaults::RESULTS;
use crate::exit_code::ExitCode;
use crate::folder_name::default_name;
use crate::problem::Problem;
use crate::terminal::Terminal;
use crate::work::{self, WorkRequest};

/// Measures all systems as `request` asks the first, and compares them.
pub fn execute(
    request: &WorkRequest,
    arguments: &RunArguments,
    terminal: Terminal,
) -> Result<ExitCode, Problem> {
    check(arguments)?;
    let first = prepared(request, terminal)?;
    let others = arguments
        .others
        .iter()
        .map(|system| {
            let request = WorkRequest {
                system: system.clone(),
                ..request.clone()
            };
            // The notices are about the workload, which is the first's.
            work::prepare(&request).map(|work| work.single)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let output = match &arguments.work.output {
        Some(output) => output.clone(),
        None => Path::new(RESULTS).join(default_name(&first, &others, None)),
    };
    let name = output.file_name().map_or_else(
        || "run".to_owned(),
        |name| single::study_name(&name.to_string_lossy()),
    );
    let asked = SeveralRequest {
        runs: arguments.runs,
        states_warmup: request.warmup.is_some(),
    };
    let study = file::several(&first, &others, &name, asked)
        .map_err(|mistake| Problem::usage(mistake.message).help(mistake.help))?;
    let again = format!("the same command with `--output {}`", shell::path(&output));
    let install = arguments.work.install;
    let own = std::env::args_os();
    match arguments.work.output {
        Some(_) => aborted::go_on_with(own),
        None => aborted::go_on_with(into_folder(own, &output)),
    }
    let _served = match arguments.serve {
        Some(address) => Some(serve::beside(&output, address, terminal)?),
        None => None,
    };
    let conducted = Conducted {
        agents: &arguments.work.agents,
        study_file: &study,
        output: &output,
        noise: None,
        again: &again,
        install,
        is_full_screen: false,
    };
    conduct(conducted, terminal)
}

/// What only a single run can do, and a system that is given twice.
fn check(arguments: &RunArguments) -> Result<(), Problem> {
    if !arguments.once.expectations.is_empty() {
        return Err(
            Problem::usage("--expect judges a single run, and several were asked for")
                .help("leave out --runs and name one system, or drop --expect"),
        );
    }
    if arguments.once.junit.is_some() {
        return Err(
            Problem::usage("--junit is for a single run, and several were asked for").help(
                "leave it out; `dbdyno compare BEFORE AFTER --fail-on slower --junit FILE` writes the comparison of two studies",
            ),
        );
    }
    if arguments.once.format != Format::Table {
        return Err(
            Problem::usage("--format is for a single run, and several were asked for")
                .help("leave it out; `dbdyno report DIR --format json` shows the results in another format"),
        );
    }
    let systems: Vec<&String> = std::iter::once(&arguments.work.system)
        .chain(&arguments.others)
        .collect();
    let twice = (1..systems.len()).find(|&place| systems[..place].contains(&systems[place]));
    match twice {
        None => Ok(()),
        Some(place) => Err(
            Problem::usage(format!("`{}` is given twice", shown(systems[place])))
                .help("to see how much a system differs from itself, use a study file with `aa = true`"),
        ),
    }
}

/// These arguments with the folder that was chosen for them: its name has the time, and what goes on goes on there.
fn into_folder(arguments: impl Iterator<Item = OsString>, output: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    // An argument that follows `--` is no flag.
    let ends = arguments.iter().position(|argument| argument == "--");
    let mut flag = OsString::from("--output=");
    flag.push(output);
    arguments.insert(ends.unwrap_or(arguments.len()), flag);
    arguments
}

fn prepared(request: &WorkRequest, terminal: Terminal) -> Result<Single, Problem> {
    let work = work::prepare(request)?;
    for notice in &work.notices {
        terminal.note(&format!("Note: {notice}"));
    }
    Ok(work.single)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_stands_before_what_is_no_flag() {
        let with_folder = |line: &str| {
            let arguments = line.split(' ').map(OsString::from);
            into_folder(arguments, Path::new("results/x"))
        };
        assert_eq!(
            with_folder("dbdyno run a b"),
            ["dbdyno", "run", "a", "b", "--output=results/x"]
        );
        assert_eq!(
            with_folder("dbdyno run -- a b"),
            ["dbdyno", "run", "--output=results/x", "--", "a", "b"]
        );
    }
}
