//! The commands of `dbdyno --help`, in groups: clap lists subcommands under one heading.

use clap::Subcommand as _;
use clap::builder::Styles;

use super::Command;

/// The groups, in their order. A test compares them with the commands that there are.
const GROUPS: [(&str, &[&str]); 6] = [
    (
        "Measure",
        &[
            "run",
            "study",
            "load",
            "capacity",
            "sweep",
            "databases",
            "workloads",
        ],
    ),
    ("See", &["report", "serve", "watch", "compare", "history"]),
    ("Decide", &["advise", "lint", "paper"]),
    ("Servers", &["lab", "audit"]),
    ("Many machines", OF_AGENTS),
    ("More", &["import", "ycsb", "schema", "completions", "man", HELP]),
];

/// The commands of the feature `agents`.
const OF_AGENTS: &[&str] = if cfg!(feature = "agents") {
    &["agent", "agents"]
} else {
    &[]
};

/// The command that clap adds by itself.
const HELP: &str = "help";
const ABOUT_HELP: &str = "Show the help of dbdyno, or of a command";

/// How `dbdyno --help` is laid out.
pub fn template() -> String {
    let (header, literal) = (Styles::styled(), Styles::styled());
    let (header, literal) = (header.get_header(), literal.get_literal());
    let all = Command::augment_subcommands(clap::Command::new("dbdyno"));
    let about = |name: &str| match all.find_subcommand(name) {
        Some(command) => command.get_about().map(ToString::to_string).unwrap_or_default(),
        None => ABOUT_HELP.to_owned(),
    };
    let names = GROUPS.iter().flat_map(|(_, names)| names.iter());
    let widest = names.map(|name| name.len()).max().unwrap_or(0);
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (group, names) in GROUPS.iter().filter(|(_, names)| !names.is_empty()) {
        text.push_str(&format!("\n{header}{group}:{header:#}\n"));
        for name in *names {
            let gap = " ".repeat(widest - name.len());
            text.push_str(&format!("  {literal}{name}{literal:#}{gap}  {}\n", about(name)));
        }
    }
    text + &format!("\n{header}Options:{header:#}\n{{options}}{{after-help}}")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::arguments::Arguments;

    #[test]
    fn every_command_is_in_one_group() {
        let all = Arguments::command();
        let mut commands: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
        commands.push(HELP);
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        commands.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, commands);
    }

    #[test]
    fn the_help_fits_a_narrow_terminal() {
        let help = Arguments::command().term_width(80).render_help().to_string();
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let all = Arguments::command();
        for command in all.get_subcommands() {
            let about = command.get_about().unwrap().to_string();
            assert!(help.lines().any(|line| line.ends_with(&about)), "{about}");
        }
    }
}
