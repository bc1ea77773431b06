//! Login, and TLS with certificates on both sides, against servers that insist on them.

use dbdyno_database_mongodb::MongodbDriver;
use dbdyno_driver::{Driver, ErrorClass};
use dbdyno_server_mongodb::MongodbRecipe;
use dbdyno_testkit::live::{
    assert_refuses, assert_round_trip, assert_unprivileged, block_on, certificate_options, certificates,
    secret_file, start, target, with_options,
};

#[test]
fn passwords_are_asked_for_and_never_reported() {
    let lab = start(&MongodbRecipe, "mongodb?user=me&password=hunter2/?@:");
    let hosts = lab.address().rsplit_once('@').unwrap().1;
    for login in ["", "me:hunter3@"] {
        let address = format!("mongodb://{login}{hosts}");
        assert_refuses::<MongodbDriver>(&address, ErrorClass::Auth, "127.0.0.1", "hunter");
    }
    let file = secret_file("hunter2/?@:");
    let address = format!(
        "mongodb://{hosts}?user=me&password_file={}",
        file.path().display()
    );
    block_on(MongodbDriver::connect(&target(&address))).unwrap();
}

#[test]
fn tls_is_spoken_with_a_certificate_on_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let lab = start(
        &MongodbRecipe,
        &format!("mongodb?tls={}", folder.path().display()),
    );
    let with_both = certificate_options(folder.path(), folder.path());
    block_on(MongodbDriver::connect(&with_options(lab.address(), &with_both))).unwrap();
    for options in [
        format!("tls_ca={}/ca.pem", folder.path().display()),
        "tls=on".to_owned(),
        "tls=off".to_owned(),
    ] {
        let address = format!("{}?{options}&connect_timeout=1s", lab.address());
        assert_refuses::<MongodbDriver>(&address, ErrorClass::Unavailable, "127.0.0.1", "");
    }
}

#[test]
fn every_profile_lets_the_driver_read_and_write() {
    for request in [
        "mongodb?security=none",
        "mongodb?security=auth",
        "mongodb?security=tls",
        "mongodb?security=mtls",
        "mongodb?security=hardened",
        "mongodb?security=auth&nodes=3",
        "mongodb?security=hardened&nodes=3",
        "mongodb?security=hardened&partition=client&shards=2",
    ] {
        let lab = start(&MongodbRecipe, request);
        block_on(async {
            let driver = MongodbDriver::connect(&target(lab.address())).await.unwrap();
            assert_round_trip(&driver).await;
            driver.close().await;
        });
    }
}

#[test]
fn a_set_asks_for_the_login_and_certificates_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let request = format!(
        "mongodb?nodes=3&user=me&password=hunter2&tls={}",
        folder.path().display()
    );
    let lab = start(&MongodbRecipe, &request);
    let both = certificate_options(folder.path(), folder.path());
    block_on(MongodbDriver::connect(&with_options(lab.address(), &both))).unwrap();
    let wrong = format!("{}&{both}", lab.address().replace("hunter2", "hunter3"));
    assert_refuses::<MongodbDriver>(&wrong, ErrorClass::Auth, "127.0.0.1", "hunter");
}

#[test]
fn servers_run_as_an_unprivileged_user_and_none_is_left() {
    assert_unprivileged(start(&MongodbRecipe, "mongodb"));
}
