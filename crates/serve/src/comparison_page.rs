//! Two result folders side by side: what `dbdyno compare` says, as a page.

use dbdyno_document::{Block, Document, Notice, Render as _, Text, Tone, html};
use dbdyno_record::FolderError;
use dbdyno_report::{FolderComparison, FolderContent, MARGIN, cells_of, compare_folders};

use crate::compared::Compared;
use crate::listed::minute;
use crate::places;

/// The page. `is_anyway` compares what differs in workload, guarantees or machine, too.
pub(crate) fn page(before: &Compared, after: &Compared, is_anyway: bool) -> Result<String, FolderError> {
    let contents = (
        FolderContent::read(&before.folder)?,
        FolderContent::read(&after.folder)?,
    );
    let comparison = compare_folders(contents.0.side(), contents.1.side(), MARGIN, is_anyway);
    let mut document = Document {
        kind: "comparison".to_owned(),
        name: format!("{}-{}", before.name, after.name),
        title: title(before, after),
        about: about(before, after),
        ..comparison.named(&before.name, &after.name).document()
    };
    let sides = [(&contents.0, &before.name), (&contents.1, &after.name)];
    let is_empty = |content: &FolderContent| cells_of(content.side()).is_empty();
    let empty = sides.into_iter().find(|(content, _)| is_empty(content));
    let notice = match empty {
        Some((_, name)) => Some(plain(format!("{name} has no completed trial.").into())),
        None => notice(&comparison, &before.name, &after.name, is_anyway),
    };
    if let Some(notice) = notice {
        document.body.insert(0, Block::Notice(notice));
    }
    Ok(html(&document))
}

/// By their titles; two runs of one kind have one.
fn title(before: &Compared, after: &Compared) -> String {
    if before.title == after.title {
        format!("{}: before and after", after.title)
    } else {
        format!("{} compared with {}", after.title, before.title)
    }
}

fn about(before: &Compared, after: &Compared) -> Text {
    let side = |label: &str, side: &Compared| {
        let named = Text::from(format!("{label}: ")).link(&side.name, places::address(&side.name));
        match minute(&side.started_at) {
            empty if empty.is_empty() => named,
            minute => named.plain(format!(" ({minute})")),
        }
    };
    side("before", before)
        .plain(" · ")
        .text(side("after", after))
        .plain(" · ")
        .link(
            "the other way round",
            places::comparison_address(&after.name, &before.name, false),
        )
        .plain(" · ")
        .link("all results", "/")
}

fn notice(comparison: &FolderComparison, before: &str, after: &str, is_anyway: bool) -> Option<Notice> {
    let text = if comparison.cells.is_empty() {
        Text::from("These results have no completed trials of the same system under the same workload.")
    } else if comparison.refused() > 0 && !is_anyway {
        Text::from("Results that differ in workload, guarantees or machine are not compared. ")
            .link("Compare anyway", places::comparison_address(before, after, true))
    } else {
        return None;
    };
    Some(plain(text))
}

const fn plain(text: Text) -> Notice {
    Notice {
        tone: Tone::Plain,
        label: String::new(),
        text,
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_record::ResultFolder;

    use super::*;

    #[test]
    fn results_without_a_completed_trial_say_so() {
        let place = tempfile::tempdir().unwrap();
        let [before, after] = ["<old>", "new"].map(|name| {
            let path = place.path().join(name);
            drop(ResultFolder::create(&path, "name = \"x\"\n").unwrap());
            Compared {
                name: name.to_owned(),
                title: name.to_owned(),
                started_at: String::new(),
                folder: ResultFolder::open(&path).unwrap(),
            }
        });
        let page = page(&before, &after, false).unwrap();
        assert!(page.contains("&lt;old&gt; has no completed trial."), "{page}");
        assert!(
            page.contains("new compared with &lt;old&gt;") && !page.contains("<old>"),
            "{page}"
        );
        assert!(page.contains("href=\"/studies/%3Cold%3E\""), "{page}");
        assert!(
            page.contains("href=\"/compare?before=new&amp;after=%3Cold%3E\""),
            "{page}"
        );
    }
}
