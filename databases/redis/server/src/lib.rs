//! The lab's recipe for Redis: one server, or a cluster of masters on one address.
//!
//! Facts and flags: redis.io's documentation of `redis.conf` and of `redis-cli --cluster`.

mod protocol;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use dbdyno_lab::{
    ADMINISTRATOR, APPLICATION, AT_REST_OPTION, Durability, Installation, LISTEN_OPTION, LabError,
    LabErrorKind, LaunchContext, NodeMemory, PASSWORD_ENV_OPTION, PASSWORD_FILE_OPTION, Progress, Protection,
    Recipe, RecipeInfo, RecipeOption, SECURITY_OPTION, ServerRequest, ServerSpec, Software, Store,
    SystemPackages, TLS_OPTION, address_part, debian_package, named_program, on_path, with_options,
};

/// Debian's packages of the server and its tools.
const PACKAGES: SystemPackages<'static> = SystemPackages {
    software: "Redis",
    names: &["redis-server", "redis-tools"],
    otherwise: "use your own copy, on PATH or in home=DIR",
};

/// How long one server, or a cluster of them, may take until it answers: seconds, but many on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// How often a node is asked whether it knows the whole cluster.
const TRIES: u32 = 50;

/// What a server takes with the buffers of its connections, before it has data.
const NODE_MEMORY_BYTES: u64 = 32 << 20;

/// The recipe.
pub struct RedisRecipe;

/// The options that an address may have.
const OPTIONS: &[RecipeOption] = &[
    RecipeOption::new(
        "home",
        "directory with redis-server in it or in its src",
        "$REDIS_HOME, PATH, apt-get",
    ),
    RecipeOption::new("nodes", "1, or 3 to 6 masters of a cluster", "1"),
    RecipeOption::new(
        "appendfsync",
        "no, everysec or always: when the log is synced; off: no log",
        "everysec",
    ),
    RecipeOption::new("password", "a password that the server asks for", ""),
    PASSWORD_FILE_OPTION,
    PASSWORD_ENV_OPTION,
    TLS_OPTION,
    SECURITY_OPTION,
    LISTEN_OPTION,
    AT_REST_OPTION,
];

impl Recipe for RedisRecipe {
    fn info(&self) -> RecipeInfo {
        RecipeInfo {
            name: "redis",
            product: "Redis",
            summary: "Redis as it is installed, or from Debian's package",
            versions: &["7"],
            options: OPTIONS,
            software: Software {
                program: Some("redis-server"),
                further: &[],
                home: "REDIS_HOME",
                fetched: None,
                otherwise: "installed from Debian's package, with --install",
            },
            durability_by: Some((
                "appendfsync",
                &[
                    ("everysec", Durability::None),
                    ("no", Durability::Buffered),
                    ("always", Durability::Synced),
                    ("off", Durability::None),
                ],
            )),
            encrypts_files: None,
            usual_start: Duration::from_secs(1),
            usual_warmup: Duration::from_secs(6),
        }
    }

    fn install(
        &self,
        request: &ServerRequest,
        _: &Store,
        progress: &mut dyn Progress,
    ) -> Result<Installation, LabError> {
        let help = "name the directory that the program lies in";
        if let Some(program) = named_program(
            request,
            "REDIS_HOME",
            &["redis-server", "src/redis-server", "bin/redis-server"],
            help,
        )? {
            return Ok(program);
        }
        if let Some(path) = on_path("redis-server", &[]) {
            return Ok(Installation {
                path,
                origin: "found on PATH".to_owned(),
            });
        }
        debian_package(&PACKAGES, progress)?;
        match on_path("redis-server", &[]) {
            Some(path) => Ok(Installation {
                path,
                origin: "Debian's package".to_owned(),
            }),
            None => Err(LabError::new(
                LabErrorKind::Software,
                "Debian's package brought no redis-server",
            )),
        }
    }

    fn memory_bytes(&self, request: &ServerRequest) -> Result<u64, LabError> {
        Ok(u64::from(nodes(request)?) * NODE_MEMORY_BYTES)
    }

    fn within_memory(&self, request: &ServerRequest, mebibytes: u32) -> Result<NodeMemory, LabError> {
        let node = u32::try_from(NODE_MEMORY_BYTES >> 20).unwrap_or(u32::MAX);
        let data = mebibytes
            .checked_sub(node)
            .filter(|data| *data > 0)
            .ok_or_else(|| {
                let message = format!(
                    "memory={mebibytes}M of {} cannot be: a server takes {node}M before it has data",
                    request.name
                );
                LabError::new(LabErrorKind::Request, message)
                    .help(format!("ask for memory={}M at least", 2 * node))
            })?;
        // Writes beyond it are refused, for nothing is evicted by default.
        Ok(NodeMemory {
            options: Vec::new(),
            arguments: vec!["--maxmemory".to_owned(), format!("{data}mb")],
        })
    }

    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        let nodes = nodes(request)?;
        let sync = request.choice("appendfsync", &["everysec", "no", "always", "off"])?;
        let protection = context.protection(request)?;
        let setup = Setup {
            request,
            protection: &protection,
            installation,
            sync,
            clustered: nodes > 1,
        };
        let ports: Vec<u16> = (0..nodes).map(|_| context.port()).collect::<Result<_, _>>()?;
        for (index, port) in ports.iter().enumerate() {
            setup.spawn(context, index + 1, *port)?;
        }
        if setup.clustered {
            setup.wait_for_nodes(context, &ports)?;
            setup.join(context, &ports)?;
            setup.wait_for_cluster(context, &ports)?;
        } else if protection.tls.is_some() {
            // Its handshake is the driver's business; here it is enough that the port is open.
            context.wait_until("an open port", DEADLINE, || protocol::is_open(ports[0]))?;
        } else {
            context.wait_until("an answer of Redis", DEADLINE, || protocol::answers(ports[0]))?;
        }
        let scheme = if protection.tls.is_some() {
            "rediss"
        } else {
            "redis"
        };
        let host = format!("127.0.0.1:{}", ports[0]);
        if protection.logins.is_some() {
            let address = format!("{scheme}://{ADMINISTRATOR}@{host}");
            context.set_administrator(with_options(&address, &protection.administrator_options()));
            let address = format!("{scheme}://{APPLICATION}@{host}");
            return Ok(with_options(&address, &protection.client_options()));
        }
        let login = request
            .option("password")
            .map_or_else(String::new, |password| format!(":{}@", address_part(password)));
        Ok(with_options(
            &format!("{scheme}://{login}{host}"),
            &protection.client_options(),
        ))
    }
}

fn nodes(request: &ServerRequest) -> Result<u32, LabError> {
    let nodes = request.number("nodes", 1, 1..=6)?;
    if nodes == 2 {
        return Err(LabError::new(
            LabErrorKind::Request,
            "a cluster of Redis has at least three masters",
        )
        .help("ask for nodes=1 or nodes=3"));
    }
    Ok(nodes)
}

/// A string of Redis's configuration, whatever signs it has.
fn quoted(text: &str) -> String {
    let signs: String = text.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("\"{signs}\"")
}

/// What the application may do: everything with its data, nothing with the server. A cluster's clients read its slots, and the
/// driver reads the facts about the server.
const APPLICATION_RIGHTS: &str = "~* &* +@all -@admin -@dangerous +info +cluster|slots +cluster|shards +cluster|info +cluster|nodes +config|get";

struct Setup<'a> {
    request: &'a ServerRequest,
    protection: &'a Protection,
    installation: &'a Installation,
    sync: &'static str,
    clustered: bool,
}

impl Setup<'_> {
    fn spawn(&self, context: &mut LaunchContext<'_>, number: usize, port: u16) -> Result<(), LabError> {
        let name = format!("node{number}");
        let directory = context.server_directory(&name)?;
        let port = port.to_string();
        let mut spec = ServerSpec::new(&name, &self.installation.path);
        // A command line can be read by every user of the machine.
        if let Some(settings) = self.secret_settings() {
            spec = spec.arguments([context.write(&name, "redis.conf", settings)?]);
        }
        spec = spec
            .arguments(["--bind", &self.protection.addresses(" ")])
            .arguments(["--daemonize", "no", "--save", "", "--dir"])
            .arguments([directory]);
        spec = match &self.protection.tls {
            Some(tls) => {
                let clients = if tls.asks_clients { "yes" } else { "no" };
                spec = spec.arguments(["--port", "0", "--tls-port", &port, "--tls-auth-clients", clients]);
                for (option, file) in [
                    ("--tls-cert-file", "server.pem"),
                    ("--tls-key-file", "server.key"),
                    ("--tls-ca-cert-file", "ca.pem"),
                ] {
                    let copy = context.copy(&name, file, &tls.file(file))?;
                    spec = spec.arguments([option]).arguments([copy]);
                }
                if self.clustered {
                    spec = spec.arguments(["--tls-cluster", "yes", "--tls-replication", "yes"]);
                }
                spec
            }
            None => spec.arguments(["--port", &port]),
        };
        spec = match self.sync {
            "off" => spec.arguments(["--appendonly", "no"]),
            sync => spec.arguments(["--appendonly", "yes", "--appendfsync", sync]),
        };
        if self.clustered {
            spec = spec.arguments(["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"]);
        }
        context.spawn(spec)
    }

    /// Settings with passwords.
    fn secret_settings(&self) -> Option<String> {
        if let Some(logins) = &self.protection.logins {
            // No node is a replica, so none logs in to another: `masterauth` would show a password to whoever may read settings.
            return Some(format!(
                "user default off\nuser {ADMINISTRATOR} on >{} ~* &* +@all\nuser {APPLICATION} on >{} {APPLICATION_RIGHTS}\n",
                logins.administrator_password, logins.password
            ));
        }
        let password = self.request.option("password")?;
        Some(format!("requirepass {}\n", quoted(password)))
    }

    /// Whether anybody may talk to the nodes as this process does: in clear text, without a login.
    const fn is_open(&self) -> bool {
        self.protection.tls.is_none() && self.protection.logins.is_none()
    }

    /// Waits until all nodes answer, before there is a cluster.
    fn wait_for_nodes(&self, context: &mut LaunchContext<'_>, ports: &[u16]) -> Result<(), LabError> {
        for port in ports {
            context.wait_until("an answer of Redis", DEADLINE, || {
                if self.protection.tls.is_some() {
                    protocol::is_open(*port)
                } else {
                    protocol::answers(*port)
                }
            })?;
        }
        Ok(())
    }

    /// Waits until every node knows who has every slot.
    fn wait_for_cluster(&self, context: &mut LaunchContext<'_>, ports: &[u16]) -> Result<(), LabError> {
        for port in ports {
            if self.is_open() {
                context.wait_until("a cluster that knows all its slots", DEADLINE, || {
                    protocol::cluster_is_whole(*port)
                })?;
                continue;
            }
            // The tool speaks TLS and logs in; it fails while nodes disagree.
            let node = format!("127.0.0.1:{port}");
            let mut last = Ok(());
            for _ in 0..TRIES {
                last = self.cluster(context, &["check", &node]);
                let failed = |error: &LabError| error.kind == LabErrorKind::Server;
                if !last.as_ref().is_err_and(failed) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(200));
            }
            last?;
        }
        Ok(())
    }

    fn join(&self, context: &LaunchContext<'_>, ports: &[u16]) -> Result<(), LabError> {
        let nodes: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        let mut words = vec!["create"];
        words.extend(nodes.iter().map(String::as_str));
        words.extend(["--cluster-replicas", "0", "--cluster-yes"]);
        self.cluster(context, &words)
    }

    /// Runs `redis-cli --cluster`, as the servers let it in.
    fn cluster(&self, context: &LaunchContext<'_>, words: &[&str]) -> Result<(), LabError> {
        let mut command = Command::new(self.client()?);
        if self.protection.tls.is_some() {
            let own = context.server_directory("node1")?;
            command.arg("--tls");
            for (option, file) in [
                ("--cacert", "ca.pem"),
                ("--cert", "server.pem"),
                ("--key", "server.key"),
            ] {
                command.arg(option).arg(own.join(file));
            }
        }
        if let Some(logins) = &self.protection.logins {
            // Every user of the machine can read a command line, only this one its environment.
            command.args(["--user", ADMINISTRATOR]);
            command.env("REDISCLI_AUTH", &logins.administrator_password);
        }
        command.arg("--cluster").args(words);
        context.run_tool(&mut command)
    }

    fn client(&self) -> Result<PathBuf, LabError> {
        let beside = self.installation.path.with_file_name("redis-cli");
        let client = if beside.is_file() {
            Some(beside)
        } else {
            on_path("redis-cli", &[])
        };
        client.ok_or_else(|| {
            LabError::new(
                LabErrorKind::Software,
                "there is no redis-cli, which makes a cluster of the servers",
            )
            .help("install it: sudo apt-get install redis-tools")
        })
    }
}
