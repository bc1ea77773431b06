//! TLS with certificates on both sides, against a node that insists on them.

use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::{Driver, ErrorClass};
use dbdyno_testkit::live::{assert_refuses, block_on, certificates, read, table, with_options};

use crate::begun;

#[test]
fn tls_is_spoken_with_a_certificate_on_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let strangers = tempfile::tempdir().unwrap();
    certificates(strangers.path());
    let file = |name: &str| folder.path().join(name).display().to_string();
    let lab = begun(&format!("tls={}", folder.path().display()));
    let own = format!("tls_cert={}&tls_key={}", file("client.pem"), file("client.key"));
    let authority = format!("tls_ca={}", file("ca.pem"));
    let address = with_options(lab.address(), &format!("{authority}&{own}"));
    block_on(async {
        let driver = CassandraDriver::connect(&address).await.unwrap();
        let table = table("encrypted", 1);
        driver.create_table(&table).await.unwrap();
        read(&mut driver.session(&table).await.unwrap()).await.unwrap();
    });
    for options in [
        // No certificate of the client's; one of another authority; a server's that nobody vouches for; no TLS at all.
        authority.clone(),
        format!(
            "{authority}&tls_cert={0}/client.pem&tls_key={0}/client.key",
            strangers.path().display()
        ),
        format!("tls_ca={}/ca.pem&{own}", strangers.path().display()),
        "tls=off".to_owned(),
    ] {
        let address = with_options(lab.address(), &format!("{options}&connect_timeout=5s")).to_string();
        assert_refuses::<CassandraDriver>(&address, ErrorClass::Unavailable, "127.0.0.1", "PRIVATE KEY");
    }
}

#[test]
fn a_file_that_holds_no_certificate_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(
        &file,
        "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n",
    )
    .unwrap();
    let address = format!("cassandra://127.0.0.1:1?tls_ca={}", file.display());
    assert_refuses::<CassandraDriver>(&address, ErrorClass::Rejected, "ca.pem", "");
}
