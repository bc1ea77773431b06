//! `dbdyno import`: logs of other tools, as a result folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dbdyno_files::StudyFile;
use dbdyno_files::values::Text;
use dbdyno_import::{Declared, ImportError, Log, record};
use dbdyno_owned::named;
use dbdyno_record::{PlanFile, PlannedStudy, PlannedTrial, ResultFolder, TrialRecord};
use dbdyno_report::number;
use dbdyno_study::single::study_name;
use dbdyno_trial::LevelOrder;
use dbdyno_vocabulary::workload_name::short_name;

use super::after::folder_problem;
use crate::arguments::ImportArguments;
use crate::defaults::RESULTS;
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// The most that is read of a log, bytes. With every latency in it (`measurementtype=raw`), that is more than 20 million operations.
const LARGEST_LOG_BYTES: u64 = 512 << 20;

/// A log to read, and what the command line states about it.
struct Source {
    path: PathBuf,
    system: Option<String>,
    workload: Option<String>,
    /// Whether it was found in a folder, which may hold other files, too.
    found: bool,
}

/// `dbdyno import`.
pub fn execute(arguments: &ImportArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let default = || Path::new(RESULTS).join("imported");
    let output = arguments.output.clone().unwrap_or_else(default);
    let name = output.file_name().map_or_else(
        || "imported".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    );
    let study = study_name(&name);
    let records = records(arguments, &study, terminal)?;
    if output
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_some())
    {
        return Err(
            Problem::files(format!("the output folder {} is not empty", output.display()))
                .help("choose a new folder with --output"),
        );
    }
    let folder = ResultFolder::create(&output, &study_text(&study)).map_err(folder_problem)?;
    folder
        .write_plan(&plan(study, &records))
        .map_err(folder_problem)?;
    for record in &records {
        folder.write_trial(record).map_err(folder_problem)?;
    }
    let mut cells: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for record in &records {
        let cell = (record.system.name.as_str(), record.workload.name.as_str());
        *cells.entry(cell).or_default() += 1;
    }
    for ((system, workload), trials) in cells {
        let trials = number::plural(trials, "trial", "trials");
        terminal.print(&format!("{system}, workload {workload}: {trials}\n"))?;
    }
    terminal.note(&format!("Results are in {}", output.display()));
    Ok(ExitCode::Success)
}

fn records(
    arguments: &ImportArguments,
    study: &str,
    terminal: Terminal,
) -> Result<Vec<TrialRecord>, Problem> {
    let mut records: Vec<TrialRecord> = Vec::new();
    for source in sources(arguments)? {
        if let Some(log) = read(&source, terminal)? {
            let declared = declared(&source, &log, arguments, study, records.len() as u32)?;
            records.push(record(&log, &declared));
        }
    }
    if records.is_empty() {
        return Err(Problem::usage("none of the files is a log of YCSB or go-ycsb"));
    }
    Ok(records)
}

/// The files, in the order of the command line, those of a folder by name.
fn sources(arguments: &ImportArguments) -> Result<Vec<Source>, Problem> {
    let mut sources = Vec::new();
    for word in &arguments.files {
        // A file may have a `=` in its name.
        let (named, path) = match word.split_once('=') {
            Some((named, path)) if !Path::new(word).exists() => (named, PathBuf::from(path)),
            _ => ("", PathBuf::from(word)),
        };
        let (system, workload) = named.split_once('/').unwrap_or((named, ""));
        let chosen = |named: &str, general: &Option<String>| {
            let named = Some(named.to_owned()).filter(|name| !name.is_empty());
            named.or_else(|| general.clone())
        };
        let system = chosen(system, &arguments.system);
        let workload = chosen(workload, &arguments.workload);
        if !path.is_dir() {
            sources.push(Source {
                path,
                system,
                workload,
                found: false,
            });
            continue;
        }
        // A folder of logs is mostly named after what they are of.
        let folder = path.file_name().map(|name| name.to_string_lossy().into_owned());
        for file in files_of(&path)? {
            sources.push(Source {
                path: file,
                system: system.clone().or_else(|| folder.clone()),
                workload: workload.clone(),
                found: true,
            });
        }
    }
    Ok(sources)
}

fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let failed =
        |error| Problem::files(format!("cannot read the folder {}", folder.display())).caused_by(error);
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The log of a file; `None` for a file of a folder that is none.
fn read(source: &Source, terminal: Terminal) -> Result<Option<Log>, Problem> {
    let path = source.path.display();
    let bytes = named::read(&source.path, LARGEST_LOG_BYTES).map_err(|error| {
        Problem::files(format!("cannot read {path}"))
            .caused_by(error)
            .help("pass a file with the output of YCSB or go-ycsb, or SYSTEM=FILE")
    })?;
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = bytes[..] {
        return Err(
            Problem::usage(format!("{path} cannot be imported: its encoding is UTF-16"))
                .help("convert it, e.g. with iconv -f UTF-16 -t UTF-8"),
        );
    }
    match dbdyno_import::read(&String::from_utf8_lossy(&bytes)) {
        Ok(log) => Ok(Some(log)),
        Err(error @ (ImportError::Foreign | ImportError::Empty)) if source.found => {
            terminal.note(&format!("Skipped {path}: {error}"));
            Ok(None)
        }
        Err(error) => Err(Problem::usage(format!("{path} cannot be imported: {error}"))),
    }
}

fn declared(
    source: &Source,
    log: &Log,
    arguments: &ImportArguments,
    study: &str,
    position: u32,
) -> Result<Declared, Problem> {
    let path = source.path.display();
    let missing =
        |what: &str, remedy: &str| Problem::usage(format!("{path} does not name its {what}")).help(remedy);
    let system = source
        .system
        .clone()
        .ok_or_else(|| missing("system", "name it: SYSTEM=FILE, or --system for all files"))?;
    let of_log = || {
        log.asked
            .workload
            .as_deref()
            .map(|name| short_name(name).to_owned())
    };
    let workload = source.workload.clone().or_else(of_log).ok_or_else(|| {
        missing(
            "workload",
            "name it: SYSTEM/WORKLOAD=FILE, or --workload for all files",
        )
    })?;
    let stated = [
        (
            "--clients",
            arguments.clients.map(u64::from),
            log.asked.clients.map(u64::from),
        ),
        ("--records", arguments.records, log.asked.count("recordcount")),
    ];
    let contradiction = stated.into_iter().find_map(|(flag, declared, asked)| {
        Some((flag, declared?, asked?)).filter(|(_, declared, asked)| declared != asked)
    });
    if let Some((flag, declared, asked)) = contradiction {
        return Err(
            Problem::usage(format!("{path} states {asked}, but {flag} is {declared}"))
                .help(format!("omit {flag}, or import this log separately")),
        );
    }
    Ok(Declared {
        study: study.to_owned(),
        trial: study_name(&format!("{:03}-{system}-{workload}", position + 1)),
        position,
        source: source
            .path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        system,
        workload,
        clients: arguments.clients,
        records: arguments.records,
        durability: arguments.durability.map(|level| level.recorded()),
        consistency: arguments.consistency.map(|level| level.recorded()),
    })
}

fn plan(study: String, records: &[TrialRecord]) -> PlanFile {
    let blocks = records.iter().map(|record| record.block + 1).max();
    let study = PlannedStudy {
        name: study,
        trials: blocks.unwrap_or_default(),
        levels: Some(LevelOrder::default()),
        ..PlannedStudy::default()
    };
    PlanFile::new(study, records.iter().map(planned).collect())
}

fn planned(record: &TrialRecord) -> PlannedTrial {
    PlannedTrial {
        trial: record.trial.clone(),
        block: record.block,
        position: record.position,
        seed: record.seed,
        spec: record.spec.clone(),
    }
}

/// In place of a study file: nothing of it can be run again.
fn study_text(name: &str) -> String {
    let file = StudyFile {
        name: Text::from(name).into(),
        ..StudyFile::default()
    };
    file.to_text("# Made by `dbdyno import` from results of other tools.\n")
}
