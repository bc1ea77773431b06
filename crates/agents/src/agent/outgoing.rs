//! What a share of a trial has to say, on its way to the coordinator.

use crate::wire::ReportKind;

/// One report of a share.
pub(super) struct Outgoing {
    pub(super) trial: String,
    pub(super) report: ReportKind,
}
