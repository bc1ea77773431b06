//! Servers of the lab with everything on, whole and with one thing spoilt.

use std::os::unix::fs::PermissionsExt;

use dbdyno_audit_hbase::HbaseAuditor;
use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{DbError, Driver, Key, Session, Table};
use dbdyno_lab::Lab;
use dbdyno_record::audit::{AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_hbase::HbaseRecipe;
use dbdyno_testkit::audit::{
    Expected, assert_audit, assert_audit_of, assert_stored_by_administrator, audited, request,
};
use dbdyno_testkit::live::{block_on, start, table};

use AuditSeverity::{Critical, High, Low, Medium};
use ProtectionLevel::{Enforced, Partial, SupportedOff};

use crate::{ALONE, ALWAYS, OVER_TLS, SERVER, is_own_process};

pub const WITH_LOGIN: [Expected; 6] = [
    (Feature::AuthenticationCaching, Enforced, None),
    (Feature::ProxyRoles, Enforced, None),
    (Feature::Authentication, Enforced, None),
    (Feature::Authorization, Enforced, None),
    (Feature::DefaultCredentials, Enforced, None),
    (Feature::PasswordStorage, Enforced, None),
];

#[test]
fn a_hardened_server_has_nothing_above_low() {
    if is_own_process("hardened::a_hardened_server_has_nothing_above_low") {
        let lab = start(&HbaseRecipe, &format!("{SERVER}&security=hardened"));
        let expected = [&ALWAYS[..], &ALONE, &WITH_LOGIN, &OVER_TLS].concat();
        let record = assert_audit_of(&HbaseAuditor, &lab, &expected);
        assert!(record.gravest() <= Some(Low));
        // It leaves nothing, and finds the same again.
        assert_audit_of(&HbaseAuditor, &lab, &expected);
        a_right_to_a_table_of_the_servers_is_found(&lab);
        a_login_with_all_rights_is_found(&lab);
        an_application_that_makes_no_tables_hides_no_files(&lab);
        a_key_that_others_can_read_is_found(&lab);
    }
}

/// A table of the administrator's is refused all the same.
fn a_right_to_a_table_of_the_servers_is_found(lab: &Lab) {
    let mut request = request(lab);
    request.only = vec![Feature::Authorization];
    let administrator = request.administrator.clone().unwrap();
    let principal = &request.target.options["principal"];
    let user = principal.split(['/', '@']).next().unwrap();
    let meta = Table {
        name: "hbase:meta".to_owned(),
        field_names: Vec::new(),
    };
    let change = |change: &dyn Fn(&HbaseDriver) -> Result<(), DbError>| {
        block_on(async {
            let driver = HbaseDriver::connect(&administrator).await.unwrap();
            change(&driver).unwrap();
        });
    };
    change(&|driver| driver.grant(&meta, user));
    let record = audited(&HbaseAuditor, &request);
    let finding = record.finding(Feature::Authorization).unwrap();
    assert_eq!(
        (finding.level, finding.severity),
        (Partial, Some(Medium)),
        "{finding:#?}"
    );
    assert!(finding.summary.contains("RW on hbase:meta"), "{finding:#?}");
    change(&|driver| driver.revoke(&meta, user));
}

/// The administrator's login in the place of the application's.
fn a_login_with_all_rights_is_found(lab: &Lab) {
    let mut request = request(lab);
    let application = request.target.clone();
    request.target = request.administrator.replace(application).unwrap();
    request.only = vec![Feature::Authorization];
    let record = audited(&HbaseAuditor, &request);
    let finding = record.finding(Feature::Authorization).unwrap();
    let found = (finding.level, finding.severity);
    assert_eq!(found, (Partial, Some(High)), "{finding:#?}");
}

/// It loses the right by which the lab lets it make tables of its own.
fn an_application_that_makes_no_tables_hides_no_files(lab: &Lab) {
    /// Servers tell each other of changed rights; one that has not heard of it makes a table.
    const MOST_TRIES: usize = 100;
    let request = request(lab);
    let mut administrator = request.administrator.clone().unwrap();
    // Where rights are kept: a row for each namespace and table, a column for each user.
    let rights = Table {
        name: "hbase:acl".to_owned(),
        field_names: Vec::new(),
    };
    administrator
        .options
        .insert("columnfamily".to_owned(), "l".to_owned());
    block_on(async {
        let driver = HbaseDriver::connect(&administrator).await.unwrap();
        let mut session = driver.session(&rights).await.unwrap();
        session.delete(&Key::new(0, "@default")).await.unwrap();
    });
    let own = table("made_by_the_application", 1);
    block_on(async {
        let driver = HbaseDriver::connect(&request.target).await.unwrap();
        for _ in 0..MOST_TRIES {
            if driver.create_table(&own).await.is_err() {
                return;
            }
            driver.drop_table(&own).await.unwrap();
        }
        panic!("the application may still make tables");
    });
    assert_stored_by_administrator(&HbaseAuditor, lab, ALWAYS[0]);
}

fn a_key_that_others_can_read_is_found(lab: &Lab) {
    let keytab = lab.directory().join("kdc/server.keytab");
    std::fs::set_permissions(&keytab, std::fs::Permissions::from_mode(0o644)).unwrap();
    let expected = (Feature::PasswordStorage, Partial, Some(High));
    assert_audit_of(&HbaseAuditor, lab, &[expected]);
}

#[test]
fn the_doors_that_are_usually_left_open_are_found() {
    if is_own_process("hardened::the_doors_that_are_usually_left_open_are_found") {
        let settings = "hbase.server.netty.tls.supportplaintext:true hadoop.security.authorization:false";
        assert_audit(
            &HbaseAuditor,
            &HbaseRecipe,
            &format!("{SERVER}&security=hardened&settings={settings}"),
            &[
                (Feature::ProxyRoles, Partial, Some(High)),
                (Feature::ClientToNodeEncryption, Partial, Some(Medium)),
            ],
        );
    }
}

#[test]
fn names_that_are_taken_on_trust_beside_tickets_are_found() {
    if is_own_process("hardened::names_that_are_taken_on_trust_beside_tickets_are_found") {
        let settings = "hbase.ipc.server.fallback-to-simple-auth-allowed:true";
        assert_audit(
            &HbaseAuditor,
            &HbaseRecipe,
            &format!("{SERVER}&security=hardened&settings={settings}"),
            &[
                (Feature::Authentication, Partial, Some(Critical)),
                (Feature::Authorization, SupportedOff, Some(High)),
            ],
        );
    }
}
