//! Servers that answer with what no server would: the process says so, and does not die of it.
#![allow(
    clippy::disallowed_methods,
    reason = "how long a command took, not an operation"
)]

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use crate::common::{Ended, Place, ended, serve};

fn run(scheme: &str, port: u16) -> Ended {
    Place::new().run(&format!(
        "run '{scheme}://127.0.0.1:{port}?timeout=1s&connect_timeout=2s' --records 100 --operations 100 --warmup 0s -q"
    ))
}

/// A frame of Cassandra's native protocol, version 4.
fn frame(stream: &[u8], opcode: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&[0x84, 0], stream, &[opcode], &length, body].concat()
}

/// Speaks Cassandra's protocol up to the first query, and answers every query with this result.
fn cassandra(result: Vec<u8>) -> u16 {
    const OPTIONS: u8 = 0x05;
    const STARTUP: u8 = 0x01;
    const REGISTER: u8 = 0x0b;
    serve(move |mut stream| {
        loop {
            let mut header = [0; 9];
            stream.read_exact(&mut header)?;
            let length = u32::from_be_bytes(header[5..].try_into().unwrap());
            std::io::copy(&mut (&stream).take(u64::from(length)), &mut std::io::sink())?;
            let answer = match header[4] {
                OPTIONS => frame(&header[2..4], 0x06, &[0, 0]),
                STARTUP | REGISTER => frame(&header[2..4], 0x02, &[]),
                _ => frame(&header[2..4], 0x08, &result),
            };
            stream.write_all(&answer)?;
        }
    })
}

/// A result of rows with one column of the type that these bytes describe.
fn rows_of(kind: &[u8]) -> Vec<u8> {
    const ROWS: [u8; 4] = [0, 0, 0, 2];
    const GLOBAL_TABLE: [u8; 4] = [0, 0, 0, 1];
    const ONE_COLUMN: [u8; 4] = [0, 0, 0, 1];
    [
        &ROWS,
        &GLOBAL_TABLE,
        &ONE_COLUMN,
        b"\0\x01k\0\x01t\0\x01c" as &[u8],
        kind,
    ]
    .concat()
}

#[test]
fn a_result_that_claims_two_billion_columns_allocates_nothing() {
    let claim = [[0, 0, 0, 2], [0, 0, 0, 0], [0x7f, 0xff, 0xff, 0xff]].concat();
    let ended = run("cassandra", cassandra(claim));
    assert_eq!(ended.code, 5, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("Cassandra at 127.0.0.1"),
        "{}",
        ended.stderr
    );
}

/// Its library takes the number of rows from the answer, and counts them down where they have no columns.
#[test]
fn two_billion_rows_that_do_not_follow_end_with_a_sentence() {
    const CLAIM: [u8; 4] = [0x7f, 0xff, 0xff, 0xff];
    const TEXT: [u8; 2] = [0, 0x0d];
    let without_columns = [[0, 0, 0, 2], [0; 4], [0; 4], CLAIM].concat();
    let of_one_column = [rows_of(&TEXT).as_slice(), &CLAIM].concat();
    for result in [without_columns, of_one_column] {
        let ended = run("cassandra", cassandra(result));
        assert_eq!(ended.code, 5, "{}", ended.stderr);
        assert!(
            unwrapped(&ended).contains("Cassandra at 127.0.0.1"),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn a_list_of_lists_without_end_ends_with_a_sentence() {
    let ended = run("cassandra", cassandra(rows_of(&[0, 0x20].repeat(1_000_000))));
    gave_up("cassandra", &ended);
}

/// The library's parser of custom types takes twice as long for every level of this one.
#[test]
fn a_type_that_takes_for_ever_to_read_is_given_up() {
    let name = b"ListType(".repeat(100);
    let length = u16::try_from(name.len()).unwrap().to_be_bytes();
    let began = Instant::now();
    let ended = run(
        "cassandra",
        cassandra(rows_of(&[&[0, 0], &length as &[u8], &name].concat())),
    );
    assert_ne!(ended.code, 0);
    assert!(
        unwrapped(&ended).contains("no answer within 60 s"),
        "{}",
        ended.stderr
    );
    assert!(
        began.elapsed() < Duration::from_secs(180),
        "{:?}",
        began.elapsed()
    );
}

/// A document of that many documents, one in the other.
fn nested(depth: usize) -> Vec<u8> {
    const SMALLEST: usize = 5;
    const LEVEL: usize = 8;
    let mut document = Vec::new();
    for inside in (1..=depth).rev() {
        let length = i32::try_from(SMALLEST + LEVEL * inside).unwrap();
        document.extend(length.to_le_bytes());
        document.extend(b"\x03a\0");
    }
    document.extend([5, 0, 0, 0, 0]);
    document.resize(document.len() + depth, 0);
    document
}

/// Speaks MongoDB's protocol: answers every message with this one document.
fn mongodb(document: Vec<u8>, claimed: Option<i32>) -> u16 {
    serve(move |mut stream| {
        loop {
            let mut header = [0; 16];
            stream.read_exact(&mut header)?;
            let length = i32::from_le_bytes(header[..4].try_into().unwrap());
            let body = u64::try_from(length - 16).unwrap();
            std::io::copy(&mut (&stream).take(body), &mut std::io::sink())?;
            let length = claimed.unwrap_or(i32::try_from(16 + 5 + document.len()).unwrap());
            let opcode = 2013_i32;
            let answer = [
                &length.to_le_bytes(),
                &[1, 0, 0, 0],
                &header[4..8],
                &opcode.to_le_bytes(),
            ]
            .concat();
            stream.write_all(&[answer.as_slice(), &[0; 5], &document].concat())?;
        }
    })
}

#[test]
fn documents_in_documents_end_with_a_sentence() {
    for depth in [5_000, 1_000_000] {
        gave_up("mongodb", &run("mongodb", mongodb(nested(depth), None)));
    }
}

/// A server whose answer makes the client library abort the process.
fn aborting() -> String {
    let port = mongodb(nested(5_000), None);
    format!("mongodb://127.0.0.1:{port}?timeout=1s&connect_timeout=2s")
}

/// Writes a study of these systems into the place.
fn study(place: &Place, order: &str, trials: u32, systems: &[&str]) {
    place.write(
        "s.toml",
        &format!(
            "name = \"s\"\ntrials = {trials}\nworkloads = [\"c\"]\nrecords = 200\nclients = 2\noperations = 400\nwarmup = \"0s\"\n\
             order = \"{order}\"\nsystems = {systems:?}\n"
        ),
    );
}

/// The library aborts the process, which goes on without that system.
#[test]
fn a_study_goes_on_without_the_system_that_aborts_it() {
    for order in ["interleaved", "blocks"] {
        let place = Place::new();
        study(&place, order, 2, &["sick", &aborting(), "sick?delay=1us"]);
        let ended = place.run("study run s.toml --output results");
        assert_eq!(ended.code, 4, "{order}: {}{}", ended.stdout, ended.stderr);
        went_on(&ended);
        let status = place.succeed("study status s.toml --output results").stdout;
        let of = |state: &str| status.lines().filter(|line| line.contains(state)).count();
        assert_eq!((of("  done"), of("  failed")), (4, 2), "{order}: {status}");
        let page = place.succeed("report results --format summary").stdout;
        assert!(page.contains("aborted dbdyno"), "{order}: {page}");
    }
}

/// In a pilot of a common rate, and in a search, whose trials nobody knows beforehand.
#[test]
fn pilots_and_searches_go_on_without_the_system_that_aborts_them() {
    let systems = ["sick?delay=1ms", &aborting(), "sick?delay=2ms"];
    for keys in [
        "trials = 1\nrates = [\"common\"]\nduration = \"200ms\"",
        "kind = \"sweep\"\ntrials = 1\nrates = [100, 200]\nduration = \"1s\"",
    ] {
        let place = Place::new();
        place.write(
            "s.toml",
            &format!(
                "name = \"s\"\nworkloads = [\"c\"]\nrecords = 200\nclients = 2\nwarmup = \"0s\"\nsystems = {systems:?}\n{keys}\n"
            ),
        );
        let ended = place.run("study run s.toml --output results");
        assert_eq!(ended.code, 4, "{keys}: {}{}", ended.stdout, ended.stderr);
        went_on(&ended);
        let trials = place.path("results/trials");
        let of = |system: &str, status: &str| {
            let records = std::fs::read_dir(&trials)
                .unwrap()
                .filter_map(|trial| std::fs::read_to_string(trial.unwrap().path().join("record.json")).ok());
            let own = records.filter(|record| record.contains(system) && record.contains(status));
            own.count()
        };
        for system in ["sick?delay=1ms", "sick?delay=2ms"] {
            assert!(of(system, "\"completed\"") >= 1, "{keys}: {system}");
        }
        assert!(of("mongodb://", "aborted dbdyno") >= 1, "{keys}");
    }
}

/// Without a file, and in a folder whose name has the time.
#[test]
fn a_comparison_goes_on_without_the_system_that_aborts_it() {
    let place = Place::new();
    let ended = place.run(&format!(
        "run sick '{}' 'sick?delay=1us' -w c --runs 2 --records 200 --clients 2 --operations 400 --warmup 0s",
        aborting()
    ));
    assert_eq!(ended.code, 4, "{}{}", ended.stdout, ended.stderr);
    went_on(&ended);
    let folders: Vec<_> = std::fs::read_dir(place.path("results")).unwrap().collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    let table = ended.stdout.lines().filter(|line| line.contains("sick")).count();
    assert!(table >= 2, "{}", ended.stdout);
}

fn went_on(ended: &Ended) {
    let told = unwrapped(ended);
    assert!(told.contains("the study goes on without that system"), "{told}");
}

/// Servers of the lab that take turns with it run while the process is started anew.
#[test]
fn servers_that_the_aborted_study_had_started_are_gone() {
    let place = Place::new();
    study(&place, "interleaved", 1, &["lab:redis", &aborting()]);
    let mut study = place.command("study run s.toml --output results");
    study.env("DBDYNO_LAB_HOME", place.path("lab"));
    let ended = ended(study.output().unwrap());
    assert_eq!(ended.code, 4, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("redis"), "{}", ended.stdout);
    let left: Vec<_> = std::fs::read_dir(place.path("lab/instances")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_message_that_claims_two_gigabytes_is_refused() {
    for claimed in [i32::MAX, -1] {
        let ended = run("mongodb", mongodb(nested(0), Some(claimed)));
        assert_eq!(ended.code, 4, "{}", ended.stderr);
    }
}

/// Messages are wrapped to lines.
fn unwrapped(ended: &Ended) -> String {
    let words = ended
        .stderr
        .split(|sign: char| sign.is_whitespace() || sign == '│');
    words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The library aborted, and dbdyno said so.
fn gave_up(scheme: &str, ended: &Ended) {
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    assert!(
        ended.stderr.contains(&format!(
            "the client library could not process an answer from {scheme}://127.0.0.1"
        )),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_deadline_holds_while_bytes_keep_coming() {
    let drip = |first: &'static [u8]| {
        serve(move |mut stream| {
            stream.write_all(first)?;
            loop {
                stream.write_all(&[0])?;
                std::thread::sleep(Duration::from_millis(20));
            }
        })
    };
    // Each announces an answer of about 16 MB.
    let servers: [(&str, &[u8]); 4] = [
        ("redis", b"$16000000\r\n"),
        ("postgres", b"S\0\xf4\x24\0"),
        ("mongodb", b"\0\x24\xf4\0\x01\0\0\0\x01\0\0\0\xdd\x07\0\0"),
        ("cassandra", b"\x84\0\0\0\x06\0\xf4\x24\0"),
    ];
    for (scheme, first) in servers {
        let began = Instant::now();
        let ended = run(scheme, drip(first));
        assert_eq!(ended.code, 4, "{scheme}: {}", ended.stderr);
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "{scheme}: {:?}",
            began.elapsed()
        );
    }
}

#[test]
fn an_error_for_an_answer_is_a_system_that_cannot_be_reached() {
    let port = serve(|mut stream| {
        stream.write_all(b"-ERR go away\r\n")?;
        std::io::copy(&mut &stream, &mut std::io::sink()).map(drop)
    });
    let ended = run("redis", port);
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    assert!(ended.stderr.contains("go away"), "{}", ended.stderr);
}

/// It announces a message of a gigabyte, and sends on.
#[test]
fn a_message_without_end_is_given_up_at_its_limit() {
    let port = serve(|mut stream| {
        let mut startup = [0; 4096];
        let _ = stream.read(&mut startup)?;
        stream.write_all(b"R\x3f\xff\xff\xff")?;
        loop {
            stream.write_all(&[0; 65_536])?;
        }
    });
    let ended = Place::new().run(&format!(
        "run 'postgres://127.0.0.1:{port}?connect_timeout=20s' --records 100 --operations 100 --warmup 0s -q"
    ));
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    assert!(
        unwrapped(&ended).contains("more than 128 MiB"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_password_that_a_server_sends_back_is_in_no_output() {
    let port = serve(|mut stream| {
        let mut request = [0; 4096];
        loop {
            let length = stream.read(&mut request)?;
            if length == 0 {
                return Ok(());
            }
            let mut answer = b"-WRONGPASS ".to_vec();
            answer.extend(request[..length].iter().filter(|byte| !b"\r\n".contains(byte)));
            answer.extend(b"\r\n");
            stream.write_all(&answer)?;
        }
    });
    let address = format!("redis://me:hunter2-echo@127.0.0.1:{port}?timeout=1s&connect_timeout=2s");
    let place = Place::new();
    let ran = place.run(&format!(
        "run '{address}' --records 100 --operations 100 --warmup 0s -q"
    ));
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let audited = place.run(&format!("audit '{address}' --timeout 500ms --format json"));
    assert_eq!(audited.code, 0, "{}", audited.stderr);
    for (ended, told) in [(&ran, unwrapped(&ran)), (&audited, audited.stdout.clone())] {
        assert!(told.contains("WRONGPASS"), "the server was asked: {told}");
        let all = format!("{}{}", ended.stdout, ended.stderr);
        // Lines are broken at hyphens.
        assert!(!all.contains("hunter2"), "{all}");
    }
}
