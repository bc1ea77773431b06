//! A server that waits for its CPUs and its control group before it begins: what it reads of the machine at its start, as Java does,
//! is then true, and its first threads are not outside.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use dbdyno_machine::CpuList;

use crate::control_group::{Group, Groups};
use crate::error::{LabError, LabErrorKind};
use crate::granted::Granted;

/// Replaces itself by the program in its arguments when it reads a line, and ends when its input ends. The process ID stays.
const WAIT: &str = "read -r go && exec \"$@\" </dev/null";

/// The reason why a server is held; nothing, where nobody limits it.
pub(crate) struct Held {
    cpus: Option<CpuList>,
    group: Group,
}

impl Held {
    /// Of the server at this place, from 0.
    ///
    /// # Errors
    /// When its control group cannot be made.
    pub(crate) fn new(
        granted: &Granted,
        place: usize,
        instance: &str,
        server: &str,
    ) -> Result<Self, LabError> {
        let limited = granted.group.cpus.is_some() || granted.group.memory_bytes.is_some();
        let group = match limited {
            true => Groups::of_machine()
                .make(instance, server, granted.group)
                .map_err(|error| refused("make a control group for", server, &error))?,
            false => Group::default(),
        };
        Ok(Self {
            cpus: granted.cpus_of(place),
            group,
        })
    }

    fn holds(&self) -> bool {
        self.cpus.is_some() || self.group != Group::default()
    }

    /// A command of this program, which waits where it is held.
    pub(crate) fn command(&self, program: &Path) -> Command {
        if !self.holds() {
            return Command::new(program);
        }
        let mut command = Command::new("/bin/sh");
        command.args(["-c", WAIT, "sh"]).arg(program);
        command
    }

    /// Its standard input.
    pub(crate) fn input(&self) -> Stdio {
        if self.holds() {
            Stdio::piped()
        } else {
            Stdio::null()
        }
    }

    /// Gives the process its CPUs and its group, and lets it begin.
    ///
    /// # Errors
    /// When the kernel refuses; the process has ended then.
    pub(crate) fn release(self, child: &mut Child) -> Result<Group, LabError> {
        let Some(mut input) = child.stdin.take() else {
            return Ok(self.group);
        };
        let process = child.id();
        let bound = match &self.cpus {
            Some(cpus) => cpus.bind(process),
            None => Ok(()),
        };
        let begun = bound
            .and_then(|()| self.group.take_in(process))
            .and_then(|()| input.write_all(b"\n"));
        drop(input);
        if let Err(error) = begun {
            // Without the line it ends by itself.
            child.wait().ok();
            return Err(refused("limit", &format!("process {process}"), &error));
        }
        Ok(self.group)
    }
}

fn refused(verb: &str, what: &str, error: &std::io::Error) -> LabError {
    LabError::new(LabErrorKind::Machine, format!("cannot {verb} {what}: {error}"))
        .help("leave out `cpus`, `memory` and `client`, or run dbdyno where it may limit processes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_program_begins_when_it_is_released_and_where_it_may_run() {
        let allowed = CpuList::of_this_process().unwrap();
        let first = CpuList::new(allowed.numbers().take(1));
        let granted = Granted {
            cpus: Some(first.clone()),
            ..Granted::default()
        };
        let held = Held::new(&granted, 0, "x", "node1").unwrap();
        let mut command = held.command(Path::new("cat"));
        command
            .arg("/proc/self/status")
            .stdin(held.input())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        held.release(&mut child).unwrap();
        let printed = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        assert!(
            printed.contains(&format!("Cpus_allowed_list:\t{first}\n")),
            "{printed}"
        );
        assert!(
            printed.starts_with("Name:\tcat\n"),
            "the shell has become the program"
        );
    }

    #[test]
    fn without_limits_nothing_stands_between() {
        let held = Held::new(&Granted::default(), 0, "x", "node1").unwrap();
        assert_eq!(held.command(Path::new("cat")).get_program(), "cat");
    }
}
