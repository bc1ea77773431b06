//! `cargo xtask picture`: the first screen of the quickstart's report, light and dark, for README.md.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::process::{self, Result, cache, command, root};

/// Where the pictures lie, from the project's root.
const FOLDER: &str = "docs/pictures";
/// The study whose report is shown, from the project's root.
const STUDY: &str = "studies/quickstart.toml";
/// The window, in CSS pixels: wide enough for the page's full width, and as high as a first screen.
const WINDOW: (u32, u32) = (1280, 900);
/// Pixels of the picture for one of CSS.
const SCALE: f64 = 1.5;

/// Whose report to show.
#[derive(Args)]
pub struct Options {
    /// Result folder of a study (default: carries out the quickstart, which takes three minutes; leave the machine idle).
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

/// Makes the report, and a picture of it for each theme.
pub fn run(options: &Options) -> Result<()> {
    process::run(&mut command(
        "cargo",
        &["build", "--release", "--locked", "--package=dbdyno"],
    ))?;
    let program = process::target_folder().join("release/dbdyno");
    let work = cache("picture")?;
    let results = match &options.results {
        Some(results) => results
            .canonicalize()
            .map_err(|error| format!("{}: {error}", results.display()))?,
        None => carry_out(&program, &work.join("results"))?,
    };
    let report = work.join("report.html");
    process::run(
        command(&program.to_string_lossy(), &["report"])
            .arg(&results)
            .arg("--output")
            .arg(&report),
    )?;
    let page = std::fs::read_to_string(&report).map_err(|error| format!("{}: {error}", report.display()))?;
    let pictures = root().join(FOLDER);
    std::fs::create_dir_all(&pictures).map_err(|error| format!("{}: {error}", pictures.display()))?;
    for theme in ["light", "dark"] {
        let themed = work.join(format!("{theme}.html"));
        std::fs::write(&themed, in_theme(&page, theme)?)
            .map_err(|error| format!("{}: {error}", themed.display()))?;
        let picture = pictures.join(format!("report-{theme}.png"));
        take(&themed, &picture, &work)?;
        println!("{}", picture.display());
    }
    Ok(())
}

/// Runs the study anew: a picture shows one run, not one that was added to.
fn carry_out(program: &Path, results: &Path) -> Result<PathBuf> {
    if results.exists() {
        std::fs::remove_dir_all(results).map_err(|error| format!("{}: {error}", results.display()))?;
    }
    process::run(command(&program.to_string_lossy(), &["study", "run", STUDY, "--output"]).arg(results))?;
    Ok(results.to_owned())
}

/// The page as its own button would set it.
fn in_theme(page: &str, theme: &str) -> Result<String> {
    let themed = page.replacen("<html", &format!("<html data-theme=\"{theme}\""), 1);
    if themed == page {
        Err("the report has no element `html`".to_owned())
    } else {
        Ok(themed)
    }
}

/// Takes a picture of a page with headless Chromium and a fresh profile.
fn take(page: &Path, picture: &Path, work: &Path) -> Result<()> {
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "chromium".to_owned());
    let arguments = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--no-first-run",
        "--disable-background-networking",
        "--virtual-time-budget=5000",
        // As with a mouse: what appears on hover is hidden.
        "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
    ];
    if picture.exists() {
        std::fs::remove_file(picture).map_err(|error| format!("{}: {error}", picture.display()))?;
    }
    process::output(
        command(&chromium, &arguments)
            .arg(format!("--user-data-dir={}", work.join("profile").display()))
            .arg(format!("--window-size={},{}", WINDOW.0, WINDOW.1))
            .arg(format!("--force-device-scale-factor={SCALE}"))
            .arg(format!("--screenshot={}", picture.display()))
            .arg(format!("file://{}", page.display())),
    )?;
    if picture.is_file() {
        Ok(())
    } else {
        Err(format!("Chromium made no {}", picture.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_theme_is_that_of_the_page_itself() {
        let page = "<!doctype html><html lang=\"en\"><body></body></html>";
        let dark = in_theme(page, "dark").unwrap();
        assert!(dark.contains("<html data-theme=\"dark\" lang=\"en\">"), "{dark}");
        assert!(in_theme("a text", "dark").is_err());
        // The names by which the page's style chooses its colours.
        let style = std::fs::read_to_string(root().join("crates/document/src/html/style.css")).unwrap();
        for theme in ["light", "dark"] {
            assert!(
                style.contains(&format!(":root[data-theme=\"{theme}\"]")),
                "{theme}"
            );
        }
    }
}
