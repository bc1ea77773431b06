//! Streams to replicas, in clear text and over TLS.

use dbdyno_audit_redis::RedisAuditor;
use dbdyno_lab::Lab;
use dbdyno_record::audit::{AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_redis::RedisRecipe;
use dbdyno_testkit::audit::assert_audit_of;
use dbdyno_testkit::live::{start, target};

use crate::planted::{administer, answer};

use AuditSeverity::{Low, Medium};
use ProtectionLevel::{Enforced, NotApplicable, Partial, SupportedOff, Unknown};

#[track_caller]
fn assert_streams(lab: &Lab, level: ProtectionLevel, severity: Option<AuditSeverity>) {
    let expected = (Feature::NodeToNodeEncryption, level, severity);
    assert_audit_of(&RedisAuditor, lab, &[expected]);
}

/// Makes a server a replica of what listens on this port of the master, and waits until the master has so many replicas with all data.
fn replicate(replica: &Lab, (master, port): (&Lab, u16), replicas: u32) {
    // Otherwise the master waits five seconds for more of them.
    administer(master, "CONFIG SET repl-diskless-sync-delay 0");
    administer(replica, &format!("REPLICAOF 127.0.0.1 {port}"));
    let command = format!("WAIT {replicas} 50000");
    assert_eq!(answer(master, &command), format!(":{replicas}"));
}

fn port(lab: &Lab) -> u16 {
    let remote = dbdyno_database_redis::remote(&target(lab.address())).unwrap();
    remote.hosts[0].port
}

#[test]
fn streams_in_clear_text_are_found_at_both_ends() {
    let (master, replica) = (start(&RedisRecipe, "redis"), start(&RedisRecipe, "redis"));
    assert_streams(&master, NotApplicable, None);
    replicate(&replica, (&master, port(&master)), 1);
    assert_streams(&master, SupportedOff, Some(Medium));
    assert_streams(&replica, SupportedOff, Some(Medium));
}

#[test]
fn streams_of_the_lab_are_as_its_profile_says() {
    let open = start(&RedisRecipe, "redis?replicas=1");
    assert_streams(&open, SupportedOff, Some(Medium));
    let hardened = start(&RedisRecipe, "redis?replicas=2&security=hardened");
    assert_streams(&hardened, Enforced, None);
    // The user of replicas has no more rights than replication takes.
    let expected = (Feature::Authorization, Enforced, None);
    assert_audit_of(&RedisAuditor, &hardened, &[expected]);
}

#[test]
fn streams_over_tls_are_enforced_where_none_in_clear_text_is_accepted() {
    let [master, replica] = [(); 2].map(|()| start(&RedisRecipe, "redis?security=tls"));
    // Each has an authority of its own; the lab's servers share an account, which may read this copy.
    let authority = master.servers()[0].directory.join("ca.pem");
    administer(
        &replica,
        &format!("CONFIG SET tls-ca-cert-file {}", authority.display()),
    );
    administer(&replica, "CONFIG SET tls-replication yes");
    replicate(&replica, (&master, port(&master)), 1);
    assert_streams(&master, Enforced, None);
    // It cannot see what its master accepts.
    assert_streams(&replica, Unknown, None);

    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let in_clear_text = free.local_addr().unwrap().port();
    drop(free);
    administer(&master, &format!("CONFIG SET port {in_clear_text}"));
    assert_streams(&master, Partial, Some(Low));
    let other = start(&RedisRecipe, "redis");
    replicate(&other, (&master, in_clear_text), 2);
    assert_streams(&master, Partial, Some(Medium));
}
