//! `cargo xtask schema`: writes the JSON Schemas with which editors complete and check the files that people write.

use dbdyno_files::schema::{FOLDER, SCHEMAS};

use crate::process::{Result, root};

/// Writes every schema anew. A test of `crates/files` fails where one is out of date.
pub fn run() -> Result<()> {
    let folder = root().join(FOLDER);
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    for (name, schema) in SCHEMAS {
        let path = folder.join(name);
        std::fs::write(&path, schema())
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}
