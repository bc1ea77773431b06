//! Login, and TLS with certificates on both sides, against servers that insist on them.

use dbdyno_database_redis::RedisDriver;
use dbdyno_driver::{Driver, ErrorClass};
use dbdyno_server_redis::RedisRecipe;
use dbdyno_testkit::live::{
    assert_refuses, assert_unprivileged, block_on, certificate_options, certificates, secret_file, start,
    target, with_options,
};

#[test]
fn passwords_are_asked_for_and_never_reported() {
    let password = "hunter2/?@:\"\\ é";
    let lab = start(&RedisRecipe, &format!("redis?password={password}"));
    block_on(RedisDriver::connect(&target(lab.address()))).unwrap();
    // In a file of its owner's, not on a command line, which Redis hides only after its start.
    let file = lab.servers()[0].directory.join("redis.conf");
    let mode = std::os::unix::fs::MetadataExt::mode(&file.metadata().unwrap());
    assert_eq!(mode & 0o077, 0);
    let host = lab.address().rsplit_once('@').unwrap().1;
    for login in ["", ":hunter3@"] {
        assert_refuses::<RedisDriver>(
            &format!("redis://{login}{host}"),
            ErrorClass::Auth,
            "127.0.0.1",
            "hunter",
        );
    }
    let file = secret_file(password);
    let address = format!("redis://{host}?password_file={}", file.path().display());
    block_on(RedisDriver::connect(&target(&address))).unwrap();

    let lab = start(
        &RedisRecipe,
        &format!("redis?password_file={}", file.path().display()),
    );
    block_on(RedisDriver::connect(&target(lab.address()))).unwrap();
    assert!(!lab.instance().request.contains("hunter"));
    let host = lab.address().rsplit_once('@').unwrap().1;
    assert_refuses::<RedisDriver>(
        &format!("redis://{host}"),
        ErrorClass::Auth,
        "127.0.0.1",
        "hunter",
    );
}

#[test]
fn tls_is_spoken_with_a_certificate_on_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let lab = start(&RedisRecipe, &format!("redis?tls={}", folder.path().display()));
    let with_both = certificate_options(folder.path(), folder.path());
    block_on(RedisDriver::connect(&with_options(lab.address(), &with_both))).unwrap();
    let without_client = format!("{}?tls_ca={}/ca.pem", lab.address(), folder.path().display());
    let plain = lab.address().replace("rediss://", "redis://");
    for address in [without_client.as_str(), lab.address(), &plain] {
        assert_refuses::<RedisDriver>(address, ErrorClass::Unavailable, "127.0.0.1", "");
    }
}

#[test]
fn servers_run_as_an_unprivileged_user_and_none_is_left() {
    assert_unprivileged(start(&RedisRecipe, "redis"));
    assert_unprivileged(start(&RedisRecipe, "redis?nodes=3"));
}
