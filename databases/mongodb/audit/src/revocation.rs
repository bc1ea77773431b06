//! How long a withdrawn right, a changed password and a removed user still work.

use std::time::Duration;

use bson::doc;
use dbdyno_audit::{
    Canary, Channel, ChannelError, Scene, not_measured, nothing_to_revoke, revocations,
    seconds_until_refused, time_to_revoke as judge,
};
use dbdyno_record::audit::AuditFinding;

use crate::access::{Stranger, stranger};
use crate::client::{administrator, granted, make_user, open_primary, remove_user};
use crate::login::log_in;
use crate::message::{AUTHENTICATION_FAILED, ask};

const MANUAL: &str = "https://www.mongodb.com/docs/manual/tutorial/manage-users-and-roles/";
/// How long each repetition looks. The connections of one live for as long as a probe may take.
const LONGEST: Duration = Duration::from_secs(3);
/// How long an open connection is looked at whose password was changed.
const MOMENT: Duration = Duration::from_secs(1);

/// The right that is withdrawn, and the act that is then tried.
#[derive(Clone, Copy)]
enum Case {
    RightWhileOpen,
    PasswordThenNew,
    PasswordWhileOpen,
    UserWhileOpen,
}

impl Case {
    const MEASURED: [(Self, &'static str); 3] = [
        (Self::RightWhileOpen, "right withdrawn, open connection"),
        (Self::PasswordThenNew, "password changed, new connection"),
        (Self::UserWhileOpen, "user removed, open connection"),
    ];
}

/// Withdraws a right, a password and a user, and tries until each is refused.
pub fn time_to_revoke(scene: &mut Scene<'_>) -> AuditFinding {
    if matches!(stranger(scene), Stranger::Served) {
        return nothing_to_revoke();
    }
    let patience = LONGEST.min(scene.patience / 2);
    let measured = revocations(
        scene,
        "mongodb.revoke",
        &Case::MEASURED,
        patience,
        |scene, case| once(scene, case, patience),
    );
    let all = match measured {
        Ok(all) => all,
        Err(why) => return not_measured(&why),
    };
    let open = once(scene, Case::PasswordWhileOpen, MOMENT.min(patience));
    let got = match &open {
        Ok(Some(seconds)) => format!("refused after {seconds:.3} s"),
        Ok(None) => "still served: a password is asked for at the login only".to_owned(),
        Err(error) => error.to_string(),
    };
    scene.note("mongodb.revoke", "password changed, open connection", got);
    let mut finding = judge(
        scene,
        all,
        "MongoDB drops what it knows of a user when it is changed; on routers set userCacheInvalidationIntervalSecs lower",
    );
    if matches!(open, Ok(None)) {
        finding.summary.push_str(
            " A changed password ends no open connection: remove the user, or its roles, to do that.",
        );
    }
    finding.see(MANUAL)
}

fn once(scene: &Scene<'_>, case: Case, patience: Duration) -> Result<Option<f64>, ChannelError> {
    let mut managing = administrator(scene)?;
    let user = scene.own_name();
    let password = Canary::new();
    granted(make_user(&mut managing, user, password.text())?)?;
    let outcome = withdraw(scene, case, patience, &mut managing, password.text());
    remove_user(&mut managing, user);
    outcome
}

fn withdraw(
    scene: &Scene<'_>,
    case: Case,
    patience: Duration,
    managing: &mut Channel,
    password: &str,
) -> Result<Option<f64>, ChannelError> {
    let user = scene.own_name();
    let mut working = open_primary(scene, scene.remote)?;
    granted(log_in(&mut working, "admin", user, password)?)?;
    if !is_served(&mut working, user)? {
        return Err(ChannelError::Unexpected("what is granted is refused".to_owned()));
    }
    let withdrawn = match case {
        Case::RightWhileOpen => doc! {
            "revokeRolesFromUser": user, "roles": [{ "role": "readWrite", "db": user }],
        },
        Case::PasswordThenNew | Case::PasswordWhileOpen => doc! {
            "updateUser": user, "pwd": Canary::new().text(), "mechanisms": ["SCRAM-SHA-256"],
        },
        Case::UserWhileOpen => doc! { "dropUser": user },
    };
    granted(ask(managing, "admin", withdrawn)?)?;
    seconds_until_refused(patience, &mut || match case {
        Case::PasswordThenNew => {
            let mut channel = open_primary(scene, scene.remote)?;
            let reply = log_in(&mut channel, "admin", user, password)?;
            if reply.is_ok() || reply.code() == Some(AUTHENTICATION_FAILED) {
                Ok(reply.is_ok())
            } else {
                Err(ChannelError::Unexpected(reply.shown()))
            }
        }
        _ => is_served(&mut working, user),
    })
}

fn is_served(channel: &mut Channel, user: &str) -> Result<bool, ChannelError> {
    match ask(channel, user, doc! { "find": "of_nobody", "limit": 1 }) {
        Ok(reply) if reply.is_ok() => Ok(true),
        Ok(reply) if reply.is_refused() => Ok(false),
        Ok(reply) => Err(ChannelError::Unexpected(reply.shown())),
        // A server may end the connection of a user that is gone.
        Err(ChannelError::Closed) => Ok(false),
        Err(error) => Err(error),
    }
}
