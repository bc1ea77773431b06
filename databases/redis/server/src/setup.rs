//! Starts the servers of a request and waits until they belong together.

use dbdyno_lab::{Installation, LabError, LaunchContext, ServerSpec};

use crate::DEADLINE;
use crate::access::Access;
use crate::protocol::{self, Wire};
use crate::tool::Tool;
use crate::topology::Topology;

/// Succeeds at a replica that has all data of its master and follows it.
const FOLLOWS: &str = "if string.find(redis.call('INFO', 'replication'), 'master_link_status:up', 1, true) then return 'OK' end \
                       return redis.error_reply('ERR the replica does not follow its master yet')";

/// The servers that are started, and how.
pub(crate) struct Setup<'a> {
    pub(crate) access: Access<'a>,
    pub(crate) installation: &'a Installation,
    pub(crate) sync: &'static str,
    pub(crate) topology: Topology,
}

impl Setup<'_> {
    /// Starts all servers; their ports, that of a master first.
    pub(crate) fn start(&self, context: &mut LaunchContext<'_>) -> Result<Vec<u16>, LabError> {
        let count = self.topology.servers();
        let ports: Vec<u16> = (0..count).map(|_| context.port()).collect::<Result<_, _>>()?;
        for (index, port) in ports.iter().enumerate() {
            self.spawn(context, index, &ports)?;
            // A replica that finds no master tries again after a second only.
            if self.topology.replicas() > 0 {
                self.wait_for_answer(context, *port)?;
            }
        }
        for port in &ports {
            self.wait_for_answer(context, *port)?;
        }
        if self.topology.is_cluster() {
            self.join(context, &ports)?;
            self.wait_for_cluster(context, &ports)?;
        }
        if let [master, replicas @ ..] = ports.as_slice()
            && self.topology.replicas() > 0
        {
            self.wait_for_replicas(context, *master, replicas)?;
        }
        Ok(ports)
    }

    fn wait_for_answer(&self, context: &mut LaunchContext<'_>, port: u16) -> Result<(), LabError> {
        context.wait_until("an answer of Redis", DEADLINE, || {
            if self.access.protection.tls.is_some() {
                // Its handshake is the driver's business; here it is enough that the port is open.
                protocol::is_open(port)
            } else {
                protocol::answers(port)
            }
        })
    }

    fn spawn(&self, context: &mut LaunchContext<'_>, index: usize, ports: &[u16]) -> Result<(), LabError> {
        let has_roles = self.topology.replicas() > 0;
        let (has_replicas, is_replica) = (has_roles && index == 0, has_roles && index > 0);
        let name = self.topology.name(index);
        let directory = context.server_directory(&name)?;
        let mut spec = ServerSpec::new(&name, &self.installation.path);
        // A command line can be read by every user of the machine.
        if let Some(settings) = self.access.secret_settings(has_replicas, is_replica) {
            spec = spec.arguments([context.write(&name, "redis.conf", settings)?]);
        }
        spec = spec
            .arguments(["--bind", &self.access.protection.addresses(" ")])
            .arguments(["--daemonize", "no", "--save", "", "--dir"])
            .arguments([directory]);
        spec = self.access.listening(context, spec, ports[index])?;
        spec = match self.sync {
            "off" => spec.arguments(["--appendonly", "no"]),
            sync => spec.arguments(["--appendonly", "yes", "--appendfsync", sync]),
        };
        let has_tls = self.access.protection.tls.is_some();
        if self.topology.is_cluster() {
            spec = spec.arguments(["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"]);
            if has_tls {
                spec = spec.arguments(["--tls-cluster", "yes"]);
            }
        }
        if has_tls && (self.topology.is_cluster() || is_replica) {
            spec = spec.arguments(["--tls-replication", "yes"]);
        }
        if has_replicas {
            // Otherwise it waits five seconds for more replicas before the first has its data.
            spec = spec.arguments(["--repl-diskless-sync-delay", "0"]);
        }
        if is_replica {
            spec = spec.arguments(["--replicaof", "127.0.0.1", &ports[0].to_string()]);
        }
        context.spawn(spec)
    }

    fn tool(&self) -> Tool<'_> {
        Tool {
            access: &self.access,
            installation: self.installation,
            server: self.topology.name(0),
        }
    }

    fn join(&self, context: &LaunchContext<'_>, ports: &[u16]) -> Result<(), LabError> {
        let nodes: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        let mut words = vec!["--cluster", "create"];
        words.extend(nodes.iter().map(String::as_str));
        words.extend(["--cluster-replicas", "0", "--cluster-yes"]);
        self.tool().run(context, &words)
    }

    /// Waits until every node knows who has every slot.
    fn wait_for_cluster(&self, context: &mut LaunchContext<'_>, ports: &[u16]) -> Result<(), LabError> {
        let is_open = self.access.protection.tls.is_none() && self.access.login().is_none();
        for port in ports {
            if is_open {
                context.wait_until("a cluster that knows all its slots", DEADLINE, || {
                    protocol::cluster_is_whole(*port)
                })?;
                continue;
            }
            // The tool speaks TLS and logs in; it fails while nodes disagree.
            let node = format!("127.0.0.1:{port}");
            let words = ["--cluster", "check", &node];
            self.tool().run_until_it_succeeds(context, &words)?;
        }
        Ok(())
    }

    /// Waits until every replica has all data of the master, and the master counts them all.
    fn wait_for_replicas(
        &self,
        context: &mut LaunchContext<'_>,
        master: u16,
        replicas: &[u16],
    ) -> Result<(), LabError> {
        let count = replicas.len();
        if self.access.protection.tls.is_none() {
            let login = self.access.login();
            for port in replicas {
                let wire = Wire::new(*port, login.as_ref());
                context.wait_until("a replica that follows its master", DEADLINE, || wire.follows())?;
            }
            let wire = Wire::new(master, login.as_ref());
            return context.wait_until("a master that feeds its replicas", DEADLINE, || wire.feeds(count));
        }
        // The tool speaks TLS.
        for port in replicas {
            self.evaluate(context, *port, FOLLOWS)?;
        }
        self.evaluate(context, master, &feeds(count))
    }

    /// Runs a script at a server until it gives no error.
    fn evaluate(&self, context: &LaunchContext<'_>, port: u16, script: &str) -> Result<(), LabError> {
        let words = ["-e", "-p", &port.to_string(), "EVAL", script, "0"];
        self.tool().run_until_it_succeeds(context, &words)
    }
}

/// Succeeds at a master that feeds so many replicas, all of which have its data.
fn feeds(count: usize) -> String {
    format!(
        "local _, online = string.gsub(redis.call('INFO', 'replication'), 'state=online', '') \
         if online >= {count} then return 'OK' end \
         return redis.error_reply('ERR ' .. online .. ' of {count} replicas follow')"
    )
}
