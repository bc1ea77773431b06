//! `dbdyno advise`: which of the measured systems fits a need.

use std::path::Path;

use dbdyno_driver::text_file;
use dbdyno_files::{Mistake, Prices};
use dbdyno_record::audit::AuditRecord;
use dbdyno_record::{Environment, ResultFolder};
use dbdyno_report::advice::{Advice, AdviceError, Catalogue, MADE_BY, Need, RequirementKind, Source, Word};
use dbdyno_report::answers::{Answer, Answers};
use dbdyno_report::{Render, StudyResults};

use super::after::{self, reading_problem};
use super::prices;
use super::written::{deliver, save};
use crate::arguments::{AdviceFormat, AdviseArguments, Unsure};
use crate::exit_code::ExitCode;
use crate::need;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// `dbdyno advise`.
pub fn execute(arguments: &AdviseArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    if arguments.need.is_dir() {
        return directory(arguments, terminal);
    }
    let need = ReadNeed::of(&arguments.need)?;
    let measured = Measured::read(arguments, terminal)?;
    if let Some(path) = &arguments.next {
        check_next(path)?;
    }
    let advice = measured.advise(need, terminal)?;
    let reported = written(&advice, Advice::json, arguments.format, terminal);
    deliver(arguments.output.as_deref(), &reported, terminal)?;
    if let Some(path) = &arguments.next {
        match advice.next.first() {
            Some(next) => save(path, &next.study, "choose another file with --next", terminal)?,
            None => terminal.warn("no experiment would help, so no study file was written"),
        }
    }
    Ok(exit_code(advice.word, arguments.fail_on))
}

/// Every need of a directory, in the order of their file names.
fn directory(arguments: &AdviseArguments, terminal: Terminal) -> Result<ExitCode, Problem> {
    if arguments.next.is_some() {
        return Err(
            Problem::usage("--next needs one need file, and a directory was given")
                .help("pass one of its files"),
        );
    }
    let paths = need::files(&arguments.need)?;
    let needs = paths.iter().map(|path| ReadNeed::of(path));
    let needs: Vec<ReadNeed<'_>> = needs.collect::<Result<_, _>>()?;
    let measured = Measured::read(arguments, terminal)?;
    let mut answers = Vec::new();
    for need in needs {
        answers.push(Answer {
            need: need.path.display().to_string(),
            advice: measured.advise(need, terminal)?,
        });
    }
    let words: Vec<Word> = answers.iter().map(|answer| answer.advice.word).collect();
    let answers =
        Answers::of(&measured.sources(), answers).map_err(|error| Problem::files(error.to_string()))?;
    let reported = written(&answers, Answers::json, arguments.format, terminal);
    deliver(arguments.output.as_deref(), &reported, terminal)?;
    let mut codes = words.into_iter().map(|word| exit_code(word, arguments.fail_on));
    let unsure = codes.find(|code| *code != ExitCode::Success);
    Ok(unsure.unwrap_or(ExitCode::Success))
}

/// A need with the text of its file, at which mistakes are shown.
struct ReadNeed<'a> {
    path: &'a Path,
    need: Need,
    text: String,
}

impl<'a> ReadNeed<'a> {
    fn of(path: &'a Path) -> Result<Self, Problem> {
        let (need, text) = need::read(path)?;
        Ok(Self { path, need, text })
    }
}

/// Results, and what is known beside them.
struct Measured<'a> {
    arguments: &'a AdviseArguments,
    results: Vec<(String, StudyResults, Option<Environment>)>,
    catalogue: Catalogue,
}

impl<'a> Measured<'a> {
    fn read(arguments: &'a AdviseArguments, terminal: Terminal) -> Result<Self, Problem> {
        let results = arguments.results.iter().map(|path| results(path, terminal));
        let results = results.collect::<Result<_, _>>()?;
        let audits = arguments.audits.iter().map(|path| audit(path));
        let catalogue = Catalogue {
            audits: audits.collect::<Result<_, _>>()?,
            ..need::catalogue()
        };
        Ok(Self {
            arguments,
            results,
            catalogue,
        })
    }

    fn sources(&self) -> Vec<Source<'_>> {
        self.results
            .iter()
            .map(|(name, results, environment)| Source {
                name,
                results,
                environment: environment.as_ref(),
            })
            .collect()
    }

    /// What they say to this need.
    fn advise(&self, read: ReadNeed<'_>, terminal: Terminal) -> Result<Advice, Problem> {
        let ReadNeed { path, mut need, text } = read;
        let sources = self.sources();
        let all: Vec<&StudyResults> = self.results.iter().map(|(_, results, _)| results).collect();
        need.prices = prices(&need, self.arguments, &all)?;
        if let Some(mistake) = other_currency(&need) {
            return Err(Problem::in_file(
                &path.display().to_string(),
                &text,
                vec![mistake],
            ));
        }
        let unknown = need::unknown_workloads(&need, &all, &self.catalogue);
        let unknown = unknown.into_iter().chain(need::unknown_products(&need, &all));
        for unknown in unknown.chain(need::unknown_priced(&need, &all)) {
            terminal.warn(&unknown);
        }
        Advice::of(&need, &sources, &self.catalogue).map_err(|error| unfit(error, path, &text))
    }
}

/// The advice or the answers in a format.
fn written<R: Render>(
    reported: &R,
    json: fn(&R) -> String,
    format: AdviceFormat,
    terminal: Terminal,
) -> String {
    match format {
        AdviceFormat::Table => reported.text(terminal.stdout),
        AdviceFormat::Markdown => reported.markdown(),
        AdviceFormat::Json => json(reported),
        AdviceFormat::Html => reported.html(),
    }
}

/// The prices: those of `--cost`, of the need, or of the studies.
fn prices(
    need: &Need,
    arguments: &AdviseArguments,
    results: &[&StudyResults],
) -> Result<Option<Prices>, Problem> {
    if let Some(path) = &arguments.cost {
        return prices::read(path, results).map(Some);
    }
    if need.prices.is_some() || !need.is_about_money() {
        return Ok(need.prices.clone());
    }
    let mut of_studies = results.iter().filter_map(|results| results.prices.as_ref());
    let first = of_studies.next();
    match of_studies.any(|other| Some(other) != first) {
        false => Ok(first.cloned()),
        true => Err(Problem::usage("the studies have different prices")
            .help("add a table [cost] to the need file, or pass --cost FILE")),
    }
}

/// A budget in another currency than the prices; nobody knows a rate of exchange here.
fn other_currency(need: &Need) -> Option<Mistake> {
    let prices = need.prices.as_ref()?;
    need.requirements.iter().find_map(|one| match &one.kind {
        RequirementKind::Budget(budget) => {
            let other = budget
                .currency
                .as_ref()
                .filter(|currency| **currency != prices.currency)?;
            Some(Mistake::new(
                budget.place.clone(),
                format!(
                    "the budget is in {other}, and the prices are in {}",
                    prices.currency
                ),
                format!("write the budget in {}", prices.currency),
            ))
        }
        _ => None,
    })
}

/// An audit that was written before.
fn audit(path: &Path) -> Result<AuditRecord, Problem> {
    let help = "name a file that `dbdyno audit SYSTEM --format json --output FILE` wrote";
    let text = text_file::read(path)
        .map_err(|error| Problem::files(format!("cannot read {}: {error}", path.display())).help(help))?;
    AuditRecord::read(&text)
        .map_err(|why| Problem::files(format!("{} is not an audit: {why}", path.display())).help(help))
}

/// Only a study that was written here before is overwritten.
fn check_next(path: &Path) -> Result<(), Problem> {
    match text_file::read(path) {
        Ok(text) if !text.lines().take(2).any(|line| line.starts_with(MADE_BY)) => Err(Problem::usage(
            format!("{} exists and was not written by `dbdyno advise`", path.display()),
        )
        .help("choose another file with --next")),
        _ => Ok(()),
    }
}

fn results(path: &Path, terminal: Terminal) -> Result<(String, StudyResults, Option<Environment>), Problem> {
    let folder = ResultFolder::open(path).map_err(reading_problem)?;
    let mut results = after::results(&folder, terminal)?;
    dbdyno_report::mark_impossible(&mut results.trials);
    let environment = folder.environment().map_err(reading_problem)?;
    let name = path.display().to_string();
    Ok((name.trim_end_matches('/').to_owned(), results, environment))
}

/// Need and results do not fit together.
fn unfit(error: AdviceError, path: &Path, text: &str) -> Problem {
    let problem = Problem::usage(error.message).help(error.help);
    match error.place {
        Some(place) => problem.at(&path.display().to_string(), text, place),
        None => problem,
    }
}

fn exit_code(word: Word, fail_on: Option<Unsure>) -> ExitCode {
    let sure = match (fail_on, word) {
        (None, _) | (Some(_), Word::Recommend) | (Some(Unsure::Undecided), Word::Shortlist) => true,
        (Some(_), _) => false,
    };
    if sure {
        ExitCode::Success
    } else {
        ExitCode::ExpectationNotMet
    }
}
