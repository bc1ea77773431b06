//! `dbdyno study run|plan|status`.

mod again;
mod ending;
mod guarantees;
mod init;
mod outline;
mod plan;
mod rising_load;
mod status;
mod trials;

use std::path::{Path, PathBuf};

use dbdyno_record::ResultFolder;
use dbdyno_report::{Render, ReportModel, number};
use dbdyno_study::file::space::of_study;
use dbdyno_study::known::Known;
use dbdyno_study::rising_load::Kind;
use dbdyno_study::{CheckedStudy, Plan, Study, budget, conductor, file, pilot, power};
use dbdyno_vocabulary::shell;

pub use ending::{exit_code, tell};
use outline::shape;
pub use outline::short_duration;

use super::report::{PAGE, TABLE};
use super::{after, lab, lint, serve, space};
use crate::aborted;
use crate::arguments::{
    AgentsArguments, InstallArguments, StudyCommand, StudyFileArguments, StudyRunArguments,
};
use crate::defaults::RESULTS;
use crate::exit_code::ExitCode;
use crate::install::LabProgress;
use crate::interrupt::{self, Ending};
use crate::load_generators;
use crate::problem::Problem;
use crate::progress::{Progress, TrialLines, short_time};
use crate::terminal::Terminal;
use crate::tui;

/// `dbdyno study`.
pub fn execute(command: &StudyCommand, terminal: Terminal) -> Result<ExitCode, Problem> {
    match command {
        StudyCommand::Init(arguments) => init::execute(arguments, terminal),
        StudyCommand::Run(arguments) => run(arguments, terminal),
        StudyCommand::Plan(arguments) => plan::execute(arguments, terminal),
        StudyCommand::Status(arguments) => status::execute(arguments, terminal),
    }
}

/// A study as asked for.
struct Asked {
    study_file: CheckedStudy,
    output: PathBuf,
    /// What other ways to spend a budget would show; empty unless it was planned just now.
    others: String,
}

fn read(arguments: &StudyFileArguments, terminal: Terminal) -> Result<Asked, Problem> {
    if arguments.file.is_dir() {
        let folder = &arguments.file;
        return Err(
            Problem::usage(format!("{} is a folder, not a study file", folder.display())).help(format!(
                "pass the study's file; if the results are in this folder: FILE --output {}",
                shell::path(folder)
            )),
        );
    }
    let read = if arguments.quick {
        file::read_quick(&arguments.file)
    } else {
        file::read(&arguments.file)
    };
    let study_file = read.map_err(after::study_file_problem)?;
    let own = study_file.study.budget.map(|budget| budget.time);
    if let Some(time) = arguments.budget.or(own) {
        trials::refuse(
            arguments,
            "`budget` in the study file chooses the number of trials",
        )?;
        return with_budget(arguments, &study_file, time);
    }
    let output = output_of(arguments, &study_file.study.name);
    Ok(Asked {
        study_file: trials::planned(arguments, study_file, &output, terminal)?,
        output,
        others: String::new(),
    })
}

fn output_of(arguments: &StudyFileArguments, name: &str) -> PathBuf {
    arguments
        .output
        .clone()
        .unwrap_or_else(|| Path::new(RESULTS).join(name))
}

/// The study with the blocks and phases that its budget allows: those of its results, where there are some.
fn with_budget(
    arguments: &StudyFileArguments,
    source: &CheckedStudy,
    time: std::time::Duration,
) -> Result<Asked, Problem> {
    if let Some((message, help)) = budget::refusal(&source.study) {
        return Err(Problem::usage(message).help(help));
    }
    let output = output_of(arguments, &budget::name(&source.study, time));
    let stored = match ResultFolder::open(&output) {
        Ok(folder) => folder.study_text().map_err(after::folder_problem)?,
        Err(_) => String::new(),
    };
    let (planned, others) = match budget::planned_before(&stored, source, time) {
        Some(planned) => (planned, String::new()),
        None => {
            let known = known_before(arguments, &source.study, &output)?;
            budget::choose(&source.study, time, &known).map_err(|message| {
                Problem::usage(message).help(
                    "raise the budget, or make blocks shorter: fewer `systems`, `workloads`, `records` or levels of \
                     factors, or a shorter `warmup`",
                )
            })?
        }
    };
    Ok(Asked {
        study_file: file::read_planned(&arguments.file, &planned).map_err(after::study_file_problem)?,
        output,
        others,
    })
}

/// What is known of a study before it runs: from the flags, or from results of its own, with or without a budget.
fn known_before(arguments: &StudyFileArguments, study: &Study, output: &Path) -> Result<Known, Problem> {
    let own = [output.to_owned(), Path::new(RESULTS).join(&study.name)];
    let results = match &arguments.noise_from {
        Some(folder) => Some(folder.clone()),
        None => own.into_iter().find(|folder| folder.exists()),
    };
    let known = match results {
        Some(folder) => ResultFolder::open(&folder)
            .and_then(|folder| Known::from_results(&folder))
            .map_err(after::folder_problem)?,
        None => Known::nothing(),
    };
    Ok(match arguments.noise {
        Some(noise) => known.with_noise(noise, study),
        None => known,
    })
}

fn run(arguments: &StudyRunArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    let StudyRunArguments {
        study: arguments,
        agents,
        install,
        serve,
        tui,
    } = arguments;
    if *tui {
        terminal.full_screen("--tui")?;
    }
    let asked = read(arguments, terminal)?;
    again::check(&asked.study_file.study)?;
    let again = again::command(arguments, asked.study_file.study.trials) + &load_generators::again(agents);
    if !asked.others.is_empty() {
        terminal.note(&asked.others);
    }
    aborted::go_on_with(again::same_trials(asked.study_file.study.trials));
    let noise = asked_noise(arguments)?;
    let _served = match serve {
        Some(address) => Some(serve::beside(&asked.output, *address, terminal)?),
        None => None,
    };
    let conducted = Conducted {
        study_file: &asked.study_file,
        output: &asked.output,
        noise,
        again: &format!("`{again}`"),
        agents,
        install: *install,
        is_full_screen: *tui,
    };
    conduct(conducted, terminal)
}

/// A study that a command runs.
pub struct Conducted<'a> {
    pub study_file: &'a CheckedStudy,
    /// Its result folder.
    pub output: &'a Path,
    /// The noise for which it is said what the study will show; `None`: that of its own results.
    pub noise: Option<f64>,
    /// The command that goes on with it.
    pub again: &'a str,
    pub agents: &'a AgentsArguments,
    pub install: InstallArguments,
    /// Progress takes the whole screen, not some lines of it.
    pub is_full_screen: bool,
}

/// Runs a study, or its missing trials, and shows the results.
pub fn conduct(conducted: Conducted<'_>, terminal: Terminal) -> Result<ExitCode, Problem> {
    let Conducted {
        study_file,
        output,
        noise,
        again,
        agents,
        install,
        is_full_screen,
    } = conducted;
    let systems = study_file.study.systems.iter();
    load_generators::check(agents, systems.map(|system| &system.target))?;
    let is_new = !output.exists();
    if is_new {
        let lower = "lower `records` (--records on the command line)";
        space::check(of_study(&study_file.study), lower, terminal)?;
    }
    let folder = conductor::open_folder(study_file, output).map_err(after::study_problem)?;
    let study = &study_file.study;
    aborted::explain(study.systems.iter().map(|system| &system.target));
    let aborted_in = aborted::trials();
    if !aborted_in.is_empty() {
        aborted::stop_servers().map_err(lab::problem)?;
        terminal.warn(
            "a client library could not process an answer and aborted dbdyno; the study goes on without that system",
        );
    }
    // A complete study has nothing to prepare, to watch or to warn of.
    let is_left = !conductor::is_complete(study_file, &folder).map_err(after::study_problem)?;
    if let Some(warning) = guarantees::warning(study).filter(|_| is_left) {
        terminal.warn(&warning);
    }
    let stop = interrupt::stop_on_signals(Ending::Measurement, terminal)?;
    let prepared = prepare(study_file, &folder, LabProgress::new(terminal, install, &stop));
    let ready = prepared.and_then(|()| match is_left {
        true => load_generators::recruit(agents, &study.name, install, &stop, terminal),
        false => Ok(None),
    });
    let generators = match ready {
        Ok(generators) => generators,
        Err(problem) => {
            if is_new {
                after::discard(folder);
            }
            return Err(problem);
        }
    };
    let (trials, time) = extent(study);
    terminal.note(&format!(
        "{}: {trials} ({}), about {}{}; results in {}",
        study.heading(),
        shape(study),
        short_time(time),
        with_repeats(study, time),
        output.display()
    ));
    let noise = match noise {
        Some(noise) => Some(noise),
        None => power::noise(&folder.trials().map_err(after::folder_problem)?),
    };
    let planned = budget::sentence(study);
    let shown = (study.kind == Kind::Comparison && (planned.is_none() || noise.is_some()))
        .then(|| power::sentence(study, noise))
        .flatten();
    for reported in planned.iter().chain(&shown) {
        terminal.note(reported);
    }
    let view = (is_full_screen && is_left).then(|| tui::beside(output, &stop, terminal));
    let view = view.transpose()?;
    let mut progress = Progress::of_study(TrialLines::of(study, &folder), terminal);
    let run = conductor::StudyRun {
        file: study_file,
        folder: &folder,
        aborted: &aborted_in,
        generators,
    };
    let outcome = conductor::run_with(run, &mut progress, &stop);
    drop(view);
    progress.finish();
    // Whatever ended the study, what was measured is shown.
    let shown = show(&folder, terminal);
    let summary = outcome.map_err(after::study_problem)?;
    let linted = shown?;
    tell(&summary, &folder, terminal)?;
    if summary.interrupted {
        terminal.note(&format!("Interrupted; to resume, run {again}"));
    }
    Ok(exit_code(&summary).or(linted))
}

/// Makes the software of a study's systems available, unless nothing is left to run: what is complete can be shown again without
/// it.
pub fn prepare(
    study_file: &CheckedStudy,
    folder: &ResultFolder,
    mut progress: LabProgress<'_>,
) -> Result<(), Problem> {
    if conductor::is_complete(study_file, folder).map_err(after::study_problem)? {
        return Ok(());
    }
    let targets = study_file.study.systems.iter().map(|system| &system.target);
    progress.prepare(targets).map_err(lab::problem)
}

/// How many trials, and how long: known, or, of a search, about.
pub fn extent(study: &Study) -> (String, std::time::Duration) {
    if study.kind == Kind::Comparison {
        let plan = Plan::new(study);
        let pilots = match pilot::trials(study).len() {
            0 => String::new(),
            1 => "1 pilot and ".to_owned(),
            pilots => format!("{pilots} pilots and "),
        };
        return (
            format!("{pilots}{}", number::plural(plan.trials.len(), "trial", "trials")),
            plan.estimated_time(study),
        );
    }
    let (trials, time) = dbdyno_study::rising_load::about(study);
    (
        format!("about {}", number::plural(trials, "trial", "trials")),
        time,
    )
}

/// How long it takes at most, when the machine disturbs trials; empty where that reads the same.
fn with_repeats(study: &Study, time: std::time::Duration) -> String {
    let longest = short_time(time + dbdyno_study::plan::time_for_repeats(study, time));
    if longest == short_time(time) {
        return String::new();
    }
    format!(", up to {longest} with repetitions of disturbed trials")
}

/// Writes the page and the tidy table, and prints the comparison; the exit code that its figures ask for.
fn show(folder: &ResultFolder, terminal: Terminal) -> Result<ExitCode, Problem> {
    let Some(Derived { model, page, linted }) = derive(folder, terminal)? else {
        return Ok(ExitCode::Success);
    };
    terminal.print(&model.text(terminal.stdout))?;
    terminal.print(&format!("\nReport: {}\n", page.display()))?;
    Ok(linted)
}

/// The page and the judgement that follow from the trials of a folder.
pub struct Derived {
    pub model: ReportModel,
    /// Where it is as a page.
    pub page: PathBuf,
    /// How `dbdyno lint` would end on the folder.
    pub linted: ExitCode,
}

/// Writes the page and the tidy table of what was measured; `None` when nothing was.
pub fn derive(folder: &ResultFolder, terminal: Terminal) -> Result<Option<Derived>, Problem> {
    let results = after::results(folder, terminal)?;
    if results.trials.is_empty() {
        return Ok(None);
    }
    let model = ReportModel::build(&results);
    let page = folder
        .write_derived(PAGE, model.html().as_bytes())
        .map_err(after::folder_problem)?;
    folder
        .write_derived(TABLE, dbdyno_report::csv(&results).as_bytes())
        .map_err(after::folder_problem)?;
    let linted = lint::exit_code(&dbdyno_lint::check(&dbdyno_report::printed(&results)));
    Ok(Some(Derived { model, page, linted }))
}

/// The noise that the command line states, or that lies in the results it names.
fn asked_noise(arguments: &StudyFileArguments) -> Result<Option<f64>, Problem> {
    match (arguments.noise, &arguments.noise_from) {
        (Some(noise), _) => Ok(Some(noise)),
        (None, Some(folder)) => noise_in(folder),
        (None, None) => Ok(None),
    }
}

/// The noise between the trials of a result folder; `None` without enough of them.
fn noise_in(folder: &Path) -> Result<Option<f64>, Problem> {
    let folder = ResultFolder::open(folder).map_err(after::folder_problem)?;
    Ok(power::noise(&folder.trials().map_err(after::folder_problem)?))
}
