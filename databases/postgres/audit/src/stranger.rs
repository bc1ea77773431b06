//! Somebody without a password.

use dbdyno_audit::{ChannelError, Scene};
use dbdyno_driver::remote::HostPort;

use crate::client::{as_user, open_without_certificate, try_entry, user};
use crate::entry::{Asked, Entrance, Outcome, Who, enter};

/// How the server treats a client without a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stranger {
    /// Let in as whom they say they are.
    Served,
    /// Let in as the user of the address; another name is not.
    Trusted,
    /// Asked for a password, in this way.
    Asked(Asked),
    /// Let in by the client's certificate alone, which names the user.
    Certified,
    Unknown(String),
}

/// Asks every server to be let in as the user of the address, without a password: each has rules of its own. The worst counts.
pub fn stranger(scene: &mut Scene<'_>) -> Stranger {
    let mut all: Option<Stranger> = None;
    for host in scene.remote.hosts.clone() {
        let one = stranger_at(scene, &host);
        all = Some(match (all, one) {
            (_, Stranger::Served) => return Stranger::Served,
            (_, Stranger::Trusted) | (Some(Stranger::Trusted), _) => Stranger::Trusted,
            (None, one) | (Some(Stranger::Asked(_) | Stranger::Certified), one @ Stranger::Unknown(_)) => one,
            // The first server is the one that logins are tried on.
            (Some(first), _) => first,
        });
    }
    all.unwrap_or_else(|| Stranger::Unknown("the address names no server".to_owned()))
}

/// Whether a login of the user of the address sends its password so that everybody on the way reads it.
pub fn sends_password_in_clear(scene: &mut Scene<'_>) -> bool {
    scene.remote.tls.is_none() && stranger(scene) == Stranger::Asked(Asked::ClearText)
}

fn stranger_at(scene: &mut Scene<'_>, host: &HostPort) -> Stranger {
    let tried = try_entry(scene, host, as_user(scene, user(scene.remote)), None);
    note(
        scene,
        "postgres.no-password",
        &format!("the user of the address at {host}, without a password"),
        &tried,
    );
    match tried {
        Ok(entrance) => match entrance.asked {
            Some(Asked::Nothing) if shows_certificate(scene) => by_certificate(scene, host),
            Some(Asked::Nothing) => under_any_name(scene, &|scene, who| try_entry(scene, host, who, None)),
            Some(asked) => Stranger::Asked(asked),
            None => Stranger::Unknown(entrance.shown()),
        },
        Err(error) => Stranger::Unknown(error.to_string()),
    }
}

/// Whether the server also lets in an unknown user without a password: under a `trust` rule for all, it finds only that the role does not
/// exist.
fn under_any_name(
    scene: &mut Scene<'_>,
    enter_as: &dyn Fn(&Scene<'_>, Who<'_>) -> Result<Entrance, ChannelError>,
) -> Stranger {
    let nobody = scene.unused_name().to_owned();
    let tried = enter_as(scene, as_user(scene, &nobody));
    note(
        scene,
        "postgres.other-name",
        "another user, without a password",
        &tried,
    );
    match tried.map(|entrance| entrance.outcome) {
        Ok(Outcome::In) => Stranger::Served,
        Ok(Outcome::Refused(refusal)) if refusal.routine == "InitializeSessionUserId" => Stranger::Served,
        _ => Stranger::Trusted,
    }
}

pub fn shows_certificate(scene: &Scene<'_>) -> bool {
    scene.remote.tls.as_ref().is_some_and(|tls| tls.client.is_some())
}

/// Logs in with the certificate of the address under a name that is not in it: if the rule is `trust`, the server only finds
/// that there is no such role.
fn by_certificate(scene: &mut Scene<'_>, host: &HostPort) -> Stranger {
    let nobody = scene.unused_name().to_owned();
    let tried = try_entry(scene, host, as_user(scene, &nobody), None);
    note(
        scene,
        "postgres.other-user",
        "another user with the same certificate, without a password",
        &tried,
    );
    match tried {
        Ok(entrance) => match &entrance.outcome {
            Outcome::In => Stranger::Served,
            Outcome::Refused(refusal) if refusal.routine == "InitializeSessionUserId" => Stranger::Served,
            Outcome::Refused(refusal) if refusal.routine == "auth_failed" => Stranger::Certified,
            // Others have other rules: this user may be trusted, or named by the certificate.
            _ => without_certificate(scene, host),
        },
        Err(error) => Stranger::Unknown(error.to_string()),
    }
}

fn without_certificate(scene: &mut Scene<'_>, host: &HostPort) -> Stranger {
    let enter_as = |scene: &Scene<'_>, who: Who<'_>| {
        open_without_certificate(scene, host).and_then(|mut channel| enter(&mut channel, who, None))
    };
    let tried = enter_as(scene, as_user(scene, user(scene.remote)));
    note(
        scene,
        "postgres.no-certificate",
        "the user of the address, without a certificate and a password",
        &tried,
    );
    match tried {
        Ok(entrance) if entrance.outcome == Outcome::In => under_any_name(scene, &enter_as),
        _ => Stranger::Unknown(
            "this user is let in without a password, and only with a certificate, which may be anybody's"
                .to_owned(),
        ),
    }
}

/// Records a login attempt and its outcome as evidence.
pub fn note(scene: &mut Scene<'_>, probe: &str, sent: &str, tried: &Result<Entrance, ChannelError>) {
    let got = tried.as_ref().map(Entrance::shown).map_err(Clone::clone);
    scene.note_outcome(probe, sent, &got);
}
