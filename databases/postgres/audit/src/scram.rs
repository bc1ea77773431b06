//! The client's side of SCRAM-SHA-256 (RFC 5802, RFC 7677), without channel binding.
//!
//! Passwords are taken as they are: for those of ASCII signs that is what SASLprep makes of them, too.

use std::num::NonZeroU32;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::{digest, hmac, pbkdf2};

/// More rounds than anybody asks for; a server that does would only keep us busy.
const MOST_ROUNDS: u32 = 1_000_000;
const LONGEST_SALT: usize = 1024;
/// As many as servers take by default.
const USUAL_ROUNDS: NonZeroU32 = NonZeroU32::new(4096).expect("more than none");

/// What the client said first, without the word on channel binding.
pub struct Exchange {
    first: String,
    nonce: String,
}

/// The client's last word, and what the server has to answer to show that it knows the password, too.
#[derive(Debug)]
pub struct Proof {
    pub message: String,
    pub expected: String,
}

impl Exchange {
    /// `nonce` has letters and digits only.
    pub fn new(nonce: &str) -> Self {
        // The user is that of the session, so PostgreSQL takes none here.
        Self {
            first: format!("n=,r={nonce}"),
            nonce: nonce.to_owned(),
        }
    }

    pub fn first_message(&self) -> String {
        format!("n,,{}", self.first)
    }

    /// The proof for the server's first message; `None` when that is none.
    pub fn prove(&self, server_first: &str, password: &str) -> Option<Proof> {
        let value = |key: &str| server_first.split(',').find_map(|part| part.strip_prefix(key));
        let nonce = value("r=").filter(|nonce| nonce.starts_with(&self.nonce))?;
        let salt = STANDARD.decode(value("s=")?).ok()?;
        let rounds: NonZeroU32 = value("i=")?.parse().ok()?;
        if rounds.get() > MOST_ROUNDS || salt.len() > LONGEST_SALT {
            return None;
        }
        let salted = salted(password, &salt, rounds);
        let without_proof = format!("c=biws,r={nonce}");
        let all = format!("{},{server_first},{without_proof}", self.first);
        let client_key = sign(&salted, "Client Key");
        let stored_key = digest::digest(&digest::SHA256, client_key.as_ref());
        let signature = sign(stored_key.as_ref(), &all);
        let proof: Vec<u8> = client_key
            .as_ref()
            .iter()
            .zip(signature.as_ref())
            .map(|(key, signature)| key ^ signature)
            .collect();
        let server_key = sign(&salted, "Server Key");
        Some(Proof {
            message: format!("{without_proof},p={}", STANDARD.encode(proof)),
            expected: format!("v={}", STANDARD.encode(sign(server_key.as_ref(), &all))),
        })
    }
}

/// What a server keeps of a password, in place of which it takes it (manual, "pg_authid"): a log of statements shows no password then.
pub fn verifier(password: &str, salt: &[u8]) -> String {
    let salted = salted(password, salt, USUAL_ROUNDS);
    let client_key = sign(&salted, "Client Key");
    format!(
        "SCRAM-SHA-256${USUAL_ROUNDS}:{}${}:{}",
        STANDARD.encode(salt),
        STANDARD.encode(digest::digest(&digest::SHA256, client_key.as_ref())),
        STANDARD.encode(sign(&salted, "Server Key"))
    )
}

fn salted(password: &str, salt: &[u8], rounds: NonZeroU32) -> [u8; 32] {
    let mut salted = [0; 32];
    pbkdf2::derive(
        pbkdf2::PBKDF2_HMAC_SHA256,
        rounds,
        salt,
        password.as_bytes(),
        &mut salted,
    );
    salted
}

fn sign(key: &[u8], text: &str) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_7677() {
        let exchange = Exchange {
            first: "n=user,r=rOprNGfwEbeRWgbNEkqO".to_owned(),
            nonce: "rOprNGfwEbeRWgbNEkqO".to_owned(),
        };
        let server_first =
            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
        let proof = exchange.prove(server_first, "pencil").unwrap();
        assert!(
            proof
                .message
                .ends_with(",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="),
            "{proof:?}"
        );
        assert_eq!(proof.expected, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }

    /// Of the password `pencil` and the salt of RFC 7677, as PostgreSQL 15 stores it.
    #[test]
    fn a_verifier_shows_the_keys_of_the_example() {
        let salt = STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        assert_eq!(
            verifier("pencil", &salt),
            "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
        );
    }

    #[test]
    fn a_server_that_asks_for_endless_work_gets_no_proof() {
        let exchange = Exchange::new("abc");
        assert!(exchange.prove("r=abcd,s=AAAA,i=4096", "x").is_some());
        for message in [
            "",
            "r=abcd,s=AAAA,i=0",
            "r=abcd,s=AAAA,i=4000000000",
            "r=abcd,s=not base64,i=1",
            "r=other,s=AAAA,i=1",
        ] {
            assert!(exchange.prove(message, "x").is_none(), "{message}");
        }
    }
}
