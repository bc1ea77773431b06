//! `dbdyno lab list`: what runs, what can be started, and the options of one database.

use dbdyno_lab::{Instance, LabHome, RecipeInfo, RecipeOption, ServerRequest};
use dbdyno_report::Style;

use super::{problem, shown};
use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;
use crate::wrapped;

/// Between two columns.
const GAP: &str = "  ";
/// The widest default that stays on one line.
const WIDEST_DEFAULT: usize = 22;

/// The running servers, and a line for each database.
pub fn all(home: &LabHome, terminal: Terminal) -> Result<ExitCode, Problem> {
    let style = terminal.stdout;
    let instances = dbdyno_lab::instances(home).map_err(problem)?;
    let mut text = String::new();
    for instance in &instances {
        text.push_str(&running(instance, style));
    }
    if instances.is_empty() {
        text.push_str(
            "No server of the lab is running. `dbdyno lab up redis` starts one;\n\
             `dbdyno run lab:redis` starts one for a run and stops it afterwards.\n",
        );
    }
    text.push_str(&format!("\n{}\n", style.bold("Databases")));
    let recipes = dbdyno_registry::recipes().iter().map(|recipe| recipe.info());
    let rows: Vec<[String; 4]> = recipes.map(|info| row(&info, home)).collect();
    for row in &rows {
        let widest = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
        let cells = row.iter().enumerate().map(|(column, cell)| match column {
            0 => style.bold(&format!("{cell:<0$}", widest(0).unwrap_or(0))),
            _ => format!("{cell:<0$}", widest(column).unwrap_or(0)),
        });
        let line = cells.collect::<Vec<_>>().join(GAP);
        text.push_str(&format!("{}\n", line.trim_end()));
    }
    text.push_str("\n`dbdyno lab list redis` shows the options of one database.\n");
    terminal.print(&text)?;
    Ok(ExitCode::Success)
}

/// The options of one database.
pub fn one(name: &str, home: &LabHome, terminal: Terminal) -> Result<ExitCode, Problem> {
    let request = ServerRequest::parse(name.strip_prefix("lab:").unwrap_or(name)).map_err(problem)?;
    let recipe = dbdyno_registry::find_recipe(&request.name).map_err(|error| {
        Problem::usage(error.to_string()).help("`dbdyno lab list` shows what the lab can start")
    })?;
    let info = recipe.info();
    let style = terminal.stdout;
    let mut text = format!("{}, as `lab:{}`\n", style.bold(info.product), info.name);
    text.push_str(&format!("versions  {}\n", info.versions.join(", ")));
    text.push_str(&format!("software  {}\n\n", software(&info, home)));
    let options: Vec<RecipeOption> = info.all_options().copied().collect();
    text.push_str(&table(&options, style));
    let option = info.options.iter().find(|option| option.name == "nodes");
    let example = option.unwrap_or(&info.options[0]).name;
    text.push_str(&format!(
        "\nOptions follow `?` and are joined by `&`: dbdyno run 'lab:{}?{example}=3'\n",
        info.name
    ));
    terminal.print(&text)?;
    Ok(ExitCode::Success)
}

/// An instance, its address and its state.
fn running(instance: &Instance, style: Style) -> String {
    let living = instance.servers.iter().filter(|server| instance.runs(server));
    let living = living.count();
    let state = if instance.is_left_behind() {
        "left behind by a killed run; remove it with `dbdyno lab down --left-behind`".to_owned()
    } else if instance.is_running() {
        format!("running since {}", instance.started_at)
    } else {
        format!("{living} of {} servers running", instance.servers.len())
    };
    let mut text = format!(
        "{}{GAP}{}\n  {}\n  {state}\n",
        style.bold(&instance.name),
        instance.request,
        shown(&instance.address)
    );
    if let Some(topology) = &instance.topology {
        text.push_str(&format!("  {topology}\n"));
    }
    if let Some(at_rest) = &instance.at_rest {
        text.push_str(&format!("  encryption at rest: {at_rest}\n"));
    }
    let limits = instance.resources.as_ref().map(ToString::to_string);
    if let Some(limits) = limits.filter(|limits| !limits.is_empty()) {
        text.push_str(&format!("  limits: {limits}\n"));
    }
    text
}

fn row(info: &RecipeInfo, home: &LabHome) -> [String; 4] {
    [
        info.name.to_owned(),
        info.product.to_owned(),
        info.versions.join(", "),
        software(info, home),
    ]
}

fn software(info: &RecipeInfo, home: &LabHome) -> String {
    dbdyno_lab::found(&info.software, home).unwrap_or_else(|| info.software.otherwise.to_owned())
}

/// A row for each option; long texts go on below themselves.
fn table(options: &[RecipeOption], style: Style) -> String {
    let names = options.iter().map(|option| option.name.len());
    let first = names.max().unwrap_or(0);
    let defaults = options.iter().map(|option| option.default.len());
    let last = defaults.max().unwrap_or(0).min(WIDEST_DEFAULT);
    let middle = style
        .width
        .saturating_sub(first + last + 2 * GAP.len())
        .max(WIDEST_DEFAULT);
    let mut text = String::new();
    let heading = format!("{:<first$}{GAP}{:<middle$}{GAP}Default", "Option", "Values");
    text.push_str(&format!("{}\n", style.bold(&heading)));
    for option in options {
        let values = wrapped::lines(option.values, middle);
        let default = wrapped::lines(
            if option.default.is_empty() {
                "-"
            } else {
                option.default
            },
            last,
        );
        let (values, defaults): (Vec<&str>, Vec<&str>) =
            (values.lines().collect(), default.lines().collect());
        for line in 0..values.len().max(defaults.len()) {
            let cell = |cells: &[&str]| cells.get(line).copied().unwrap_or_default().to_owned();
            let name = if line == 0 { option.name } else { "" };
            let row = format!(
                "{name:<first$}{GAP}{:<middle$}{GAP}{}",
                cell(&values),
                cell(&defaults)
            );
            text.push_str(&format!("{}\n", row.trim_end()));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_options_fits_a_narrow_terminal() {
        for recipe in dbdyno_registry::recipes() {
            let options: Vec<RecipeOption> = recipe.info().all_options().copied().collect();
            let text = table(&options, Style::plain(80));
            for line in text.lines() {
                assert!(line.chars().count() <= 80, "{line}");
            }
        }
        let redis = dbdyno_registry::find_recipe("redis").unwrap().info();
        insta::assert_snapshot!(table(redis.options, Style::plain(80)));
    }
}
