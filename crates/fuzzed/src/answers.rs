//! Answers of servers, as audits and drivers read them.

use std::fmt::Debug;

use dbdyno_audit::{Channel, ChannelError};

use crate::memory::bounded;

/// Reads an answer. One that is accepted comes again from the bytes that were taken, and not from all but the last of them.
fn whole<T: PartialEq + Debug>(
    bytes: &[u8],
    read: impl Fn(&mut Channel) -> Result<T, ChannelError>,
) -> Option<T> {
    let mut channel = Channel::answered_by(bytes);
    let answer = bounded(bytes, || read(&mut channel)).ok()?;
    let taken = &bytes[..bytes.len() - channel.unread()];
    let again = read(&mut Channel::answered_by(taken));
    assert_eq!(
        again.as_ref(),
        Ok(&answer),
        "another answer from the bytes that were taken"
    );
    let cut = taken
        .split_last()
        .map(|(_, cut)| read(&mut Channel::answered_by(cut)));
    assert!(
        cut.as_ref().is_none_or(Result::is_err),
        "{answer:?} was cut off, and accepted as {cut:?}"
    );
    Some(answer)
}

/// Checks as [`whole`] does, and that the bytes which a server would write for the answer are read as that answer.
fn rewritten(bytes: &[u8], read: impl Fn(&mut Channel) -> Result<(String, Vec<u8>), ChannelError>) -> bool {
    let Some((answer, written)) = whole(bytes, &read) else {
        return false;
    };
    let again = read(&mut Channel::answered_by(&written)).map(|(again, _)| again);
    assert_eq!(again, Ok(answer), "written again as {}", written.escape_ascii());
    true
}

/// Checks as [`rewritten`] does, where only some answers can be written.
fn partly_rewritten(
    bytes: &[u8],
    read: impl Fn(&mut Channel) -> Result<(String, Option<Vec<u8>>), ChannelError>,
) -> bool {
    let Some((answer, written)) = whole(bytes, &read) else {
        return false;
    };
    if let Some(written) = written {
        let again = read(&mut Channel::answered_by(&written)).map(|(again, _)| again);
        assert_eq!(again, Ok(answer), "written again as {}", written.escape_ascii());
    }
    true
}

/// RESP, as the audit of Redis reads it.
pub fn redis(bytes: &[u8]) -> bool {
    rewritten(bytes, dbdyno_audit_redis::fuzzing::answer)
}

/// RESP, as the driver of Redis reads it: as the library does.
pub fn redis_driver(bytes: &[u8]) -> bool {
    let Ok(Some((value, length, of_library))) =
        bounded(bytes, || dbdyno_database_redis::fuzzing::answer(bytes))
    else {
        return false;
    };
    match of_library {
        // As text: a number that is none is equal to nothing.
        Ok(other) => assert_eq!(
            format!("{value:?}"),
            format!("{other:?}"),
            "the library reads something else"
        ),
        Err(error) => panic!("the library refuses it: {error}"),
    }
    for end in [length - 1, length / 2] {
        let cut = dbdyno_database_redis::fuzzing::answer(&bytes[..end]);
        assert!(
            matches!(cut, Ok(None)),
            "its first {end} bytes are not waited for, but {cut:?}"
        );
    }
    true
}

/// PostgreSQL: the answer to a question, or what comes of a login.
pub fn postgres(bytes: &[u8]) -> bool {
    let is_answer = partly_rewritten(bytes, dbdyno_audit_postgres::fuzzing::answer);
    whole(bytes, dbdyno_audit_postgres::fuzzing::login).is_some() || is_answer
}

/// MongoDB: the answer to a command, or what comes of a login.
pub fn mongodb(bytes: &[u8]) -> bool {
    whole(bytes, dbdyno_audit_mongodb::fuzzing::login);
    let Some((answer, document)) = whole(bytes, dbdyno_audit_mongodb::fuzzing::answer) else {
        return false;
    };
    let length = (16 + 5 + document.len()) as u32;
    let header = [length, 1, 1, 2013, 0].map(u32::to_le_bytes).concat();
    let written = [header, vec![0], document].concat();
    let again = dbdyno_audit_mongodb::fuzzing::answer(&mut Channel::answered_by(&written));
    assert_eq!(again.map(|(again, _)| again), Ok(answer));
    true
}

/// CQL.
pub fn cassandra(bytes: &[u8]) -> bool {
    partly_rewritten(bytes, dbdyno_audit_cassandra::fuzzing::answer)
}

/// Java's RMI, on two connections: a number of two bytes says how many of the following are of the first one.
pub fn jmx(bytes: &[u8]) -> bool {
    let Some((length, rest)) = bytes.split_first_chunk::<2>() else {
        return false;
    };
    let length = usize::from(u16::from_be_bytes(*length));
    let Some((registry, jmx)) = rest.split_at_checked(length) else {
        return false;
    };
    let (mut registry, mut jmx) = (Channel::answered_by(registry), Channel::answered_by(jmx));
    bounded(bytes, || {
        dbdyno_audit_cassandra::fuzzing::jmx(&mut registry, &mut jmx)
    })
    .is_ok()
}

/// HBase's RPC.
pub fn hbase(bytes: &[u8]) -> bool {
    let is_ticket = whole(bytes, dbdyno_audit_hbase::fuzzing::ticket).is_some();
    whole(bytes, dbdyno_audit_hbase::fuzzing::answer).is_some() || is_ticket
}

/// ZooKeeper.
pub fn zookeeper(bytes: &[u8]) -> bool {
    bounded(bytes, || {
        dbdyno_audit_hbase::fuzzing::quorum(Channel::answered_by(bytes))
    })
    .is_ok()
}

/// The beginning of TLS. A server that goes away has refused, so that less may be accepted, too.
pub fn tls(bytes: &[u8]) -> bool {
    let found = bounded(bytes, || {
        dbdyno_audit::fuzzing::tls_answer(&mut Channel::answered_by(bytes))
    });
    let Ok(Some(lengths)) = found else {
        return false;
    };
    let length: usize = lengths.iter().sum();
    assert!(length <= bytes.len(), "certificates of {length} bytes");
    true
}
