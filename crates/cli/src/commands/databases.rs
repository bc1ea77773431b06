//! `dbdyno databases`.

use dbdyno_driver::{DriverInfo, ScanOrder, remote};

use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// Lists what can be measured.
pub fn execute(terminal: Terminal) -> Result<ExitCode, Problem> {
    let mut text = String::new();
    for info in dbdyno_registry::databases() {
        text.push_str(&entry(info, &terminal));
        text.push('\n');
    }
    text.push_str(
        "Options follow the address after `?` and are joined by `&`: redb:data.redb?durability=synced\n",
    );
    terminal.print(&text)?;
    Ok(ExitCode::Success)
}

fn entry(info: &DriverInfo, terminal: &Terminal) -> String {
    let style = terminal.stdout;
    let capabilities = &info.capabilities;
    let mut text = format!("{}  {}\n", style.bold(info.name), info.summary);
    let mut row = |label: &str, value: &str| text.push_str(&format!("  {label:<11} {value}\n"));
    row("address", info.example);
    let levels: Vec<&str> = capabilities
        .durabilities
        .iter()
        .map(|level| level.name())
        .collect();
    row("durability", &levels.join(", "));
    if !capabilities.consistencies.is_empty() {
        let levels: Vec<&str> = capabilities
            .consistencies
            .iter()
            .map(|level| level.name())
            .collect();
        row("consistency", &levels.join(", "));
    }
    row(
        "scans",
        match capabilities.scan {
            ScanOrder::Key => "in key order",
            ScanOrder::Other => "not in key order: workload E is not comparable",
            ScanOrder::Unsupported => "not supported",
        },
    );
    if !capabilities.stores_records {
        row("stores", "nothing; measures dbdyno's own overhead");
    } else if !capabilities.persistent {
        row("stores", "in memory, until the command ends");
    }
    for (name, help) in info.options {
        row("option", &format!("{name}: {help}"));
    }
    if info.remote {
        let common: Vec<&str> = remote::OPTIONS.iter().map(|(name, _)| *name).collect();
        row("option", &format!("of every server: {}", common.join(", ")));
    }
    text
}
