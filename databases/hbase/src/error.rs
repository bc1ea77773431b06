//! Each exception of the client gets a class and a sentence.

use dbdyno_driver::{DbError, ErrorClass};
use dbdyno_jvm::Failure;

/// Names of exceptions, or of their superclasses or causes, and what they count as; the first that fits decides.
const CLASSES: [(ErrorClass, &[&str]); 8] = [
    (ErrorClass::NotFound, &["TableNotFoundException"]),
    (
        ErrorClass::Auth,
        &["AccessDeniedException", "AccessControlException"],
    ),
    (
        ErrorClass::Overloaded,
        &[
            "RegionTooBusyException",
            "CallQueueTooBigException",
            "CallDroppedException",
            "ServerTooBusyException",
            "RpcThrottlingException",
            "QuotaExceededException",
        ],
    ),
    (
        ErrorClass::Unavailable,
        &[
            "ConnectException",
            "ConnectTimeoutException",
            "ConnectionLossException",
            "ConnectionClosedException",
            "ConnectionClosingException",
            "NotServingRegionException",
            "RegionServerStoppedException",
            "FailedServerException",
            "MasterNotRunningException",
            "NoNodeException",
            "UnknownHostException",
        ],
    ),
    (
        ErrorClass::Timeout,
        &[
            "TimeoutException",
            "SocketTimeoutException",
            "CallTimeoutException",
            "TimeoutIOException",
        ],
    ),
    // A Kerberos server that cannot be reached is no wrong login: it is among the causes, and decided above.
    (
        ErrorClass::Auth,
        &["SaslException", "LoginException", "KerberosAuthException"],
    ),
    (
        ErrorClass::Rejected,
        &["DoNotRetryIOException", "IllegalArgumentException"],
    ),
    (ErrorClass::Unavailable, &["IOException", "KeeperException"]),
];

/// How `ReadOnlyZKClient` words a wait for ZooKeeper that was too long.
const SILENT_ZOOKEEPER: &str = "could not be completed in";

/// The error of an operation.
pub fn classified(failure: Failure, hosts: &str) -> DbError {
    let by_name = CLASSES
        .iter()
        .find(|(_, names)| names.iter().any(|name| failure.is(name)))
        .map_or(ErrorClass::Bug, |(class, _)| *class);
    // The client has no exception of its own for a ZooKeeper that does not answer.
    let class = match by_name {
        ErrorClass::Rejected if failure.message.contains(SILENT_ZOOKEEPER) => ErrorClass::Timeout,
        other => other,
    };
    let help = match class {
        _ if failure.is("SSLHandshakeException") => {
            "; check tls_ca, tls_cert and tls_key, and that the server's certificate has the name by which it is known"
        }
        ErrorClass::Auth => "; check principal, keytab and server_principal, and what that principal may do",
        ErrorClass::NotFound => "; load the table first",
        ErrorClass::Unavailable => "; check that ZooKeeper, the master and the region servers run there",
        _ => "",
    };
    DbError::new(class, format!("HBase at {hosts}: {}{help}", failure.message))
}

/// The error of connecting: a client that got no answer at all could not reach its ZooKeeper or master.
pub fn connecting(failure: Failure, hosts: &str) -> DbError {
    let encryption = if failure.is("ConnectionClosedException") {
        " (a server that wants TLS ends connections without it: tls=on)"
    } else {
        ""
    };
    let error = classified(failure.clone(), hosts);
    if error.class == ErrorClass::Timeout {
        return DbError::new(
            ErrorClass::Unavailable,
            format!(
                "no answer from HBase through ZooKeeper at {hosts} in time; check the address (it is ZooKeeper's, port \
                 2181 by default), that master and region servers run, or raise connect_timeout ({})",
                failure.message
            ),
        );
    }
    DbError::new(error.class, error.message + encryption)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class_of(classes: &[&str]) -> ErrorClass {
        let failure = Failure {
            classes: classes.iter().map(|name| (*name).to_owned()).collect(),
            message: "words".to_owned(),
        };
        classified(failure, "h:1").class
    }

    #[test]
    fn the_cause_decides_before_the_wrapper() {
        let wrapper = "org.apache.hadoop.hbase.client.RetriesExhaustedException";
        let io = "java.io.IOException";
        for (cause, expected) in [
            ("javax.security.auth.login.LoginException", ErrorClass::Auth),
            ("java.net.ConnectException", ErrorClass::Unavailable),
            (
                "org.apache.hadoop.hbase.ipc.CallTimeoutException",
                ErrorClass::Timeout,
            ),
            (
                "org.apache.hadoop.hbase.RegionTooBusyException",
                ErrorClass::Overloaded,
            ),
            (
                "org.apache.hadoop.hbase.TableNotFoundException",
                ErrorClass::NotFound,
            ),
            (
                "org.apache.hadoop.hbase.DoNotRetryIOException",
                ErrorClass::Rejected,
            ),
        ] {
            assert_eq!(class_of(&[wrapper, io, cause, io]), expected, "{cause}");
        }
        assert_eq!(class_of(&[wrapper, io]), ErrorClass::Unavailable);
        let login = "javax.security.auth.login.LoginException";
        let unreachable = class_of(&[login, "java.net.ConnectException", io]);
        assert_eq!(unreachable, ErrorClass::Unavailable);
        let silent = Failure {
            classes: vec!["org.apache.hadoop.hbase.DoNotRetryIOException".to_owned()],
            message: "DoNotRetryIOException: Zookeeper GET could not be completed in 700 ms".to_owned(),
        };
        assert_eq!(classified(silent, "h:1").class, ErrorClass::Timeout);
        assert_eq!(class_of(&["java.lang.NullPointerException"]), ErrorClass::Bug);
    }
}
