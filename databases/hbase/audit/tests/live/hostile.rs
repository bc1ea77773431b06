//! A server that answers whatever it likes cannot hold up an audit, make it fall, or pass it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use dbdyno_audit::{Place, Request, Vantage};
use dbdyno_audit_hbase::HbaseAuditor;
use dbdyno_machine::ProcessId;
use dbdyno_record::audit::{Feature, ProtectionLevel};
use dbdyno_testkit::audit::audited;
use dbdyno_testkit::live::target;
use dbdyno_testkit::namespace::OtherHost;

/// A server that does this with each connection.
fn server(serve: impl Fn(&mut TcpStream) + Send + Sync + Clone + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let serve = serve.clone();
            std::thread::spawn(move || serve(&mut stream.unwrap()));
        }
    });
    port
}

/// Waits for the first words, then answers this again and again.
fn repeating(answer: Vec<u8>) -> u16 {
    server(move |stream| {
        let mut words = [0; 64];
        if stream.read(&mut words).is_ok() {
            while stream.write_all(&answer).is_ok() {}
        }
    })
}

/// ZooKeeper's answers to a beginning, and to a question for children: region servers at this port.
fn quorum_that_names(port: u16) -> u16 {
    let name = format!("127.0.0.1,{port},1");
    let mut children = vec![0; 16];
    children.extend(1_u32.to_be_bytes());
    children.extend((name.len() as u32).to_be_bytes());
    children.extend(name.as_bytes());
    let mut answer = (children.len() as u32).to_be_bytes().to_vec();
    answer.extend(children);
    server(move |stream| {
        let mut words = [0; 256];
        while stream.read(&mut words).is_ok_and(|length| length > 0) {
            if stream.write_all(&answer).is_err() {
                return;
            }
        }
    })
}

#[test]
fn no_answer_passes_for_a_protection_or_holds_up_the_audit() {
    let mut ports = vec![
        server(drop_it),
        server(|stream| while stream.read(&mut [0; 64]).is_ok_and(|length| length > 0) {}),
    ];
    for answer in [
        vec![0xff; 64],
        vec![0; 64],
        vec![0x7f, 0xff, 0xff, 0xff],
        vec![0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff],
        b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
        vec![0x15, 3, 3, 0, 2, 2, 40],
    ] {
        ports.push(repeating(answer.clone()));
        ports.push(quorum_that_names(repeating(answer)));
    }
    for port in ports {
        // Without a class path there is no Java client, and no JVM.
        let request = Request {
            target: target(&format!("hbase://127.0.0.1:{port}")),
            administrator: None,
            name: "hostile".to_owned(),
            place: Place::default(),
            from: Vantage::Here,
            only: Vec::new(),
            tries_defaults: true,
            tries_idle_connections: false,
            patience: Duration::from_millis(200),
        };
        let record = audited(&HbaseAuditor, &request);
        for finding in &record.findings {
            assert_ne!(finding.level, ProtectionLevel::Enforced, "{finding:#?}");
        }
    }
}

#[test]
fn pages_on_all_addresses_are_looked_for_where_other_hosts_find_them() {
    let Some(other) = OtherHost::new() else {
        return;
    };
    let everywhere = |serve: fn(TcpStream)| {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                serve(stream.unwrap());
            }
        });
        port
    };
    // This process plays a server with pages, and a ZooKeeper that says nothing.
    let pages = everywhere(|mut stream| {
        let mut request = [0; 512];
        if stream
            .read(&mut request)
            .is_ok_and(|length| request[..length].starts_with(b"GET "))
        {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{}").ok();
        }
    });
    let request = Request {
        target: target(&format!("hbase://{}:{}", other.here(), everywhere(drop))),
        administrator: None,
        name: "other host".to_owned(),
        place: Place {
            processes: vec![ProcessId::own().unwrap()],
            ..Place::default()
        },
        from: Vantage::Namespace(other.name().to_owned()),
        only: vec![Feature::JmxAuthentication],
        tries_defaults: false,
        tries_idle_connections: false,
        patience: Duration::from_secs(1),
    };
    let record = audited(&HbaseAuditor, &request);
    let finding = record.finding(Feature::JmxAuthentication).unwrap();
    let page = format!("/jmx, /conf, /logs/ at {}:{pages}", other.here());
    assert!(finding.summary.contains(&page), "{finding:#?}");
}

fn drop_it(_: &mut TcpStream) {}

#[test]
fn the_catalogue_has_every_feature_of_the_thesis() {
    let catalogue = dbdyno_audit::catalogue(&HbaseAuditor);
    for feature in Feature::of_the_thesis() {
        assert!(catalogue.of(*feature).next().is_some(), "{feature:?}");
    }
}
