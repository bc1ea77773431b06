//! Finds what is wrong by itself in a study file, so that all of it is shown at once. What keys say together is checked after that.

use std::path::Path;

use dbdyno_files::{Mistake, StudyFile};

use super::{check, guarantees, kind, levels, rates, systems, workload_keys};

/// The mistakes in single values, in the order of the file. Nothing that is missing counts as one: a wrong entry may have been
/// left out of `file`.
pub(super) fn mistakes(file: &StudyFile, folder: &Path) -> Vec<Mistake> {
    let alone = [
        check::check_name(&file.name).err(),
        levels::records(file).err(),
        levels::clients(file).err(),
        levels::operations(file).err(),
        rates::of(&file.rates).err(),
        guarantees::durabilities(&file.durability).err(),
        guarantees::consistencies(&file.consistency).err(),
    ];
    let mut mistakes: Vec<Mistake> = alone.into_iter().flatten().collect();
    mistakes.extend(systems::each(file).filter_map(Result::err).flatten());
    mistakes.extend(
        workload_keys::each(file, folder)
            .filter_map(Result::err)
            .flatten(),
    );
    mistakes.extend(kind::expectations(&file.slo).filter_map(Result::err));
    mistakes.sort_by_key(|mistake| mistake.span.start);
    // A wrong property that all workloads share is wrong in each of them.
    mistakes.dedup();
    mistakes
}
