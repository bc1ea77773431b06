//! Servers that are none, or mean harm: an audit ends, and nothing of it passes.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use dbdyno_audit::{Place, Request, Vantage};
use dbdyno_audit_mongodb::MongodbAuditor;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel};
use dbdyno_testkit::audit::{assert_nothing_passes, audited, server};
use dbdyno_testkit::live::target;
use mongodb::bson::{Document, doc};

/// What a server does with every message; `None`: it closes the connection.
type Answer = fn(&[u8]) -> Option<Vec<u8>>;

fn message(document: &Document) -> Vec<u8> {
    let document = document.to_vec().unwrap();
    let mut bytes = Vec::new();
    for number in [21 + document.len() as i32, 1, 1, 2013, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.push(0);
    bytes.extend(document);
    bytes
}

const ANSWERS: [(&str, Answer); 7] = [
    ("closes", |_| None),
    ("says nothing", |_| Some(Vec::new())),
    ("speaks another protocol", |_| {
        Some(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())
    }),
    ("lies about its length", |_| {
        Some([i32::MAX, 1, 1, 2013].map(i32::to_le_bytes).concat())
    }),
    ("grants everything and knows nothing", |_| {
        Some(message(&doc! { "ok": 1 }))
    }),
    ("refuses everything", |_| {
        Some(message(
            &doc! { "ok": 0, "code": 13, "errmsg": "\u{1b}[2J not allowed" },
        ))
    }),
    ("asks for a login without end", |_| {
        let payload = "r=x,s=AAAA,i=4000000000";
        Some(message(
            &doc! { "ok": 1, "conversationId": 1, "payload": payload, "isWritablePrimary": true },
        ))
    }),
];

fn serve(mut stream: TcpStream, answer: impl Fn(&[u8]) -> Option<Vec<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(read) = stream.read(&mut buffer) {
        let sent = answer(&buffer[..read]).filter(|_| read > 0);
        if sent.is_none_or(|sent| stream.write_all(&sent).is_err()) {
            break;
        }
    }
}

#[test]
fn an_audit_of_a_hostile_server_ends_and_nothing_passes() {
    for (name, answer) in ANSWERS {
        let port = server(move |stream| serve(stream, answer));
        assert_nothing_passes(&MongodbAuditor, name, port);
    }
}

#[test]
fn a_server_that_knows_no_greeting_may_be_of_a_set() {
    let answer: Answer = |_| {
        Some(message(
            &doc! { "ok": 0, "code": 59, "errmsg": "no such command" },
        ))
    };
    let port = server(move |stream| serve(stream, answer));
    let finding = found(port, Feature::NodeToNodeEncryption);
    assert_eq!(finding.level, ProtectionLevel::Unknown, "{finding:#?}");
}

/// What an audit without a login finds of this feature.
fn found(port: u16, feature: Feature) -> AuditFinding {
    let request = Request {
        target: target(&format!("mongodb://127.0.0.1:{port}/ycsb")),
        administrator: None,
        name: "hostile".to_owned(),
        place: Place::default(),
        from: Vantage::Here,
        only: vec![feature],
        tries_defaults: false,
        tries_idle_connections: false,
        patience: Duration::from_secs(1),
    };
    let record = audited(&MongodbAuditor, &request);
    record.finding(feature).unwrap().clone()
}

/// The answer of a server that refuses strangers, begins some logins, and says of the others with this code that it has no such
/// mechanism.
fn login(asked: &[u8], begins: fn(&[u8]) -> bool, code: i32) -> Document {
    if !has(asked, "saslStart") {
        doc! { "ok": 0, "code": 13, "errmsg": "not allowed" }
    } else if begins(asked) {
        doc! { "ok": 1, "conversationId": 1, "payload": "r=x,s=AAAA,i=10000", "done": false }
    } else {
        doc! { "ok": 0, "code": code, "errmsg": "no such mechanism" }
    }
}

fn has(message: &[u8], text: &str) -> bool {
    message.windows(text.len()).any(|part| part == text.as_bytes())
}

#[test]
fn a_server_with_the_older_mechanism_alone_is_told_from_others() {
    let of = |begins: fn(&[u8]) -> bool, code: i32| {
        let port = server(move |stream| {
            serve(stream, |asked: &[u8]| Some(message(&login(asked, begins, code))));
        });
        found(port, Feature::Authentication)
    };
    // Neither is there; or the user of the first try may not use the newer one, and others may.
    let others: [fn(&[u8]) -> bool; 2] = [|_| false, |asked| !has(asked, "n=admin")];
    for code in [2, 334] {
        let finding = of(|asked| has(asked, "SCRAM-SHA-1"), code);
        let seen = (finding.level, finding.severity);
        let expected = (ProtectionLevel::Partial, Some(AuditSeverity::Medium));
        assert_eq!(seen, expected, "{finding:#?}");
        assert!(
            finding.summary.contains("the server offers SCRAM-SHA-1 only"),
            "{finding:#?}"
        );
        for begins in others {
            let finding = of(begins, code);
            assert_eq!(finding.level, ProtectionLevel::Unknown, "{finding:#?}");
        }
    }
}
