//! TLS with certificates on both sides, against a server that insists on them.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Driver, ErrorClass};
use dbdyno_lab::Lab;
use dbdyno_server_hbase::HbaseRecipe;
use dbdyno_testkit::live::{
    assert_refuses, assert_unprivileged, block_on, certificate_options, certificates_of, facts, read, start,
    table, target, with_options,
};
use tempfile::TempDir;

use crate::SERVER;
use crate::zookeeper::ZooKeeper;

/// Set in a child process to the address that it must not be connected to.
const OTHER_ADDRESS: &str = "DBDYNO_TEST_OF_HBASE_UNDER_ANOTHER_NAME";

/// A server that speaks nothing but TLS, and the directory of certificates of itself and its clients. They are for the
/// name `localhost`.
fn encrypted() -> (&'static Lab, &'static Path) {
    static ENCRYPTED: OnceLock<(Lab, TempDir)> = OnceLock::new();
    let (lab, folder) = ENCRYPTED.get_or_init(|| {
        let folder = with_certificates();
        let request = format!("{SERVER}&tls={}", folder.path().display());
        (start(&HbaseRecipe, &request), folder)
    });
    (lab, folder.path())
}

fn with_certificates() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    certificates_of(folder.path(), &["localhost"]);
    folder
}

/// A refusal is told long before; a machine may be busy.
const PATIENCE: &str = "connect_timeout=60s";

/// The options of a client that has the certificate of one directory and trusts the authority of the other.
pub fn client(own: &Path, authority: &Path) -> String {
    format!("{}&{PATIENCE}", certificate_options(own, authority))
}

#[test]
fn tls_is_spoken_with_a_certificate_on_both_sides() {
    let (lab, folder) = encrypted();
    let address = with_options(lab.address(), &client(folder, folder));
    block_on(async {
        let driver = HbaseDriver::connect(&address).await.unwrap();
        let table = table("encrypted", 1);
        driver.create_table(&table).await.unwrap();
        read(&mut driver.session(&table).await.unwrap()).await.unwrap();
    });
    assert_eq!(facts::<HbaseDriver>(&address).settings["tls"], "on");
    let strangers = with_certificates();
    let strangers = strangers.path();
    for (options, expected) in [
        // No certificate of the client's; one of another authority.
        (
            format!("tls_ca={}/ca.pem&{PATIENCE}", folder.display()),
            "bad_certificate",
        ),
        (client(strangers, folder), "certificate_unknown"),
        // A server's that nobody vouches for, and that Java's authorities do not vouch for; no TLS at all.
        (client(folder, strangers), "PKIX"),
        (format!("tls=on&{PATIENCE}"), "PKIX"),
        // Whoever ends connections may take them later, so that this lasts as long as it may.
        ("tls=off&connect_timeout=3s".to_owned(), "tls=on"),
    ] {
        let address = with_options(lab.address(), &options).to_string();
        assert_refuses::<HbaseDriver>(&address, ErrorClass::Unavailable, expected, "PRIVATE KEY");
    }
}

#[test]
fn a_server_whose_certificate_is_of_another_name_is_refused() {
    if let Ok(address) = std::env::var(OTHER_ADDRESS) {
        return assert_refuses::<HbaseDriver>(&address, ErrorClass::Unavailable, "<elsewhere>", "");
    }
    let (lab, folder) = encrypted();
    let port = target(lab.address()).place.rsplit(':').next().unwrap().parse();
    let mut keeper = ZooKeeper::connect(port.unwrap());
    keeper.create("/elsewhere", b"");
    for node in ["hbaseid", "master"] {
        let reported = keeper.read(&format!("/hbase/{node}"));
        keeper.create(&format!("/elsewhere/{node}"), &renamed(&reported));
    }
    let address = lab.address().replacen('?', "/elsewhere?", 1);
    // Java in a process of its own knows the other name of this machine.
    let hosts = folder.join("hosts");
    std::fs::write(&hosts, "127.0.0.1 localhost\n127.0.0.1 elsewhere\n").unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args([
            "security::a_server_whose_certificate_is_of_another_name_is_refused",
            "--exact",
        ])
        .env(
            OTHER_ADDRESS,
            with_options(&address, &client(folder, folder)).to_string(),
        )
        .env(
            "DBDYNO_JVM_OPTIONS",
            format!("-Djdk.net.hosts.file={}", hosts.display()),
        )
        .output()
        .unwrap();
    let stated = String::from_utf8_lossy(&child.stdout);
    assert!(stated.contains("1 passed"), "{stated}");
}

/// A server's answer with another name of the same length, so that nothing else in it changes.
fn renamed(reported: &[u8]) -> Vec<u8> {
    let (name, other) = (b"127.0.0.1", b"elsewhere");
    let mut changed = reported.to_vec();
    if let Some(begin) = reported.windows(name.len()).position(|window| window == name) {
        changed[begin..][..other.len()].copy_from_slice(other);
    }
    changed
}

#[test]
fn a_file_that_holds_no_certificate_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, "nothing").unwrap();
    let address = format!("hbase://127.0.0.1:1?class_path=/&tls_ca={}", file.display());
    assert_refuses::<HbaseDriver>(&address, ErrorClass::Rejected, "ca.pem", "");
}

#[test]
fn servers_run_as_an_unprivileged_user_and_none_is_left() {
    let lab = start(&HbaseRecipe, &format!("{SERVER}&nodes=2&masters=2&zookeeper=3"));
    assert_eq!(lab.servers().len(), 7);
    let told = facts::<HbaseDriver>(&with_options(lab.address(), PATIENCE));
    assert_eq!(told.topology, "2 region servers");
    assert_eq!(told.settings["standby_masters"], "1");
    assert_unprivileged(lab);
}
