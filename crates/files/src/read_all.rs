//! Finds all mistakes of a file: what is wrong is left out, and the rest is read again.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::Mistake;
use crate::read::{FileTable, parse};

/// More wrong values than anybody corrects at once; each costs another reading of the file.
const MOST_WRONG_VALUES: usize = 100;

/// Where a key stands that the file lacks.
const NOWHERE: Range<usize> = usize::MAX..usize::MAX;

/// What a file says, and all that is wrong in it.
#[derive(Debug)]
pub struct Reading<T> {
    /// The file without the entries in which something is wrong; `None` where the rest cannot be read by itself.
    pub file: Option<T>,
    /// Unknown and missing keys, then wrong values, each in the order of the file.
    pub mistakes: Vec<Mistake>,
}

/// Reads the text of a file as far as it can be read. Keys that need each other are not checked here.
#[must_use]
pub fn read_all<T: FileTable>(text: &str) -> Reading<T> {
    let document = match parse(text) {
        Ok(document) => document,
        Err(mistake) => {
            return Reading {
                file: None,
                mistakes: vec![mistake],
            };
        }
    };
    let mut mistakes = in_order(T::check(document.get_ref()));
    let wrong = wrong_values::<T>(&document, &mistakes);
    mistakes.extend(in_order(wrong));
    Reading {
        file: sound_part(document, &mistakes),
        mistakes,
    }
}

fn in_order(mut mistakes: Vec<Mistake>) -> Vec<Mistake> {
    mistakes.sort_by_key(|mistake| mistake.span.start);
    mistakes
}

/// The values that serde refuses. It stops at the first one, which is then left out.
fn wrong_values<T: FileTable>(document: &Spanned<DeTable<'_>>, wrong_keys: &[Mistake]) -> Vec<Mistake> {
    let mut rest = document.clone();
    complete::<T>(rest.get_mut());
    for mistake in wrong_keys {
        if let Some(without) = without::<T>(&rest, &mistake.span) {
            rest = without;
        }
    }
    let mut wrong = Vec::new();
    if !T::check(rest.get_ref()).is_empty() {
        return wrong;
    }
    while let Err(error) = T::deserialize(toml::Deserializer::from(rest.clone())) {
        let mistake = Mistake::found(&error, rest.get_ref());
        let without = without::<T>(&rest, &mistake.span);
        wrong.push(mistake);
        match without {
            Some(without) if wrong.len() < MOST_WRONG_VALUES => rest = without,
            _ => break,
        }
    }
    wrong
}

/// The document without the smallest entry around a mistake that leaves no new one behind, such as a table without a key
/// that it needs.
fn without<'t, T: FileTable>(
    document: &Spanned<DeTable<'t>>,
    mistake: &Range<usize>,
) -> Option<Spanned<DeTable<'t>>> {
    let path = path_to(document.get_ref(), mistake)?;
    let known = T::check(document.get_ref());
    (1..=path.len()).rev().find_map(|length| {
        let mut rest = document.clone();
        if !remove(rest.get_mut(), &path[..length]) {
            return None;
        }
        complete::<T>(rest.get_mut());
        let has_no_new = T::check(rest.get_ref())
            .iter()
            .all(|mistake| known.contains(mistake));
        has_no_new.then_some(rest)
    })
}

/// The file without any key, or any of several tables, in which something is wrong. Nothing is missing in what is left.
fn sound_part<T: FileTable>(mut document: Spanned<DeTable<'_>>, mistakes: &[Mistake]) -> Option<T> {
    for mistake in mistakes {
        let Some(path) = path_to(document.get_ref(), &mistake.span) else {
            continue;
        };
        let is_item = matches!(path.get(1), Some(Step::Item(_)));
        if !(is_item && remove(document.get_mut(), &path[..2])) {
            remove(document.get_mut(), &path[..1]);
        }
    }
    complete::<T>(document.get_mut());
    T::deserialize(toml::Deserializer::from(document)).ok()
}

/// Adds the keys that every file must have, where they are missing.
fn complete<T: FileTable>(document: &mut DeTable<'_>) {
    let least = DeTable::parse(T::LEAST).expect("it is TOML").into_inner();
    for (key, value) in least {
        let name: &str = key.get_ref();
        if !document.contains_key(name) {
            document.insert(
                Spanned::new(NOWHERE, key.into_inner()),
                Spanned::new(NOWHERE, value.into_inner()),
            );
        }
    }
}

/// One step from a value to what is in it.
enum Step {
    Key(String),
    Item(usize),
}

/// The way to the key or the value at this place.
fn path_to(table: &DeTable<'_>, span: &Range<usize>) -> Option<Vec<Step>> {
    table.iter().find_map(|(key, value)| {
        let mut path = vec![Step::Key(key.get_ref().to_string())];
        if key.span() != *span {
            path.extend(path_within(value, span)?);
        }
        Some(path)
    })
}

fn path_within(value: &Spanned<DeValue<'_>>, span: &Range<usize>) -> Option<Vec<Step>> {
    if value.span() == *span {
        return Some(Vec::new());
    }
    match value.get_ref() {
        DeValue::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            let mut path = vec![Step::Item(index)];
            path.extend(path_within(item, span)?);
            Some(path)
        }),
        DeValue::Table(table) => path_to(table, span),
        _ => None,
    }
}

/// Removes what is at the end of this way. The last item of a list stays: an empty list is another mistake.
fn remove(table: &mut DeTable<'_>, path: &[Step]) -> bool {
    match path {
        [Step::Key(key)] => table.remove(key.as_str()).is_some(),
        [Step::Key(key), rest @ ..] => table
            .get_mut(key.as_str())
            .is_some_and(|value| remove_within(value.get_mut(), rest)),
        _ => false,
    }
}

fn remove_within(value: &mut DeValue<'_>, path: &[Step]) -> bool {
    match (value, path) {
        (DeValue::Table(table), path) => remove(table, path),
        (DeValue::Array(items), [Step::Item(index)]) => remove_item(items, *index),
        (DeValue::Array(items), [Step::Item(index), rest @ ..]) => items
            .get_mut(*index)
            .is_some_and(|item| remove_within(item.get_mut(), rest)),
        _ => false,
    }
}

fn remove_item(items: &mut DeArray<'_>, index: usize) -> bool {
    if items.len() < 2 || index >= items.len() {
        return false;
    }
    let others = items.iter().enumerate().filter(|(other, _)| *other != index);
    *items = others.map(|(_, item)| item.clone()).collect();
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NeedFile, StudyFile};

    /// What stands at each mistake, with the message.
    fn found<T: FileTable>(text: &str) -> Vec<String> {
        let shown = |mistake: &Mistake| format!("{}: {}", &text[mistake.span.clone()], mistake.message);
        read_all::<T>(text).mistakes.iter().map(shown).collect()
    }

    #[test]
    fn all_mistakes_are_found_and_none_is_invented() {
        let text = "nmae = \"x\"\nsystems = [\"redb\", [\"fjall\"]]\ntrials = 0\nclients = [1, 20000, [2], 30000]\n\
                    title = [\"t\"]\nduration = 10\n\
                    [[system]]\nadress = \"redb\"\n[[system]]\nname = [1]\naddress = \"fjall\"\n[[system]]\naddress = [2]\n\
                    [[workload]]\nbase = \"a\"\nrates = \"quick\"\nproperties = { fieldcount = [1], fieldlength = [2] }\n";
        let found = found::<StudyFile>(text);
        let starts = [
            "nmae: unknown key `nmae`; did you mean `name`?",
            "adress: unknown key `adress`; did you mean `address`?",
            "[\"fjall\"]: `systems` is an array",
            "0: ",
            "20000: ",
            "[2]: `clients` is an array",
            "30000: ",
            "[\"t\"]: `title` is an array",
            "10: ",
            "[1]: `name` is an array",
            "[2]: `address` is an array",
            "\"quick\": ",
            "[1]: `fieldcount` is an array",
            "[2]: `fieldlength` is an array",
        ];
        assert_eq!(found.len(), starts.len(), "{found:#?}");
        for (found, start) in found.iter().zip(starts) {
            assert!(found.starts_with(start), "{found:?} is not {start:?}");
        }
    }

    #[test]
    fn what_is_left_has_no_part_of_a_wrong_table() {
        let reading = read_all::<StudyFile>(
            "name = [1]\nsystems = [\"redb\", [1]]\n[[workload]]\nbse = \"a\"\n[[workload]]\nbase = \"b\"\n",
        );
        assert_eq!(reading.mistakes.len(), 3, "{:?}", reading.mistakes);
        let file = reading.file.unwrap();
        assert_eq!(file.name.value.0, "x", "it stands in for the wrong one");
        assert_eq!(file.systems.0.len(), 1);
        assert_eq!(file.workload.0.len(), 1);
        assert_eq!(file.workload.0[0].value.base.as_ref().unwrap().value.0, "b");
    }

    #[test]
    fn missing_keys_are_found_in_every_table() {
        let text =
            "[[objective]]\nworkload = \"a\"\n[[goal]]\nmetric = \"throughput\"\n[[goal]]\nweight = [1]\n";
        let found = found::<NeedFile>(text);
        let starts = [
            "[[objective]]: the objective has no `keep`",
            "[[goal]]: the workload is missing",
            "[[goal]]: the workload is missing",
        ];
        assert_eq!(found, starts);
        let empty = read_all::<StudyFile>("");
        assert_eq!(empty.mistakes.len(), 1, "{:?}", empty.mistakes);
    }

    #[test]
    fn a_sound_file_is_read_whole() {
        let text = "name = \"x\"\nsystems = [\"redb\"]\n[[workload]]\nbase = \"a\"\n";
        let reading = read_all::<StudyFile>(text);
        assert_eq!(reading.mistakes, []);
        assert_eq!(reading.file.unwrap(), crate::read::<StudyFile>(text).unwrap());
    }
}
