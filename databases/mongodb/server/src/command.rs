//! Commands to servers, spoken as each of them wants to be spoken to.

use std::time::Duration;

use bson::Document;
use dbdyno_lab::{LabError, LabErrorKind};

use crate::client::{self, Access};
use crate::protocol;

/// Of each step of a start; with three nodes on a busy machine, an election takes its time.
pub(crate) const DEADLINE: Duration = Duration::from_secs(120);

/// Sends a command to the administrators' database of one server; the answer, when it says `ok`.
pub(crate) fn ask(access: &Access, port: u16, command: Document) -> Result<Document, String> {
    if access.tls.is_none() && access.login.is_none() {
        protocol::ask(port, "admin", command)
    } else {
        client::ask(access, port, "admin", command)
    }
}

/// What a server did not do, and its reason.
pub(crate) fn refused(what: &str, why: &str) -> LabError {
    LabError::new(LabErrorKind::Server, format!("MongoDB {what}: {why}"))
}
