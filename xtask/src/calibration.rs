//! The trial of the method itself: simulated studies whose truth is known, told in `docs/analysis.md`.

use crate::process::{Result, command, output, root};

const PAGE: &str = "docs/analysis.md";
const BEGIN: &str = "<!-- calibration: written by `cargo xtask calibration` -->\n";
const END: &str = "<!-- calibration: end -->";

/// Simulates (some seconds) and writes the figures between the page's marks. The seeds are fixed: the same code writes
/// the same page.
pub fn run() -> Result<()> {
    let example = [
        "run",
        "--release",
        "--quiet",
        "--locked",
        "--package",
        "dbdyno-stats",
        "--example",
        "calibration",
    ];
    let tables = output(&mut command("cargo", &example))?;
    let path = root().join(PAGE);
    let page = std::fs::read_to_string(&path).map_err(|error| format!("{PAGE}: {error}"))?;
    let page = between_marks(&page, &tables)?;
    std::fs::write(&path, page).map_err(|error| format!("{PAGE}: {error}"))?;
    print!("{tables}");
    println!("\nwritten into {PAGE}");
    Ok(())
}

fn between_marks(page: &str, tables: &str) -> Result<String> {
    let (before, rest) = page
        .split_once(BEGIN)
        .ok_or_else(|| format!("{PAGE} has no line `{}`", BEGIN.trim()))?;
    let (_, after) = rest
        .split_once(END)
        .ok_or_else(|| format!("{PAGE} has no line `{END}` after `{}`", BEGIN.trim()))?;
    Ok(format!("{before}{BEGIN}\n{}\n\n{END}{after}", tables.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_between_the_marks_is_replaced() {
        let page = format!("before\n{BEGIN}old\n{END}\nafter\n");
        let once = between_marks(&page, "| new |\n").unwrap();
        assert_eq!(once, format!("before\n{BEGIN}\n| new |\n\n{END}\nafter\n"));
        assert_eq!(between_marks(&once, "| new |\n").unwrap(), once);
        assert!(between_marks("no marks", "").is_err());
    }

    #[test]
    fn the_page_has_its_marks() {
        let page = std::fs::read_to_string(root().join(PAGE)).unwrap();
        assert!(between_marks(&page, "").is_ok());
    }
}
