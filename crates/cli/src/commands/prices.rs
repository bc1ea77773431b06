//! Prices for results that are there already: `--cost FILE`.

use std::path::Path;

use dbdyno_driver::text_file;
use dbdyno_files::{CostFile, CostTable, Mistake, Prices, Reading};
use dbdyno_report::StudyResults;

use crate::problem::Problem;

/// The prices of a file, for the systems of these results.
///
/// # Errors
/// When it cannot be read, or something in it is wrong.
pub fn read(path: &Path, results: &[&StudyResults]) -> Result<Prices, Problem> {
    let text = text_file::read(path).map_err(|error| {
        Problem::usage(format!("cannot read the prices in {}", path.display()))
            .caused_by(error)
            .help("pass the path of a file with a table [cost], e.g. studies/prices/example.toml; docs/prices.md describes it")
    })?;
    parse(&text, &systems(results))
        .map_err(|mistakes| Problem::in_file(&path.display().to_string(), &text, mistakes))
}

fn parse(text: &str, systems: &[&str]) -> Result<Prices, Vec<Mistake>> {
    let Reading { file, mistakes } = dbdyno_files::read_all::<CostFile>(text);
    match file {
        Some(file) if mistakes.is_empty() => checked(&file.cost.value.0, systems),
        _ => Err(mistakes),
    }
}

fn checked(table: &CostTable, systems: &[&str]) -> Result<Prices, Vec<Mistake>> {
    let unknown = table.of_unknown_systems(systems);
    match table.prices() {
        Ok(prices) if unknown.is_empty() => Ok(prices),
        Ok(_) => Err(unknown),
        Err(mut mistakes) => {
            mistakes.extend(unknown);
            Err(mistakes)
        }
    }
}

/// The systems that may have prices of their own, by name: those that were measured, and the baselines of levels.
pub fn systems<'a>(results: &[&'a StudyResults]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for trial in results.iter().flat_map(|results| &results.trials) {
        let base = trial.spec.system.base.as_deref();
        for name in std::iter::once(trial.system.name.as_str()).chain(base) {
            if !names.contains(&name) && dbdyno_vocabulary::twin_original(name).is_none() {
                names.push(name);
            }
        }
    }
    names
}
