//! Systems and workloads of a study each have a name of their own.

use std::collections::BTreeSet;

use dbdyno_files::{Mistake, Placed};

use super::definition::{System, WorkloadChoice};

/// A name and its place, for the check that names are unique.
pub(super) trait Named {
    fn name(&self) -> &str;
}

impl Named for System {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Named for WorkloadChoice {
    fn name(&self) -> &str {
        &self.name
    }
}

/// No two of them have the same name.
///
/// # Errors
/// At the first that has the name of an earlier one.
pub(super) fn unique<T: Named>(items: &[Placed<T>], what: &str) -> Result<(), Mistake> {
    let mut seen = BTreeSet::new();
    for item in items {
        if !seen.insert(item.value.name()) {
            return Err(Mistake::new(
                item.span.clone(),
                format!("two {what}s are named `{}`", item.value.name()),
                format!(
                    "give one of them another name: [[{what}]] with `name = ...`; `aa = true` compares a system with itself"
                ),
            ));
        }
    }
    Ok(())
}
