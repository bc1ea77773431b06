//! Tables for a paper.

use crate::common::{Engine, FJALL, REDB, SQLITE, WORKLOADS, study};
use dbdyno_report::{Render, ReportModel, Style};

#[test]
fn latex_of_a_small_study() {
    let twin = Engine {
        name: "redb (A/A)",
        ..REDB
    };
    let results = study("small", &[FJALL, REDB, SQLITE, twin], &WORKLOADS[..2], 6, 10);
    insta::assert_snapshot!(ReportModel::build(&results).latex());
}

#[test]
fn unequal_promises_are_reported_in_the_caption_and_get_no_verdict() {
    let synced = Engine {
        durability: "synced",
        ..SQLITE
    };
    let results = study("unequal", &[FJALL, synced], &WORKLOADS[..1], 6, 10);
    let model = ReportModel::build(&results);
    let shown = model.text(Style::plain(200));
    assert_eq!(shown.matches("Durability differs").count(), 1, "{shown}");
    let text = model.latex();
    assert!(
        text.contains("(durability buffered)") && text.contains("(durability synced)"),
        "{text}"
    );
    assert_eq!(text.matches("Durability differs").count(), 1, "{text}");
    for line in text
        .lines()
        .filter(|line| line.starts_with("    fjall") || line.starts_with("    sqlite"))
    {
        assert_eq!(line.matches("& not comparable &").count(), 2, "{line}");
    }
}

#[test]
fn no_name_is_read_as_a_command() {
    let evil = Engine {
        name: "\\input{x} 50% & $a_b#",
        ..FJALL
    };
    let mix = ("w_1 & {2}", WORKLOADS[0].1, "zipfian");
    let results = study("s_%\\undefined", &[evil, REDB], &[mix], 2, 5);
    let text = ReportModel::build(&results).latex();
    assert!(
        !text.contains("\\input{x}") && !text.contains("\\undefined"),
        "{text}"
    );
    // Every row of the table has the columns that the header promises.
    for line in text
        .lines()
        .filter(|line| line.ends_with("\\\\") && line.contains(" & --"))
    {
        assert_eq!(line.replace("\\&", "").matches('&').count(), 7, "{line}");
    }
    let braces = text.replace("\\{", "").replace("\\}", "");
    assert_eq!(braces.matches('{').count(), braces.matches('}').count());
}
