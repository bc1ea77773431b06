//! The software of a system, before its servers are needed.

use crate::account::is_root_of_machine;
use crate::error::LabError;
use crate::home::LabHome;
use crate::platform;
use crate::progress::Progress;
use crate::recipe::Recipe;
use crate::request::ServerRequest;
use crate::store::Store;
use crate::volume;

/// Makes available what [`up`](crate::up) needs, and starts nothing: afterwards a start neither asks nor fetches.
///
/// # Errors
/// When the request names something unknown, the software cannot be had, or the machine cannot have the volume that is asked for.
pub fn prepare(
    recipe: &dyn Recipe,
    request: &ServerRequest,
    home: &LabHome,
    progress: &mut dyn Progress,
) -> Result<(), LabError> {
    platform::check()?;
    request.check(&recipe.info())?;
    let at_rest = request.at_rest()?;
    volume::check(at_rest, is_root_of_machine())?;
    volume::install_tools(at_rest, progress)?;
    recipe
        .install(&request.with_password()?, &Store::of(home), progress)
        .map(drop)
}
