//! placeholder until written
use crate::ReportModel;
/// The page.
#[must_use]
pub fn html(_model: &ReportModel) -> String {
    String::new()
}
