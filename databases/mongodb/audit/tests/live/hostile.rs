//! Servers that are none, or mean harm: an audit ends, and nothing of it passes.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use dbdyno_audit::{Place, Request, Vantage};
use dbdyno_audit_mongodb::MongodbAuditor;
use dbdyno_record::audit::{Feature, ProtectionLevel};
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

fn serve(mut stream: TcpStream, answer: Answer) {
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
    let request = Request {
        target: target(&format!("mongodb://127.0.0.1:{port}/ycsb")),
        administrator: None,
        name: "it knows no greeting".to_owned(),
        place: Place::default(),
        from: Vantage::Here,
        only: vec![Feature::NodeToNodeEncryption],
        tries_defaults: false,
        tries_idle_connections: false,
        patience: Duration::from_secs(1),
    };
    let record = audited(&MongodbAuditor, &request);
    let finding = record.finding(Feature::NodeToNodeEncryption).unwrap();
    assert_eq!(finding.level, ProtectionLevel::Unknown, "{finding:#?}");
}
