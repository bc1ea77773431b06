//! What runs by night: a cluster with everything on, and encryption zones of an HDFS.

use dbdyno_audit_hbase::HbaseAuditor;
use dbdyno_record::audit::{AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_hbase::HbaseRecipe;
use dbdyno_testkit::audit::{Expected, assert_audit};

use AuditSeverity::Low;
use ProtectionLevel::{Enforced, Partial, SupportedOff};

use crate::hardened::WITH_LOGIN;
use crate::{ALWAYS, OVER_TLS, SERVER, is_own_process};

#[test]
fn a_hardened_cluster_has_nothing_above_low() {
    if is_own_process("night::a_hardened_cluster_has_nothing_above_low") {
        let expected: &[Expected] = &[
            // ZooKeeper is spoken to in clear text.
            (Feature::NodeToNodeEncryption, Partial, Some(Low)),
            (Feature::JmxAuthentication, Enforced, None),
        ];
        let record = assert_audit(
            &HbaseAuditor,
            &HbaseRecipe,
            &format!("{SERVER}&security=hardened&nodes=3"),
            &[&ALWAYS[..], &WITH_LOGIN, &OVER_TLS, expected].concat(),
        );
        assert!(record.gravest() <= Some(Low));
    }
}

/// What a DataNode keeps has no name of HBase's: HDFS says which blocks are the canary's.
#[test]
fn in_an_encryption_zone_of_hdfs_the_blocks_are_seen_to_be_encrypted() {
    for (zone, level, severity) in [("off", SupportedOff, Some(Low)), ("on", Enforced, None)] {
        let request = format!("{SERVER}&hdfs=1&encryption_zone={zone}");
        let expected = [(Feature::EncryptionAtRest, level, severity)];
        assert_audit(&HbaseAuditor, &HbaseRecipe, &request, &expected);
    }
}
