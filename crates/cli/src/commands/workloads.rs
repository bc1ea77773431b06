//! `dbdyno workloads`.

use dbdyno_workload::catalogue::ENTRIES;

use crate::exit_code::ExitCode;
use crate::problem::Problem;
use crate::terminal::Terminal;

/// Lists the built-in workloads.
pub fn execute(terminal: Terminal) -> Result<ExitCode, Problem> {
    let style = terminal.stdout;
    let widest = ENTRIES.iter().map(|entry| entry.short.len()).max().unwrap_or(0);
    let mut text = String::new();
    for entry in ENTRIES {
        let blanks = " ".repeat(widest - entry.short.len());
        text.push_str(&format!("{}{blanks}  {}\n", style.bold(entry.short), entry.title));
    }
    text.push_str(
        "\nA to F are YCSB's core workloads; the others are from published studies\n\
         (`dbdyno paper list`). `--workload` and study files also take the path of a\n\
         property file of YCSB; `-p KEY=VALUE` changes one property.\n",
    );
    terminal.print(&text)?;
    Ok(ExitCode::Success)
}
