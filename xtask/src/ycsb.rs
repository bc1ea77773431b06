//! What needs Java: YCSB's own core (as an oracle and as the benches' peer) and the HdrHistogram tools it brings
//! along (as readers of our logs). Never shipped; the jars are kept below `target/`.

use std::path::PathBuf;

use crate::process::{Result, cache, command, output, root, run};

/// The jars that a pom below `xtask/java` names, fetched from Maven Central when not there yet, as a class path.
fn class_path(pom: &str, name: &str) -> Result<String> {
    let jars = cache(&format!("{name}-jars"))?;
    if !jars.join("complete").exists() {
        println!("fetching the jars of {pom} from Maven Central");
        let pom = root().join("xtask/java").join(pom);
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

/// Compiles the Java files of a folder of `xtask/java` and returns the class path to run them with. A folder with a
/// pom of its own uses its jars, the others YCSB's.
pub fn compile(folder: &str) -> Result<String> {
    let source = root().join("xtask/java").join(folder);
    let jars = if source.join("pom.xml").exists() {
        class_path(&format!("{folder}/pom.xml"), folder)?
    } else {
        class_path("pom.xml", "ycsb")?
    };
    let classes = cache(&format!("{folder}-classes"))?;
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
        &[
            "--add-opens",
            "java.base/java.lang=ALL-UNNAMED",
            "-cp",
            &class_path,
            "Oracle",
            &fixtures.to_string_lossy(),
        ],
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
