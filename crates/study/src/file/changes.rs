//! What differs between two texts of a study, key by key, and whether trials of the one are trials of the other.

use std::collections::BTreeSet;

use dbdyno_files::StudyFile;
use dbdyno_files::values::Kind;
use dbdyno_vocabulary::{Count, words};
use toml::{Table, Value};

/// Keys that say how a study is called, what its systems cost, how many trials there are and how often they are repeated, and nothing of
/// a single trial.
const KEPT: [&str; 7] = [
    "title",
    "cost",
    "trials",
    "precision",
    "max_trials",
    "repeat_disturbed",
    "repeat_budget",
];
/// Changes that a message names; with more it would be a second study file.
const NAMED: usize = 3;

/// Why trials of the `earlier` text of a study mean something else in its text `now`, naming the keys; `None` where they do not.
/// Comments and the writing of numbers do not matter.
#[must_use]
pub fn refusal(earlier: &str, now: &str) -> Option<String> {
    if earlier == now {
        return None;
    }
    let files = [earlier, now].map(dbdyno_files::read::<StudyFile>);
    let changes = match &files {
        [Ok(earlier), Ok(now)] => between(earlier, now),
        [Err(mistake), _] => vec![format!("its study.toml cannot be read: {}", mistake.message)],
        [_, Err(mistake)] => vec![format!("the study file cannot be read: {}", mistake.message)],
    };
    let others = match changes.len().saturating_sub(NAMED) {
        0 => String::new(),
        others => format!("; and {others} more"),
    };
    let named: Vec<String> = changes.into_iter().take(NAMED).collect();
    (!named.is_empty()).then(|| format!("{}{others}", named.join("; ")))
}

/// The keys with which trials mean something else, each with its two values, in words.
pub(crate) fn between(earlier: &StudyFile, now: &StudyFile) -> Vec<String> {
    let table = |file: &StudyFile| {
        let mut table = Table::try_from(file).expect("every value of a file can be written as TOML");
        for key in kept(earlier, now) {
            table.remove(key);
        }
        // Sentences about what is measured: how often it is, too.
        if let Some(paper) = table.get_mut("paper").and_then(Value::as_table_mut) {
            paper.remove("notes");
        }
        table
    };
    let mut changes = Vec::new();
    compare("", &table(earlier), &table(now), &mut changes);
    changes
}

/// The keys that may differ.
fn kept(earlier: &StudyFile, now: &StudyFile) -> Vec<&'static str> {
    let both = |is: fn(&StudyFile) -> bool| is(earlier) && is(now);
    let mut kept = KEPT.to_vec();
    // With `precision` it ends the study; without, it chooses how long the measured phases are, and `planned` says so.
    if both(|file| file.planned.is_none()) {
        kept.push("budget");
    }
    // A sweep is held against its objective when it is reported. A search for a capacity is led by it.
    if both(|file| file.kind.as_ref().is_some_and(|kind| kind.value == Kind::Sweep)) {
        kept.push("slo");
    }
    kept
}

/// Adds what differs between two tables; `above` is where they stand: `workload[2].`.
fn compare(above: &str, earlier: &Table, now: &Table, changes: &mut Vec<String>) {
    let keys: BTreeSet<&String> = earlier.keys().chain(now.keys()).collect();
    for key in keys {
        let (before, after) = (earlier.get(key), now.get(key));
        if before == after {
            continue;
        }
        let is_array = before.is_some_and(Value::is_array);
        let place = format!("{above}{key}");
        match (before.map(tables), after.map(tables)) {
            (Some(Some(before)), Some(Some(after))) if before.len() == after.len() => {
                for (index, (before, after)) in before.into_iter().zip(after).enumerate() {
                    let number = if is_array {
                        format!("[{}]", index + 1)
                    } else {
                        String::new()
                    };
                    compare(&format!("{place}{number}."), before, after, changes);
                }
            }
            _ => changes.push(format!("`{place}` {}", in_words(before, after))),
        }
    }
}

/// The tables that a value consists of: itself, or the items of an array of tables.
fn tables(value: &Value) -> Option<Vec<&Table>> {
    match value {
        Value::Table(table) => Some(vec![table]),
        Value::Array(items) => items.iter().map(Value::as_table).collect(),
        _ => None,
    }
}

/// How a value changed: `was 100k and is now 200k`.
fn in_words(before: Option<&Value>, after: Option<&Value>) -> String {
    let was = before.map_or_else(
        || "was not set".to_owned(),
        |value| format!("was {}", shown(value)),
    );
    let is = after.map_or_else(
        || "is no longer set".to_owned(),
        |value| format!("is now {}", shown(value)),
    );
    format!("{was} and {is}")
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => u64::try_from(*number)
            .map_or_else(|_| number.to_string(), |number| Count::new(number).to_string()),
        Value::Table(_) => "a table".to_owned(),
        Value::Array(items) if items.iter().any(Value::is_table) => {
            words::plural(items.len(), "table", "tables")
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: &str = "name = \"x\"\nsystems = [\"memory\", \"null\"]\nworkloads = [\"a\"]\nrecords = \"100k\"\ntrials = 5\n";

    /// Why a study with these lines more does not go on where one with those was.
    fn refused(earlier: &str, now: &str) -> Option<String> {
        refusal(&format!("{STUDY}{earlier}"), &format!("{STUDY}{now}"))
    }

    #[test]
    fn what_changes_no_trial_goes_on() {
        let other = STUDY
            .replace("trials = 5", "# More of them.\ntrials = \"1e1\"")
            .replace("\"100k\"", "100_000");
        assert_eq!(refusal(STUDY, &other), None);
        for (earlier, now) in [
            ("", "title = \"Two stores\""),
            ("title = \"A\"", "title = \"B\""),
            (
                "precision = \"5%\"",
                "precision = \"3%\"\nmax_trials = 50\nbudget = \"2h\"",
            ),
            (
                "repeat_disturbed = 1",
                "repeat_disturbed = 3\nrepeat_budget = \"50%\"",
            ),
            (
                "kind = \"sweep\"\nslo = \"p99<1ms\"",
                "kind = \"sweep\"\nslo = \"p99<2ms\"",
            ),
        ] {
            assert_eq!(refused(earlier, now), None, "{earlier} -> {now}");
            assert_eq!(refused(now, earlier), None, "{now} -> {earlier}");
        }
    }

    #[test]
    fn a_study_measured_again_goes_on_with_more_trials() {
        let again = |part: &str, trials: u32| {
            format!(
                "[paper]\nid = \"x\"\npart = \"{part}\"\nscale = 0.1\nnotes = [\"Repeated {trials} times.\"]"
            )
        };
        assert_eq!(refused(&again("single", 4), &again("single", 8)), None);
        let reason = refused(&again("single", 4), &again("nodes", 4)).unwrap();
        assert_eq!(reason, "`paper.part` was single and is now nodes");
    }

    #[test]
    fn what_changes_a_trial_is_named_with_its_key() {
        assert_eq!(
            refusal(STUDY, &STUDY.replace("100k", "200k")).unwrap(),
            "`records` was 100k and is now 200k"
        );
        for (earlier, now, reason) in [
            ("", "seed = 7", "`seed` was not set and is now 7"),
            ("duration = \"5s\"", "", "`duration` was 5s and is no longer set"),
            (
                "clients = 4",
                "clients = [4, 8]",
                "`clients` was 4 and is now [4, 8]",
            ),
            (
                "[properties]\nfieldcount = 5",
                "[properties]\nfieldcount = 6",
                "`properties.fieldcount` was 5 and is now 6",
            ),
            (
                "[[workload]]\nbase = \"b\"\n[[workload]]\nbase = \"c\"",
                "[[workload]]\nbase = \"b\"\n[[workload]]\nbase = \"c\"\nrates = [500]",
                "`workload[2].rates` was not set and is now [500]",
            ),
            (
                "[[workload]]\nbase = \"b\"",
                "[[workload]]\nbase = \"b\"\n[[workload]]\nbase = \"c\"",
                "`workload` was 1 table and is now 2 tables",
            ),
            (
                "kind = \"capacity\"\nslo = \"p99<1ms\"",
                "kind = \"capacity\"\nslo = \"p99<2ms\"",
                "`slo` was [p99<1ms] and is now [p99<2ms]",
            ),
        ] {
            assert_eq!(
                refused(earlier, now).as_deref(),
                Some(reason),
                "{earlier} -> {now}"
            );
        }
    }

    #[test]
    fn a_budget_that_chose_the_phases_is_part_of_every_trial() {
        let planned = |budget: &str| {
            format!(
                "budget = \"{budget}\"\nplanned = {{ budget = \"{budget}\", trials = 4, duration = \"2s\", noise = \"8%\", noise_is = \"assumed\" }}"
            )
        };
        let reason = refused(&planned("30m"), &planned("1h")).unwrap();
        assert!(reason.starts_with("`budget` was 30m and is now 1h; "), "{reason}");
    }

    #[test]
    fn a_message_stays_short() {
        let many = "seed = 7\nclients = 8\nduration = \"5s\"\nwarmup = \"1s\"\naa = true\n";
        let reason = refused("", many).unwrap();
        assert!(reason.ends_with("; and 2 more"), "{reason}");
        let unreadable = refusal("not a study", STUDY).unwrap();
        assert!(
            unreadable.starts_with("its study.toml cannot be read: "),
            "{unreadable}"
        );
    }
}
