//! The result folder where a command line names none: time, systems, workload. A long name leaves systems out and says so.

use std::path::Path;

use dbdyno_study::{Single, single};

use crate::defaults::RESULTS;

/// The longest description behind the first system; [`single::folder_name`] would cut off the rest without a word.
const LONGEST: usize = 60;
/// The longest workload in a name that is too long with it.
const LONGEST_WORKLOAD: usize = 32;
/// How much of a long workload stands behind the mark: related files often differ there.
const END_OF_WORKLOAD: usize = 8;
/// Stands for what is left out of a workload.
const MARK: &str = "...";

/// `20261123-141500-redb-fjall-a`, for a folder below [`RESULTS`]. `kind` stands behind the workload. The time keeps two folders
/// apart, and a number does where both began in one second.
pub fn default_name(first: &Single, others: &[Single], kind: Option<&str>) -> String {
    let others: Vec<&str> = others
        .iter()
        .map(|other| other.spec.system.name.as_str())
        .collect();
    let what = description(&others, &first.spec.workload, kind);
    single::folder_name(&first.target, &what, Path::new(RESULTS))
}

/// What stands behind the first system.
fn description(others: &[&str], workload: &str, kind: Option<&str>) -> String {
    let fits = |text: &String| text.chars().count() <= LONGEST;
    let whole = joined(others, None, workload, kind);
    if fits(&whole) {
        return whole;
    }
    let workload = shortened(workload);
    let with = |named: usize| {
        let more = match others.len() - named {
            0 => None,
            more => Some(format!("and-{more}-more")),
        };
        joined(&others[..named], more.as_deref(), &workload, kind)
    };
    let longest = (1..=others.len()).rev().map(with).find(fits);
    longest.unwrap_or_else(|| with(0))
}

fn joined(systems: &[&str], more: Option<&str>, workload: &str, kind: Option<&str>) -> String {
    let mut words: Vec<&str> = systems.to_vec();
    words.extend(more);
    words.push(workload);
    words.extend(kind);
    words.join("-")
}

/// A workload with its beginning and its end.
fn shortened(workload: &str) -> String {
    let letters: Vec<char> = workload.chars().collect();
    if letters.len() <= LONGEST_WORKLOAD {
        return workload.to_owned();
    }
    let beginning = &letters[..LONGEST_WORKLOAD - END_OF_WORKLOAD - MARK.len()];
    let end = &letters[letters.len() - END_OF_WORKLOAD..];
    beginning
        .iter()
        .copied()
        .chain(MARK.chars())
        .chain(end.iter().copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_written_out() {
        assert_eq!(description(&[], "a", None), "a");
        assert_eq!(description(&["fjall", "sqlite"], "b", None), "fjall-sqlite-b");
        assert_eq!(description(&[], "a", Some("capacity")), "a-capacity");
        let workload = "w".repeat(LONGEST);
        assert_eq!(description(&[], &workload, None), workload);
    }

    #[test]
    fn systems_that_do_not_fit_are_counted() {
        let systems = ["postgres"; 12];
        assert_eq!(
            description(&systems, "a", None),
            "postgres-postgres-postgres-postgres-postgres-and-7-more-a"
        );
        let one = "x".repeat(LONGEST);
        assert_eq!(description(&[one.as_str()], "a", None), "and-1-more-a");
    }

    #[test]
    fn the_kind_and_both_ends_of_a_workload_are_kept() {
        let workload = "orders-of-the-year-2026-as-seen-in-production-with-many-reads-part-0017";
        assert_eq!(
            description(&[], workload, Some("capacity")),
            "orders-of-the-year-20...art-0017-capacity"
        );
        assert_eq!(
            description(&["sqlite"; 9], workload, None),
            "sqlite-sqlite-and-7-more-orders-of-the-year-20...art-0017"
        );
        let fits = |others: &[&str], workload: &str, kind| {
            description(others, workload, kind).chars().count() <= LONGEST
        };
        for systems in 0..200 {
            assert!(fits(
                &vec!["cassandra"; systems],
                &workload.repeat(4),
                Some("capacity")
            ));
        }
    }
}
