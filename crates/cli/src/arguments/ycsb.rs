//! `dbdyno ycsb`: YCSB's own options have one dash and a long name, which clap does not know, so they are taken as
//! they are and read by [`crate::ycsb_options`].

use clap::{Args, Subcommand};

/// `dbdyno ycsb`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct YcsbArguments {
    /// The phase.
    #[command(subcommand)]
    pub command: YcsbCommand,
}

/// YCSB's commands.
#[derive(Debug, Subcommand)]
pub enum YcsbCommand {
    /// Run the load phase
    #[command(after_help = HELP)]
    Load(YcsbRest),
    /// Run the transaction phase, after loading the table if necessary
    #[command(after_help = HELP)]
    Run(YcsbRest),
}

/// Everything after `load` or `run`.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct YcsbRest {
    /// Database (name or address; see `dbdyno databases`), followed by YCSB's options
    #[arg(value_name = "DATABASE [OPTIONS]", trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
    pub rest: Vec<String>,
}

/// Help on YCSB's options, and on the one that is not YCSB's.
macro_rules! help {
    ($agents:literal) => {
        concat!(
            "\
YCSB's options:
  -P FILE         read properties; may be repeated, later files override earlier ones
  -p KEY=VALUE    set a property; may be repeated, overrides files
  -threads N      number of clients (threadcount)
  -target N       operations per second over all clients (target)
  -s              print status to stderr every status.interval seconds (10)
  -l LABEL        label of the status lines
  -db DATABASE    database, if it does not follow the command
  -t, -load       run the transaction or load phase, regardless of the command
  -cp PATH        jars of a YCSB binding, when DATABASE is its Java class
",
            $agents,
            "
Examples:
  dbdyno ycsb load redb:data.redb -P workloads/workloada -threads 4 -s
  dbdyno ycsb run redb:data.redb -P workloads/workloada -p operationcount=5000000 -threads 4 -s
  dbdyno ycsb run site.ycsb.db.RocksDBClient -cp 'rocksdb-binding/lib/*' -P workloads/workloada \
    -p rocksdb.dir=/data/rocks

The output is YCSB's text on stdout. Unlike YCSB, dbdyno excludes failed operations from throughput
and connecting from the run time, rejects unknown properties, and reports failure by its exit code."
        )
    };
}

/// Help on the options.
#[cfg(feature = "agents")]
pub const HELP: &str = help!(
    "  --agents WHERE  send the load from the agents of a NATS server: nats://HOST,min=4, or local:4\n"
);
/// Help on the options.
#[cfg(not(feature = "agents"))]
pub const HELP: &str = help!("");
