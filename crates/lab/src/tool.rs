//! Tools that prepare servers, such as PostgreSQL's `initdb`: each is waited for, and none outlives this process.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use dbdyno_machine::ProcessId;

use crate::error::{LabError, LabErrorKind};
use crate::log::last_lines;
use crate::process::{Signal, end, spawn_for_thread};

/// How long a tool may take. Those of the recipes take seconds; one that waits for replicas gives up by itself after a minute.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);
/// How long what was killed may take to end.
const LAST_PATIENCE: Duration = Duration::from_secs(5);
/// Lines of its output that are shown.
const LINES: usize = 12;

/// Runs a tool to its end. It ends with this process, however that ends. Its children do not: they are found by the file in the
/// instance's directory into which they print with it, as servers are. The file begins anew with each tool.
///
/// # Errors
/// When it cannot be run or fails, is not done after `patience`, or a stop is requested. It is then ended, with its children.
pub(crate) fn run(
    command: &mut Command,
    printed: &Path,
    patience: Duration,
    stop: &dyn Fn() -> bool,
) -> Result<(), LabError> {
    const STEP: Duration = Duration::from_millis(20);
    let name = command.get_program().to_string_lossy().into_owned();
    let not_written = |error: std::io::Error| LabError::files("write", printed, &error);
    let output = emptied(printed).map_err(not_written)?;
    let errors = output.try_clone().map_err(not_written)?;
    command.stdin(Stdio::null()).stdout(output).stderr(errors);
    let mut child = spawn_for_thread(command)
        .map_err(|error| LabError::new(LabErrorKind::Software, format!("cannot run {name}: {error}")))?;
    let failed = |what: &str| {
        let lines = last_lines(printed, LINES);
        LabError::new(LabErrorKind::Server, format!("{name} {what}:\n{lines}"))
    };
    let mut waited = Duration::ZERO;
    let why = loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(failed(&format!("failed ({status})"))),
            _ if stop() => {
                let stopped = format!("stopped while {name} ran");
                break LabError::new(LabErrorKind::Interrupted, stopped);
            }
            _ if waited >= patience => {
                break failed(&format!("was not done after {} s", patience.as_secs()));
            }
            _ => {}
        }
        std::thread::sleep(STEP);
        waited += STEP;
    };
    // What it has made so far is removed with the instance.
    if let Some(process) = ProcessId::of(child.id()) {
        end(&[(process, Signal::Kill)], LAST_PATIENCE);
    }
    child.wait().ok();
    Err(why)
}

/// A file for what a tool prints, which only this user can read.
fn emptied(path: &Path) -> std::io::Result<File> {
    let file = File::options().create(true).append(true).mode(0o600).open(path)?;
    file.set_len(0)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        command
    }

    #[test]
    fn a_tool_that_fails_is_quoted_without_what_another_printed() {
        let place = tempfile::tempdir().unwrap();
        let printed = place.path().join("tools.log");
        run(&mut script("echo all is well"), &printed, PATIENCE, &|| false).unwrap();
        let mut failing = script("echo no such locale >&2; exit 3");
        let error = run(&mut failing, &printed, PATIENCE, &|| false).unwrap_err();
        assert_eq!(error.kind, LabErrorKind::Server);
        assert!(
            error.message.contains("no such locale") && error.message.contains("exit status: 3"),
            "{error}"
        );
        assert!(!error.message.contains("all is well"), "{error}");
    }

    #[test]
    fn a_tool_that_is_not_there_is_named() {
        let place = tempfile::tempdir().unwrap();
        let printed = place.path().join("tools.log");
        let mut missing = Command::new("/no/such/initdb");
        let error = run(&mut missing, &printed, PATIENCE, &|| false).unwrap_err();
        assert_eq!(error.kind, LabErrorKind::Software);
        assert!(error.message.contains("/no/such/initdb"), "{error}");
    }

    #[test]
    fn a_stop_ends_a_tool_that_hangs_and_its_children() {
        let place = tempfile::tempdir().unwrap();
        let written = place.path().join("child");
        let child = || std::fs::read_to_string(&written).unwrap_or_default();
        let mut hanging = script("sleep 600 & echo $! > child; wait");
        hanging.current_dir(place.path());
        let printed = place.path().join("tools.log");
        let error = run(&mut hanging, &printed, PATIENCE, &|| child().ends_with('\n')).unwrap_err();
        assert_eq!(error.kind, LabErrorKind::Interrupted, "{error}");
        let number = child().trim().parse().unwrap();
        assert!(ProcessId::of(number).is_none_or(|process| !process.is_alive()));
    }

    #[test]
    fn a_tool_that_hangs_is_ended_once_it_has_had_its_time() {
        let place = tempfile::tempdir().unwrap();
        let mut hanging = script("exec sleep 600");
        let printed = place.path().join("tools.log");
        let error = run(&mut hanging, &printed, Duration::ZERO, &|| false).unwrap_err();
        assert_eq!(error.kind, LabErrorKind::Server);
        assert!(error.message.contains("was not done after 0 s"), "{error}");
    }
}
