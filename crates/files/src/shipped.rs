//! The JSON Schemas as they are shipped, for editors. A test holds them against the types.

/// The schema of study files.
pub const STUDY_SCHEMA: &str = include_str!("../../../docs/schema/study.schema.json");
/// The schema of need files.
pub const NEED_SCHEMA: &str = include_str!("../../../docs/schema/need.schema.json");
