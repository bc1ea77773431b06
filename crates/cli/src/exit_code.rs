//! The exit codes of `dbdyno`: part of its interface, shown by `--help` and in `docs/command-line.md`.

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Everything that was asked was done.
    Success = 0,
    /// A bug of dbdyno: please report it.
    Bug = 1,
    /// The command line, a study file or a workload file is wrong.
    Usage = 2,
    /// It ran, but an `--expect` does not hold, `--fail-on` found something, or the linter is certain of an error.
    ExpectationNotMet = 3,
    /// A system could not be reached, opened or logged in to.
    SystemUnreachable = 4,
    /// It ran, but the result is not usable: a trial failed, a rate was not sustained, clients were given up, errors took at
    /// least 1% of its operations or of its clients' time, a load is not complete, or values read back were not what was
    /// written.
    ResultInvalid = 5,
    /// A file or a result folder cannot be read or written, is damaged, or is not dbdyno's.
    Files = 6,
    /// Stopped by ctrl-C or a termination signal; what was measured is kept.
    Interrupted = 130,
}

impl ExitCode {
    /// Every code, in order.
    pub const ALL: [Self; 8] = [
        Self::Success,
        Self::Bug,
        Self::Usage,
        Self::ExpectationNotMet,
        Self::SystemUnreachable,
        Self::ResultInvalid,
        Self::Files,
        Self::Interrupted,
    ];

    /// The number the shell sees.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// What it means, in one line.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Bug => "a bug in dbdyno",
            Self::Usage => "an error in the command line, a study file or a workload file",
            Self::ExpectationNotMet => {
                "an --expect failed, --fail-on matched, or lint is certain of an error"
            }
            Self::SystemUnreachable => "a system cannot be reached or opened",
            Self::ResultInvalid => "invalid result: failed trial, missed rate, 1% errors, or wrong values",
            Self::Files => "a file or result folder cannot be read or written",
            Self::Interrupted => "interrupted; results so far are kept",
        }
    }

    /// The more serious of two outcomes of one command: what stopped it, before what spoils its result, before what
    /// it was asked to judge.
    pub fn or(self, other: Self) -> Self {
        let rank = |code: Self| match code {
            Self::Success => 0,
            Self::ExpectationNotMet => 1,
            Self::ResultInvalid => 2,
            Self::SystemUnreachable => 3,
            Self::Files => 4,
            Self::Usage => 5,
            Self::Interrupted => 6,
            Self::Bug => 7,
        };
        if rank(other) > rank(self) { other } else { self }
    }

    /// The table for help texts.
    pub fn help() -> String {
        let mut text = String::from("Exit codes:\n");
        for code in Self::ALL {
            text.push_str(&format!("  {:<3}  {}\n", code.number(), code.meaning()));
        }
        text.trim_end().to_owned()
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_lists_every_code() {
        let page = include_str!("../../../docs/command-line.md");
        for code in ExitCode::ALL {
            let row = format!("| {} | {} |", code.number(), code.meaning());
            assert!(page.contains(&row), "docs/command-line.md lacks {row:?}");
        }
    }

    #[test]
    fn an_interruption_outranks_a_missed_expectation() {
        assert_eq!(
            ExitCode::ExpectationNotMet.or(ExitCode::Interrupted),
            ExitCode::Interrupted
        );
        assert_eq!(ExitCode::Interrupted.or(ExitCode::Success), ExitCode::Interrupted);
    }
}
