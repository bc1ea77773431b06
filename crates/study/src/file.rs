//! Reads a study file. Every mistake is shown at its place, with what mends it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dbdyno_driver::secrets::masked;
use dbdyno_driver::text_file;
use dbdyno_engine::Reset;
use dbdyno_workload::arrivals::Arrivals;
use dbdyno_workload::properties::{Origin, Properties};

use crate::budget;
use crate::definition::{Study, System, WorkloadChoice};
use crate::effort::{precision, repeat_budget, restart, warmup};
use crate::extent;
use crate::guarantees::{check_consistencies, check_durabilities};
use crate::labs;
use crate::ladder::Kind;
use crate::ladder::keys::KindKeys;
use crate::power;
use crate::quick;
use crate::rates::{self, RateKeys};
use crate::system_keys::{at, short_system, system_table};
use crate::toml_reader::{self, Entry, Mistake, Placed, TableReader};
use crate::values::{
    CLIENTS_HELP, CONSISTENCY_HELP, COUNT_HELP, DURABILITY_HELP, DURATION_HELP, OPERATIONS_HELP, TRIALS_HELP,
    consistency, count, durability, levels, number, number_of_clients, number_of_trials,
    operations as operations_of, positive_duration,
};
use crate::workloads;

/// The measured phase when the study says neither `operations` nor `duration`.
pub const DEFAULT_DURATION: Duration = Duration::from_secs(10);
/// Blocks when the study says none, or as many as can decide all of its comparisons: fewer than five give no interval worth the
/// name.
pub const DEFAULT_TRIALS: u32 = 5;
/// Clients when the study says none.
pub const DEFAULT_CLIENTS: u32 = 4;
/// The seed when the study says none.
pub const DEFAULT_SEED: u64 = 42;
/// Records of built-in workloads when the study says none.
pub const DEFAULT_RECORDS: u64 = 100_000;
/// How often a disturbed trial is repeated when the study does not say.
pub const DEFAULT_REPEAT_DISTURBED: u32 = 2;
/// What the name of the A/A system ends with.
pub const AA_SUFFIX: &str = " (A/A)";
/// File systems take names of 255 bytes, and budgets and quick looks add to the study's.
const LONGEST_NAME: usize = 100;

/// Why a study file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StudyFileError {
    /// It cannot be read.
    #[error("cannot read the study file {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Something in it is wrong.
    #[error("{}: {}", path.display(), mistake.message)]
    Mistake {
        /// The file.
        path: PathBuf,
        /// Its whole text.
        text: String,
        /// What is wrong, and where.
        mistake: Mistake,
    },
}

/// A study and the text it was read from.
#[derive(Clone, Debug)]
pub struct StudyFile {
    /// The checked study.
    pub study: Study,
    /// The file's text without secrets, for the result folder and for the question whether the study was changed.
    pub text: String,
}

/// Reads and checks a study file. Workload files named in it are read too, relative to its folder.
///
/// # Errors
/// See [`StudyFileError`].
pub fn read(path: &Path) -> Result<StudyFile, StudyFileError> {
    let text = text_file::read(path).map_err(|source| StudyFileError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    checked(path, text)
}

/// Reads a study file for a quick look, whose text says so.
///
/// # Errors
/// See [`StudyFileError`].
pub fn read_quick(path: &Path) -> Result<StudyFile, StudyFileError> {
    let file = read(path)?;
    if file.study.quick {
        return Ok(file);
    }
    let text = text_file::read(path).map_err(|source| StudyFileError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    checked(path, quick::text(&text))
}

/// Reads a study file with this line, which says what a budget chose: [`crate::budget`].
///
/// # Errors
/// See [`StudyFileError`].
pub fn read_planned(path: &Path, line: &str) -> Result<StudyFile, StudyFileError> {
    let text = text_file::read(path).map_err(|source| StudyFileError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    checked(path, format!("{line}\n{text}"))
}

/// Checks a study that was written by dbdyno itself. Its workloads are built-in ones; `name` is for errors.
///
/// # Errors
/// See [`StudyFileError`].
pub fn from_text(name: &str, text: String) -> Result<StudyFile, StudyFileError> {
    checked(Path::new(name), text)
}

fn checked(path: &Path, text: String) -> Result<StudyFile, StudyFileError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    match parse(&text, folder) {
        Ok(study) => Ok(StudyFile {
            study,
            text: redact(&text),
        }),
        Err(mistake) => Err(StudyFileError::Mistake {
            path: path.to_owned(),
            // Lines of it are shown.
            text: masked(&text),
            mistake,
        }),
    }
}

/// The text of a study file without the passwords in addresses and the secret options of systems.
#[must_use]
pub fn redact(text: &str) -> String {
    crate::study_text::redact(text)
}

/// The keys of a study file, outside its tables.
pub(crate) const KEYS: [&str; 35] = [
    "name",
    "quick",
    "planned",
    "title",
    "kind",
    "slo",
    "step",
    "fresh",
    "seed",
    "trials",
    "precision",
    "max_trials",
    "budget",
    "repeat_disturbed",
    "repeat_budget",
    "aa",
    "systems",
    "system",
    "properties",
    "workloads",
    "workload",
    "records",
    "clients",
    "client_threads",
    "rates",
    "common_rate",
    "durability",
    "consistency",
    "arrivals",
    "operations",
    "duration",
    "warmup",
    "warmup_limit",
    "restart",
    "paper",
];

/// Checks the text of a study file; workload files are relative to `folder`.
///
/// # Errors
/// The first mistake in it.
pub fn parse(text: &str, folder: &Path) -> Result<Study, Mistake> {
    let document = toml_reader::document(text)?;
    let mut root = TableReader::new(document.get_ref(), 0..0);
    root.only(&KEYS)?;

    let name = root.scalar("name")?.ok_or_else(|| {
        Mistake::new(
            0..0,
            "the study has no `name`",
            "add a line such as: name = \"quickstart\"; the results go to results/<name>",
        )
    })?;
    check_name(&name)?;
    let quick = root.boolean("quick")?.unwrap_or(false);
    let title = root
        .scalar("title")?
        .map_or_else(|| name.value.clone(), |title| title.value);
    let seed = number(root.scalar("seed")?, "a whole number", DEFAULT_SEED, |text| {
        text.parse::<u64>()
    })?;
    let kind = KindKeys::read(&mut root)?;
    let trials = root.scalar("trials")?;
    let counted = trials.is_some();
    let trials = number(trials, TRIALS_HELP, kind.default_trials(), number_of_trials)?;
    let (precision, budget) = precision(&mut root, trials)?;
    let planned = budget::planned(&mut root)?;
    let repeat_disturbed = number(
        root.scalar("repeat_disturbed")?,
        "a whole number; 0 to keep disturbed trials as they are",
        DEFAULT_REPEAT_DISTURBED,
        |text| text.parse::<u32>(),
    )?;
    let repeat_budget = repeat_budget(root.scalar("repeat_budget")?)?;
    let fresh = root.boolean("fresh")?.unwrap_or(true);
    let aa = root.boolean("aa")?.unwrap_or(false);

    let mut systems = Vec::new();
    for address in root.scalars("systems")? {
        systems.push(short_system(&address)?);
    }
    for table in root.tables("system")? {
        systems.push(system_table(table)?);
    }
    unique(&systems, "system")?;
    check_twins(&systems)?;
    let mut systems: Vec<System> = systems.into_iter().map(|system| system.value).collect();
    if systems.is_empty() {
        return Err(Mistake::new(
            0..0,
            "the study names no system",
            "add a line such as: systems = [\"fjall\", \"redb\", \"sqlite\"]",
        ));
    }
    // A quick look decides nothing, so there is no noise to compare differences with.
    if aa && !quick {
        let mut twin = systems[0].clone();
        twin.name.push_str(AA_SUFFIX);
        systems.push(twin);
    }

    let shared = root.map("properties")?;
    let mut workloads = Vec::new();
    for name in root.scalars("workloads")? {
        let base = base_of(&name, folder)?;
        let placed = Placed {
            span: name.span.clone(),
            value: workloads::short_name(&name.value),
        };
        workloads.push(workload(placed, base, &[&shared])?);
    }
    for table in root.tables("workload")? {
        workloads.push(workload_table(table, folder, &shared)?);
    }
    unique(&workloads, "workload")?;
    let mut workloads: Vec<WorkloadChoice> = workloads.into_iter().map(|workload| workload.value).collect();
    if workloads.is_empty() {
        return Err(Mistake::new(
            0..0,
            "the study names no workload",
            "add a line such as: workloads = [\"a\", \"b\", \"c\"]",
        ));
    }

    let records = levels(root.scalars("records")?, "records", COUNT_HELP, count)?;
    let asked = root.scalars("clients")?;
    let clients_place = asked.first().map_or(0..0, |first| first.span.clone());
    let clients = levels(asked, "clients", CLIENTS_HELP, number_of_clients)?;
    let client_threads = root
        .scalar("client_threads")?
        .map(|text| text.convert(CLIENTS_HELP, |text| number_of_clients(&text)))
        .transpose()?
        .map(|threads| threads.value);
    let rates = RateKeys::read(&mut root)?;
    let levels_asked = root.scalars("durability")?;
    let durability_place = levels_asked.first().map_or(0..0, |first| first.span.clone());
    let durabilities = levels(levels_asked, "durability", DURABILITY_HELP, durability)?;
    let levels_asked = root.scalars("consistency")?;
    let consistency_place = levels_asked.first().map_or(0..0, |first| first.span.clone());
    let consistencies = levels(levels_asked, "consistency", CONSISTENCY_HELP, consistency)?;
    let arrivals = match root.scalar("arrivals")? {
        None => Arrivals::Constant,
        Some(text) => {
            let span = text.span.clone();
            if !rates.paced(&workloads) && !kind.finds_rates() {
                return Err(Mistake::new(
                    span,
                    "`arrivals` means nothing without `rates`",
                    "add a line such as: rates = [\"5k\", \"20k\"]",
                ));
            }
            text.convert("arrivals are \"constant\" or \"poisson\"", |text| text.parse())?
                .value
        }
    };
    let operations = levels(
        root.scalars("operations")?,
        "operations",
        OPERATIONS_HELP,
        operations_of,
    )?;
    let duration = root
        .scalar("duration")?
        .map(|text| text.convert(DURATION_HELP, |text| positive_duration(&text)))
        .transpose()?
        .map(|duration| duration.value);
    let warmup = warmup(&mut root)?;
    let (restart, restart_place) = restart(&mut root, precision.is_some())?;
    if let Some(paper) = root.table("paper")? {
        check_paper(paper)?;
    }
    root.finish()?;

    if let (Some(budget), None, false) = (&budget, &planned, quick) {
        budget::check_fixed(&budget.span, counted, duration.is_some() && operations.is_empty())?;
    }
    let duration = match duration {
        None if operations.is_empty() => Some(DEFAULT_DURATION),
        duration => duration,
    };
    kind.check(&workloads)?;
    let common_rate = rates.common_rate(&workloads)?;
    let (kind, clients, rates) = kind.settle((clients, &clients_place), rates, &mut workloads)?;
    let mut study = Study {
        name: name.value,
        title,
        seed,
        trials,
        systems,
        workloads,
        records,
        clients: if clients.is_empty() {
            vec![DEFAULT_CLIENTS]
        } else {
            clients
        },
        client_threads,
        rates,
        common_rate,
        durabilities: if durabilities.is_empty() {
            vec![None]
        } else {
            durabilities
        },
        consistencies: if consistencies.is_empty() {
            vec![None]
        } else {
            consistencies
        },
        arrivals,
        operations,
        duration,
        warmup: warmup.warmup,
        warmup_until_rest: warmup.until_rest,
        server_warmup: warmup.servers,
        restart,
        precision,
        budget: None,
        load_rate: None,
        repeat_disturbed,
        repeat_budget,
        kind,
        reset: if fresh { Reset::Fresh } else { Reset::Reuse },
        quick,
    };
    extent::check(&study, &name.span)?;
    if !counted && study.precision.is_none() && study.kind == Kind::Comparison {
        study.trials = study.trials.max(power::fewest_blocks(&study));
    }
    let study = match &budget {
        _ if quick => quick::look(study),
        budget => budget::applied(study, budget.as_ref(), planned)?,
    };
    check_durabilities(&study, &durability_place)?;
    check_consistencies(&study, &consistency_place)?;
    check_restart(&study, &restart_place)?;
    Ok(study)
}

/// The name of an A/A twin is taken.
fn check_twins(systems: &[Placed<System>]) -> Result<(), Mistake> {
    let twin = systems
        .iter()
        .find(|system| system.value.name.ends_with(AA_SUFFIX));
    twin.map_or(Ok(()), |twin| {
        Err(Mistake::new(
            twin.span.clone(),
            format!(
                "`{}` would be taken for a system that is measured against itself",
                twin.value.name
            ),
            "choose another `name`; `aa = true` adds such a system",
        ))
    })
}

/// `restart`, where it was written, is about servers of the lab in a comparison.
fn check_restart(study: &Study, place: &Range<usize>) -> Result<(), Mistake> {
    let of_lab = study
        .systems
        .iter()
        .any(|system| system.target.scheme == labs::SCHEME);
    if place.is_empty() || of_lab && study.kind == Kind::Comparison {
        return Ok(());
    }
    Err(Mistake::new(
        place.clone(),
        "`restart` means nothing here: it is about servers of the lab in a comparison",
        "leave it out; searches keep their servers, and dbdyno does not restart servers that it did not start",
    ))
}

/// Names go into paths and tables.
fn check_name(name: &Placed<String>) -> Result<(), Mistake> {
    let fits = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    let fits_length = (1..=LONGEST_NAME).contains(&name.value.len());
    if !fits_length || name.value.starts_with('.') || !name.value.chars().all(fits) {
        return Err(Mistake::new(
            name.span.clone(),
            format!("`{}` cannot be the name of a folder everywhere", name.value),
            format!("use up to {LONGEST_NAME} letters, digits, `-`, `_` and `.`, not beginning with a dot"),
        ));
    }
    Ok(())
}

/// Whose study this one repeats, which `dbdyno paper run` writes. It changes nothing of what runs: reports read it from the
/// study's text.
fn check_paper(mut table: TableReader<'_>) -> Result<(), Mistake> {
    let span = table.span();
    for key in ["id", "part"] {
        table.scalar(key)?.ok_or_else(|| {
            Mistake::new(
                span.clone(),
                format!("the table `paper` has no `{key}`"),
                "`dbdyno paper run ID` writes such studies",
            )
        })?;
    }
    table.scalar("scale")?;
    table.scalars("notes")?;
    for key in ["records", "operations"] {
        for (ours, printed) in table.map(key)? {
            for size in [ours, printed] {
                size.convert(COUNT_HELP, |text| count(&text))?;
            }
        }
    }
    table.finish()
}

/// A name and its place, for the check that names are unique.
trait Named {
    fn name(&self) -> &str;
}

impl Named for System {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Named for WorkloadChoice {
    fn name(&self) -> &str {
        &self.name
    }
}

fn unique<T: Named>(items: &[Placed<T>], what: &str) -> Result<(), Mistake> {
    let mut seen = BTreeSet::new();
    for item in items {
        if !seen.insert(item.value.name()) {
            return Err(Mistake::new(
                item.span.clone(),
                format!("two {what}s are named `{}`", item.value.name()),
                format!(
                    "give one of them another name: [[{what}]] with `name = ...`; `aa = true` compares a system with itself"
                ),
            ));
        }
    }
    Ok(())
}

fn base_of(name: &Placed<String>, folder: &Path) -> Result<Properties, Mistake> {
    workloads::base(&name.value, folder).map_err(|refusal| at(&name.span, refusal))
}

type PlacedProperties = [Entry];

/// A workload from its base and overrides; checked at once, so that a wrong property is shown where it stands.
fn workload(
    name: Placed<String>,
    base: Properties,
    overrides: &[&PlacedProperties],
) -> Result<Placed<WorkloadChoice>, Mistake> {
    let records = workloads::recordcount(&base).unwrap_or(DEFAULT_RECORDS);
    let mut properties = base;
    for (key, value) in overrides.iter().copied().flatten() {
        let span = key.span.start..value.span.end;
        if let Some(instead) = workloads::key_of_property(&key.value) {
            return Err(Mistake::new(
                span,
                format!("`{}` is no property of a workload in a study", key.value),
                format!("set it for the whole study, with the key `{instead}`"),
            ));
        }
        properties.insert(&key.value, &value.value);
    }
    workloads::resolve(&properties, records).map_err(|error| {
        let set_here = overrides.iter().copied().flatten().rev().find(|(key, _)| {
            error.key.as_deref() == Some(key.value.as_str()) && error.origin == Origin::Override
        });
        match set_here {
            Some((key, value)) => Mistake::new(
                key.span.start..value.span.end,
                error.problem,
                error.advice.unwrap_or_default(),
            ),
            None => at(&name.span, workloads::from_property(&error)),
        }
    })?;
    Ok(Placed {
        span: name.span,
        value: WorkloadChoice {
            name: name.value,
            properties,
            records,
            rates: Vec::new(),
        },
    })
}

fn workload_table(
    mut table: TableReader<'_>,
    folder: &Path,
    shared: &PlacedProperties,
) -> Result<Placed<WorkloadChoice>, Mistake> {
    let span = table.span();
    let name = table.scalar("name")?;
    let file = table.scalar("file")?;
    let base = table.scalar("base")?;
    let own = table.map("properties")?;
    let rates = rates::of(&mut table)?;
    table.finish()?;
    let source = match (file, base) {
        (Some(file), Some(_)) => {
            return Err(Mistake::new(
                file.span,
                "this [[workload]] has both a `file` and a `base`",
                "keep one: `file` is a property file, `base` a built-in workload",
            ));
        }
        (Some(source), None) | (None, Some(source)) => Some(source),
        (None, None) => None,
    };
    let (name, base) = match (name, source) {
        (name, Some(source)) => {
            let base = base_of(&source, folder)?;
            let fallback = Placed {
                span: source.span.clone(),
                value: workloads::short_name(&source.value),
            };
            (name.unwrap_or(fallback), base)
        }
        (Some(name), None) => (name, Properties::new()),
        (None, None) => {
            return Err(Mistake::new(
                span,
                "this [[workload]] has no `name`",
                format!(
                    "add `name`, and `base` (one of {}) or `file`",
                    workloads::names().join(", ")
                ),
            ));
        }
    };
    let mut placed = workload(name, base, &[shared, &own])?;
    placed.value.rates = rates;
    Ok(placed)
}
