//! The lab's recipe for Redis: one server, or a cluster of masters on one address.
//!
//! Facts and flags: redis.io's documentation of `redis.conf` and of `redis-cli --cluster`.

mod protocol;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use dbdyno_lab::{
    Installation, LabError, LabErrorKind, LaunchContext, PASSWORD_ENV_OPTION, PASSWORD_FILE_OPTION, Progress,
    Recipe, RecipeInfo, ServerRequest, ServerSpec, Store, TLS_OPTION, address_part, debian_package,
    named_program, on_path,
};

/// How long one server may take until it answers.
const DEADLINE: Duration = Duration::from_secs(20);

/// The recipe.
pub struct RedisRecipe;

impl Recipe for RedisRecipe {
    fn info(&self) -> RecipeInfo {
        RecipeInfo {
            name: "redis",
            summary: "Redis as it is installed, or from Debian's package",
            versions: &["7"],
            options: &[
                (
                    "home",
                    "directory with redis-server in it or in its src (default: $REDIS_HOME, PATH, apt-get)",
                ),
                ("nodes", "1, or 3 to 6 masters of a cluster (default 1)"),
                (
                    "appendfsync",
                    "no, everysec or always: when the log is synced; off: no log (default everysec)",
                ),
                ("password", "a password that the server asks for"),
                PASSWORD_FILE_OPTION,
                PASSWORD_ENV_OPTION,
                TLS_OPTION,
            ],
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
        debian_package(&["redis-server", "redis-tools"], progress)?;
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

    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        let nodes = request.number("nodes", 1, 1..=6)?;
        if nodes == 2 {
            return Err(LabError::new(
                LabErrorKind::Request,
                "a cluster of Redis has at least three masters",
            )
            .help("ask for nodes=1 or nodes=3"));
        }
        let sync = request.choice("appendfsync", &["everysec", "no", "always", "off"])?;
        let setup = Setup {
            request,
            installation,
            sync,
            clustered: nodes > 1,
        };
        let ports: Vec<u16> = (0..nodes).map(|_| context.port()).collect::<Result<_, _>>()?;
        for (index, port) in ports.iter().enumerate() {
            setup.spawn(context, index + 1, *port)?;
        }
        if setup.clustered {
            for port in &ports {
                // It answers before there is a cluster, with an error about that.
                context.wait_until("an answer of Redis", DEADLINE, || protocol::answers(*port))?;
            }
            setup.join(context, &ports)?;
            for port in &ports {
                context.wait_until("a cluster that knows all its slots", DEADLINE, || {
                    protocol::cluster_is_whole(*port)
                })?;
            }
        } else if request.option("tls").is_some() {
            // Its handshake is the driver's business; here it is enough that the port is open.
            context.wait_until("an open port", DEADLINE, || protocol::is_open(ports[0]))?;
        } else {
            context.wait_until("an answer of Redis", DEADLINE, || protocol::answers(ports[0]))?;
        }
        let login = request
            .option("password")
            .map_or_else(String::new, |password| format!(":{}@", address_part(password)));
        let scheme = if request.option("tls").is_some() {
            "rediss"
        } else {
            "redis"
        };
        Ok(format!("{scheme}://{login}127.0.0.1:{}", ports[0]))
    }
}

/// A string of Redis's configuration, whatever signs it has.
fn quoted(text: &str) -> String {
    let signs: String = text.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("\"{signs}\"")
}

struct Setup<'a> {
    request: &'a ServerRequest,
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
        if let Some(password) = self.request.option("password") {
            // A command line can be read by every user of the machine.
            let setting = format!("requirepass {}\n", quoted(password));
            spec = spec.arguments([context.write(&name, "redis.conf", setting)?]);
        }
        spec = spec
            .arguments(["--bind", "127.0.0.1", "--daemonize", "no", "--save", "", "--dir"])
            .arguments([directory]);
        spec = match self.request.option("tls") {
            Some(tls) => {
                spec = spec.arguments(["--port", "0", "--tls-port", &port, "--tls-auth-clients", "yes"]);
                for (option, file) in [
                    ("--tls-cert-file", "server.pem"),
                    ("--tls-key-file", "server.key"),
                    ("--tls-ca-cert-file", "ca.pem"),
                ] {
                    let copy = context.copy(&name, file, &Path::new(tls).join(file))?;
                    spec = spec.arguments([option]).arguments([copy]);
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

    fn join(&self, context: &LaunchContext<'_>, ports: &[u16]) -> Result<(), LabError> {
        let beside = self.installation.path.with_file_name("redis-cli");
        let client = if beside.is_file() {
            Some(beside)
        } else {
            on_path("redis-cli", &[])
        };
        let client = client.ok_or_else(|| {
            LabError::new(
                LabErrorKind::Software,
                "there is no redis-cli, which makes a cluster of the servers",
            )
            .help("install it: sudo apt-get install redis-tools")
        })?;
        let mut command = Command::new(client);
        command.args(["--cluster", "create"]);
        command.args(ports.iter().map(|port| format!("127.0.0.1:{port}")));
        command.args(["--cluster-replicas", "0", "--cluster-yes"]);
        context.run_tool(&mut command)
    }
}
