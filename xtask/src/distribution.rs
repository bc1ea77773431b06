//! What a release contains, from `dist-workspace.toml`.

use std::path::PathBuf;

use serde::Deserialize;

use crate::process::{Result, command, output, root};

/// The file, from the project's root.
const FILE: &str = "dist-workspace.toml";

/// The part of dist's configuration that is ours to carry out.
#[derive(Deserialize)]
pub struct Distribution {
    /// Targets that a release has an archive for.
    pub targets: Vec<String>,
    /// Folders in each archive, from the project's root.
    pub include: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct Workspace {
    dist: Distribution,
}

impl Distribution {
    /// Reads the file.
    pub fn read() -> Result<Self> {
        let path = root().join(FILE);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let workspace: Workspace =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(workspace.dist)
    }

    /// The target that is asked for, else this machine's.
    pub fn target(&self, asked: Option<&str>) -> Result<String> {
        let target = match asked {
            Some(asked) => asked.to_owned(),
            None => host()?,
        };
        if self.targets.contains(&target) {
            Ok(target)
        } else {
            Err(format!(
                "no release is made for `{target}`: {FILE} names {}",
                self.targets.join(", ")
            ))
        }
    }
}

/// The target of this machine's compiler.
pub fn host() -> Result<String> {
    let described = output(&mut command("rustc", &["--version", "--verbose"]))?;
    let host = described.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| format!("rustc does not name its host:\n{described}"))
}
