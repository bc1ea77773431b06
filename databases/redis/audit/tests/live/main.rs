//! Every probe against a server that must pass and one that must fail.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod localhost;
mod planted;
mod replicas;

use dbdyno_audit_redis::RedisAuditor;
use dbdyno_database_redis::RedisDriver;
use dbdyno_record::audit::{AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_redis::RedisRecipe;
use dbdyno_testkit::at_rest::assert_volume_protects;
use dbdyno_testkit::audit::{
    Expected, assert_audit, assert_audit_of, assert_certificate_read_back, assert_hardened,
};
use dbdyno_testkit::live::start;

use AuditSeverity::{Critical, High, Low, Medium};
use ProtectionLevel::{Enforced, NotApplicable, Partial, SupportedOff, Unsupported};

/// What every profile has in common: Redis encrypts no file, keeps refusals in memory only, and knows no proxies.
const ALWAYS: [Expected; 5] = [
    (Feature::EncryptionAtRest, Unsupported, Some(Low)),
    (Feature::Auditing, Partial, Some(Low)),
    (Feature::AuthenticationCaching, Enforced, None),
    (Feature::ProxyRoles, NotApplicable, None),
    (Feature::Exposure, Enforced, None),
];

#[test]
fn an_open_server_is_found_open() {
    assert_audit(
        &RedisAuditor,
        &RedisRecipe,
        "redis",
        &[
            &ALWAYS[..],
            &[
                (Feature::Authentication, SupportedOff, Some(Critical)),
                (Feature::Authorization, SupportedOff, Some(High)),
                (Feature::ClientToNodeEncryption, SupportedOff, Some(High)),
                (Feature::TransportEncryption, SupportedOff, Some(High)),
                (Feature::JmxAuthentication, SupportedOff, Some(Critical)),
                (Feature::NodeToNodeEncryption, NotApplicable, None),
                (Feature::DefaultCredentials, SupportedOff, Some(Critical)),
                (Feature::PasswordStorage, SupportedOff, Some(High)),
                (Feature::Injection, Enforced, None),
            ],
        ]
        .concat(),
    );
}

#[test]
fn a_login_alone_leaves_the_wire_open() {
    assert_audit(
        &RedisAuditor,
        &RedisRecipe,
        "redis?security=auth",
        &[
            &ALWAYS[..],
            &[
                (Feature::Authentication, Enforced, None),
                (Feature::Authorization, Enforced, None),
                (Feature::ClientToNodeEncryption, SupportedOff, Some(High)),
                (Feature::JmxAuthentication, Enforced, None),
                (Feature::DefaultCredentials, Enforced, None),
                (Feature::PasswordStorage, Partial, Some(Low)),
            ],
        ]
        .concat(),
    );
}

#[test]
fn a_login_with_all_rights_is_found() {
    assert_audit(
        &RedisAuditor,
        &RedisRecipe,
        "redis?password=a-password-of-everybody",
        &[
            (Feature::Authentication, Enforced, None),
            (Feature::Authorization, Partial, Some(High)),
            (Feature::JmxAuthentication, Partial, Some(High)),
        ],
    );
}

#[test]
fn encryption_alone_leaves_the_door_open() {
    for profile in ["tls", "mtls"] {
        let lab = start(&RedisRecipe, &format!("redis?security={profile}"));
        assert_audit_of(
            &RedisAuditor,
            &lab,
            &[
                (Feature::Authentication, SupportedOff, Some(Critical)),
                (Feature::ClientToNodeEncryption, Enforced, None),
                (Feature::TransportEncryption, Enforced, None),
            ],
        );
        assert_certificate_read_back(&RedisAuditor, &lab, profile == "mtls");
    }
}

#[test]
fn a_hardened_server_has_nothing_above_low_and_two_audits_do_not_disturb_each_other() {
    let lab = start(&RedisRecipe, "redis?security=hardened");
    assert_hardened(
        &RedisAuditor,
        &lab,
        &[
            &ALWAYS[..],
            &[
                (Feature::Authentication, Enforced, None),
                (Feature::Authorization, Enforced, None),
                (Feature::ClientToNodeEncryption, Enforced, None),
                (Feature::TransportEncryption, Enforced, None),
                (Feature::JmxAuthentication, Enforced, None),
                (Feature::NodeToNodeEncryption, NotApplicable, None),
                (Feature::DefaultCredentials, Enforced, None),
                (Feature::PasswordStorage, Partial, Some(Low)),
                (Feature::Injection, Enforced, None),
            ],
        ]
        .concat(),
    );
}

#[test]
fn the_bus_of_a_cluster_is_seen() {
    for (request, expected) in [
        (
            "redis?nodes=3",
            (Feature::NodeToNodeEncryption, SupportedOff, Some(Medium)),
        ),
        (
            "redis?nodes=3&security=hardened",
            (Feature::NodeToNodeEncryption, Enforced, None),
        ),
    ] {
        // The first key that an audit would store belongs to another node as often as not.
        let at_rest = (Feature::EncryptionAtRest, Unsupported, Some(Low));
        assert_audit(&RedisAuditor, &RedisRecipe, request, &[expected, at_rest]);
    }
}

#[test]
fn an_encrypted_volume_protects_what_the_server_does_not() {
    assert_volume_protects::<RedisDriver>(
        &RedisAuditor,
        &RedisRecipe,
        "redis?security=hardened&appendfsync=always",
        ALWAYS[0],
    );
}
