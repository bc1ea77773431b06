//! `--agents`, `dbdyno agent` and `dbdyno agents`.

use clap::Args;
#[cfg(feature = "agents")]
pub use of_feature::{AgentArguments, AgentsFormat, AgentsListArguments};

/// Who sends the load, of every command that measures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct AgentsArguments {
    /// Send the load from the agents of a NATS server, e.g. `nats://HOST,min=4` or `nats://HOST,where=zone=a`; `local:4` starts a
    /// server and four agents on this machine, for a try (docs/many-machines.md)
    #[cfg(feature = "agents")]
    #[arg(long, value_name = "WHERE", help_heading = "Load")]
    pub agents: Option<String>,
}

#[cfg(feature = "agents")]
mod of_feature {
    use std::time::Duration;

    use clap::{Args, ValueEnum};

    use crate::arguments::quantities;

    /// `dbdyno agent`.
    #[derive(Clone, Debug, Args)]
    #[command(after_help = AGENT_EXAMPLES)]
    pub struct AgentArguments {
        /// NATS server at which commands find it, e.g. nats://HOST, `nats://TOKEN@HOST`, `nats://HOST?user=NAME&password_env=NAME`,
        /// `nats://HOST?credentials_file=FILE`, `nats://HOST?tls_ca=FILE`
        #[arg(long, value_name = "ADDRESS")]
        pub join: String,

        /// Its name in lists and reports [default: the machine's, with the number or the process]
        #[arg(long, value_name = "NAME")]
        pub name: Option<String>,

        /// Its number among those that were started together: the order of their shares [default: JOB_COMPLETION_INDEX, if set]
        #[arg(long, value_name = "N")]
        pub number: Option<u32>,

        /// A label by which commands choose agents, e.g. zone=a; may be repeated
        #[arg(long = "label", value_name = "NAME=VALUE", value_parser = label)]
        pub labels: Vec<(String, String)>,

        /// Send load to these databases only: a network, an address or a name, with a port or without, e.g. 10.0.0.0/8:9042; may be
        /// repeated [default: every server]
        #[arg(long = "allow", value_name = "TARGET")]
        pub allow: Vec<String>,

        /// How long it waits for the NATS server to be there
        #[arg(long, value_name = "TIME", default_value = "10s", value_parser = quantities::positive_duration)]
        pub wait: Duration,

        /// End when the first command has released it
        #[arg(long)]
        pub once: bool,
    }

    /// `dbdyno agents`.
    #[derive(Clone, Debug, Args)]
    #[command(
        after_help = "Examples:\n  dbdyno agents nats://10.0.0.5\n  dbdyno agents nats://10.0.0.5 --format json"
    )]
    pub struct AgentsListArguments {
        /// NATS server, as for `dbdyno agent --join`
        #[arg(value_name = "ADDRESS")]
        pub server: String,

        /// Output format
        #[arg(long, value_name = "FORMAT", value_enum, default_value_t = AgentsFormat::Table)]
        pub format: AgentsFormat,
    }

    /// Output format of the list.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
    pub enum AgentsFormat {
        /// For people
        Table,
        /// One JSON document
        Json,
    }

    const AGENT_EXAMPLES: &str = "\
Examples:
  dbdyno agent --join nats://10.0.0.5
  dbdyno agent --join 'nats://10.0.0.5?user=load&password_env=NATS_PASSWORD' --label zone=a
  dbdyno agent --join nats://10.0.0.5 --allow 10.0.0.0/8:9042

It waits for commands with `--agents nats://10.0.0.5` and sends their load, until Ctrl-C. It carries out trials of dbdyno, and nothing else.";

    fn label(text: &str) -> Result<(String, String), String> {
        dbdyno_agents::label_of(text).map_err(|error| error.message)
    }
}
