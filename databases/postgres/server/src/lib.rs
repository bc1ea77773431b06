//! The lab's recipe for PostgreSQL: one server, or a primary with streaming replicas.
//!
//! Facts: PostgreSQL's manual ("Server Administration", `initdb`, `postgres`, `pg_basebackup`).

mod access;
mod cluster;
mod protocol;

use std::path::PathBuf;
use std::time::Duration;

use dbdyno_lab::{
    ADMINISTRATOR, APPLICATION, AT_REST_OPTION, Consistency, Durability, Installation, LISTEN_OPTION,
    LabError, LabErrorKind, LaunchContext, NodeMemory, PASSWORD_ENV_OPTION, PASSWORD_FILE_OPTION, Progress,
    Recipe, RecipeInfo, RecipeOption, SECURITY_OPTION, ServerRequest, Software, Store, SystemPackages,
    TLS_OPTION, Topology, address_part, debian_package, named_program, on_path, with_options,
};

use crate::access::Access;
use crate::cluster::Cluster;

const DEADLINE: Duration = Duration::from_secs(60);
/// Where Debian's packages put the programs of each version, which are not on PATH.
const DEBIAN: &str = "/usr/lib/postgresql/*/bin";
/// Debian's newest version: 15 in Debian 12.
const PACKAGE: &str = "postgresql";

/// The recipe.
pub struct PostgresRecipe;

/// The options that an address may have.
const OPTIONS: &[RecipeOption] = &[
    RecipeOption::new(
        "home",
        "directory with bin/postgres in it",
        "$POSTGRES_HOME, PATH, /usr/lib/postgresql, apt-get",
    ),
    RecipeOption::new("nodes", "1, or a primary and its replicas, 2 to 4", "1"),
    RecipeOption::new("synchronous", "replicas that a commit waits for", "0: none"),
    RecipeOption::new("fsync", "on or off: whether the log is synced", "on"),
    RecipeOption::new("cache", "memory of shared_buffers for each server", "128M"),
    RecipeOption::new("connections", "most connections, 10 to 10000", "300"),
    RecipeOption::new(
        "password",
        "a password that the user postgres must log in with",
        "",
    ),
    PASSWORD_FILE_OPTION,
    PASSWORD_ENV_OPTION,
    TLS_OPTION,
    SECURITY_OPTION,
    LISTEN_OPTION,
    AT_REST_OPTION,
];

impl Recipe for PostgresRecipe {
    fn info(&self) -> RecipeInfo {
        RecipeInfo {
            name: "postgres",
            product: "PostgreSQL",
            summary: "PostgreSQL as it is installed, or from Debian's package",
            versions: &["15"],
            options: OPTIONS,
            software: Software {
                program: Some("postgres"),
                further: &[DEBIAN],
                home: "POSTGRES_HOME",
                fetched: None,
                otherwise: "installed from Debian's package, with --install",
            },
            durability_by: Some((
                "fsync",
                &[("on", Durability::Synced), ("off", Durability::Buffered)],
            )),
            encrypts_files: None,
            scans_by_key: None,
            usual_start: Duration::from_secs(3),
            usual_warmup: Duration::from_secs(8),
        }
    }

    fn install(
        &self,
        request: &ServerRequest,
        _: &Store,
        progress: &mut dyn Progress,
    ) -> Result<Installation, LabError> {
        let help = "name the directory that PostgreSQL is installed in, e.g. /usr/lib/postgresql/15";
        if let Some(mut found) = named_program(request, "POSTGRES_HOME", &["bin/postgres", "postgres"], help)?
        {
            found.path.pop();
            return Ok(found);
        }
        if let Some(path) = installed(request) {
            return Ok(Installation {
                origin: format!("found in {}", path.display()),
                path,
            });
        }
        let package = match &request.version {
            Some(version) => format!("{PACKAGE}-{version}"),
            None => PACKAGE.to_owned(),
        };
        let missing = SystemPackages {
            software: "PostgreSQL",
            names: &[package.as_str()],
            otherwise: "use your own copy, on PATH or in home=DIR",
        };
        debian_package(&missing, progress)?;
        match installed(request) {
            Some(path) => Ok(Installation {
                path,
                origin: "Debian's package".to_owned(),
            }),
            None => Err(LabError::new(
                LabErrorKind::Software,
                format!("the package {package} brought no {DEBIAN}/postgres"),
            )
            .help("install PostgreSQL and name its directory: home=DIR")),
        }
    }

    fn memory_bytes(&self, request: &ServerRequest) -> Result<u64, LabError> {
        let (nodes, _) = topology(request)?;
        Ok(u64::from(nodes) * cluster::node_memory_bytes(cache_mebibytes(request)?))
    }

    fn waiting_for(&self, request: &ServerRequest, level: Consistency) -> Option<(&'static str, String)> {
        let (nodes, _) = topology(request).ok()?;
        let replicas = match level {
            _ if nodes == 1 => return None,
            Consistency::One => 0,
            Consistency::Quorum => nodes / 2,
            Consistency::All => nodes - 1,
        };
        Some(("synchronous", replicas.to_string()))
    }

    fn within_memory(&self, request: &ServerRequest, mebibytes: u32) -> Result<NodeMemory, LabError> {
        let cache = match request.option("cache") {
            Some(_) => cache_mebibytes(request)?,
            // The manual's starting value of shared_buffers: a quarter of the memory.
            None => mebibytes / 4,
        };
        let least = cluster::node_memory_bytes(cache.max(1)) >> 20;
        if least > u64::from(mebibytes) {
            let message = format!(
                "memory={mebibytes}M of postgres is too little: a server with a cache of {cache}M takes {least}M"
            );
            // A quarter of this is the cache, and the rest holds the server.
            let least = if request.option("cache").is_some() {
                least
            } else {
                136
            };
            return Err(LabError::new(LabErrorKind::Request, message).help(format!(
                "ask for memory={least}M at least, or for a smaller `cache`"
            )));
        }
        Ok(NodeMemory {
            options: vec![("cache", format!("{cache}M"))],
            arguments: Vec::new(),
        })
    }

    fn topology(&self, request: &ServerRequest) -> Result<Topology, LabError> {
        let (nodes, _) = topology(request)?;
        Ok(Topology {
            nodes,
            copies: nodes,
            shards: 1,
        })
    }

    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        let (nodes, synchronous) = topology(request)?;
        let protection = context.protection(request)?;
        let cluster = Cluster {
            access: Access::new(request, &protection)?,
            programs: &installation.path,
            synchronous,
            cache_mebibytes: cache_mebibytes(request)?,
            connections: request.number("connections", 300, 10..=10_000)?,
            fsync: request.choice("fsync", &["on", "off"])?,
        };
        let primary = cluster.primary(context)?;
        let mut ports = vec![primary];
        for number in 2..=nodes {
            ports.push(cluster.replica(context, number, primary)?);
        }
        cluster.wait_for_replicas(context, primary, nodes - 1)?;
        let hosts: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        let hosts = hosts.join(",");
        if protection.logins.is_some() {
            let address = format!("postgres://{ADMINISTRATOR}@{hosts}/{APPLICATION}");
            context.set_administrator(with_options(&address, &protection.administrator_options()));
            let address = format!("postgres://{APPLICATION}@{hosts}/{APPLICATION}");
            return Ok(with_options(&address, &protection.client_options()));
        }
        let login = match request.option("password") {
            Some(password) => format!("postgres:{}@", address_part(password)),
            None => "postgres@".to_owned(),
        };
        Ok(with_options(
            &format!("postgres://{login}{hosts}/postgres"),
            &protection.client_options(),
        ))
    }
}

/// The servers, and the replicas among them that a commit waits for.
///
/// # Errors
/// When there are fewer replicas than are waited for.
fn topology(request: &ServerRequest) -> Result<(u32, u32), LabError> {
    let nodes = request.number("nodes", 1, 1..=4)?;
    let synchronous = request.number("synchronous", 0, 0..=3)?;
    if synchronous >= nodes && synchronous > 0 {
        return Err(LabError::new(
            LabErrorKind::Request,
            format!(
                "synchronous={synchronous} of postgres needs as many replicas, and there are {}",
                nodes - 1
            ),
        )
        .help(format!("ask for nodes={}", synchronous + 1)));
    }
    Ok((nodes, synchronous))
}

fn cache_mebibytes(request: &ServerRequest) -> Result<u32, LabError> {
    request.mebibytes("cache", 128)
}

/// The directory of the programs of an installation; of a version, when the request names one.
fn installed(request: &ServerRequest) -> Option<PathBuf> {
    let of_version = request
        .version
        .as_ref()
        .map(|version| DEBIAN.replace('*', version));
    let program = match &of_version {
        Some(directory) => Some(PathBuf::from(directory).join("postgres")).filter(|path| path.is_file()),
        None => on_path("postgres", &[DEBIAN]),
    };
    // The program on PATH may be a link to where the others lie, too.
    let program = std::fs::canonicalize(program?).ok()?;
    program.parent().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> ServerRequest {
        ServerRequest::parse(text).unwrap()
    }

    #[test]
    fn a_commit_waits_for_no_more_replicas_than_there_are() {
        assert_eq!(
            topology(&request("postgres?nodes=3&synchronous=2")).unwrap(),
            (3, 2)
        );
        for (text, help) in [
            ("postgres?synchronous=1", "nodes=2"),
            ("postgres?nodes=3&synchronous=3", "nodes=4"),
            ("postgres?nodes=5", "from 1 to 4"),
        ] {
            // Before anything starts.
            let error = PostgresRecipe.memory_bytes(&request(text)).unwrap_err();
            assert_eq!(error.kind, LabErrorKind::Request);
            assert!(error.help.contains(help), "{text}: {}", error.help);
        }
    }

    #[test]
    fn replicas_that_make_a_level_of_consistency() {
        let of = |text: &str, level| {
            let waiting = PostgresRecipe.waiting_for(&request(text), level);
            waiting.map(|(option, replicas)| format!("{option}={replicas}"))
        };
        let quorum = |text: &str| of(text, Consistency::Quorum);
        assert_eq!(quorum("postgres"), None);
        for (nodes, expected) in [(2, 1), (3, 1), (4, 2)] {
            let expected = Some(format!("synchronous={expected}"));
            assert_eq!(quorum(&format!("postgres?nodes={nodes}")), expected);
        }
        let three = "postgres?nodes=3";
        assert_eq!(of(three, Consistency::All).unwrap(), "synchronous=2");
        assert_eq!(of(three, Consistency::One).unwrap(), "synchronous=0");
    }
}
