//! Servers that are none, or mean harm: an audit ends, and nothing of it passes.

use std::io::{Read, Write};
use std::net::TcpStream;

use dbdyno_audit_postgres::PostgresAuditor;
use dbdyno_testkit::audit::{assert_nothing_passes, server};

/// What a server sends after every message of a client; `None`: it closes the connection.
type Answer = fn() -> Option<Vec<u8>>;

fn message(letter: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 4).to_be_bytes();
    [&[letter], &length[..], body].concat()
}

const ANSWERS: [(&str, Answer); 9] = [
    ("closes", || None),
    ("says nothing", || Some(Vec::new())),
    ("speaks another protocol", || {
        Some(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec())
    }),
    ("lies about its length", || Some(b"R\xff\xff\xff\xff".to_vec())),
    ("has a length below its own", || Some(b"R\0\0\0\x01".to_vec())),
    ("lets everybody in and knows nothing", || {
        Some([message(b'R', &[0; 4]), message(b'Z', b"I")].concat())
    }),
    ("sends rows without end", || {
        let row = message(b'D', &[0, 1, 0x7f, 0xff, 0xff, 0xff]);
        let many = message(b'D', &[0, 1, 0, 0, 0, 1, b't']).repeat(1_000);
        Some([message(b'R', &[0; 4]), message(b'Z', b"I"), many, row].concat())
    }),
    ("refuses everything", || {
        Some(message(b'E', b"VFATAL\0C42501\0M\x1b[2J not allowed\0\0"))
    }),
    ("asks for a login without end", || {
        let list = message(b'R', b"\0\0\0\x0aSCRAM-SHA-256\0\0");
        let first = message(b'R', b"\0\0\0\x0br=x,s=AAAA,i=4000000000");
        Some([list, first].concat())
    }),
];

fn serve(mut stream: TcpStream, answer: Answer) {
    let mut buffer = [0; 4096];
    while let Ok(read) = stream.read(&mut buffer) {
        let sent = answer().filter(|_| read > 0);
        if sent.is_none_or(|sent| stream.write_all(&sent).is_err()) {
            break;
        }
    }
}

#[test]
fn an_audit_of_a_hostile_server_ends_and_nothing_passes() {
    for (name, answer) in ANSWERS {
        let port = server(move |stream| serve(stream, answer));
        assert_nothing_passes(&PostgresAuditor, name, port);
    }
}
