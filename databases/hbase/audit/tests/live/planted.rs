//! What is wrong beside the servers, and what an audit left behind.

use std::io::{Read, Write};
use std::net::TcpListener;

use dbdyno_audit_hbase::HbaseAuditor;
use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Driver, ErrorClass};
use dbdyno_machine::ProcessId;
use dbdyno_record::audit::{AuditSeverity, Feature, ProtectionLevel};
use dbdyno_testkit::audit::{audited, request};
use dbdyno_testkit::live::{block_on, table, target};

use AuditSeverity::{High, Medium};
use ProtectionLevel::SupportedOff;

use crate::open_server;

#[test]
fn open_pages_missing_logs_and_left_tables_are_found() {
    let (lab, _turn) = open_server();
    // This process plays a server with pages.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 512];
            if stream
                .read(&mut request)
                .is_ok_and(|length| request[..length].starts_with(b"GET "))
            {
                stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{\"beans\":[]}").ok();
            }
        }
    });
    let left = "dbdyno_audit_0123456789ab";
    block_on(async {
        let driver = HbaseDriver::connect(&target(lab.address())).await.unwrap();
        driver.create_table(&table(left, 1)).await.unwrap();
    });
    let mut request = request(lab);
    request
        .place
        .processes
        .push(ProcessId::of(std::process::id()).unwrap());
    // Nothing is written where the logs should be.
    let empty = lab.directory().join("empty.log");
    std::fs::write(&empty, "").unwrap();
    request.place.logs = vec![empty];
    let record = audited(&HbaseAuditor, &request);
    for (feature, level, severity) in [
        (Feature::JmxAuthentication, SupportedOff, High),
        (Feature::Auditing, SupportedOff, Medium),
    ] {
        let finding = record.finding(feature).unwrap();
        assert_eq!(
            (finding.level, finding.severity),
            (level, Some(severity)),
            "{finding:#?}"
        );
    }
    // A log that is not there may be another one.
    request.place.logs = vec![lab.directory().join("no.log")];
    request.only = vec![Feature::Auditing];
    let record = audited(&HbaseAuditor, &request);
    let finding = record.finding(Feature::Auditing).unwrap();
    assert_eq!(finding.level, ProtectionLevel::Unknown, "{finding:#?}");
    let refused = block_on(async {
        let driver = HbaseDriver::connect(&target(lab.address())).await.unwrap();
        driver.session(&table(left, 1)).await.map(drop).unwrap_err()
    });
    assert_eq!(
        refused.class,
        ErrorClass::NotFound,
        "the table was not removed: {refused}"
    );
}
