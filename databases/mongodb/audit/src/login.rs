//! Logging in with SCRAM-SHA-256 (RFC 5802, RFC 7677). Written here and not left to MongoDB's library, whose connections are
//! watched, made anew and tried again: a probe must see what one connection does.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, doc};
use dbdyno_audit::{Canary, Channel, ChannelError};
use sha2::{Digest, Sha256};

use crate::message::{Reply, ask};

/// More repetitions than this would only keep the client busy: MongoDB's default is 15,000.
const MOST_ITERATIONS: u32 = 300_000;
const BLOCK: usize = 64;

/// The mechanism of logins here.
pub const NEWER: &str = "SCRAM-SHA-256";
/// The one before it: servers before version 4.0 have no other with a password.
pub const OLDER: &str = "SCRAM-SHA-1";

/// Begins a login by a mechanism and goes no further; the server's first reply.
///
/// # Errors
/// When the server goes away.
pub fn begin(
    channel: &mut Channel,
    database: &str,
    mechanism: &str,
    user: &str,
) -> Result<Reply, ChannelError> {
    let first = first_message(user, Canary::new().text());
    start(channel, database, mechanism, &first)
}

fn start(channel: &mut Channel, database: &str, mechanism: &str, first: &str) -> Result<Reply, ChannelError> {
    let start = doc! {
        "saslStart": 1, "mechanism": mechanism, "payload": binary(&format!("n,,{first}")),
        "options": { "skipEmptyExchange": true },
    };
    ask(channel, database, start)
}

/// Logs in by SCRAM-SHA-256 and returns the server's final reply: success or an error.
///
/// # Errors
/// When the server goes away, or does not know the password itself.
pub fn log_in(
    channel: &mut Channel,
    database: &str,
    user: &str,
    password: &str,
) -> Result<Reply, ChannelError> {
    let nonce = Canary::new();
    let first = first_message(user, nonce.text());
    let reply = start(channel, database, NEWER, &first)?;
    if !reply.is_ok() {
        return Ok(reply);
    }
    let conversation = reply.0.get("conversationId").cloned().unwrap_or(Bson::Int32(1));
    let (last, expected) = answer(&first, nonce.text(), &payload(&reply)?, password)?;
    let finish = |text: &str| {
        doc! { "saslContinue": 1, "conversationId": conversation.clone(), "payload": binary(text) }
    };
    let reply = ask(channel, database, finish(&last))?;
    if !reply.is_ok() {
        return Ok(reply);
    }
    if payload(&reply)? != expected {
        return Err(ChannelError::Unexpected(
            "the server does not know the password itself".to_owned(),
        ));
    }
    if reply.flag("done") {
        return Ok(reply);
    }
    ask(channel, database, finish(""))
}

fn binary(text: &str) -> Bson {
    Bson::Binary(Binary {
        subtype: BinarySubtype::Generic,
        bytes: text.as_bytes().to_vec(),
    })
}

fn payload(reply: &Reply) -> Result<String, ChannelError> {
    match reply.0.get("payload") {
        Some(Bson::Binary(binary)) => Ok(String::from_utf8_lossy(&binary.bytes).into_owned()),
        Some(Bson::String(text)) => Ok(text.clone()),
        _ => Err(unexpected("a login without its message")),
    }
}

fn unexpected(what: &str) -> ChannelError {
    ChannelError::Unexpected(what.to_owned())
}

fn first_message(user: &str, nonce: &str) -> String {
    let name = user.replace('=', "=3D").replace(',', "=2C");
    format!("n={name},r={nonce}")
}

/// The client's proof, and what the server must answer to it.
fn answer(
    first: &str,
    nonce: &str,
    servers_first: &str,
    password: &str,
) -> Result<(String, String), ChannelError> {
    let field = |name: &str| {
        servers_first
            .split(',')
            .find_map(|part| part.strip_prefix(name))
            .ok_or_else(|| unexpected("a login without its fields"))
    };
    let both = field("r=")?;
    if !both.starts_with(nonce) {
        return Err(unexpected("a login with a nonce that the client did not send"));
    }
    let salt = STANDARD
        .decode(field("s=")?)
        .map_err(|_| unexpected("a login without a salt"))?;
    let iterations: u32 = field("i=")?
        .parse()
        .map_err(|_| unexpected("a login without a number of repetitions"))?;
    if !(1..=MOST_ITERATIONS).contains(&iterations) {
        return Err(unexpected(&format!("a login of {iterations} repetitions")));
    }
    let salted = repeated(password.as_bytes(), &salt, iterations);
    let without_proof = format!("c=biws,r={both}");
    let signed = format!("{first},{servers_first},{without_proof}");
    let key = Keyed::new(&salted).of(b"Client Key");
    let stored: [u8; 32] = Sha256::digest(key).into();
    let signature = Keyed::new(&stored).of(signed.as_bytes());
    let proof: Vec<u8> = key
        .iter()
        .zip(signature)
        .map(|(one, other)| one ^ other)
        .collect();
    let servers_key = Keyed::new(&salted).of(b"Server Key");
    let servers = Keyed::new(&servers_key).of(signed.as_bytes());
    Ok((
        format!("{without_proof},p={}", STANDARD.encode(proof)),
        format!("v={}", STANDARD.encode(servers)),
    ))
}

/// HMAC with SHA-256 (RFC 2104), its key taken in already.
struct Keyed {
    inner: Sha256,
    outer: Sha256,
}

impl Keyed {
    fn new(key: &[u8]) -> Self {
        let mut padded = [0; BLOCK];
        if key.len() > BLOCK {
            let short: [u8; 32] = Sha256::digest(key).into();
            padded[..32].copy_from_slice(&short);
        } else {
            padded[..key.len()].copy_from_slice(key);
        }
        let with = |sign: u8| Sha256::new().chain_update(padded.map(|byte| byte ^ sign));
        Self {
            inner: with(0x36),
            outer: with(0x5c),
        }
    }

    fn of(&self, text: &[u8]) -> [u8; 32] {
        let inner = self.inner.clone().chain_update(text).finalize();
        self.outer.clone().chain_update(inner).finalize().into()
    }
}

/// The first block of PBKDF2 (RFC 8018) with that HMAC, which is all that SCRAM takes.
fn repeated(password: &[u8], salt: &[u8], iterations: u32) -> [u8; 32] {
    let keyed = Keyed::new(password);
    let mut last = keyed.of(&[salt, &[0, 0, 0, 1]].concat());
    let mut all = last;
    for _ in 1..iterations {
        last = keyed.of(&last);
        all.iter_mut().zip(last).for_each(|(all, last)| *all ^= last);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_7677_is_computed() {
        let nonce = "rOprNGfwEbeRWgbNEkqO";
        let first = first_message("user", nonce);
        assert_eq!(first, "n=user,r=rOprNGfwEbeRWgbNEkqO");
        let servers =
            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
        let (last, expected) = answer(&first, nonce, servers, "pencil").unwrap();
        assert!(last.ends_with(",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="));
        assert_eq!(expected, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }

    #[test]
    fn a_server_cannot_keep_the_client_busy_or_confuse_it() {
        let of = |servers: &str| answer("n=u,r=abc", "abc", servers, "x");
        assert!(of("r=abcd,s=AAAA,i=1").is_ok());
        for servers in [
            "",
            "r=abcd,s=AAAA",
            "r=other,s=AAAA,i=1",
            "r=abcd,s=?,i=1",
            "r=abcd,s=AAAA,i=0",
            "r=abcd,s=AAAA,i=4000000000",
            "r=abcd,s=AAAA,i=-1",
        ] {
            assert!(of(servers).is_err(), "{servers}");
        }
        assert_eq!(first_message("a=b,c", "x"), "n=a=3Db=2Cc,r=x");
    }
}
