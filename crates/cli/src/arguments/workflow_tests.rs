//! The command lines of `docs/ci.md` and of the workflow files beside it are ones that this binary understands.

use std::path::{Path, PathBuf};

use clap::Parser;
use saphyr::{LoadableYamlNode, Yaml};

use super::Arguments;

/// What a variable of a shell or of a workflow holds here: it can be a number and a part of a path.
const VALUE: &str = "4";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The workflow files, each by its name with its text.
fn workflows() -> Vec<(String, String)> {
    let files = std::fs::read_dir(docs().join("ci")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    files
        .map(|path| {
            (
                path.file_name().unwrap().to_str().unwrap().to_owned(),
                read(&path),
            )
        })
        .collect()
}

/// The scripts of a workflow: `run` of GitHub, `script` of GitLab.
fn scripts(name: &str, text: &str) -> Vec<String> {
    let documents = Yaml::load_from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut found = Vec::new();
    for document in &documents {
        scripts_in(document, &mut found);
    }
    found
}

fn scripts_in(node: &Yaml<'_>, found: &mut Vec<String>) {
    for (key, value) in node.as_mapping().into_iter().flatten() {
        match key.as_str() {
            Some("run" | "script") => texts_in(value, found),
            _ => scripts_in(value, found),
        }
    }
    for item in node.as_sequence().into_iter().flatten() {
        scripts_in(item, found);
    }
}

fn texts_in(node: &Yaml<'_>, found: &mut Vec<String>) {
    found.extend(node.as_str().map(str::to_owned));
    for item in node.as_sequence().into_iter().flatten() {
        texts_in(item, found);
    }
}

/// The blocks of code in a page: their language and their text, without what they are indented by.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String, usize)> = None;
    for line in page.lines() {
        let indent = line.len() - line.trim_start().len();
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((language.to_owned(), String::new(), indent)),
            (Some(_), Some(_)) => {
                let (language, text, _) = open.take().unwrap();
                blocks.push((language, text));
            }
            (None, Some((_, text, indent))) => {
                text.push_str(line.get(*indent..).unwrap_or_default());
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// Splits a script as a shell does, as far as our scripts go.
#[derive(Default)]
struct Shell {
    commands: Vec<Vec<String>>,
    words: Vec<String>,
    word: Option<String>,
    quote: Option<char>,
}

impl Shell {
    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        let words = std::mem::take(&mut self.words);
        let is_before =
            |word: &String| ["do", "then", "if", "!"].contains(&word.as_str()) || is_assignment(word);
        let command: Vec<String> = words
            .into_iter()
            .skip_while(is_before)
            .take_while(|word| word != ">")
            .collect();
        if command.first().is_some_and(|program| program == "dbdyno") {
            self.commands.push(command);
        }
    }

    fn add(&mut self, text: &str) {
        self.word.get_or_insert_default().push_str(text);
    }
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| {
        name.chars()
            .all(|letter| letter.is_ascii_uppercase() || letter == '_')
    })
}

/// The rest of a text behind the name of a variable.
fn after_variable(rest: &str) -> &str {
    match rest.strip_prefix('{') {
        Some(braced) => braced
            .split_once('}')
            .map_or("", |(_, rest)| rest.trim_start_matches('}')),
        None => rest.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '_'),
    }
}

/// The commands of a script that call dbdyno, in words.
fn commands(script: &str) -> Vec<Vec<String>> {
    let script = script.replace("\\\n", " ");
    let mut shell = Shell::default();
    let mut rest = script.as_str();
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match (shell.quote, letter) {
            (Some(quote), letter) if letter == quote => shell.quote = None,
            (None | Some('"'), '$') => {
                rest = after_variable(rest);
                shell.add(VALUE);
            }
            (Some(_), letter) => shell.add(letter.encode_utf8(&mut [0; 4])),
            (None, '"' | '\'') => {
                shell.quote = Some(letter);
                shell.add("");
            }
            (None, ' ' | '\t') => shell.end_word(),
            (None, '\n' | ';' | '&' | '|') => shell.end_command(),
            (None, '>') => {
                shell.end_word();
                shell.words.push(">".to_owned());
            }
            (None, '#') if shell.word.is_none() => rest = rest.find('\n').map_or("", |end| &rest[end..]),
            (None, letter) => shell.add(letter.encode_utf8(&mut [0; 4])),
        }
    }
    shell.end_command();
    shell.commands
}

fn page_scripts(page: &str) -> Vec<String> {
    let blocks = blocks(page).into_iter();
    blocks
        .flat_map(|(language, text)| match language.as_str() {
            "sh" => vec![text],
            "yaml" => scripts("docs/ci.md", &text),
            _ => Vec::new(),
        })
        .collect()
}

#[test]
fn every_command_of_the_workflows_is_understood() {
    let page = read(&docs().join("ci.md"));
    let of_files = workflows().into_iter().flat_map(|(name, text)| {
        scripts(&name, &text)
            .into_iter()
            .map(move |script| (name.clone(), script))
    });
    let of_page = page_scripts(&page)
        .into_iter()
        .map(|script| ("ci.md".to_owned(), script));
    let mut understood = 0;
    for (name, script) in of_files.chain(of_page) {
        for words in commands(&script) {
            if let Err(error) = Arguments::try_parse_from(&words) {
                panic!("docs/{name}: {words:?}\n{error}");
            }
            understood += 1;
        }
    }
    assert!(understood > 15, "{understood}");
}

#[test]
fn the_page_has_every_workflow_as_it_is() {
    let page = read(&docs().join("ci.md"));
    let workflows = workflows();
    for (name, _) in &workflows {
        assert!(
            page.contains(&format!("(ci/{name})")),
            "docs/ci.md does not link to ci/{name}"
        );
    }
    let regressions = workflows.iter().find(|(name, _)| name == "regressions.yml");
    let (name, text) = regressions.unwrap();
    let whole = scripts(name, text);
    let excerpt = blocks(&page)
        .into_iter()
        .find(|(language, text)| language == "yaml" && text.contains("branch/bench.toml"));
    for script in scripts("docs/ci.md", &excerpt.unwrap().1) {
        assert!(
            whole.contains(&script),
            "ci/regressions.yml has no such step:\n{script}"
        );
    }
}

#[test]
fn a_flag_that_does_not_exist_is_found() {
    let found = commands(
        "A_B=\"$PWD/x y\" dbdyno run 'redb' --durration \\\n  \"$t\"s >> $FILE # dbdyno run\nmake; if dbdyno lint x; then y; fi",
    );
    assert_eq!(
        found,
        [
            vec!["dbdyno", "run", "redb", "--durration", "4s"],
            vec!["dbdyno", "lint", "x"]
        ]
    );
    assert!(Arguments::try_parse_from(&found[0]).is_err());
    assert!(Arguments::try_parse_from(&found[1]).is_ok());
}
