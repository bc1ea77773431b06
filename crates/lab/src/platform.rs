//! Where the lab works.

use crate::error::{LabError, LabErrorKind};

/// Checks that this system can run servers that end with dbdyno and that nobody else reaches.
///
/// # Errors
/// On systems other than Linux, which have neither the parent-death signal nor `/proc`.
pub(crate) fn check() -> Result<(), LabError> {
    of(std::env::consts::OS)
}

fn of(system: &str) -> Result<(), LabError> {
    if system == "linux" {
        return Ok(());
    }
    Err(LabError::new(
        LabErrorKind::Machine,
        format!("the lab starts servers on Linux only, and this is {system}"),
    )
    .help(
        "name the address of a server that runs (`redis://127.0.0.1:6379`), or run dbdyno on Linux: in a virtual machine or a \
         container, or from its image",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_systems_are_refused_with_what_works_there() {
        assert!(of("linux").is_ok());
        let error = of("macos").unwrap_err();
        assert_eq!(
            error.message,
            "the lab starts servers on Linux only, and this is macos"
        );
        assert!(error.help.contains("redis://"));
    }
}
