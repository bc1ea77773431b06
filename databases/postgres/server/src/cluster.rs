//! The servers of one system: made, started, and following their primary.

use std::path::{Path, PathBuf};
use std::process::Command;

use dbdyno_lab::{Ground, LabError, ServerSpec, Signal, Wish};

use crate::DEADLINE;
use crate::account::give;
use crate::protocol;

/// What all servers of a system have in common.
pub(crate) struct Cluster<'a> {
    pub(crate) wish: &'a Wish,
    /// Directory of PostgreSQL's programs.
    pub(crate) programs: &'a Path,
    /// User and group of the servers, when we are root.
    pub(crate) account: Option<(u32, u32)>,
    /// Replicas that a commit waits for.
    pub(crate) synchronous: u32,
    pub(crate) cache_mebibytes: u32,
    pub(crate) connections: u32,
    pub(crate) fsync: &'static str,
}

impl Cluster<'_> {
    /// Starts the primary; its port.
    pub(crate) fn primary(&self, ground: &mut Ground<'_>) -> Result<u16, LabError> {
        let (directory, data) = self.directory(ground, 1)?;
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
        match self.wish.option("password") {
            Some(password) => {
                let file = directory.join("password");
                write_for(&file, password.as_bytes(), self.account)?;
                make.args(["--auth=scram-sha-256", "--pwfile"]).arg(&file);
                ground.run_tool(&mut make, self.account)?;
                std::fs::remove_file(&file).map_err(|error| LabError::files("remove", &file, &error))?;
            }
            None => ground.run_tool(make.arg("--auth=trust"), self.account)?,
        }
        if let Some(certificates) = self.wish.option("tls") {
            self.encrypt(&data, &PathBuf::from(certificates))?;
        }
        self.spawn(ground, 1, &data)
    }

    /// Starts a replica of the primary; its port.
    pub(crate) fn replica(
        &self,
        ground: &mut Ground<'_>,
        number: u32,
        primary: u16,
    ) -> Result<u16, LabError> {
        let (_, data) = self.directory(ground, number)?;
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
            "host=127.0.0.1 port={primary} user=postgres application_name=node{number}"
        ));
        ground.run_tool(&mut copy, self.account)?;
        self.spawn(ground, number, &data)
    }

    /// Waits until every replica follows the primary.
    pub(crate) fn wait_for_replicas(
        &self,
        ground: &mut Ground<'_>,
        primary: u16,
        replicas: u32,
    ) -> Result<(), LabError> {
        if replicas == 0 {
            return Ok(());
        }
        ground.wait_until("a stream to every replica", DEADLINE, || {
            let sql = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
            let streams = protocol::ask(primary, sql)?;
            if streams == replicas.to_string() {
                Ok(())
            } else {
                Err(format!("{streams} of {replicas} follow"))
            }
        })
    }

    /// The directory of a server, and that of its data, which is the server's user's.
    fn directory(&self, ground: &Ground<'_>, number: u32) -> Result<(PathBuf, PathBuf), LabError> {
        use std::os::unix::fs::PermissionsExt;
        let directory = ground.server_directory(&format!("node{number}"))?;
        let data = directory.join("data");
        std::fs::create_dir_all(&data).map_err(|error| LabError::files("make", &data, &error))?;
        // PostgreSQL insists that nobody else can enter.
        std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o700))
            .map_err(|error| LabError::files("close", &data, &error))?;
        give(&data, self.account)?;
        Ok((directory, data))
    }

    fn spawn(&self, ground: &mut Ground<'_>, number: u32, data: &Path) -> Result<u16, LabError> {
        let port = ground.port()?;
        let mut spec = ServerSpec::new(format!("node{number}"), self.programs.join("postgres"))
            .arguments(["-D".into(), data.as_os_str().to_owned()]);
        for setting in [
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
        ] {
            spec = spec.arguments(["-c".to_owned(), setting]);
        }
        spec.user = self.account;
        // SIGTERM would wait until every client has gone.
        spec.stop = Signal::Interrupt;
        // A connection takes a process of a few megabytes; few machines run them all at once.
        spec.memory_bytes = (u64::from(self.cache_mebibytes) + 100) << 20;
        ground.spawn(spec)?;
        ground.wait_until("an answer of PostgreSQL", DEADLINE, || protocol::is_ready(port))?;
        Ok(port)
    }

    /// Sessions only over TLS, and only with a certificate of the authority.
    fn encrypt(&self, data: &Path, certificates: &Path) -> Result<(), LabError> {
        for name in ["server.pem", "server.key", "ca.pem"] {
            let source = certificates.join(name);
            let content = std::fs::read(&source).map_err(|error| LabError::files("read", &source, &error))?;
            write_for(&data.join(name), &content, self.account)?;
        }
        let settings =
            "ssl=on\nssl_cert_file='server.pem'\nssl_key_file='server.key'\nssl_ca_file='ca.pem'\n";
        append(&data.join("postgresql.conf"), settings)?;
        let method = match self.wish.option("password") {
            Some(_) => "scram-sha-256",
            None => "trust",
        };
        let access = data.join("pg_hba.conf");
        std::fs::write(
            &access,
            format!("hostssl all all 127.0.0.1/32 {method} clientcert=verify-ca\n"),
        )
        .map_err(|error| LabError::files("write", &access, &error))
    }
}

fn append(path: &Path, text: &str) -> Result<(), LabError> {
    use std::io::Write;
    std::fs::OpenOptions::new()
        .append(true)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| LabError::files("write", path, &error))
}

/// A file that only the server's user can read.
fn write_for(path: &Path, content: &[u8], account: Option<(u32, u32)>) -> Result<(), LabError> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(content))
        .map_err(|error| LabError::files("write", path, &error))?;
    give(path, account)
}
