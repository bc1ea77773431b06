//! Starting the servers, joining them to sets and a cluster, and making their users.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use bson::doc;
use dbdyno_lab::{
    ADMINISTRATOR, Installation, LabError, LaunchContext, Protection, Security, ServerRequest, ServerSpec,
    random_password,
};

use crate::client::Access;
use crate::command::{DEADLINE, ask, refused};
use crate::servers::{Group, Member, Servers, router_arguments};
use crate::users::Users;
use crate::{ROUTER_MEMORY_BYTES, node_memory_bytes, protocol};

/// What is started, and how it is protected.
pub(crate) struct Setup<'a> {
    installation: &'a Installation,
    /// The program of routers; `None`: there are none.
    mongos: Option<PathBuf>,
    protection: &'a Protection,
    /// Who may do everything, with the password; `None`: nobody logs in.
    administrator: Option<(String, String)>,
    cache_mebibytes: u32,
    pub(crate) servers: Servers,
    /// What the members of a set with logins show each other.
    key: Option<String>,
}

impl<'a> Setup<'a> {
    pub(crate) fn new(
        request: &ServerRequest,
        installation: &'a Installation,
        mongos: Option<PathBuf>,
        protection: &'a Protection,
        servers: Servers,
    ) -> Result<Self, LabError> {
        let named = |name: &str| request.option(name).map(str::to_owned);
        let administrator = match &protection.logins {
            Some(logins) => Some((ADMINISTRATOR.to_owned(), logins.administrator_password.clone())),
            None => named("user").zip(named("password")),
        };
        let has_set = servers.groups.iter().any(|group| group.set.is_some());
        let key = (administrator.is_some() && has_set)
            .then(random_password)
            .transpose()?;
        Ok(Self {
            installation,
            mongos,
            protection,
            administrator,
            cache_mebibytes: crate::cache_mebibytes(request)?,
            servers,
            key,
        })
    }

    /// Starts everything, and waits until clients are served: first the servers that keep something, then their sets, then the
    /// routers, which look for the sets of the config servers, and last the shards are made known to a router.
    pub(crate) fn start(&self, context: &mut LaunchContext<'_>) -> Result<(), LabError> {
        let mut access = Access::default();
        for group in &self.servers.groups {
            for member in &group.members {
                let tls = self.spawn(context, group, member)?;
                access.tls = access.tls.or(tls);
            }
        }
        for member in self.servers.groups.iter().flat_map(|group| &group.members) {
            self.wait_for_answer(context, &access, member.port)?;
        }
        // All elections run at the same time.
        for group in self.servers.groups.iter().filter(|group| group.set.is_some()) {
            let initiate = doc! { "replSetInitiate": group.configuration() };
            ask(&access, group.members[0].port, initiate)
                .map_err(|why| refused("made no replica set", &why))?;
        }
        let mut primaries = Vec::new();
        for group in &self.servers.groups {
            primaries.push(match group.set {
                Some(_) => wait_for_primary(context, &access, group)?,
                None => group.members[0].port,
            });
        }
        self.start_routers(context, &access)?;
        let users = Users {
            administrator: self.administrator.as_ref(),
            application_password: self
                .protection
                .logins
                .as_ref()
                .map(|logins| logins.password.as_str()),
            is_cluster: !self.servers.routers.is_empty(),
        };
        let Some(router) = self.servers.routers.first() else {
            for primary in primaries {
                users.make(context, &mut access, primary)?;
            }
            return Ok(());
        };
        // Users of a cluster are those of its config servers.
        users.make_administrator(&mut access, router.port)?;
        for command in self.servers.add_shards() {
            context.wait_until("a shard of the cluster", DEADLINE, || {
                ask(&access, router.port, command.clone()).map(drop)
            })?;
        }
        users.make_application(context, &access, router.port)
    }

    /// Waits until a server listens and, where this process can speak to it, answers.
    fn wait_for_answer(
        &self,
        context: &mut LaunchContext<'_>,
        access: &Access,
        port: u16,
    ) -> Result<(), LabError> {
        context.wait_until("an open port", DEADLINE, || protocol::is_open(port))?;
        // Certificates of the user's own may be for nobody but servers: there an open port is enough.
        if self.protection.tls.is_none() || self.protection.profile != Security::None {
            context.wait_until("an answer of MongoDB", DEADLINE, || {
                ask(access, port, doc! { "hello": 1 }).map(drop)
            })?;
        }
        Ok(())
    }

    /// Starts one mongod; where it wants TLS, the files with which this process speaks to it.
    fn spawn(
        &self,
        context: &mut LaunchContext<'_>,
        group: &Group,
        member: &Member,
    ) -> Result<Option<(PathBuf, PathBuf)>, LabError> {
        let data = context.server_directory(&member.name)?.join("data");
        std::fs::create_dir_all(&data).map_err(|error| LabError::files("make", &data, &error))?;
        let mut spec = ServerSpec::new(&member.name, &self.installation.path)
            .arguments(["--bind_ip", &self.protection.addresses(",")])
            .arguments(["--nounixsocket", "--dbpath"])
            .arguments([data])
            .arguments(["--port".to_owned(), member.port.to_string()])
            .arguments([
                "--wiredTigerCacheSizeGB".to_owned(),
                format!("{:.3}", f64::from(self.cache_mebibytes) / 1024.0),
            ])
            .arguments(group.arguments());
        if self.administrator.is_some() {
            spec = spec.arguments(["--auth"]);
        }
        spec.memory_bytes = node_memory_bytes(self.cache_mebibytes);
        self.spawn_protected(context, spec, member.port)
    }

    /// Starts the routers, if there are any, and waits until they answer.
    fn start_routers(&self, context: &mut LaunchContext<'_>, access: &Access) -> Result<(), LabError> {
        let (Some(mongos), Some(config)) = (&self.mongos, self.servers.config_servers()) else {
            return Ok(());
        };
        let bind = self.protection.addresses(",");
        for router in &self.servers.routers {
            let mut spec =
                ServerSpec::new(&router.name, mongos).arguments(router_arguments(&config, router, &bind));
            spec.memory_bytes = ROUTER_MEMORY_BYTES;
            context.server_directory(&router.name)?;
            self.spawn_protected(context, spec, router.port)?;
        }
        for router in &self.servers.routers {
            self.wait_for_answer(context, access, router.port)?;
        }
        Ok(())
    }

    /// Starts a server with the key and the certificates that all of them have.
    fn spawn_protected(
        &self,
        context: &mut LaunchContext<'_>,
        mut spec: ServerSpec,
        port: u16,
    ) -> Result<Option<(PathBuf, PathBuf)>, LabError> {
        if let Some(key) = &self.key {
            let file = context.write(&spec.name, "members.key", key)?;
            spec = spec.arguments(["--keyFile"]).arguments([file]);
        }
        let mut files = None;
        if let Some(tls) = &self.protection.tls {
            let (own, authority) = tls.as_one_file(context, &spec.name)?;
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
        // The ports of servers that start later stay held.
        spec.listens = vec![SocketAddr::from((Ipv4Addr::LOCALHOST, port))];
        context.spawn(spec)?;
        Ok(files)
    }
}

/// Waits until a set has a primary and every other member follows it. The primary's port.
fn wait_for_primary(
    context: &mut LaunchContext<'_>,
    access: &Access,
    group: &Group,
) -> Result<u16, LabError> {
    let mut primary = group.members[0].port;
    context.wait_until("a primary that everybody follows", DEADLINE, || {
        let mut states = Vec::new();
        for member in &group.members {
            let hello = ask(access, member.port, doc! { "hello": 1 })?;
            let is = |name: &str| hello.get_bool(name).unwrap_or(false);
            states.push(if is("isWritablePrimary") {
                primary = member.port;
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
