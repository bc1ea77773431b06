//! Files that people write: studies, needs, prices, workloads and tables of results.

use std::collections::BTreeMap;
use std::fmt::Debug;

use dbdyno_files::{CostFile, FileTable, Mistake, NeedFile, StudyFile, read, read_all};
use dbdyno_lint::table_of_csv;
use dbdyno_workload::{Properties, Specification};

use crate::memory::bounded;

/// Study files.
pub fn studies(bytes: &[u8]) -> bool {
    file(bytes, |study: &StudyFile| study.to_text("# Written again.\n"))
}

/// Need files.
pub fn needs(bytes: &[u8]) -> bool {
    file(bytes, |need: &NeedFile| need.to_text("# Written again.\n"))
}

/// Files of prices; what can be read and does not fit together has its places, too.
pub fn prices(bytes: &[u8]) -> bool {
    let is_read = file(bytes, |prices: &CostFile| prices.to_text("# Written again.\n"));
    if is_read
        && let Some(file) = std::str::from_utf8(bytes)
            .ok()
            .and_then(|text| read::<CostFile>(text).ok())
    {
        let found = file.cost.value.0.prices();
        let mistakes = found.err().unwrap_or_default();
        assert!(
            mistakes.iter().all(|mistake| mistake.span.end <= bytes.len()),
            "{mistakes:?}"
        );
    }
    is_read
}

/// Both readings agree on whether there is a mistake, each has its place in the text, and what is written is read again.
fn file<T: FileTable + PartialEq + Debug>(bytes: &[u8], write: impl Fn(&T) -> String) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let first = bounded(bytes, || read::<T>(text));
    let all = bounded(bytes, || read_all::<T>(text));
    let is_placed = |mistake: &Mistake| text.get(mistake.span.clone()).is_some();
    let mistakes = first.as_ref().err().into_iter().chain(&all.mistakes);
    for mistake in mistakes {
        assert!(is_placed(mistake), "nothing of the text is at {:?}", mistake.span);
        assert!(
            !mistake.message.contains(['\u{1e}', '\u{1f}']),
            "{:?}",
            mistake.message
        );
    }
    let Ok(file) = first else {
        assert!(
            !all.mistakes.is_empty(),
            "only one of both readings finds {first:?}"
        );
        return false;
    };
    assert_eq!(all.mistakes, [], "only one of both readings finds a mistake");
    assert_eq!(all.file.as_ref(), Some(&file));
    let written = write(&file);
    assert_eq!(read::<T>(&written).as_ref(), Ok(&file), "{written}");
    true
}

/// Property files of workloads: the properties of what they specify specify the same.
pub fn properties(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let mut properties = Properties::new();
    let read = bounded(bytes, || properties.parse_file(text, "w.properties"));
    if read.is_err() {
        return false;
    }
    let Ok(resolved) = bounded(bytes, || Specification::from_properties(&properties)) else {
        return false;
    };
    let written = resolved.specification.properties();
    let mut again = Properties::new();
    again.set_name("w");
    for (key, value) in &written {
        again.insert(key, value);
    }
    if properties.wanted_file().is_none() {
        let again = Specification::from_properties(&again).map(|again| again.specification.properties());
        assert_eq!(again.as_ref(), Ok(&written));
    }
    true
}

/// Tables of results in CSV: every row has all columns, and every rule of the linter looks at them.
pub fn tables(bytes: &[u8]) -> bool {
    let Ok(file) = bounded(bytes, || table_of_csv("table.csv", bytes, &BTreeMap::new())) else {
        return false;
    };
    let (table, rows) = (&file.table, file.table.rows.len());
    assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
    assert!(file.unchecked.rows.iter().all(|row| (1..=rows).contains(row)));
    assert!(
        file.unchecked
            .cells
            .iter()
            .all(|cell| (1..=rows).contains(&cell.row))
    );
    for finding in bounded(bytes, || dbdyno_lint::check(&file.table.printed())) {
        assert!(!format!("{finding:?}").is_empty());
    }
    true
}
