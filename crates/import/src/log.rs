//! What a log says, and why one cannot be read.

use std::collections::BTreeMap;

use dbdyno_record::OperationRecord;

use crate::Asked;

/// The tool that wrote a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// YCSB, and what prints its text (`dbdyno run --format ycsb`).
    Ycsb,
    /// go-ycsb.
    GoYcsb,
}

impl Tool {
    /// As its authors write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ycsb => "YCSB",
            Self::GoYcsb => "go-ycsb",
        }
    }
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The records were loaded.
    Load,
    /// The workload's operations.
    Run,
}

/// One run, as its log states it.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// Who wrote it.
    pub tool: Tool,
    /// What was measured.
    pub phase: Phase,
    /// How long it took, nanoseconds: with YCSB connecting included.
    pub duration_ns: u64,
    /// By operation name, as in every record.
    pub operations: BTreeMap<String, OperationRecord>,
    /// What was asked, as far as the log states it.
    pub asked: Asked,
    /// What a reader of the numbers should know.
    pub remarks: Vec<String>,
    /// Two of its figures that cannot both be right.
    pub disagreement: Option<String>,
}

/// Why a log cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Nothing in it.
    #[error("it is empty")]
    Empty,
    /// Neither tool's.
    #[error(
        "it is not a log of YCSB or go-ycsb: it has neither a line such as `[OVERALL], RunTime(ms), 1000` nor one such as `READ   - \
         Takes(s): 10.0, Count: ...`"
    )]
    Foreign,
    /// It begins as one and does not end.
    #[error("it is cut off: {what}")]
    Truncated {
        /// What is missing.
        what: String,
    },
    /// Its figures contradict each other.
    #[error("{what}: a section is missing, or a figure was changed")]
    Disagreement {
        /// Which ones.
        what: String,
    },
    /// Several in one file.
    #[error("it holds {runs} runs: put each into a file of its own")]
    Several {
        /// How many.
        runs: usize,
    },
    /// A line that should hold a figure.
    #[error("line {line}: `{text}`: {reason}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What it says.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No operation succeeded or failed.
    #[error("no operation was measured in this run")]
    Nothing,
}
