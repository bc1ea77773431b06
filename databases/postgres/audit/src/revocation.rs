//! How long a withdrawn right, a changed password and a removed role still work.

use std::time::Duration;

use dbdyno_audit::{
    ChannelError, Scene, not_measured, revocations, seconds_until_refused, time_to_revoke as judge,
};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, ProtectionLevel};

use crate::client::{Session, administrator, as_user, try_entry};
use crate::entry::{Entrance, Outcome};
use crate::low_role::{LowRole, new_verifier};
use crate::protocol::{Answer, quoted};

const ALTER_ROLE: &str = "https://www.postgresql.org/docs/current/sql-alterrole.html";
const TERMINATE: &str = "https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-SIGNAL";
/// How long each repetition looks, and no longer than half of what a connection of the audit lives.
const LONGEST_LOOK: Duration = Duration::from_secs(2);

/// The right that is withdrawn, and the act that is then tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    OpenWithoutRight,
    OpenWithoutRole,
    NewWithOldPassword,
    NewWithoutLogin,
    OpenWithoutLogin,
}

impl Case {
    const ALL: [(Self, &'static str); 5] = [
        (Self::OpenWithoutRight, "right withdrawn, open connection"),
        (Self::OpenWithoutRole, "role removed, open connection"),
        (Self::NewWithOldPassword, "password changed, new connection"),
        (Self::NewWithoutLogin, "login withdrawn, new connection"),
        (Self::OpenWithoutLogin, "login withdrawn, open connection"),
    ];
}

/// Withdraws rights, passwords, logins and roles, and tries until each is refused.
pub fn time_to_revoke(scene: &mut Scene<'_>) -> AuditFinding {
    let look = LONGEST_LOOK.min(scene.patience / 2);
    let measured = revocations(scene, "postgres.revoke", &Case::ALL, look, |scene, case| {
        once(scene, case, look)
    });
    let mut all = match measured {
        Ok(all) => all,
        Err(why) => return not_measured(&why),
    };
    // A session that is open stays open by PostgreSQL's design; its rights go at once, and it can be ended.
    let open = all.pop();
    let fix = "scram-sha-256 in pg_hba.conf in place of trust, so that passwords are asked for at all";
    let mut finding = judge(scene, all, fix);
    if let Some(open) = open {
        let stays = open.seconds.iter().any(Option::is_none);
        scene.note(
            "revoke",
            open.what.as_str(),
            if stays {
                format!("still served after {} s", open.patience_seconds)
            } else {
                "refused".to_owned()
            },
        );
        if stays && finding.level == ProtectionLevel::Enforced {
            finding.level = ProtectionLevel::Partial;
            finding.summary = "Rights, passwords and roles that are withdrawn are refused within a second; but a session that is open goes on when its role may not log in any more."
                .to_owned();
            finding = finding.mend(
                AuditSeverity::Low,
                "after ALTER ROLE ... NOLOGIN or a new password: SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '...'",
            );
        }
        finding.revocations.push(open);
    }
    finding.see(ALTER_ROLE).see(TERMINATE)
}

fn once(scene: &Scene<'_>, case: Case, look: Duration) -> Result<Option<f64>, ChannelError> {
    let mut managing = administrator(scene)?;
    let role = LowRole::make(scene, &mut managing)?;
    let outcome = withdraw(scene, &mut managing, &role, case, look);
    // The connection may have lived as long as it can.
    let removed = role
        .remove(&mut managing)
        .or_else(|_| administrator(scene).and_then(|mut managing| role.remove(&mut managing)));
    removed.and(outcome)
}

fn withdraw(
    scene: &Scene<'_>,
    managing: &mut Session,
    role: &LowRole,
    case: Case,
    look: Duration,
) -> Result<Option<f64>, ChannelError> {
    let name = quoted(&role.name);
    let read = format!("SELECT count(*) FROM {name}.granted");
    let mut working = role.session(scene, managing)?;
    working.must(&read)?;
    managing.must(&match case {
        Case::OpenWithoutRight => format!("REVOKE SELECT ON {name}.granted FROM {name}"),
        Case::OpenWithoutRole => format!("DROP OWNED BY {name} CASCADE; DROP ROLE {name}"),
        Case::NewWithOldPassword => format!("ALTER ROLE {name} PASSWORD '{}'", new_verifier().1),
        Case::NewWithoutLogin | Case::OpenWithoutLogin => format!("ALTER ROLE {name} NOLOGIN"),
    })?;
    let host = managing.host.clone();
    seconds_until_refused(look, &mut || match case {
        Case::OpenWithoutRight | Case::OpenWithoutRole | Case::OpenWithoutLogin => match working.ask(&read) {
            Ok(answer) => Ok(matches!(answer, Answer::Rows(_))),
            Err(ChannelError::Closed) => Ok(false),
            Err(error) => Err(error),
        },
        Case::NewWithOldPassword | Case::NewWithoutLogin => {
            let who = as_user(scene, &role.name);
            let entrance = try_entry(scene, &host, who, Some(&role.password))?;
            is_let_in(&entrance)
        }
    })
}

fn is_let_in(entrance: &Entrance) -> Result<bool, ChannelError> {
    match entrance.outcome {
        Outcome::In => Ok(true),
        _ if entrance.is_refused_login() => Ok(false),
        // The server is full, say: that shows nothing.
        _ => Err(ChannelError::Unexpected(entrance.shown())),
    }
}
