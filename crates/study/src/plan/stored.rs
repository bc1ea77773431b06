//! The plan of a result folder, of any format.

use dbdyno_record::{FolderError, PlanFile, ResultFolder};

use crate::file::planned::of_old_folder;

/// The plan in a result folder. What plans of older formats do not say of the study comes from the study file beside them; a
/// folder whose writer did not come as far as the plan has no planned trials.
///
/// # Errors
/// When the plan or the study file is damaged, or the plan is of a newer format.
pub fn stored(folder: &ResultFolder) -> Result<PlanFile, FolderError> {
    let plan = folder.plan()?;
    if let Some(plan @ PlanFile { study: Some(_), .. }) = plan {
        return Ok(plan);
    }
    let study = of_old_folder(&folder.study_text()?);
    Ok(PlanFile::new(
        study,
        plan.map_or_else(Vec::new, |plan| plan.trials),
    ))
}
