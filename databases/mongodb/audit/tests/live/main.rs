//! Every probe against a server that must pass and one that must fail.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod hostile;
mod planted;

use dbdyno_audit::{Place, Request};
use dbdyno_audit_mongodb::MongodbAuditor;
use dbdyno_database_mongodb::MongodbDriver;
use dbdyno_record::audit::{AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_mongodb::MongodbRecipe;
use dbdyno_testkit::at_rest::assert_volume_protects;
use dbdyno_testkit::audit::{
    Expected, assert_audit, assert_audit_of, assert_certificate_read_back, assert_hardened,
    assert_idle_connections, assert_missed_only_if_made, audited, request,
};
use dbdyno_testkit::live::{block_on, start};
use mongodb::bson::{Document, doc};

use AuditSeverity::{Critical, High, Low, Medium};
use ProtectionLevel::{Enforced, NotApplicable, Partial, SupportedOff, Unknown};

use crate::planted::as_administrator;

/// What every profile has in common: the Community edition encrypts no file, has no audit log, and knows no proxies.
const ALWAYS: [Expected; 6] = [
    (Feature::EncryptionAtRest, SupportedOff, Some(Low)),
    (Feature::Auditing, Partial, Some(Low)),
    (Feature::AuthenticationCaching, Enforced, None),
    (Feature::ProxyRoles, NotApplicable, None),
    (Feature::Exposure, Enforced, None),
    (Feature::Injection, Enforced, None),
];

#[test]
fn an_open_server_is_found_open() {
    let common: Vec<Expected> = ALWAYS
        .into_iter()
        // Nobody needs a right there, so none can be withdrawn.
        .filter(|(feature, ..)| *feature != Feature::AuthenticationCaching)
        .collect();
    let record = assert_audit(
        &MongodbAuditor,
        &MongodbRecipe,
        "mongodb",
        &[
            &common[..],
            &[
                (Feature::Authentication, SupportedOff, Some(Critical)),
                (Feature::Authorization, SupportedOff, Some(High)),
                (Feature::ClientToNodeEncryption, SupportedOff, Some(High)),
                (Feature::TransportEncryption, SupportedOff, Some(High)),
                (Feature::JmxAuthentication, SupportedOff, Some(Critical)),
                (Feature::AuthenticationCaching, NotApplicable, None),
                (Feature::NodeToNodeEncryption, NotApplicable, None),
                (Feature::DefaultCredentials, NotApplicable, None),
                (Feature::PasswordStorage, NotApplicable, None),
            ],
        ]
        .concat(),
    );
    assert_eq!(record.product, "MongoDB");
    assert!(!record.version.is_empty());
    // In another server's directory, the missing canary would show nothing.
    let at_rest = record.finding(Feature::EncryptionAtRest).unwrap();
    let mut evidence = at_rest.evidence.iter();
    let is_own = evidence.any(|evidence| evidence.got.ends_with("other trace of this server seen: yes"));
    assert!(is_own, "{at_rest:#?}");
}

#[test]
fn a_login_alone_leaves_the_wire_open() {
    assert_audit(
        &MongodbAuditor,
        &MongodbRecipe,
        "mongodb?security=auth",
        &[
            &ALWAYS[..],
            &[
                (Feature::Authentication, Enforced, None),
                (Feature::Authorization, Enforced, None),
                (Feature::ClientToNodeEncryption, SupportedOff, Some(High)),
                (Feature::TransportEncryption, SupportedOff, Some(High)),
                (Feature::JmxAuthentication, Partial, Some(Low)),
                (Feature::DefaultCredentials, Enforced, None),
                (Feature::PasswordStorage, Enforced, None),
            ],
        ]
        .concat(),
    );
}

#[test]
fn encryption_alone_leaves_the_door_open() {
    for profile in ["tls", "mtls"] {
        let lab = start(&MongodbRecipe, &format!("mongodb?security={profile}"));
        let record = assert_audit_of(
            &MongodbAuditor,
            &lab,
            &[
                (Feature::Authentication, SupportedOff, Some(Critical)),
                (Feature::Authorization, SupportedOff, Some(High)),
                (Feature::ClientToNodeEncryption, Enforced, None),
                (Feature::TransportEncryption, Enforced, None),
                (Feature::JmxAuthentication, SupportedOff, Some(Critical)),
            ],
        );
        let transport = record.finding(Feature::TransportEncryption).unwrap();
        let asks = transport.summary.contains("must show a certificate");
        assert_eq!(asks, profile == "mtls", "{}", transport.summary);
        assert_certificate_read_back(&MongodbAuditor, &lab, profile == "mtls");
    }
}

#[test]
fn a_hardened_server_has_nothing_above_low_and_two_audits_do_not_disturb_each_other() {
    let lab = start(&MongodbRecipe, "mongodb?security=hardened");
    assert_hardened(
        &MongodbAuditor,
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
                (Feature::PasswordStorage, Enforced, None),
            ],
        ]
        .concat(),
    );
}

#[test]
fn the_members_of_a_set_are_seen() {
    let plain = (Feature::NodeToNodeEncryption, SupportedOff, Some(Medium));
    assert_audit(&MongodbAuditor, &MongodbRecipe, "mongodb?nodes=3", &[plain]);
    let record = assert_audit(
        &MongodbAuditor,
        &MongodbRecipe,
        "mongodb?nodes=3&security=hardened",
        &[
            &ALWAYS[..],
            &[
                (Feature::Authentication, Enforced, None),
                (Feature::Authorization, Enforced, None),
                (Feature::NodeToNodeEncryption, Enforced, None),
            ],
        ]
        .concat(),
    );
    assert!(record.gravest() <= Some(Low));
}

#[test]
fn what_a_killed_audit_left_is_removed_by_the_next_and_nothing_else() {
    let lab = start(&MongodbRecipe, "mongodb");
    let own = "dbdyno_audit_0123456789ab";
    block_on(async {
        let client = mongodb::Client::with_uri_str(lab.address()).await.unwrap();
        for (database, collection) in [(own, "own"), ("ycsb", own), ("ycsb", "mine")] {
            let collection = client.database(database).collection::<Document>(collection);
            collection.insert_one(doc! { "a": 1 }).await.unwrap();
        }
        for user in [own, "mine"] {
            let command = doc! { "createUser": user, "pwd": "x", "roles": [] };
            client.database("admin").run_command(command).await.unwrap();
        }
    });
    let record = audited(&MongodbAuditor, &request(&lab));
    assert!(record.left_behind.is_empty(), "{:?}", record.left_behind);
    block_on(async {
        let client = mongodb::Client::with_uri_str(lab.address()).await.unwrap();
        let databases = client.list_database_names().await.unwrap();
        assert!(!databases.contains(&own.to_owned()), "{databases:?}");
        let collections = client.database("ycsb").list_collection_names().await.unwrap();
        assert!(
            collections.contains(&"mine".to_owned()) && !collections.contains(&own.to_owned()),
            "{collections:?}"
        );
        let users = client
            .database("admin")
            .run_command(doc! { "usersInfo": 1 })
            .await
            .unwrap();
        let users = users.to_string();
        assert!(users.contains("admin.mine") && !users.contains(own), "{users}");
    });
    assert_idle_connections(&MongodbAuditor, &lab, (Enforced, None));
}

#[test]
fn what_may_not_be_seen_is_unknown_and_no_pass() {
    let lab = start(&MongodbRecipe, "mongodb?security=auth");
    let mut request = request(&lab);
    request.administrator = None;
    request.place = Place::default();
    let unseen = [
        Feature::Authorization,
        Feature::EncryptionAtRest,
        Feature::Auditing,
        Feature::AuthenticationCaching,
        Feature::PasswordStorage,
        Feature::Exposure,
    ];
    let levels = |request: &Request, features: &[Feature]| {
        let record = audited(&MongodbAuditor, request);
        let level = |feature: &Feature| record.finding(*feature).unwrap().level;
        features.iter().map(level).collect::<Vec<_>>()
    };
    assert_eq!(levels(&request, &unseen), [Unknown; 6]);
    let by_the_application = [
        Feature::Authentication,
        Feature::DefaultCredentials,
        Feature::Injection,
    ];
    assert_eq!(levels(&request, &by_the_application), [Enforced; 3]);
    // A stranger sees the wire, and that he is refused.
    request.target.options.remove("password_file");
    request.target.place = request.target.place.replace("dbdyno@", "");
    assert_eq!(levels(&request, &unseen), [Unknown; 6]);
    assert_eq!(levels(&request, &by_the_application), [Unknown; 3]);
    assert_eq!(
        levels(&request, &[Feature::ClientToNodeEncryption]),
        [SupportedOff]
    );
}

#[test]
fn an_encrypted_volume_protects_what_the_server_does_not() {
    assert_volume_protects::<MongodbDriver>(&MongodbAuditor, &MongodbRecipe, "mongodb", ALWAYS[0]);
}

#[test]
fn what_cannot_be_looked_for_is_said() {
    let lab = start(&MongodbRecipe, "mongodb?security=auth");
    let mut request = request(&lab);
    request.administrator = None;
    assert_missed_only_if_made(&MongodbAuditor, request, Feature::EncryptionAtRest, &mut || {
        as_administrator(&lab, [doc! { "dropUser": "dbdyno" }]);
    });
}
