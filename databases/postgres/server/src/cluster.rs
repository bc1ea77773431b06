//! The servers of one system: made, started, and following their primary.

use std::path::{Path, PathBuf};
use std::process::Command;

use dbdyno_lab::{LabError, LaunchContext, ServerSpec, Signal};

use crate::DEADLINE;
use crate::access::Access;
use crate::protocol;

/// The settings that all servers of a system share.
pub(crate) struct Cluster<'a> {
    pub(crate) access: Access<'a>,
    /// Directory of PostgreSQL's programs.
    pub(crate) programs: &'a Path,
    /// Replicas that a commit waits for.
    pub(crate) synchronous: u32,
    pub(crate) cache_mebibytes: u32,
    pub(crate) connections: u32,
    pub(crate) fsync: &'static str,
}

impl Cluster<'_> {
    /// Starts the primary, with its users; its port.
    pub(crate) fn primary(&self, context: &mut LaunchContext<'_>) -> Result<u16, LabError> {
        let name = name(1);
        let data = context.server_directory(&name)?.join("data");
        let settings = self.access.settings(context, &name)?;
        let users = match self.access.users() {
            Some(sql) => Some(context.write(&name, "users.sql", sql)?),
            None => None,
        };
        let mut make = Command::new(self.programs.join("initdb"));
        // The collation and the character set of the machine would make results differ; syncing the files takes time.
        make.args(["--locale=C", "--encoding=UTF8", "--no-sync", "--username"])
            .arg(self.access.superuser())
            .arg("--pgdata")
            .arg(&data);
        match self.access.password() {
            Some(password) => {
                let file = context.write(&name, "password", password)?;
                context.hand_over(&name)?;
                make.args(["--auth=scram-sha-256", "--pwfile"]).arg(&file);
                context.run_tool(&mut make)?;
                remove(&file)?;
            }
            None => {
                context.hand_over(&name)?;
                context.run_tool(make.arg("--auth=trust"))?;
            }
        }
        let port = self.spawn(context, name, &data, settings)?;
        if let Some(file) = users {
            let mut tool = self.tool(context, port)?;
            context.run_tool(tool.arg("--file").arg(&file))?;
            remove(&file)?;
        }
        Ok(port)
    }

    /// Starts a replica of the primary; its port.
    pub(crate) fn replica(
        &self,
        context: &mut LaunchContext<'_>,
        number: u32,
        primary: u16,
    ) -> Result<u16, LabError> {
        let name = name(number);
        let directory = context.server_directory(&name)?;
        let data = directory.join("data");
        let settings = self.access.settings(context, &name)?;
        context.hand_over(&name)?;
        let mut copy = Command::new(self.programs.join("pg_basebackup"));
        copy.args([
            "--write-recovery-conf",
            "--checkpoint=fast",
            "--no-sync",
            "--no-password",
            "--pgdata",
        ])
        .arg(&data)
        .arg("--dbname")
        .arg(format!(
            "{} user={} application_name={name}",
            self.access.connection(primary, &directory),
            self.access.replication_user()
        ));
        if let Some(password) = self.access.replication_password() {
            copy.env("PGPASSWORD", password);
        }
        context.run_tool(&mut copy)?;
        self.spawn(context, name, &data, settings)
    }

    /// Waits until every replica follows the primary.
    pub(crate) fn wait_for_replicas(
        &self,
        context: &LaunchContext<'_>,
        primary: u16,
        replicas: u32,
    ) -> Result<(), LabError> {
        if replicas == 0 {
            return Ok(());
        }
        // The server waits itself: the tool logs in once.
        let sql = format!(
            "DO $$ BEGIN FOR try IN 1..{} LOOP PERFORM pg_stat_clear_snapshot(); \
             IF (SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming') >= {replicas} THEN RETURN; END IF; \
             PERFORM pg_sleep(0.1); END LOOP; RAISE EXCEPTION 'not all of {replicas} replicas follow'; END $$",
            DEADLINE.as_secs() * 10
        );
        let mut tool = self.tool(context, primary)?;
        context.run_tool(tool.arg("--command").arg(sql))
    }

    /// `psql`, as the superuser lets it in.
    fn tool(&self, context: &LaunchContext<'_>, port: u16) -> Result<Command, LabError> {
        let directory = context.server_directory(&name(1))?;
        let mut command = Command::new(self.programs.join("psql"));
        command.args(["--no-psqlrc", "--no-password", "--quiet", "--set=ON_ERROR_STOP=1"]);
        command.arg("--dbname").arg(format!(
            "{} user={} dbname=postgres",
            self.access.connection(port, &directory),
            self.access.superuser()
        ));
        // Every user of the machine can read a command line, only this one its environment.
        if let Some(password) = self.access.password() {
            command.env("PGPASSWORD", password);
        }
        Ok(command)
    }

    /// Starts a server with further settings; its port.
    fn spawn(
        &self,
        context: &mut LaunchContext<'_>,
        name: String,
        data: &Path,
        settings: Vec<String>,
    ) -> Result<u16, LabError> {
        let port = context.port()?;
        let mut spec = ServerSpec::new(name, self.programs.join("postgres"))
            .arguments(["-D".into(), data.as_os_str().to_owned()]);
        let of_all = [
            format!("listen_addresses={}", self.access.addresses()),
            "unix_socket_directories=".to_owned(),
            format!("port={port}"),
            format!("fsync={}", self.fsync),
            format!("shared_buffers={}MB", self.cache_mebibytes),
            format!("max_connections={}", self.connections),
            // A replica cannot be told to wait for replicas of its own, and is not asked.
            format!(
                "synchronous_standby_names={}",
                if self.synchronous == 0 {
                    String::new()
                } else {
                    format!("ANY {} (*)", self.synchronous)
                }
            ),
        ];
        for setting in of_all.into_iter().chain(settings) {
            spec = spec.arguments(["-c".to_owned(), setting]);
        }
        // SIGTERM would wait until every client has gone.
        spec.stop = Signal::Interrupt;
        spec.memory_bytes = node_memory_bytes(self.cache_mebibytes);
        context.spawn(spec)?;
        context.wait_until("an answer of PostgreSQL", DEADLINE, || protocol::is_ready(port))?;
        Ok(port)
    }
}

/// A connection takes a process of a few megabytes; few machines run them all at once.
pub(crate) fn node_memory_bytes(cache_mebibytes: u32) -> u64 {
    u64::from(cache_mebibytes + 100) << 20
}

/// A file with passwords has done its work.
fn remove(file: &PathBuf) -> Result<(), LabError> {
    std::fs::remove_file(file).map_err(|error| LabError::files("remove", file, &error))
}

/// The name of a server, by its number.
fn name(number: u32) -> String {
    format!("node{number}")
}
