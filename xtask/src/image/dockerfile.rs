//! The stages of a Dockerfile. It reads the part of the language that ours uses, and refuses instructions that it does not know.

use crate::process::Result;

const KNOWN: [&str; 9] = [
    "CMD",
    "COPY",
    "ENTRYPOINT",
    "ENV",
    "FROM",
    "RUN",
    "USER",
    "VOLUME",
    "WORKDIR",
];

/// What lies between one FROM and the next.
#[derive(Debug, PartialEq, Eq)]
pub struct Stage {
    /// The image that it begins with.
    pub base: String,
    /// Its name for other stages.
    pub name: Option<String>,
    pub instructions: Vec<Instruction>,
}

/// A line, with those that continue it.
#[derive(Debug, PartialEq, Eq)]
pub struct Instruction {
    pub keyword: String,
    pub rest: String,
}

impl Stage {
    /// What follows a keyword, of every instruction that begins with it.
    pub fn all(&self, keyword: &str) -> impl Iterator<Item = &str> {
        self.instructions
            .iter()
            .filter(move |instruction| instruction.keyword == keyword)
            .map(|instruction| instruction.rest.as_str())
    }

    /// What follows the last instruction of a keyword, the one that counts.
    pub fn last(&self, keyword: &str) -> Option<&str> {
        self.all(keyword).last()
    }

    /// The packages that `apt-get install` installs.
    pub fn packages(&self) -> impl Iterator<Item = String> {
        self.all("RUN")
            .flat_map(|run| run.split("&&"))
            .filter_map(|part| part.trim().strip_prefix("apt-get install"))
            .flat_map(str::split_whitespace)
            .filter(|word| !word.starts_with('-'))
            .map(str::to_owned)
    }
}

/// Reads the text of a Dockerfile.
pub fn stages(text: &str) -> Result<Vec<Stage>> {
    let mut stages: Vec<Stage> = Vec::new();
    for line in lines(text) {
        let (keyword, rest) = line.split_once(' ').unwrap_or((line.as_str(), ""));
        if !KNOWN.contains(&keyword) {
            return Err(format!(
                "Dockerfile: `{keyword}` is not followed here; teach xtask/src/image.rs to"
            ));
        }
        let rest = rest.trim();
        if keyword == "FROM" {
            let (base, name) = match rest.split_once(" AS ") {
                Some((base, name)) => (base, Some(name.trim().to_owned())),
                None => (rest, None),
            };
            stages.push(Stage {
                base: base.trim().to_owned(),
                name,
                instructions: Vec::new(),
            });
        } else if let Some(stage) = stages.last_mut() {
            stage.instructions.push(Instruction {
                keyword: keyword.to_owned(),
                rest: rest.to_owned(),
            });
        } else {
            return Err(format!("Dockerfile: `{keyword}` stands before FROM"));
        }
    }
    Ok(stages)
}

/// Lines without comments, each with those that a backslash joins to it.
fn lines(text: &str) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let (part, continues) = match line.strip_suffix('\\') {
            Some(part) => (part.trim_end(), true),
            None => (line, false),
        };
        match joined.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.push(' ');
                last.push_str(part);
            }
            None => joined.push(part.to_owned()),
        }
        goes_on = continues;
    }
    joined.retain(|line| !line.is_empty());
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_have_their_instructions_and_packages() {
        let text = "# first\nFROM rust:1 AS build\nRUN cargo build\n\nFROM debian\n\
                    RUN apt-get update \\\n    # why\n    && apt-get install --yes a b \\\n    && rm -r x\n\
                    USER one\nUSER two\nCOPY --from=build /a /b\n";
        let stages = stages(text).unwrap();
        assert_eq!(stages.len(), 2);
        assert_eq!(
            (stages[0].base.as_str(), stages[0].name.as_deref()),
            ("rust:1", Some("build"))
        );
        assert_eq!(stages[0].packages().count(), 0);
        assert_eq!(stages[1].packages().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(stages[1].last("USER"), Some("two"));
        assert_eq!(stages[1].all("COPY").collect::<Vec<_>>(), ["--from=build /a /b"]);
        assert_eq!(
            stages[1].last("RUN"),
            Some("apt-get update && apt-get install --yes a b && rm -r x")
        );
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        assert!(stages("FROM a\nONBUILD x\n").unwrap_err().contains("ONBUILD"));
        assert!(stages("RUN x\n").unwrap_err().contains("before FROM"));
    }
}
