//! How long a withdrawn right, a changed password and a removed role still work: nodes remember what they know of users.

use std::time::Duration;

use dbdyno_audit::{
    Canary, Channel, ChannelError, Deadline, REPETITIONS, Scene, Stranger, not_measured, nothing_to_revoke,
    repeat, revocation, seconds_until_refused, time_to_revoke as judge,
};
use dbdyno_record::audit::{AuditFinding, Revocation};

use crate::access::{SECURITY, stranger};
use crate::client::{accepted, administrator, log_in_as, must};
use crate::cql::{Answer, BAD_CREDENTIALS, OVERLOADED, query};
use crate::password::{make_role, set_password};
use crate::workshop::Workshop;

/// How long each repetition looks.
const PATIENCE: Duration = Duration::from_secs(8);
const FIX: &str = "lower roles_validity, permissions_validity and credentials_validity (2000 ms by default)";

/// The right that is withdrawn, and the act that is then tried.
#[derive(Clone, Copy)]
enum Case {
    Right,
    Role,
    Password,
}

impl Case {
    /// Passwords come last: a new one is not changed within five seconds (5.0), so their roles are made first.
    const ALL: [(Self, &'static str); 3] = [
        (Self::Right, "right withdrawn, open connection"),
        (Self::Role, "role removed, open connection"),
        (Self::Password, "password changed, new connection"),
    ];

    /// A role of the same name as one that is gone would be met by what nodes remember of that.
    fn role(self, scene: &Scene<'_>, repetition: usize) -> String {
        let letter = match self {
            Self::Right => 'a',
            Self::Role => 'b',
            Self::Password => 'c',
        };
        format!("{}_{letter}{repetition}", scene.own_name())
    }
}

/// Withdraws a right, a password and a role, and tries until each is refused.
pub fn time_to_revoke(scene: &mut Scene<'_>) -> AuditFinding {
    if matches!(stranger(scene), Stranger::Served) {
        return nothing_to_revoke().see(SECURITY);
    }
    let all = Workshop::open(scene).and_then(|workshop| {
        let all = every_case(scene, &workshop);
        workshop.close();
        all
    });
    match all {
        Ok(all) => judge(scene, all, FIX),
        Err(error) => {
            scene.note(
                "cassandra.revoke",
                "CREATE ROLE, GRANT, then take it back",
                error.to_string(),
            );
            not_measured(&error)
        }
    }
    .see(SECURITY)
}

fn every_case(scene: &Scene<'_>, workshop: &Workshop) -> Result<Vec<Revocation>, ChannelError> {
    for repetition in 0..REPETITIONS {
        make(scene, workshop, &Case::Password.role(scene, repetition))?;
    }
    let mut all = Vec::new();
    for (case, what) in Case::ALL {
        let seconds = repeat(&mut |repetition| {
            let role = case.role(scene, repetition);
            let one = once(scene, workshop, case, &role)?;
            query(&mut administrator(scene)?, &format!("DROP ROLE IF EXISTS {role}")).ok();
            Ok::<_, ChannelError>(one)
        })?;
        all.push(revocation(what, seconds, PATIENCE));
    }
    Ok(all)
}

/// A role that may read the workshop's table.
fn make(scene: &Scene<'_>, workshop: &Workshop, role: &str) -> Result<(), ChannelError> {
    let mut managing = administrator(scene)?;
    make_role(&mut managing, role, workshop.password.text())?;
    must(
        &mut managing,
        &format!("GRANT SELECT ON TABLE {} TO {role}", workshop.table),
    )
    .map(drop)
}

fn once(scene: &Scene<'_>, workshop: &Workshop, case: Case, role: &str) -> Result<Option<f64>, ChannelError> {
    if !matches!(case, Case::Password) {
        make(scene, workshop, role)?;
    }
    let table = workshop.table.as_str();
    let password = workshop.password.text();
    let mut working = log_in_as(scene, role, password, scene.remote, scene.patience + PATIENCE * 2)?;
    let read = format!("SELECT id FROM {table} LIMIT 1");
    must(&mut working, &read)?;
    let other = Canary::new();
    carry_out(scene, &|channel| match case {
        Case::Right => query(channel, &format!("REVOKE SELECT ON TABLE {table} FROM {role}")),
        Case::Role => query(channel, &format!("DROP ROLE {role}")),
        Case::Password => {
            let alter = |option: &str| format!("ALTER ROLE {role} WITH {option}");
            Ok(set_password(channel, other.text(), alter)?.0)
        }
    })?;
    seconds_until_refused(PATIENCE, &mut || match case {
        Case::Right | Case::Role => is_served(&mut working, &read),
        Case::Password => lets_in(scene, role, password),
    })
}

/// A statement that must succeed, if not at once: passwords are changed only so often.
fn carry_out(
    scene: &Scene<'_>,
    ask: &dyn Fn(&mut Channel) -> Result<Answer, ChannelError>,
) -> Result<(), ChannelError> {
    let deadline = Deadline::within(PATIENCE);
    let mut managing = administrator(scene)?;
    loop {
        match ask(&mut managing)? {
            busy if busy.is_error(OVERLOADED) && deadline.left().is_some() => {
                std::thread::sleep(Duration::from_millis(250));
            }
            answer => return accepted(answer).map(drop),
        }
    }
}

fn is_served(channel: &mut Channel, read: &str) -> Result<bool, ChannelError> {
    match query(channel, read) {
        Ok(Answer::Rows(_)) => Ok(true),
        // A node that is overloaded or late has refused nothing.
        Ok(Answer::Error { code, text }) if (0x1000..0x2000).contains(&code) => {
            Err(ChannelError::Unexpected(text))
        }
        Ok(Answer::Error { .. }) | Err(ChannelError::Closed) => Ok(false),
        Ok(other) => Err(ChannelError::Unexpected(other.shown())),
        Err(error) => Err(error),
    }
}

fn lets_in(scene: &Scene<'_>, role: &str, password: &str) -> Result<bool, ChannelError> {
    match crate::client::try_login(scene, role, password)? {
        None | Some(Answer::LoggedIn) => Ok(true),
        Some(answer) if answer.is_error(BAD_CREDENTIALS) => Ok(false),
        Some(other) => Err(ChannelError::Unexpected(other.shown())),
    }
}
