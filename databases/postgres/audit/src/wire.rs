//! The protection of the wire between clients and the server.

use dbdyno_audit::{
    Channel, ChannelError, ClearText, Scene, TlsOfServers, client_to_node as judge,
    transport as judge_transport,
};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel};

use crate::client::{SUPERUSER, as_user, open_trusting, open_without_certificate, try_entry, user};
use crate::entry::{Asked, Entrance, enter, request_tls};
use crate::others::{clear_text as others_in_clear_text, shown};
use crate::rules::rules;
use crate::stranger::note;

const TLS: &str = "https://www.postgresql.org/docs/current/ssl-tcp.html";
const FIX: &str = "ssl = on, and in pg_hba.conf hostssl in place of every host; then SELECT pg_reload_conf()";

/// A connection on which TLS may begin. Where the server says that it does not speak it, the handshake shows so.
pub fn before_tls(scene: &Scene<'_>, host: &HostPort) -> Result<Channel, ChannelError> {
    let mut channel = scene.open_to(host)?;
    request_tls(&mut channel)?;
    Ok(channel)
}

fn tls(scene: &mut Scene<'_>) -> TlsOfServers {
    let hosts = &scene.remote.hosts;
    scene.tls("postgres.tls", hosts, &mut |scene, host| before_tls(scene, host))
}

fn note_tls_request(scene: &mut Scene<'_>) {
    let answer = scene.open().and_then(|mut channel| request_tls(&mut channel));
    let got = answer.map(|letter| char::from(letter).to_string());
    scene.note_outcome("postgres.tls-request", "SSLRequest", &got);
}

/// The first message in clear text, to every server, as all users that are known: each server has rules of its own, and they
/// differ between users.
fn clear_text(scene: &mut Scene<'_>) -> ClearText {
    let mut users = vec![user(scene.remote)];
    users.extend(scene.administrator.map(user));
    users.push(SUPERUSER);
    users.dedup();
    let mut all = ClearText::Refused;
    for host in &scene.remote.hosts {
        let mut is_refused = false;
        for user in &users {
            match clear_text_of(scene, host, user) {
                Some(ClearText::Accepted) => return ClearText::Accepted,
                Some(ClearText::Refused) => is_refused = true,
                Some(unknown) => all = unknown,
                None => {}
            }
        }
        if !is_refused && all == ClearText::Refused {
            all = ClearText::Unknown(format!(
                "no user who was tried is let on over TLS at {host}, so their refusal in clear text shows nothing"
            ));
        }
    }
    all
}

/// `None`: this user is refused, and over TLS as well. A server refuses everybody for whom it has no rule, whatever the wire.
fn clear_text_of(scene: &mut Scene<'_>, host: &HostPort, user: &str) -> Option<ClearText> {
    let who = as_user(scene, user);
    let tried = scene
        .open_to(host)
        .and_then(|mut channel| enter(&mut channel, who, None));
    note(
        scene,
        "postgres.clear-text",
        &format!("{user} at {host}, in clear text, no password sent"),
        &tried,
    );
    let seen = of_entrance(&tried);
    if seen != ClearText::Refused {
        return Some(seen);
    }
    let encrypted = open_trusting(scene, host).and_then(|mut channel| enter(&mut channel, who, None));
    note(
        scene,
        "postgres.clear-text",
        &format!("{user} at {host}, over TLS, no password sent"),
        &encrypted,
    );
    is_let_on(&encrypted).then_some(seen)
}

/// Whether a rule of the server matches: it asks for a login, or for none.
fn is_let_on(tried: &Result<Entrance, ChannelError>) -> bool {
    tried.as_ref().is_ok_and(|entrance| entrance.asked.is_some())
}

/// Whatever the server asks for, it goes on in clear text.
pub fn of_entrance(tried: &Result<Entrance, ChannelError>) -> ClearText {
    match tried {
        Ok(entrance) if entrance.asked.is_some() => ClearText::Accepted,
        Ok(entrance) if entrance.is_refused_login() => ClearText::Refused,
        Ok(entrance) => ClearText::Unknown(entrance.shown()),
        Err(ChannelError::Closed | ChannelError::Tls(_)) => ClearText::Refused,
        Err(error) => ClearText::Unknown(error.to_string()),
    }
}

/// TLS accepted, clear text refused.
pub fn client_to_node(scene: &mut Scene<'_>) -> AuditFinding {
    note_tls_request(scene);
    let tls = tls(scene);
    let clear = match clear_text(scene) {
        ClearText::Refused => others_in_clear_text(scene),
        seen => seen,
    };
    let mut finding = judge(&tls, &clear, FIX, TLS);
    if finding.level != ProtectionLevel::Enforced {
        return finding;
    }
    match rules(scene) {
        Ok(rules) if rules.in_clear_text.is_empty() => {}
        Ok(rules) => {
            finding.level = ProtectionLevel::Partial;
            finding.summary = format!(
                "The server speaks TLS and refuses clear text to those who were tried, but other lines of pg_hba.conf let clients in without TLS: {}.",
                shown(&rules.in_clear_text)
            );
            finding = finding.mend(AuditSeverity::Medium, FIX);
        }
        Err((reason, why)) => {
            return AuditFinding::unknown(
                Feature::ClientToNodeEncryption,
                reason,
                format!(
                    "The server speaks TLS and refuses clear text to those who were tried. The rules of other users and databases are unknown: {why}."
                ),
            )
            .see(TLS);
        }
    }
    finding
}

/// Versions, suites, certificate; whether clients must show one.
pub fn transport(scene: &mut Scene<'_>) -> AuditFinding {
    let tls = tls(scene);
    let clear = clear_text(scene);
    let asks = tls.is_spoken().then(|| asks_for_certificate(scene)).flatten();
    judge_transport(&tls, &clear, asks, FIX, TLS)
}

/// Whether a client without a certificate is refused, by every server.
pub fn asks_for_certificate(scene: &mut Scene<'_>) -> Option<bool> {
    let hosts = &scene.remote.hosts;
    let mut all = Some(true);
    for host in hosts {
        match is_refused_without_certificate(scene, host) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}

/// PostgreSQL shakes hands without a certificate and refuses the login, which may have other reasons: with one it must be let on.
fn is_refused_without_certificate(scene: &mut Scene<'_>, host: &HostPort) -> Option<bool> {
    let who = as_user(scene, user(scene.remote));
    let without =
        open_without_certificate(scene, host).and_then(|mut channel| enter(&mut channel, who, None));
    note(
        scene,
        "postgres.no-certificate",
        &format!("the user of the address at {host}, over TLS without a certificate"),
        &without,
    );
    match without {
        Ok(entrance) if entrance.asked.is_some() => Some(false),
        Ok(entrance) if entrance.is_refused_login() => {
            let with = try_entry(scene, host, who, None).ok()?;
            let is_let_on = matches!(
                with.asked,
                Some(Asked::Nothing | Asked::ClearText | Asked::Md5 | Asked::Scram)
            );
            is_let_on.then_some(true)
        }
        Err(ChannelError::Closed | ChannelError::Tls(_)) => Some(true),
        Ok(_) | Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Outcome;
    use crate::protocol::Refusal;

    #[test]
    fn a_server_that_is_full_has_refused_no_clear_text() {
        let refused = |code: &str| {
            Ok(Entrance {
                asked: None,
                outcome: Outcome::Refused(Refusal::read(format!("C{code}\0\0").as_bytes())),
            })
        };
        assert_eq!(of_entrance(&refused("28000")), ClearText::Refused);
        assert!(matches!(of_entrance(&refused("53300")), ClearText::Unknown(_)));
        let asked = Ok(Entrance {
            asked: Some(Asked::Scram),
            outcome: Outcome::Stopped,
        });
        assert_eq!(of_entrance(&asked), ClearText::Accepted);
        assert!(matches!(
            of_entrance(&Err(ChannelError::Silent)),
            ClearText::Unknown(_)
        ));
        // Only who is let on over TLS shows anything by being refused without it.
        assert!(is_let_on(&asked) && !is_let_on(&refused("28000")));
        assert!(!is_let_on(&Err(ChannelError::Closed)));
    }
}
