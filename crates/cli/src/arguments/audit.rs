//! `dbdyno audit`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use dbdyno_record::audit::{AuditSeverity, Feature};

use super::{InstallArguments, quantities};

/// `dbdyno audit`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct AuditArguments {
    /// Systems to audit, as for `dbdyno run`: addresses with the login of an ordinary user, or lab:NAME
    #[arg(value_name = "SYSTEM", required = true)]
    pub systems: Vec<String>,
    /// The same system with the login of an administrator: shows more [lab systems: made by the lab]
    #[arg(long, value_name = "ADDRESS", help_heading = "Access")]
    pub administrator: Option<String>,
    /// Directory with everything the servers write; may be repeated [lab systems: known]
    #[arg(long = "data", value_name = "DIR", help_heading = "Access")]
    pub data: Vec<PathBuf>,
    /// Log of a server, or a directory of logs; may be repeated [lab systems: known]
    #[arg(long = "log", value_name = "PATH", help_heading = "Access")]
    pub logs: Vec<PathBuf>,
    /// Connect from this network namespace (see ip-netns(8)) instead of from this host; needs root
    #[arg(long, value_name = "NAME", help_heading = "Access")]
    pub from_namespace: Option<String>,
    /// Examine only these features, by the names in docs/audit.md, separated by commas [default: all]
    #[arg(long, value_name = "FEATURE", value_delimiter = ',', value_parser = feature, help_heading = "Probes")]
    pub only: Vec<Feature>,
    /// Also try the logins that products ship with, once each
    #[arg(long, help_heading = "Probes")]
    pub try_defaults: bool,
    /// Also open 1000 connections that stay idle, for a second, and check that other clients are still served
    #[arg(long, help_heading = "Probes")]
    pub try_idle_connections: bool,
    /// Time limit for each exchange with the server
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = quantities::duration, help_heading = "Probes")]
    pub timeout: Duration,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: AuditFormat,
    /// File to write to instead of standard output
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Exit with code 3 when a finding is at least this severe: low, medium, high or critical
    #[arg(long, value_name = "SEVERITY", value_parser = severity, group = "gates", help_heading = "Output")]
    pub fail_on: Option<AuditSeverity>,
    /// Exit with code 3 also when one of these features, or without names any feature, is unknown; with --fail-on, authentication,
    /// authorization and client_to_node_encryption must be known in any case
    #[arg(long, value_name = "FEATURE", num_args = 0..=1, require_equals = true, value_delimiter = ',', value_parser = feature, group = "gates", help_heading = "Output")]
    pub fail_on_unknown: Option<Vec<Feature>>,
    /// Let these features, or without names every feature, be unknown
    #[arg(long, value_name = "FEATURE", num_args = 0..=1, require_equals = true, value_delimiter = ',', value_parser = feature, help_heading = "Output")]
    pub allow_unknown: Option<Vec<Feature>>,
    /// With --fail-on or --fail-on-unknown, also write every feature to this file as JUnit XML
    #[arg(long, value_name = "FILE", requires = "gates", help_heading = "Output")]
    pub junit: Option<PathBuf>,
    /// What the lab may install.
    #[command(flatten)]
    pub install: InstallArguments,
}

/// Output format of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AuditFormat {
    /// For people, at a terminal
    Text,
    /// For pull requests and wikis
    Markdown,
    /// A page
    Html,
    /// For programs: findings with their evidence, and the catalogue
    Json,
    /// For code scanning services: what needs fixing, as SARIF 2.1.0
    Sarif,
}

fn severity(text: &str) -> Result<AuditSeverity, String> {
    AuditSeverity::ALL
        .into_iter()
        .find(|severity| severity.name() == text)
        .ok_or_else(|| "write low, medium, high or critical".to_owned())
}

fn feature(text: &str) -> Result<Feature, String> {
    let names = || Feature::ALL.into_iter().map(Feature::id);
    let found = Feature::ALL.into_iter().find(|feature| feature.id() == text);
    found.ok_or_else(|| format!("the features are {}", names().collect::<Vec<_>>().join(", ")))
}

const HELP: &str = "\
The server's behaviour decides each level: encryption counts as enforced when clear text is refused,
a login when a wrong one is refused. What the audit cannot observe is unknown, never a pass.
The audit creates only its own tables and users (dbdyno_audit_...) and removes them; a later audit
removes what a killed one left. If the servers run on this machine and the address is not loopback,
the audit also connects over loopback: exceptions for localhost are findings.

Examples:
  dbdyno audit lab:redis
  dbdyno audit 'lab:postgres?security=hardened' --format html --output audit.html
  dbdyno audit lab:mongodb lab:cassandra lab:redis --format html --output three.html
  dbdyno audit 'mongodb://app@db.example/app?password_env=APP_PASSWORD&tls=on' \\
      --administrator 'mongodb://admin@db.example/admin?password_env=ADMIN_PASSWORD&tls=on' \\
      --fail-on high --format sarif --output audit.sarif

See docs/audit.md.";
