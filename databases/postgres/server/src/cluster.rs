//! The servers of one system: made, started, and following their primary.

use std::path::Path;
use std::process::Command;

use dbdyno_lab::{LabError, LaunchContext, ServerRequest, ServerSpec, Signal};

use crate::DEADLINE;
use crate::protocol;

/// What all servers of a system have in common.
pub(crate) struct Cluster<'a> {
    pub(crate) request: &'a ServerRequest,
    /// Directory of PostgreSQL's programs.
    pub(crate) programs: &'a Path,
    /// Replicas that a commit waits for.
    pub(crate) synchronous: u32,
    pub(crate) cache_mebibytes: u32,
    pub(crate) connections: u32,
    pub(crate) fsync: &'static str,
}

impl Cluster<'_> {
    /// Starts the primary; its port.
    pub(crate) fn primary(&self, context: &mut LaunchContext<'_>) -> Result<u16, LabError> {
        let name = name(1);
        let data = context.server_directory(&name)?.join("data");
        let settings = match self.request.option("tls") {
            Some(certificates) => self.encryption(context, &name, Path::new(certificates))?,
            None => Vec::new(),
        };
        let mut make = Command::new(self.programs.join("initdb"));
        // The collation and the character set of the machine would make results differ; syncing the files takes time.
        make.args([
            "--username=postgres",
            "--locale=C",
            "--encoding=UTF8",
            "--no-sync",
            "--pgdata",
        ])
        .arg(&data);
        match self.request.option("password") {
            Some(password) => {
                let file = context.write(&name, "password", password)?;
                context.hand_over(&name)?;
                make.args(["--auth=scram-sha-256", "--pwfile"]).arg(&file);
                context.run_tool(&mut make)?;
                std::fs::remove_file(&file).map_err(|error| LabError::files("remove", &file, &error))?;
            }
            None => {
                context.hand_over(&name)?;
                context.run_tool(make.arg("--auth=trust"))?;
            }
        }
        self.spawn(context, name, &data, settings)
    }

    /// Starts a replica of the primary; its port.
    pub(crate) fn replica(
        &self,
        context: &mut LaunchContext<'_>,
        number: u32,
        primary: u16,
    ) -> Result<u16, LabError> {
        let name = name(number);
        let data = context.server_directory(&name)?.join("data");
        context.hand_over(&name)?;
        let mut copy = Command::new(self.programs.join("pg_basebackup"));
        copy.args([
            "--write-recovery-conf",
            "--checkpoint=fast",
            "--no-sync",
            "--pgdata",
        ])
        .arg(&data)
        .arg("--dbname")
        .arg(format!(
            "host=127.0.0.1 port={primary} user=postgres application_name={name}"
        ));
        context.run_tool(&mut copy)?;
        self.spawn(context, name, &data, Vec::new())
    }

    /// Waits until every replica follows the primary.
    pub(crate) fn wait_for_replicas(
        &self,
        context: &mut LaunchContext<'_>,
        primary: u16,
        replicas: u32,
    ) -> Result<(), LabError> {
        if replicas == 0 {
            return Ok(());
        }
        context.wait_until("a stream to every replica", DEADLINE, || {
            let sql = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
            let streams = protocol::ask(primary, sql)?;
            if streams == replicas.to_string() {
                Ok(())
            } else {
                Err(format!("{streams} of {replicas} follow"))
            }
        })
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
            "listen_addresses=127.0.0.1".to_owned(),
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
        // A connection takes a process of a few megabytes; few machines run them all at once.
        spec.memory_bytes = (u64::from(self.cache_mebibytes) + 100) << 20;
        context.spawn(spec)?;
        context.wait_until("an answer of PostgreSQL", DEADLINE, || protocol::is_ready(port))?;
        Ok(port)
    }

    /// Settings for sessions only over TLS, and only with a certificate of the authority. Files lie beside the data, where
    /// they can be written before the data exist.
    fn encryption(
        &self,
        context: &LaunchContext<'_>,
        name: &str,
        certificates: &Path,
    ) -> Result<Vec<String>, LabError> {
        let method = match self.request.option("password") {
            Some(_) => "scram-sha-256",
            None => "trust",
        };
        let access = format!("hostssl all all 127.0.0.1/32 {method} clientcert=verify-ca\n");
        let access = context.write(name, "pg_hba.conf", access)?;
        let mut settings = vec!["ssl=on".to_owned(), format!("hba_file={}", access.display())];
        for (setting, file) in [
            ("ssl_cert_file", "server.pem"),
            ("ssl_key_file", "server.key"),
            ("ssl_ca_file", "ca.pem"),
        ] {
            let copy = context.copy(name, file, &certificates.join(file))?;
            settings.push(format!("{setting}={}", copy.display()));
        }
        Ok(settings)
    }
}

/// The name of a server, by its number.
fn name(number: u32) -> String {
    format!("node{number}")
}
