//! The messages that the page on troubleshooting explains are in the code: most of them take a server, a full disk or a
//! broken machine to be seen, so the words are looked up instead.

use std::path::Path;

use super::root;

/// Words of a quoted message that stand for others, as names in capitals, figures and what has `=` or `/` in it do.
const NAMES: [&str; 5] = ["redb", "fjall", "redis", "javac", "dbdyno-lab"];

/// What operating systems say.
const OF_OTHERS: &str = "No space left on device";

/// What begins a command in place of a message.
const COMMANDS: [&str; 3] = ["dbdyno", "sudo", "cargo"];

/// A code span of more than three words that is no command.
fn messages(page: &str) -> Vec<String> {
    let outside: Vec<&str> = page
        .split("\n```")
        .enumerate()
        .filter(|(index, _)| index % 2 == 0)
        .map(|(_, text)| text)
        .collect();
    let text = outside.join("\n").replace('\n', " ");
    let mut found = Vec::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find('`') {
        let ticks = rest[start..].chars().take_while(|&letter| letter == '`').count();
        let inner = &rest[start + ticks..];
        let Some(end) = inner.find(&"`".repeat(ticks)) else {
            break;
        };
        found.push(inner[..end].trim().to_owned());
        rest = &inner[end + ticks..];
    }
    found.retain(|span| {
        let words: Vec<&str> = span.split_whitespace().collect();
        words.len() > 3 && !COMMANDS.contains(&words[0])
    });
    found
}

/// Runs of three words or more of a message that no value interrupts.
fn fragments(message: &str) -> Vec<String> {
    let is_value = |word: &str| {
        let is_plain = |letter: char| letter.is_ascii_lowercase() || "'-.,:;()".contains(letter);
        NAMES.contains(&word.trim_matches([',', ';', ':']))
            || word.contains("..")
            || !word.chars().all(is_plain)
    };
    let mut runs = vec![Vec::new()];
    for word in message.split_whitespace() {
        if is_value(word) {
            runs.push(Vec::new());
            continue;
        }
        if word.starts_with('(') {
            runs.push(Vec::new());
        }
        let ends = word.ends_with([',', ';', ':', ')']);
        runs.last_mut()
            .unwrap()
            .push(word.trim_matches([',', ';', ':', '(', ')']));
        if ends {
            runs.push(Vec::new());
        }
    }
    runs.iter()
        .filter(|run| run.len() > 2)
        .map(|run| run.join(" "))
        .collect()
}

fn read(folder: &Path, code: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_code = path
            .extension()
            .is_some_and(|kind| kind == "rs" || kind == "java");
        if path.is_dir() && !path.ends_with("tests") {
            read(&path, code);
        } else if is_code {
            *code += &std::fs::read_to_string(path).unwrap();
        }
    }
}

/// The code on one line, with texts of several lines joined.
fn code() -> String {
    let mut code = OF_OTHERS.to_owned();
    for folder in ["crates", "databases"] {
        read(&root().join(folder), &mut code);
    }
    let mut joined = String::with_capacity(code.len());
    let mut continues = false;
    for line in code.lines() {
        let line = line.trim();
        if !continues {
            joined.push(' ');
        }
        continues = line.ends_with('\\');
        joined += line.strip_suffix('\\').unwrap_or(line);
    }
    joined
}

/// Whether the code says this, but for its first or its last word, which may be a value there.
fn is_said(fragment: &str, code: &str) -> bool {
    let without_first = fragment.split_once(' ').map(|(_, rest)| rest);
    let without_last = fragment.rsplit_once(' ').map(|(rest, _)| rest);
    [Some(fragment), without_first, without_last]
        .into_iter()
        .flatten()
        .any(|words| code.contains(words))
}

#[test]
fn messages_that_troubleshooting_explains_are_in_the_code() {
    let page = std::fs::read_to_string(root().join("docs/troubleshooting.md")).unwrap();
    let code = code();
    let messages = messages(&page);
    assert!(messages.len() > 50, "{}", messages.len());
    let unknown: Vec<String> = messages
        .iter()
        .filter_map(|message| {
            let lost = fragments(message)
                .into_iter()
                .find(|fragment| !is_said(fragment, &code))?;
            Some(format!("`{message}`: \"{lost}\""))
        })
        .collect();
    assert!(unknown.is_empty(), "no code says\n{}", unknown.join("\n"));
}

#[test]
fn what_no_code_says_is_noticed() {
    let page = "`a file of PATH is too large; make it a bit smaller`, `one two`, `sudo a b c`\n```sh\n`x y z w`\n```\n";
    let messages = messages(page);
    assert_eq!(messages, ["a file of PATH is too large; make it a bit smaller"]);
    let fragments = fragments(&messages[0]);
    assert_eq!(fragments, ["a file of", "is too large", "make it a bit smaller"]);
    let code = "{kind} file of {path} is too large; make it smaller";
    let said: Vec<bool> = fragments.iter().map(|fragment| is_said(fragment, code)).collect();
    assert_eq!(said, [true, true, false]);
}
