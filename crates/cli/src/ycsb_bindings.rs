//! YCSB's bindings for databases that dbdyno drives itself: their names and properties, turned into an address, so that
//! existing scripts keep working.
//!
//! Names and properties are those of the READMEs of YCSB's bindings `cassandra`, `mongodb`, `redis`, `hbase2` and `jdbc`.

use dbdyno_workload::properties::Properties;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::problem::Problem;

/// A binding as an address.
#[derive(Debug, PartialEq, Eq)]
pub struct Translation {
    /// For [`Target::parse`](dbdyno_driver::Target::parse).
    pub address: String,
    /// Properties of the binding that have no meaning here.
    pub ignored: Vec<String>,
}

/// What may stand in a URL's login as it is.
const LOGIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The address that a binding's properties stand for; they are taken out of `properties`. `None` when this is no
/// binding of YCSB that dbdyno drives itself.
///
/// # Errors
/// When the properties say something that dbdyno does otherwise.
pub fn translate(binding: &str, properties: &mut Properties) -> Result<Option<Translation>, Problem> {
    let own = match binding {
        "cassandra-cql" | "cassandra2-cql" | "site.ycsb.db.CassandraCQLClient" => cassandra,
        "mongodb" | "mongodb-async" | "site.ycsb.db.MongoDbClient" | "site.ycsb.db.AsyncMongoDbClient" => {
            mongodb
        }
        "redis" | "site.ycsb.db.RedisClient" => redis,
        "jdbc" | "site.ycsb.db.JdbcDBClient" => jdbc,
        _ => return Ok(None),
    };
    let mut own_properties = Own {
        properties,
        ignored: Vec::new(),
    };
    let address = own(&mut own_properties)?;
    Ok(Some(Translation {
        address,
        ignored: own_properties.ignored,
    }))
}

/// The properties of a binding, taken out one by one.
struct Own<'a> {
    properties: &'a mut Properties,
    ignored: Vec<String>,
}

impl Own<'_> {
    fn take(&mut self, key: &str) -> Option<String> {
        self.properties.remove(key).map(|property| property.value)
    }

    fn ignore(&mut self, keys: &[&str]) {
        let given: Vec<String> = keys
            .iter()
            .filter(|key| self.properties.remove(key).is_some())
            .map(|key| (*key).to_owned())
            .collect();
        self.ignored.extend(given);
    }
}

fn login(user: Option<&str>, password: Option<&str>) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, LOGIN).to_string();
    match (user, password) {
        (None, None) => String::new(),
        (Some(user), None) => format!("{}@", encoded(user)),
        (user, Some(password)) => format!(
            "{}:{}@",
            user.map_or_else(String::new, encoded),
            encoded(password)
        ),
    }
}

fn query(options: &[String]) -> String {
    if options.is_empty() {
        String::new()
    } else {
        format!("?{}", options.join("&"))
    }
}

fn cassandra(own: &mut Own<'_>) -> Result<String, Problem> {
    let hosts = own.take("hosts").ok_or_else(|| {
        Problem::usage("the binding `cassandra-cql` needs the property `hosts`")
            .help("name the nodes, e.g. -p hosts=127.0.0.1, or an address such as cassandra://127.0.0.1:9042")
    })?;
    let port = own.take("port").unwrap_or_else(|| "9042".to_owned());
    let hosts: Vec<String> = hosts
        .split(',')
        .map(|host| format!("{}:{port}", host.trim()))
        .collect();
    let keyspace = own
        .take("cassandra.keyspace")
        .unwrap_or_else(|| "ycsb".to_owned());
    let (user, password) = (own.take("cassandra.username"), own.take("cassandra.password"));
    let read = own.take("cassandra.readconsistencylevel");
    let write = own.take("cassandra.writeconsistencylevel");
    let mut options = Vec::new();
    // Without a word YCSB asks for QUORUM, as dbdyno does.
    let level = |level: Option<String>| level.unwrap_or_else(|| "QUORUM".to_owned()).to_ascii_uppercase();
    let (read, write) = (level(read), level(write));
    if read != write {
        return Err(Problem::usage(format!(
            "cassandra.readconsistencylevel is {read} and cassandra.writeconsistencylevel is {write}, but dbdyno uses one level for both"
        ))
        .help("set both to ONE, QUORUM or ALL"));
    }
    match read.as_str() {
        "ONE" | "QUORUM" | "ALL" => options.push(format!("consistency={}", read.to_ascii_lowercase())),
        other => {
            return Err(Problem::usage(format!("dbdyno has no consistency level {other}"))
                .help("set cassandra.readconsistencylevel and cassandra.writeconsistencylevel to ONE, QUORUM or ALL"));
        }
    }
    for (property, option) in [
        ("cassandra.connecttimeoutmillis", "connect_timeout"),
        ("cassandra.readtimeoutmillis", "timeout"),
    ] {
        if let Some(milliseconds) = own.take(property) {
            options.push(format!("{option}={milliseconds}ms"));
        }
    }
    if own.take("cassandra.useSSL").is_some_and(|value| value == "true") {
        options.push("tls=on".to_owned());
    }
    own.ignore(&[
        "cassandra.maxconnections",
        "cassandra.coreconnections",
        "cassandra.tracing",
    ]);
    Ok(format!(
        "cassandra://{}{}/{keyspace}{}",
        login(user.as_deref(), password.as_deref()),
        hosts.join(","),
        query(&options)
    ))
}

fn mongodb(own: &mut Own<'_>) -> Result<String, Problem> {
    // YCSB's default, with its write concern.
    let url = own
        .take("mongodb.url")
        .unwrap_or_else(|| "mongodb://localhost:27017/ycsb?w=1".to_owned());
    let url = if url.contains("://") {
        url
    } else {
        format!("mongodb://{url}")
    };
    let (place, given) = url.split_once('?').unwrap_or((&url, ""));
    let mut options = Vec::new();
    for option in given.split('&').filter(|option| !option.is_empty()) {
        match option.split_once('=') {
            Some(("w", "1")) => options.push("consistency=one".to_owned()),
            Some(("w", "majority")) => options.push("consistency=quorum".to_owned()),
            Some(("j" | "journal", "true")) => options.push("durability=synced".to_owned()),
            Some(("j" | "journal", "false")) => options.push("durability=none".to_owned()),
            Some(("tls" | "ssl", "true")) => options.push("tls=on".to_owned()),
            Some(("tls" | "ssl", "false")) => {}
            Some((key @ ("maxPoolSize" | "minPoolSize" | "appName" | "waitQueueTimeoutMS"), _)) => {
                own.ignored.push(key.to_owned());
            }
            // What else MongoDB's URLs may say is for the driver to take or to refuse.
            _ => options.push(option.to_owned()),
        }
    }
    own.ignore(&[
        "mongodb.maxconnections",
        "mongodb.threadsAllowedToBlockForConnectionMultiplier",
        "mongodb.upsert",
    ]);
    Ok(format!("{place}{}", query(&options)))
}

fn redis(own: &mut Own<'_>) -> Result<String, Problem> {
    let host = own.take("redis.host").ok_or_else(|| {
        Problem::usage("the binding `redis` needs the property `redis.host`").help(
            "name the server, e.g. -p redis.host=127.0.0.1, or an address such as redis://127.0.0.1:6379",
        )
    })?;
    let port = own.take("redis.port").unwrap_or_else(|| "6379".to_owned());
    let password = own.take("redis.password");
    let mut options = Vec::new();
    if let Some(milliseconds) = own.take("redis.timeout") {
        options.push(format!("timeout={milliseconds}ms"));
    }
    // The driver asks the server whether it is a cluster.
    own.ignore(&["redis.cluster"]);
    Ok(format!(
        "redis://{}{host}:{port}{}",
        login(None, password.as_deref()),
        query(&options)
    ))
}

fn jdbc(own: &mut Own<'_>) -> Result<String, Problem> {
    let url = own.take("db.url").unwrap_or_default();
    let Some(place) = url.strip_prefix("jdbc:postgresql://") else {
        return Err(Problem::usage(format!(
            "dbdyno does not support the JDBC address `{}`",
            without_query(&url)
        ))
        .help(
            "the only supported JDBC database is PostgreSQL: -p db.url=jdbc:postgresql://HOST:PORT/DATABASE",
        ));
    };
    let place = without_query(place);
    let (user, password) = (own.take("db.user"), own.take("db.passwd"));
    if own
        .take("db.batchsize")
        .is_some_and(|size| size.parse() != Ok(0_u32))
        || own.take("jdbc.autocommit").is_some_and(|value| value == "false")
    {
        return Err(Problem::usage("dbdyno commits every operation separately")
            .help("remove db.batchsize and jdbc.autocommit; with batches, the latency of one operation is meaningless"));
    }
    own.ignore(&["db.driver", "jdbc.fetchsize", "jdbc.batchupdateapi"]);
    Ok(format!(
        "postgres://{}{place}",
        login(user.as_deref(), password.as_deref())
    ))
}

/// A JDBC address may hold a password among its parameters.
fn without_query(url: &str) -> &str {
    url.split('?').next().unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(binding: &str, settings: &[&str]) -> Result<Translation, Problem> {
        let mut properties = Properties::new();
        for setting in settings {
            properties.set(setting).unwrap();
        }
        properties.set("recordcount=10").unwrap();
        let translation = translate(binding, &mut properties)?.expect("it is a binding of ours");
        assert_eq!(
            properties.iter().count(),
            1,
            "only the workload's properties are left"
        );
        Ok(translation)
    }

    fn address(binding: &str, settings: &[&str]) -> String {
        translated(binding, settings).unwrap().address
    }

    #[test]
    fn the_properties_of_a_binding_become_an_address() {
        assert_eq!(
            address(
                "cassandra-cql",
                &["hosts=one, two", "cassandra.readtimeoutmillis=500"]
            ),
            "cassandra://one:9042,two:9042/ycsb?consistency=quorum&timeout=500ms"
        );
        let settings = [
            "hosts=one",
            "port=9043",
            "cassandra.keyspace=bench",
            "cassandra.username=me",
            "cassandra.password=p@ss/w",
            "cassandra.readconsistencylevel=ONE",
            "cassandra.writeconsistencylevel=ONE",
            "cassandra.useSSL=true",
            "cassandra.tracing=false",
        ];
        assert_eq!(
            address("cassandra-cql", &settings),
            "cassandra://me:p%40ss%2Fw@one:9043/bench?consistency=one&tls=on"
        );
        assert_eq!(
            address("mongodb", &[]),
            "mongodb://localhost:27017/ycsb?consistency=one"
        );
        assert_eq!(
            address(
                "mongodb-async",
                &["mongodb.url=mongodb://u:p@one,two/db?w=majority&j=true&replicaSet=rs0"]
            ),
            "mongodb://u:p@one,two/db?consistency=quorum&durability=synced&replicaSet=rs0"
        );
        assert_eq!(
            address(
                "redis",
                &["redis.host=one", "redis.password=x", "redis.timeout=100"]
            ),
            "redis://:x@one:6379?timeout=100ms"
        );
        assert_eq!(
            address(
                "jdbc",
                &[
                    "db.url=jdbc:postgresql://one:5433/bench?x=y",
                    "db.user=me",
                    "db.passwd=p",
                    "db.driver=org.postgresql.Driver"
                ]
            ),
            "postgres://me:p@one:5433/bench"
        );
        assert_eq!(translate("redb", &mut Properties::new()).unwrap(), None);
    }

    #[test]
    fn what_has_no_meaning_here_is_named() {
        let translation = translated("redis", &["redis.host=one", "redis.cluster=true"]).unwrap();
        assert_eq!(translation.ignored, ["redis.cluster"]);
    }

    #[test]
    fn what_dbdyno_does_otherwise_is_refused() {
        for (binding, settings, expected) in [
            ("cassandra-cql", &[][..], "`hosts`"),
            (
                "cassandra-cql",
                &["hosts=h", "cassandra.readconsistencylevel=ONE"][..],
                "one level for both",
            ),
            (
                "cassandra-cql",
                &[
                    "hosts=h",
                    "cassandra.readconsistencylevel=TWO",
                    "cassandra.writeconsistencylevel=TWO",
                ][..],
                "no consistency level TWO",
            ),
            ("redis", &[][..], "`redis.host`"),
            (
                "jdbc",
                &["db.url=jdbc:mysql://h/d?password=secret"][..],
                "`jdbc:mysql://h/d`",
            ),
            (
                "jdbc",
                &["db.url=jdbc:postgresql://h/d", "db.batchsize=1000"][..],
                "separately",
            ),
        ] {
            let problem = translated(binding, settings).unwrap_err();
            assert!(format!("{problem:?}").contains(expected), "{problem:?}");
        }
    }
}
