//! Without the feature `agents`, this process sends all load.

use std::sync::Arc;

use dbdyno_driver::Target;
use dbdyno_engine::{LoadGenerators, Stop};

use crate::arguments::{AgentsArguments, InstallArguments};
use crate::problem::Problem;
use crate::terminal::Terminal;

/// Nobody has to be named again.
pub fn again(_: &AgentsArguments) -> String {
    String::new()
}

/// Without agents there is nothing to refuse.
///
/// # Errors
/// Never.
#[expect(clippy::unnecessary_wraps, reason = "agents can be refused")]
pub fn check<'a>(_: &AgentsArguments, _: impl IntoIterator<Item = &'a Target>) -> Result<(), Problem> {
    Ok(())
}

/// No others.
///
/// # Errors
/// Never.
#[expect(clippy::unnecessary_wraps, reason = "agents can fail to come")]
pub fn recruit(
    _: &AgentsArguments,
    _study: &str,
    _: InstallArguments,
    _: &Stop,
    _: Terminal,
) -> Result<Option<Arc<dyn LoadGenerators>>, Problem> {
    Ok(None)
}
