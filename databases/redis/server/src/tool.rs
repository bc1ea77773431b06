//! `redis-cli`, for what the few words of the protocol here cannot do: TLS, and making a cluster.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use dbdyno_lab::{Installation, LabError, LabErrorKind, LaunchContext, on_path};

use crate::access::Access;

/// What it is called. Each speaks to servers of the other product, too.
const NAMES: [&str; 2] = ["redis-cli", "valkey-cli"];
/// How often a server is asked whether it is ready.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(200);

/// The tool, as the servers let it in.
pub(crate) struct Tool<'a> {
    pub(crate) access: &'a Access<'a>,
    pub(crate) installation: &'a Installation,
    /// The server in whose directory certificates lie.
    pub(crate) server: String,
}

impl Tool<'_> {
    /// Runs it with these words to its end.
    pub(crate) fn run(&self, context: &LaunchContext<'_>, words: &[&str]) -> Result<(), LabError> {
        let mut command = Command::new(self.program()?);
        if self.access.protection.tls.is_some() {
            let own = context.server_directory(&self.server)?;
            command.arg("--tls");
            for (option, file) in [
                ("--cacert", "ca.pem"),
                ("--cert", "server.pem"),
                ("--key", "server.key"),
            ] {
                command.arg(option).arg(own.join(file));
            }
        }
        if let Some(login) = self.access.login() {
            if let Some(user) = login.user {
                command.args(["--user", user]);
            }
            // Every user of the machine can read a command line, only this one its environment.
            command.env("REDISCLI_AUTH", login.password);
        }
        context.run_tool(command.args(words))
    }

    /// Runs it until it succeeds.
    pub(crate) fn run_until_it_succeeds(
        &self,
        context: &LaunchContext<'_>,
        words: &[&str],
    ) -> Result<(), LabError> {
        for _ in 1..TRIES {
            match self.run(context, words) {
                Err(error) if error.kind == LabErrorKind::Server => std::thread::sleep(PAUSE),
                ended => return ended,
            }
        }
        self.run(context, words)
    }

    fn program(&self) -> Result<PathBuf, LabError> {
        let beside = NAMES.map(|name| self.installation.path.with_file_name(name));
        let mut all = beside.into_iter().filter(|path| path.is_file());
        let on_path = || NAMES.into_iter().find_map(|name| on_path(name, &[]));
        all.next().or_else(on_path).ok_or_else(|| {
            LabError::new(
                LabErrorKind::Software,
                "there is no redis-cli, which joins servers of Redis and looks at them over TLS",
            )
            .help("install it: sudo apt-get install redis-tools")
        })
    }
}
