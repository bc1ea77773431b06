//! Starting the servers, joining them to a set, and making their users.

use std::path::PathBuf;
use std::time::Duration;

use bson::{Bson, Document, doc};
use dbdyno_lab::{
    ADMINISTRATOR, APPLICATION, Installation, LabError, LabErrorKind, LaunchContext, Protection, Security,
    ServerRequest, ServerSpec, random_password,
};

use crate::client::{self, Access};
use crate::{node_memory_bytes, protocol};

/// Of each step; with three nodes on a busy machine, an election takes its time.
const DEADLINE: Duration = Duration::from_secs(120);
/// Name of the replica set.
pub(crate) const SET: &str = "rs0";

/// What is started, and how it is protected.
pub(crate) struct Setup<'a> {
    installation: &'a Installation,
    protection: &'a Protection,
    /// Who may do everything, with the password; `None`: nobody logs in.
    administrator: Option<(String, String)>,
    cache_mebibytes: u32,
    pub(crate) ports: Vec<u16>,
    /// What the members of a set with logins show each other.
    key: Option<String>,
}

impl<'a> Setup<'a> {
    pub(crate) fn new(
        request: &ServerRequest,
        installation: &'a Installation,
        protection: &'a Protection,
        cache_mebibytes: u32,
        ports: Vec<u16>,
    ) -> Result<Self, LabError> {
        let named = |name: &str| request.option(name).map(str::to_owned);
        let administrator = match &protection.logins {
            Some(logins) => Some((ADMINISTRATOR.to_owned(), logins.administrator_password.clone())),
            None => named("user").zip(named("password")),
        };
        let key = (administrator.is_some() && ports.len() > 1)
            .then(random_password)
            .transpose()?;
        Ok(Self {
            installation,
            protection,
            administrator,
            cache_mebibytes,
            ports,
            key,
        })
    }

    pub(crate) fn is_set(&self) -> bool {
        self.ports.len() > 1
    }

    /// Starts everything, and waits until clients are served.
    pub(crate) fn start(&self, context: &mut LaunchContext<'_>) -> Result<(), LabError> {
        let mut access = Access::default();
        for (index, port) in self.ports.iter().enumerate() {
            let tls = self.spawn(context, index + 1, *port)?;
            access.tls = access.tls.or(tls);
        }
        for port in &self.ports {
            context.wait_until("an open port", DEADLINE, || protocol::is_open(*port))?;
            // Certificates of the user's own may be for nobody but servers: there an open port is enough.
            if self.protection.tls.is_none() || self.protection.profile != Security::None {
                context.wait_until("an answer of MongoDB", DEADLINE, || {
                    ask(&access, *port, doc! { "hello": 1 }).map(drop)
                })?;
            }
        }
        let primary = if self.is_set() {
            self.initiate(context, &access)?
        } else {
            self.ports[0]
        };
        self.make_users(context, access, primary)
    }

    /// Starts one server; where it wants TLS, the files with which this process speaks to it.
    fn spawn(
        &self,
        context: &mut LaunchContext<'_>,
        number: usize,
        port: u16,
    ) -> Result<Option<(PathBuf, PathBuf)>, LabError> {
        let name = format!("node{number}");
        let data = context.server_directory(&name)?.join("data");
        std::fs::create_dir_all(&data).map_err(|error| LabError::files("make", &data, &error))?;
        let mut spec = ServerSpec::new(&name, &self.installation.path)
            .arguments(["--bind_ip", &self.protection.addresses(",")])
            .arguments(["--nounixsocket", "--dbpath"])
            .arguments([data])
            .arguments(["--port".to_owned(), port.to_string()])
            .arguments([
                "--wiredTigerCacheSizeGB".to_owned(),
                format!("{:.3}", f64::from(self.cache_mebibytes) / 1024.0),
            ]);
        if self.is_set() {
            spec = spec.arguments(["--replSet", SET]);
        }
        if self.administrator.is_some() {
            spec = spec.arguments(["--auth"]);
        }
        if let Some(key) = &self.key {
            let file = context.write(&name, "members.key", key)?;
            spec = spec.arguments(["--keyFile"]).arguments([file]);
        }
        let mut files = None;
        if let Some(tls) = &self.protection.tls {
            let (own, authority) = tls.as_one_file(context, &name)?;
            spec = spec
                .arguments(["--tlsMode", "requireTLS", "--tlsCertificateKeyFile"])
                .arguments([&own])
                .arguments(["--tlsCAFile"])
                .arguments([&authority])
                .arguments(["--tlsDisabledProtocols", "TLS1_0,TLS1_1"]);
            if !tls.asks_clients {
                spec = spec.arguments(["--tlsAllowConnectionsWithoutCertificates"]);
            }
            files = Some((own, authority));
        }
        if self.protection.profile == Security::Hardened {
            spec = spec.arguments(["--noscripting"]);
        }
        spec.memory_bytes = node_memory_bytes(self.cache_mebibytes);
        context.spawn(spec)?;
        Ok(files)
    }

    /// Makes a set of the servers, and waits until it has a primary and every other member follows it. The primary's port.
    fn initiate(&self, context: &mut LaunchContext<'_>, access: &Access) -> Result<u16, LabError> {
        let members: Vec<Bson> = self
            .ports
            .iter()
            .enumerate()
            .map(|(id, port)| Bson::Document(doc! { "_id": id as i32, "host": format!("127.0.0.1:{port}") }))
            .collect();
        let configuration = doc! {
            "_id": SET,
            "members": members,
            // A new primary within seconds, for tests of failure.
            "settings": { "electionTimeoutMillis": 2000, "heartbeatIntervalMillis": 500 },
        };
        ask(access, self.ports[0], doc! { "replSetInitiate": configuration })
            .map_err(|why| refused("made no replica set", &why))?;
        let mut primary = self.ports[0];
        context.wait_until("a primary that everybody follows", DEADLINE, || {
            let mut states = Vec::new();
            for port in &self.ports {
                let hello = ask(access, *port, doc! { "hello": 1 })?;
                let is = |name: &str| hello.get_bool(name).unwrap_or(false);
                states.push(if is("isWritablePrimary") {
                    primary = *port;
                    'p'
                } else if is("secondary") {
                    's'
                } else {
                    '-'
                });
            }
            if states.contains(&'p') && !states.contains(&'-') {
                Ok(())
            } else {
                Err(format!("members are {states:?}"))
            }
        })?;
        Ok(primary)
    }

    /// Makes the administrator, who then makes the application's user.
    fn make_users(
        &self,
        context: &mut LaunchContext<'_>,
        mut access: Access,
        primary: u16,
    ) -> Result<(), LabError> {
        let Some((user, password)) = &self.administrator else {
            return Ok(());
        };
        let mut create = doc! {
            "createUser": user, "pwd": password, "roles": [{ "role": "root", "db": "admin" }],
            "writeConcern": { "w": "majority" },
        };
        if self.protection.logins.is_some() {
            create.insert("mechanisms", vec!["SCRAM-SHA-256"]);
        }
        // The first user may be made without a login, from this machine only.
        ask(&access, primary, create).map_err(|why| refused("made no user", &why))?;
        let Some(logins) = &self.protection.logins else {
            return Ok(());
        };
        access.login = self.administrator.clone();
        let create = doc! {
            "createUser": APPLICATION, "pwd": &logins.password,
            "roles": [{ "role": "readWrite", "db": "ycsb" }],
            "mechanisms": ["SCRAM-SHA-256"],
            "writeConcern": { "w": "majority" },
        };
        // A member that has just become the primary may still close connections.
        context.wait_until("the application's user", DEADLINE, || {
            ask(&access, primary, create.clone()).map(drop)
        })
    }
}

fn ask(access: &Access, port: u16, command: Document) -> Result<Document, String> {
    if access.tls.is_none() && access.login.is_none() {
        protocol::ask(port, "admin", command)
    } else {
        client::ask(access, port, "admin", command)
    }
}

fn refused(what: &str, why: &str) -> LabError {
    LabError::new(LabErrorKind::Server, format!("MongoDB {what}: {why}"))
}
