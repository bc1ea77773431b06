//! `--install`, of every command that may start servers of the lab.

use clap::Args;

/// What the lab may install.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct InstallArguments {
    /// Install missing software of lab systems with apt-get, system-wide, without asking; needs root
    #[arg(long, help_heading = "System")]
    pub install: bool,
}
