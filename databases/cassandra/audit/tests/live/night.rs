//! What runs by night: a cluster with everything on, and the version before.

use dbdyno_audit_cassandra::CassandraAuditor;
use dbdyno_record::audit::AuditSeverity::Low;
use dbdyno_record::audit::Feature;
use dbdyno_record::audit::ProtectionLevel::Enforced;
use dbdyno_server_cassandra::CassandraRecipe;
use dbdyno_testkit::audit::{assert_audit, assert_hardened};

use crate::{ALWAYS, ENCRYPTED, HARDENED, LOGINS, begun, sends_no_password, wanted};

#[test]
fn the_version_before_is_read_alike() {
    let record = assert_audit(
        &CassandraAuditor,
        &CassandraRecipe,
        &wanted("&security=hardened").replace("cassandra?", "cassandra@4.1?"),
        &[&ALWAYS[..], &LOGINS, &ENCRYPTED, &HARDENED].concat(),
    );
    assert_eq!(record.version, "4.1.10");
    assert!(record.gravest() <= Some(Low));
    assert!(sends_no_password(&record), "{record:?}");
}

#[test]
fn a_hardened_cluster_encrypts_what_its_nodes_send_each_other() {
    let lab = begun("&nodes=3&security=hardened");
    let between = [(Feature::NodeToNodeEncryption, Enforced, None)];
    let expected = [&ALWAYS[..], &LOGINS, &ENCRYPTED, &HARDENED, &between].concat();
    assert_hardened(&CassandraAuditor, &lab, &expected);
}
