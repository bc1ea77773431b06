//! Two result folders side by side: what `dbdyno compare` says, as a page.

use dbdyno_document::{Block, Document, Notice, Render as _, Text, Tone, html};
use dbdyno_record::{FolderError, ResultFolder};
use dbdyno_report::{FolderComparison, FolderContent, MARGIN, compare_folders};

use crate::places;

/// The page. Each folder comes with its name; `is_anyway` compares what differs in workload, guarantees or machine, too.
pub(crate) fn page(
    before: &(String, ResultFolder),
    after: &(String, ResultFolder),
    is_anyway: bool,
) -> Result<String, FolderError> {
    let contents = (FolderContent::read(&before.1)?, FolderContent::read(&after.1)?);
    let comparison = compare_folders(contents.0.side(), contents.1.side(), MARGIN, is_anyway);
    let (before, after) = (before.0.as_str(), after.0.as_str());
    let mut document = Document {
        kind: "comparison".to_owned(),
        name: format!("{before}-{after}"),
        title: format!("{after} compared with {before}"),
        about: about(before, after),
        ..comparison.document()
    };
    if let Some(notice) = notice(&comparison, before, after, is_anyway) {
        document.body.insert(0, Block::Notice(notice));
    }
    Ok(html(&document))
}

fn about(before: &str, after: &str) -> Text {
    Text::from("before: ")
        .link(before, places::address(before))
        .plain(" · after: ")
        .link(after, places::address(after))
        .plain(" · ")
        .link(
            "the other way round",
            places::comparison_address(after, before, false),
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
    Some(Notice {
        tone: Tone::Plain,
        label: String::new(),
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_without_anything_in_common_say_so() {
        let place = tempfile::tempdir().unwrap();
        let [before, after] = ["<old>", "new"].map(|name| {
            let path = place.path().join(name);
            drop(ResultFolder::create(&path, "name = \"x\"\n").unwrap());
            (name.to_owned(), ResultFolder::open(&path).unwrap())
        });
        let page = page(&before, &after, false).unwrap();
        assert!(page.contains("no completed trials of the same system"), "{page}");
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
