//! The conductor: study.toml -> plan -> trials.
