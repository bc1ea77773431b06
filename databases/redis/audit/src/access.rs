//! Logins.

use dbdyno_audit::{
    Scene, defaults_not_tried, given_password_is_guessed, idle_connections as judge_idle_connections,
    right_login, served_without_login, unexpected_refusal, unseen_login, wrong_password_accepted,
};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::client::{authenticate, log_in, open, open_trusting};
use crate::passwords::{Users, users};
use crate::resp::{Reply, ask};

const ACL: &str = "https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/";

/// Served as the user `default` with few rights: PING is none of them.
pub struct FewRights;

/// How the server treats a client without a login.
pub type Stranger = dbdyno_audit::Stranger<FewRights>;

pub fn stranger(scene: &mut Scene<'_>) -> Stranger {
    let reply = open_trusting(scene, scene.host()).and_then(|mut channel| {
        let first = ask(&mut channel, &["PING"])?;
        // A server that refuses the first command alone serves whoever asks again.
        if first.is_error("NOAUTH") {
            return ask(&mut channel, &["PING"]);
        }
        Ok(first)
    });
    scene.note_outcome(
        "redis.ping-without-login",
        "PING, and again where it was refused, without a login",
        &reply.clone().map(|reply| reply.shown()),
    );
    match reply {
        Ok(Reply::Simple(_)) => Stranger::Served,
        Ok(reply) if reply.is_error("NOAUTH") => Stranger::Refused,
        // The server refuses a right only after a login.
        Ok(reply) if reply.is_error("NOPERM") => Stranger::Limited(FewRights),
        Ok(reply) if reply.is_error("DENIED") => {
            Stranger::Unknown("protected mode refuses this address, whatever the login".to_owned())
        }
        Ok(reply) => Stranger::Unknown(reply.shown()),
        Err(error) => Stranger::Unknown(error.to_string()),
    }
}

/// None refused, wrong refused, right accepted.
pub fn authentication(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Authentication;
    let fix = "requirepass, or users with passwords in the ACL file and user default off";
    let nobody = stranger(scene);
    let wrong = open(scene, scene.remote, scene.host()).and_then(|mut channel| {
        let named = scene.remote.user.clone().filter(|user| !user.is_empty());
        let user = named.unwrap_or_else(|| "default".to_owned());
        authenticate(&mut channel, Some(&user), "no-password-of-anybody")
    });
    scene.note_outcome(
        "redis.wrong-password",
        "AUTH with a wrong password",
        &wrong.clone().map(|reply| reply.shown()),
    );
    let finding = match (nobody, wrong) {
        (Stranger::Served, _) => served_without_login(fix),
        (Stranger::Limited(FewRights), _) => AuditFinding::partial(
            feature,
            "Anyone who reaches the server is logged in as the user default, without a password; only the rights of that user are limited.",
        )
        .mend(AuditSeverity::High, fix),
        (Stranger::Refused, Ok(Reply::Simple(_))) => wrong_password_accepted(fix),
        (Stranger::Refused, Ok(reply)) if reply.is_error("WRONGPASS") => match right(scene) {
            Some(Ok(())) => of_all_users(scene),
            other => right_login(other),
        },
        (Stranger::Refused, outcome) => {
            let got = outcome.map_or_else(|error| error.to_string(), |reply| reply.shown());
            unexpected_refusal(&got)
        }
        (Stranger::Unknown(why), _) => unseen_login(&why),
    };
    finding.see(ACL)
}

/// The login of the address does as it should; whether that of every user does is seen by who may list them.
fn of_all_users(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Authentication;
    match users(scene) {
        Ok(Users { open, .. }) if !open.is_empty() => AuditFinding::partial(
            feature,
            format!(
                "A login is needed, but any password will do for: {}.",
                open.join(", ")
            ),
        )
        .mend(
            AuditSeverity::Critical,
            "ACL SETUSER NAME resetpass >PASSWORD, or off",
        ),
        Ok(_) => AuditFinding::enforced(
            feature,
            "The right login is accepted; a missing login and a wrong password are refused, and every user has a password.",
        ),
        Err(_) => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            "The right login is accepted; a missing login and a wrong password are refused. Whether other users need a password is unknown without an administrator.",
        ),
    }
}

/// Whether the login of the address is accepted; `None` without one.
fn right(scene: &mut Scene<'_>) -> Option<Result<(), String>> {
    let remote = scene.known_login();
    remote.password.as_ref()?;
    let outcome = log_in(scene, remote).and_then(|mut channel| ask(&mut channel, &["PING"]));
    scene.note_outcome(
        "redis.right-password",
        "AUTH with the login of the address, then PING",
        &outcome.clone().map(|reply| reply.shown()),
    );
    Some(match outcome {
        Ok(Reply::Simple(_)) => Ok(()),
        // Logged in, and too low for PING.
        Ok(reply) if reply.is_error("NOPERM") => Ok(()),
        Ok(reply) => Err(reply.shown()),
        Err(error) => Err(error.to_string()),
    })
}

/// The product ships with a user `default` without a password.
pub fn default_credentials(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::DefaultCredentials;
    if let Some(finding) = defaults_not_tried(scene, "Logins that the product ships with") {
        return finding;
    }
    let finding = match stranger(scene) {
        Stranger::Served => AuditFinding::off(
            feature,
            "The user default has no password, as the product ships it.",
        )
        .mend(
            AuditSeverity::Critical,
            "requirepass, or user default off in the ACL file",
        ),
        Stranger::Limited(FewRights) => AuditFinding::partial(
            feature,
            "The user default has no password, as the product ships it, but limited rights.",
        )
        .mend(
            AuditSeverity::High,
            "requirepass, or user default off in the ACL file",
        ),
        Stranger::Refused => guessed(scene).unwrap_or_else(|| {
            AuditFinding::enforced(feature, "The user default cannot log in without a password.")
        }),
        Stranger::Unknown(why) => AuditFinding::not_observed(feature, &why),
    };
    finding.see(ACL)
}

/// The finding for users whose passwords are tried first by whoever guesses: those of the audit's own logins, and those whose hashes an
/// administrator may see. Nothing is tried.
fn guessed(scene: &Scene<'_>) -> Option<AuditFinding> {
    let fix = "ACL SETUSER NAME resetpass >PASSWORD, one of ACL GENPASS";
    let given = given_password_is_guessed(scene, ("redis", "default"), fix, |remote| {
        log_in(scene, remote).is_ok()
    });
    let listed = || {
        let users = users(scene).ok()?.guessed;
        let summary = format!(
            "The stored passwords of these users are among those that are tried first: {}.",
            users.join(", ")
        );
        let finding = AuditFinding::off(Feature::DefaultCredentials, summary);
        (!users.is_empty()).then(|| finding.mend(AuditSeverity::Critical, fix))
    };
    given.or_else(listed)
}

/// Whether clients that connect and say nothing keep others out.
pub fn idle_connections(scene: &mut Scene<'_>) -> AuditFinding {
    judge_idle_connections(
        scene,
        &mut |scene| stranger(scene).answered(),
        "a firewall that admits known clients only; maxclients above what they need; timeout 300",
        "https://redis.io/docs/latest/develop/reference/clients/",
    )
}
