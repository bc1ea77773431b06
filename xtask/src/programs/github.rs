//! What GitHub Actions shows beside the result of a job: lines of a form of its own (workflow commands).

/// How serious it is.
#[derive(Clone, Copy)]
pub enum Level {
    Warning,
    Error,
}

impl Level {
    /// As GitHub and people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Says it to GitHub Actions, if that is where this runs.
pub fn annotate(level: Level, text: &str) {
    if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        println!("{}", line(level, text));
    }
}

fn line(level: Level, text: &str) -> String {
    let escaped = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    format!("::{}::{escaped}", level.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_is_one_line() {
        assert_eq!(line(Level::Warning, "a::b failed"), "::warning::a::b failed");
        assert_eq!(line(Level::Error, "90%\r\nof it"), "::error::90%25%0D%0Aof it");
    }
}
