//! A report follows from the result files alone: wherever they are, in whatever order the disk lists them.

use std::path::Path;

use crate::common;
use crate::common::{FJALL, REDB, WORKLOADS, study};
use dbdyno_record::ResultFolder;
use dbdyno_report::{Render, ReportModel, StudyResults, csv, json};

/// Everything that is made from a folder.
fn all(path: &Path) -> Vec<(String, String)> {
    let folder = ResultFolder::open(path).unwrap();
    let plan = folder.plan().unwrap().unwrap();
    let results = StudyResults::read(&folder, plan).unwrap();
    let model = ReportModel::build(&results);
    let mut texts = vec![
        ("html".to_owned(), model.html()),
        ("latex".to_owned(), model.latex()),
        ("markdown".to_owned(), model.markdown()),
        ("json".to_owned(), json(&model)),
        ("csv".to_owned(), csv(&results)),
    ];
    for figure in model.figures() {
        texts.push((figure.name.clone() + ".csv", figure.csv));
        texts.push((figure.name + ".svg", figure.svg));
    }
    texts
}

/// Copies a folder, the last entries first.
fn copy_backwards(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    let mut entries: Vec<_> = std::fs::read_dir(from)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for entry in entries.into_iter().rev() {
        let target = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            copy_backwards(&entry, &target);
        } else {
            std::fs::copy(&entry, &target).unwrap();
        }
    }
}

#[test]
fn a_copied_folder_gives_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let original = place.path().join("original");
    let results = study("copied", &[FJALL, REDB], &WORKLOADS[..2], 4, 10);
    common::folder::write(&results, &original);
    let first = all(&original);
    assert!(first.len() > 20);
    let copy = place.path().join("another place/with another name");
    copy_backwards(&original, &copy);
    for ((name, text), (_, again)) in first.iter().zip(all(&copy)) {
        assert!(*text == again, "{name} differs");
    }
    // Written trial by trial in the other order.
    let mut backwards = results.clone();
    backwards.trials.reverse();
    let reversed = place.path().join("reversed");
    common::folder::write(&backwards, &reversed);
    for ((name, text), (_, again)) in first.iter().zip(all(&reversed)) {
        assert!(*text == again, "{name} differs");
    }
}
