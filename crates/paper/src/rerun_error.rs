//! Why a part of a paper, or what some of its claims need, cannot be measured.

use dbdyno_vocabulary::words::list;

/// Why there is no such study.
#[derive(Debug, thiserror::Error)]
pub enum RerunError {
    /// The paper has no such part.
    #[error("{paper} has no part `{part}`; it has {}", known.join(", "))]
    Part {
        /// The paper.
        paper: String,
        /// What was asked for.
        part: String,
        /// The parts it has.
        known: Vec<String>,
    },
    /// The paper has no such claim.
    #[error("{paper} has no claim `{claim}`; it has {}", known.join(", "))]
    Claim {
        /// The paper.
        paper: String,
        /// What was asked for.
        claim: String,
        /// The claims it has.
        known: Vec<String>,
    },
    /// Nothing can test the claim.
    #[error("no run can test {claim}: {why}")]
    ClaimUntested {
        /// The claim.
        claim: String,
        /// Why not.
        why: String,
    },
    /// The part that was asked for, or every part, leaves out what the claim asks about.
    #[error("{}", elsewhere(claim, part.as_deref(), judging))]
    ClaimElsewhere {
        /// The claim.
        claim: String,
        /// The part that was asked for.
        part: Option<String>,
        /// The parts that measure what it asks about.
        judging: Vec<String>,
    },
    /// A claim names a size that the run would not have.
    #[error(
        "{claim} asks about {size} {of}, and this run stands for {} alone",
        list(known)
    )]
    ClaimSize {
        /// The claim.
        claim: String,
        /// The size that is missing.
        size: String,
        /// `records` or `operations`.
        of: &'static str,
        /// The paper's sizes that there would be.
        known: Vec<String>,
    },
    /// Its operations follow its records.
    #[error("{paper} runs as many operations as it has records: give other records in place of operations")]
    Operations {
        /// The paper.
        paper: String,
    },
    /// A factor that makes no size.
    #[error("a scale of {scale} makes no sizes: it is a positive number, such as 0.1")]
    Scale {
        /// What was asked for.
        scale: f64,
    },
}

/// Who measures what a claim asks about, and who does not.
fn elsewhere(claim: &str, part: Option<&str>, judging: &[String]) -> String {
    let Some(part) = part.filter(|_| !judging.is_empty()) else {
        return format!("no part of the paper measures what {claim} asks about");
    };
    let quoted: Vec<String> = judging.iter().map(|part| format!("`{part}`")).collect();
    let does = if quoted.len() == 1 { "does" } else { "do" };
    format!(
        "the part `{part}` does not measure what {claim} asks about; {} {does}",
        list(&quoted)
    )
}
