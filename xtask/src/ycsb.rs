//! What needs Java: YCSB's own core (as an oracle and as the benches' peer) and the HdrHistogram tools it brings
//! along (as readers of our logs). Never shipped; the jars are kept below `target/`.

use std::path::PathBuf;

use crate::process::{Result, cache, command, output, root, run};

/// The class path of `site.ycsb:core` and its dependencies, fetched from Maven Central when not there yet.
pub fn class_path() -> Result<String> {
    let jars = cache("ycsb")?;
    if !jars.join("complete").exists() {
        println!("fetching YCSB's core from Maven Central");
        let pom = root().join("xtask/java/pom.xml");
        let folder = format!("-DoutputDirectory={}", jars.display());
        let goal = "dependency:copy-dependencies";
        output(&mut command(
            "mvn",
            &[
                "--batch-mode",
                "--quiet",
                "--file",
                &pom.to_string_lossy(),
                goal,
                &folder,
            ],
        ))?;
        std::fs::write(jars.join("complete"), "").map_err(|error| format!("{}: {error}", jars.display()))?;
    }
    Ok(format!("{}/*", jars.display()))
}

/// Compiles the Java files of a folder of `xtask/java` and returns the class path to run them with.
pub fn compile(folder: &str) -> Result<String> {
    let jars = class_path()?;
    let classes = cache(&format!("{folder}-classes"))?;
    let source = root().join("xtask/java").join(folder);
    let entries = std::fs::read_dir(&source).map_err(|error| format!("{}: {error}", source.display()))?;
    let files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let files: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|end| end == "java"))
        .collect();
    let mut javac = command("javac", &["-cp", &jars, "-d", &classes.to_string_lossy()]);
    output(javac.args(&files))?;
    Ok(format!("{}:{jars}", classes.display()))
}

/// Draws the fixtures of the workload crate anew from YCSB's own generators.
pub fn write_fixtures() -> Result<()> {
    let class_path = compile("ycsb-oracle")?;
    let fixtures = root().join("crates/workload/tests/fixtures");
    run(&mut command(
        "java",
        &["-cp", &class_path, "Oracle", &fixtures.to_string_lossy()],
    ))
}

/// Lets HdrHistogram's own log reader read a log that the record crate wrote.
pub fn check_interval_log() -> Result<()> {
    let class_path = compile("hdr-check")?;
    let log = cache("hdr-check")?.join("latency.hlog");
    let log = log.to_string_lossy();
    run(&mut command(
        "cargo",
        &[
            "run",
            "--quiet",
            "--locked",
            "-p",
            "dbdyno-record",
            "--example",
            "write_log",
            &log,
        ],
    ))?;
    run(&mut command("java", &["-cp", &class_path, "HdrCheck", &log]))
}
