//! Without the feature `agents`, this process sends all load.

use std::sync::Arc;

use dbdyno_engine::{LoadGenerators, Stop};

use crate::arguments::{AgentsArguments, InstallArguments};
use crate::problem::Problem;
use crate::terminal::Terminal;

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
