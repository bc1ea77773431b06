//! YCSB's command line as it is: `-P FILE -p KEY=VALUE -threads N -target N -s -l LABEL -db NAME -t -load`.
//!
//! The order matters as in YCSB: a property set on the command line wins over files, whichever comes first; of two
//! files the later wins; `-threads` and `-target` are the properties `threadcount` and `target`.

use std::path::PathBuf;

use dbdyno_vocabulary::suggest;

use crate::arguments::AgentsArguments;

/// What a YCSB command line asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct YcsbOptions {
    /// The database's name or address.
    pub database: Option<String>,
    /// `-load` or `-t`; `None`: what the command says.
    pub load: Option<bool>,
    /// `-P`, in order.
    pub property_files: Vec<PathBuf>,
    /// `-p`, `-threads`, `-target`: `key=value`, in order.
    pub properties: Vec<String>,
    /// `-s`.
    pub status: bool,
    /// `-l`.
    pub label: Option<String>,
    /// `-h`, `-help`, `--help`.
    pub help: bool,
    /// `-cp`: where the class of a binding is.
    pub class_path: Option<String>,
    /// `-jvm-args`: for a Java machine of YCSB's own, which there is none of.
    pub jvm_arguments: bool,
    /// `--agents`, which YCSB does not have.
    pub agents: AgentsArguments,
}

/// An option that cannot be understood: what is wrong, and what mends it.
#[derive(Debug, PartialEq, Eq)]
pub struct YcsbOptionError {
    /// What is wrong.
    pub message: String,
    /// What mends it.
    pub help: String,
}

/// YCSB's options, for a did-you-mean.
const OPTIONS: &[&str] = &[
    "-P",
    "-p",
    "-threads",
    "-target",
    "-s",
    "-l",
    "-db",
    "-t",
    "-load",
    "-cp",
    "-jvm-args",
    "-help",
    #[cfg(feature = "agents")]
    "--agents",
];

impl YcsbOptions {
    /// Reads everything after `load` or `run`.
    ///
    /// # Errors
    /// On an unknown option, a missing value, or a second database.
    pub fn parse(arguments: &[String]) -> Result<Self, YcsbOptionError> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = |what: &str| {
                arguments.next().cloned().ok_or_else(|| YcsbOptionError {
                    message: format!("`{argument}` has no value"),
                    help: format!("it requires {what}"),
                })
            };
            match argument.as_str() {
                "-P" => options.property_files.push(value("a property file")?.into()),
                "-p" => options.properties.push(value("KEY=VALUE")?),
                "-threads" | "--threads" => {
                    options
                        .properties
                        .push(format!("threadcount={}", value("a number of clients")?));
                }
                "-target" | "--target" => {
                    options
                        .properties
                        .push(format!("target={}", value("operations per second")?));
                }
                "-s" => options.status = true,
                "-l" | "-label" => options.label = Some(value("text")?),
                "-t" => options.load = Some(false),
                "-load" => options.load = Some(true),
                "-db" => {
                    let database = value("a database")?;
                    options.set_database(&database)?;
                }
                "-h" | "-help" | "--help" => options.help = true,
                "-cp" | "--classpath" => {
                    options.class_path = Some(value("jars and directories, joined by `:`")?)
                }
                "-jvm-args" | "--jvm-args" => {
                    value("options of a JVM")?;
                    options.jvm_arguments = true;
                }
                #[cfg(feature = "agents")]
                "-agents" | "--agents" => {
                    options.agents.agents = Some(value("the agents' server, e.g. nats://HOST,min=4")?);
                }
                option if option.starts_with("-cp=") => {
                    options.class_path = option.split_once('=').map(|(_, path)| path.to_owned());
                }
                option if option.starts_with("-jvm-args=") => options.jvm_arguments = true,
                option if option.starts_with('-') => {
                    let near = suggest::before_list(option, OPTIONS.iter().copied());
                    return Err(YcsbOptionError {
                        message: format!("`{option}` is not an option of YCSB"),
                        help: format!("{near}see `dbdyno ycsb --help`"),
                    });
                }
                database => options.set_database(database)?,
            }
        }
        Ok(options)
    }

    fn set_database(&mut self, name: &str) -> Result<(), YcsbOptionError> {
        match self.database.replace(name.to_owned()) {
            Some(first) if first != name => Err(YcsbOptionError {
                message: format!("two databases given: `{first}` and `{name}`"),
                help: "name one; properties are written `-p KEY=VALUE`, files `-P FILE`".to_owned(),
            }),
            _ => Ok(()),
        }
    }
}

/// Our address for a binding's name as YCSB's launchers and `-db` write it; other names are left as they are.
pub fn address_of(binding: &str) -> &str {
    match binding {
        "basic" | "basicdb" | "site.ycsb.BasicDB" | "com.yahoo.ycsb.BasicDB" => "null",
        _ => binding,
    }
}

/// Whether this is the name of a Java class and nothing else: not one of our addresses, nor a launcher's short name.
pub fn is_class(name: &str) -> bool {
    let simple = name.rsplit('.').next().unwrap_or_default();
    simple.starts_with(|letter: char| letter.is_ascii_uppercase())
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '$'))
}

/// Whether YCSB has a binding of this name, so that the error can say "not yet" instead of "unknown".
pub fn is_binding(name: &str) -> bool {
    const BINDINGS: [&str; 47] = [
        "accumulo",
        "accumulo1.9",
        "aerospike",
        "arangodb",
        "asynchbase",
        "azurecosmos",
        "azuretablestorage",
        "cassandra-cql",
        "cassandra2-cql",
        "cloudspanner",
        "couchbase",
        "couchbase2",
        "crail",
        "dynamodb",
        "elasticsearch",
        "elasticsearch5",
        "elasticsearch5-rest",
        "foundationdb",
        "geode",
        "googlebigtable",
        "googledatastore",
        "griddb",
        "hbase1",
        "hbase14",
        "hbase2",
        "hbase20",
        "ignite",
        "ignite-sql",
        "infinispan",
        "infinispan-cs",
        "jdbc",
        "kudu",
        "mapkeeper",
        "maprdb",
        "maprjsondb",
        "memcached",
        "mongodb",
        "mongodb-async",
        "nosqldb",
        "orientdb",
        "postgrenosql",
        "rados",
        "redis",
        "rest",
        "riak",
        "rocksdb",
        "s3",
    ];
    BINDINGS.contains(&name) || name.starts_with("site.ycsb.") || name.starts_with("com.yahoo.ycsb.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<YcsbOptions, YcsbOptionError> {
        YcsbOptions::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_line_from_a_script_is_understood() {
        let options =
            parse("basic -P workloads/workloada -P big.dat -p recordcount=10 -s -threads 10 -target 100 -l night -t")
                .unwrap();
        assert_eq!(options.database.as_deref(), Some("basic"));
        assert_eq!(
            options.property_files,
            [PathBuf::from("workloads/workloada"), PathBuf::from("big.dat")]
        );
        assert_eq!(
            options.properties,
            ["recordcount=10", "threadcount=10", "target=100"]
        );
        assert_eq!(options.label.as_deref(), Some("night"));
        assert_eq!(options.load, Some(false));
        assert!(options.status && !options.help);
        assert_eq!(address_of("basic"), "null");
        assert_eq!(address_of("redb:x.redb"), "redb:x.redb");
    }

    #[test]
    fn what_is_for_java_is_kept_apart() {
        for line in [
            "a.B -jvm-args=-Xmx4g -cp lib.jar",
            "a.B -jvm-args -Xmx4g -cp=lib.jar",
        ] {
            let options = parse(line).unwrap();
            assert_eq!(options.class_path.as_deref(), Some("lib.jar"));
            assert!(options.jvm_arguments);
        }
        assert!(!parse("redb").unwrap().jvm_arguments);
        for (name, class) in [
            ("site.ycsb.BasicDB", true),
            ("MyBinding", true),
            ("site.ycsb.db.Outer$Inner", true),
            ("mongodb", false),
            ("site.ycsb", false),
            ("redb:Data.redb", false),
            ("ycsb:site.ycsb.BasicDB", false),
        ] {
            assert_eq!(is_class(name), class, "{name}");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_remedy() {
        let error = parse("redb -thread 10").unwrap_err();
        assert!(error.message.contains("-thread"), "{error:?}");
        assert!(error.help.contains("`-threads`"), "{error:?}");
        assert!(
            parse("redb -threads")
                .unwrap_err()
                .help
                .contains("number of clients")
        );
        assert!(parse("redb sqlite").unwrap_err().message.contains("`sqlite`"));
    }
}
