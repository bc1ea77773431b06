//! `dbdyno ycsb`: YCSB's own options have one dash and a long name, which clap does not know, so they are taken as
//! they are and read by [`crate::ycsb_options`].

use clap::{Args, Subcommand};

/// `dbdyno ycsb`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct YcsbArguments {
    /// Which phase.
    #[command(subcommand)]
    pub command: YcsbCommand,
}

/// YCSB's commands.
#[derive(Debug, Subcommand)]
pub enum YcsbCommand {
    /// The load phase
    #[command(after_help = HELP)]
    Load(YcsbRest),
    /// The transaction phase; loads first when the table does not hold what it needs
    #[command(after_help = HELP)]
    Run(YcsbRest),
}

/// Everything after `load` or `run`.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct YcsbRest {
    /// The database (a name or an address, see `dbdyno databases`), then YCSB's options
    #[arg(value_name = "DATABASE [OPTIONS]", trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
    pub rest: Vec<String>,
}

/// YCSB's options, for people.
pub const HELP: &str = "\
YCSB's options:
  -P FILE         read properties; may be repeated, later files win
  -p KEY=VALUE    set one property; may be repeated, wins over files
  -threads N      clients (threadcount)
  -target N       operations per second over all clients (target)
  -s              status lines on stderr, every status.interval seconds (10)
  -l LABEL        label of the status lines
  -db DATABASE    the database, when it does not follow the command
  -t, -load       the transaction or the load phase, whatever the command
  -cp PATH        jars of a binding that DATABASE names by its Java class; it is then hosted

Examples:
  dbdyno ycsb load redb:data.redb -P workloads/workloada -threads 4 -s
  dbdyno ycsb run redb:data.redb -P workloads/workloada -p operationcount=5000000 -threads 4 -s
  dbdyno ycsb run site.ycsb.db.RocksDBClient -cp 'rocksdb-binding/lib/*' -P workloads/workloada \
    -p rocksdb.dir=/data/rocks

The output is YCSB's text on stdout. Unlike YCSB, failed operations are not throughput, connecting
is not part of the run time, unknown properties are refused, and the exit code tells success from
failure.";
