//! Login, and TLS with certificates on both sides, against servers that insist on them.

use dbdyno_database_postgres::PostgresDriver;
use dbdyno_driver::{Driver, ErrorClass};
use dbdyno_server_postgres::PostgresRecipe;
use dbdyno_testkit::live::{
    assert_refuses, assert_round_trip, assert_unprivileged, block_on, certificate_options, certificates,
    secret_file, start, target, with_options,
};

#[test]
fn passwords_are_asked_for_and_never_reported() {
    let lab = start(&PostgresRecipe, "postgres?password=hunter2/?@:");
    let hosts = lab.address().rsplit_once('@').unwrap().1;
    for login in ["", "postgres:hunter3@"] {
        let address = format!("postgres://{login}{hosts}");
        assert_refuses::<PostgresDriver>(&address, ErrorClass::Auth, "127.0.0.1", "hunter");
    }
    let file = secret_file("hunter2/?@:");
    let address = format!(
        "postgres://{hosts}?user=postgres&password_file={}",
        file.path().display()
    );
    block_on(PostgresDriver::connect(&target(&address))).unwrap();
}

#[test]
fn tls_is_spoken_with_a_certificate_on_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let lab = start(
        &PostgresRecipe,
        &format!("postgres?tls={}", folder.path().display()),
    );
    let with_both = certificate_options(folder.path(), folder.path());
    block_on(PostgresDriver::connect(&with_options(lab.address(), &with_both))).unwrap();
    for (options, class) in [
        // The server asks for a certificate, or for TLS; we ask for a server that an authority vouches for.
        (
            format!("tls_ca={}/ca.pem", folder.path().display()),
            ErrorClass::Auth,
        ),
        ("sslmode=disable".to_owned(), ErrorClass::Auth),
        ("sslmode=verify-full".to_owned(), ErrorClass::Unavailable),
    ] {
        let address = format!("{}?{options}", lab.address());
        assert_refuses::<PostgresDriver>(&address, class, "127.0.0.1", "");
    }
}

#[test]
fn servers_run_as_an_unprivileged_user_and_none_is_left() {
    assert_unprivileged(start(&PostgresRecipe, "postgres?nodes=2"));
}

#[test]
fn records_are_written_and_read_under_every_profile() {
    let profiles = ["none", "auth", "tls", "mtls", "hardened"];
    let alone = profiles.map(|profile| format!("postgres?security={profile}"));
    let with_replica =
        ["auth", "tls", "mtls", "hardened"].map(|profile| format!("postgres?nodes=2&security={profile}"));
    for request in alone.iter().chain(&with_replica) {
        let lab = start(&PostgresRecipe, request);
        block_on(async {
            let driver = PostgresDriver::connect(&target(lab.address())).await.unwrap();
            assert_round_trip(&driver).await;
            let facts = driver.facts().await.unwrap();
            assert_eq!(facts.nodes, Some(lab.servers().len() as u32), "{request}");
        });
        for name in ["password", "administrator-password"] {
            let Ok(password) = std::fs::read_to_string(lab.directory().join("clients").join(name)) else {
                continue;
            };
            for server in lab.servers() {
                let log = std::fs::read_to_string(&server.log).unwrap();
                assert!(!log.contains(&password), "{request}: a password is in a log");
            }
        }
    }
}

#[test]
fn replicas_follow_over_tls_and_with_a_password() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let lab = start(
        &PostgresRecipe,
        &format!(
            "postgres?nodes=2&password=hunter2/?@:&tls={}",
            folder.path().display()
        ),
    );
    let with_both = certificate_options(folder.path(), folder.path());
    let driver = block_on(PostgresDriver::connect(&with_options(lab.address(), &with_both))).unwrap();
    assert_eq!(block_on(driver.facts()).unwrap().nodes, Some(2));
}
