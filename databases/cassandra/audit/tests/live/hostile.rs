//! Servers that are none, or mean harm: every audit of them ends, and nothing of it passes.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dbdyno_audit::{Place, Request, Vantage, catalogue};
use dbdyno_audit_cassandra::CassandraAuditor;
use dbdyno_record::audit::Feature;
use dbdyno_testkit::audit::{assert_missed_only_if_made, assert_nothing_passes, server};
use dbdyno_testkit::live::target;

/// The kinds of frames that servers get and send.
const STARTUP: u8 = 0x01;
const QUERY: u8 = 0x07;
const AUTH_RESPONSE: u8 = 0x0f;

fn frame(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x84, 0, 0, 0, kind];
    bytes.extend((body.len() as u32).to_be_bytes());
    bytes.extend(body);
    bytes
}

/// What a server sends back to a frame of this kind; `None`: it closes the connection.
type Behavior = fn(u8) -> Option<Vec<u8>>;

const BEHAVIORS: [(&str, Behavior); 9] = [
    ("it closes", |_| None),
    ("it is silent", |_| Some(Vec::new())),
    ("it is a web server", |_| {
        Some(b"HTTP/1.0 404 Not Found\r\n\r\n".to_vec())
    }),
    ("it announces more than there is", |_| {
        Some(vec![0x84, 0, 0, 0, 0x02, 0x7f, 0xff, 0xff, 0xff])
    }),
    ("it says yes to everything", |kind| {
        Some(match kind {
            STARTUP => frame(0x02, b""),
            _ => frame(0x08, b"\0\0\0\x01"),
        })
    }),
    ("it lets every login in and knows nothing", |kind| {
        Some(match kind {
            STARTUP => frame(0x03, b"\0\x01A"),
            AUTH_RESPONSE => frame(0x10, b"\xff\xff\xff\xff"),
            _ => frame(0x08, b"\0\0\0\x01"),
        })
    }),
    ("it refuses everything, with signs that drive a terminal", |_| {
        Some(frame(0x00, b"\0\0\x21\0\0\x06\x1b[2Jno"))
    }),
    ("it has rows without end", |kind| {
        Some(match kind {
            STARTUP => frame(0x02, b""),
            QUERY => frame(0x08, b"\0\0\0\x02\0\0\0\x04\0\0\0\x01\x7f\xff\xff\xff"),
            _ => frame(0x06, b"\0\0"),
        })
    }),
    ("it has types in types without end", |kind| {
        let head = b"\0\0\0\x02\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0".to_vec();
        Some(match kind {
            STARTUP => frame(0x02, b""),
            _ => frame(0x08, &[head, [0, 0x20].repeat(10_000)].concat()),
        })
    }),
];

fn serve(mut stream: TcpStream, behavior: Behavior) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut buffer) {
        let kind = buffer[..read].get(4).copied().unwrap_or_default();
        let Some(answer) = behavior(kind) else {
            return;
        };
        if stream.write_all(&answer).is_err() {
            return;
        }
    }
}

#[test]
fn an_audit_of_whatever_answers_ends_and_nothing_passes() {
    for (name, behavior) in BEHAVIORS {
        let port = server(move |stream| serve(stream, behavior));
        assert_nothing_passes(&CassandraAuditor, name, port);
    }
}

/// Whether the logins of a server that lets everybody in no longer work.
static ARE_WITHDRAWN: AtomicBool = AtomicBool::new(false);

fn lets_in_for_a_while(kind: u8) -> Option<Vec<u8>> {
    Some(match kind {
        STARTUP => frame(0x03, b"\0\x01A"),
        AUTH_RESPONSE if ARE_WITHDRAWN.load(Ordering::Relaxed) => frame(0x00, b"\0\0\x01\0\0\x02no"),
        AUTH_RESPONSE => frame(0x10, b"\xff\xff\xff\xff"),
        _ => frame(0x08, b"\0\0\0\x01"),
    })
}

#[test]
fn what_cannot_be_looked_for_is_said() {
    let port = server(|stream| serve(stream, lets_in_for_a_while));
    let request = Request {
        target: target(&format!("cassandra://app:secret@127.0.0.1:{port}/ycsb")),
        administrator: None,
        name: "it lets in for a while".to_owned(),
        place: Place::default(),
        from: Vantage::Here,
        only: Vec::new(),
        tries_defaults: false,
        tries_idle_connections: false,
        patience: Duration::from_secs(1),
    };
    assert_missed_only_if_made(&CassandraAuditor, request, Feature::Authorization, &mut || {
        ARE_WITHDRAWN.store(true, Ordering::Relaxed);
    });
}

#[test]
fn the_catalogue_has_every_feature_of_the_thesis_and_says_what_is_out_of_date() {
    let catalogue = catalogue(&CassandraAuditor);
    let is_out_of_date = |feature: Feature| catalogue.of(feature).any(|entry| !entry.out_of_date.is_empty());
    for feature in Feature::of_the_thesis() {
        assert!(catalogue.of(*feature).next().is_some(), "{feature:?}");
        let expected = [Feature::Authentication, Feature::Authorization, Feature::Auditing].contains(feature);
        assert_eq!(is_out_of_date(*feature), expected, "{feature:?}");
    }
}
