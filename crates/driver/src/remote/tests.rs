//! What an address of servers may say.

use super::*;
use crate::{Capabilities, Durability, Execution, ScanOrder, Values};

const INFO: DriverInfo = DriverInfo {
    name: "server",
    summary: "a server",
    schemes: &["server"],
    example: "server://HOST:7000",
    options: &[],
    remote: true,
    default_port: Some(7000),
    execution: Execution::Async,
    capabilities: Capabilities {
        scan: ScanOrder::Key,
        persistent: true,
        stores_records: true,
        durabilities: &[Durability::Buffered],
        consistencies: &[],
        values: Values::Bytes,
    },
};

fn read(address: &str) -> Result<Remote, String> {
    let target = Target::parse(address).unwrap();
    options::check(&INFO, &target).map_err(|error| error.message)?;
    Remote::read(&INFO, &target).map_err(|error| error.message)
}

#[test]
fn an_address_has_hosts_a_login_and_a_path() {
    let remote = read("server://me:p%40ss@one:1,two,[::1]:3/data?timeout=250ms").unwrap();
    assert_eq!(remote.hosts_text(), "one:1,two:7000,[::1]:3");
    assert_eq!(remote.user.as_deref(), Some("me"));
    assert_eq!(remote.password.as_ref().unwrap().reveal(), "p@ss");
    assert_eq!((remote.path.as_str(), remote.tls.is_none()), ("data", true));
    assert_eq!(remote.timeout, Duration::from_millis(250));
    assert_eq!(remote.connect_timeout, Duration::from_secs(10));
    assert!(!format!("{remote:?}").contains("p@ss"));
}

#[test]
fn a_password_may_lie_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "hunter2\n").unwrap();
    let remote = read(&format!("server://one?user=me&password_file={}", file.display())).unwrap();
    assert_eq!(remote.password.unwrap().reveal(), "hunter2");
    let path = file.display();
    for (address, expected) in [
        (
            format!("server://me:x@one?password_file={path}"),
            "more than one password",
        ),
        (
            "server://one?password_file=/missing".to_owned(),
            "the file that `password_file` names",
        ),
        (
            "server://one?password_env=DBDYNO_NO_SUCH".to_owned(),
            "`password_env` names is not set",
        ),
        ("server://me@one?user=you".to_owned(), "two users"),
    ] {
        let error = read(&address).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn files_turn_encryption_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.pem");
    std::fs::write(&file, "").unwrap();
    let path = file.display();
    assert_eq!(read("server://one?tls=on").unwrap().tls, Some(Tls::default()));
    let tls = read(&format!(
        "server://one?tls_ca={path}&tls_cert={path}&tls_key={path}"
    ))
    .unwrap()
    .tls
    .unwrap();
    assert_eq!((tls.ca.is_some(), tls.client.is_some()), (true, true));
    for (options, expected) in [
        (format!("tls_cert={path}"), "together"),
        (format!("tls_ca={path}&tls=off"), "`tls=off`"),
        ("tls_ca=/missing".to_owned(), "`tls_ca=/missing`"),
        // Libraries read them more than once, and to their end.
        ("tls_ca=/dev/zero".to_owned(), "not a regular file"),
        ("tls=yes".to_owned(), "`tls=yes`"),
    ] {
        let error = read(&format!("server://one?{options}")).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn mistakes_are_named() {
    for (address, expected) in [
        ("server", "`server://HOST:7000`"),
        ("server://", "empty host"),
        ("server://one,,two", "empty host"),
        ("server://x:pw@[::1", "without its `]`"),
        ("server://one:70000", "`70000`"),
        ("server://one?timeout=5", "timeout=5"),
        ("server://one?timeuot=5s", "did you mean `timeout`"),
    ] {
        let error = read(address).unwrap_err();
        assert!(error.contains(expected), "{address}: {error}");
    }
}
