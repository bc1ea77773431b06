//! How long a withdrawn right, a changed password and a deleted user still work.

use dbdyno_audit::{
    Canary, Channel, ChannelError, Scene, not_measured, revocations, seconds_until_refused,
    time_to_revoke as judge,
};
use dbdyno_record::audit::AuditFinding;

use crate::client::{administrator, authenticate, open};
use crate::passwords::by_hash;
use crate::resp::{Reply, ask};
use crate::rights::make_user;

const ACL: &str = "https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/";

/// The right that is withdrawn, and the act that is then tried.
#[derive(Clone, Copy)]
enum Case {
    Right,
    Password,
    User,
}

impl Case {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Right, "right withdrawn, open connection"),
        (Self::Password, "password changed, new connection"),
        (Self::User, "user removed, open connection"),
    ];
}

/// Withdraws a right, a password and a user, and tries until each is refused.
pub fn time_to_revoke(scene: &mut Scene<'_>) -> AuditFinding {
    let patience = scene.patience;
    let all = match revocations(scene, "redis.revoke", &Case::ALL, patience, once) {
        Ok(all) => all,
        Err(why) => return not_measured(&why),
    };
    judge(
        scene,
        all,
        "ACL SETUSER and ACL DELUSER take effect at once in Redis; check what stands between",
    )
    .see(ACL)
}

fn once(scene: &Scene<'_>, case: Case) -> Result<Option<f64>, ChannelError> {
    let mut managing = administrator(scene)?;
    let user = scene.own_name();
    let (password, changed) = (Canary::new(), by_hash(Canary::new().text()));
    granted(make_user(&mut managing, user, password.text())?)?;
    let mut working = open(scene, scene.remote, scene.host())?;
    granted(authenticate(&mut working, Some(user), password.text())?)?;
    let key = format!("{user}:key");
    granted(ask(&mut working, &["SET", &key, "1"])?)?;
    let withdrawn: &[&str] = match case {
        Case::Right => &["ACL", "SETUSER", user, "-get"],
        Case::Password => &["ACL", "SETUSER", user, "resetpass", &changed],
        Case::User => &["ACL", "DELUSER", user],
    };
    ask(&mut managing, &["DEL", &key])?;
    ask(&mut managing, withdrawn)?;
    let outcome = seconds_until_refused(scene.patience, &mut || match case {
        Case::Right | Case::User => {
            working.renew(scene.deadline());
            is_served(&mut working, &key)
        }
        Case::Password => {
            let mut channel = open(scene, scene.remote, scene.host())?;
            Ok(matches!(
                authenticate(&mut channel, Some(user), password.text())?,
                Reply::Simple(_)
            ))
        }
    });
    managing.renew(scene.deadline());
    ask(&mut managing, &["ACL", "DELUSER", user]).ok();
    outcome
}

fn is_served(channel: &mut Channel, key: &str) -> Result<bool, ChannelError> {
    match ask(channel, &["GET", key]) {
        Ok(reply) => Ok(!(reply.is_error("NOPERM") || reply.is_error("NOAUTH"))),
        // The connection of a user that is gone is closed.
        Err(ChannelError::Closed) => Ok(false),
        Err(error) => Err(error),
    }
}

fn granted(reply: Reply) -> Result<(), ChannelError> {
    match reply {
        Reply::Error(text) => Err(ChannelError::Unexpected(text)),
        _ => Ok(()),
    }
}
