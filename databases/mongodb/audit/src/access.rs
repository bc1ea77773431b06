//! Logins and rights.

use bson::{Document, doc};
use dbdyno_audit::{
    Canary, Channel, ChannelError, Scene, idle_connections as judge_idle_connections, right_login,
    rights_without_login, served_without_login, unexpected_refusal, unseen_login, wrong_password_accepted,
};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::client::{
    administrator, application, ask_without_login, database, granted, make_user, open_primary, remove_user,
    source,
};
use crate::login::{NEWER, OLDER, begin, log_in};
use crate::message::{AUTHENTICATION_FAILED, Reply, ask};
use crate::privileges::{in_words, severity_of, too_much};

const LOGIN: &str = "https://www.mongodb.com/docs/manual/core/authentication/";
const ROLES: &str = "https://www.mongodb.com/docs/manual/core/authorization/";
const FIX_LOGIN: &str = "security.authorization: enabled; security.keyFile in a replica set";
const WEAK: &str = "whose passwords are easier to guess than those of SCRAM-SHA-256 (it uses MD5 and SHA-1)";
const FIX_OLDER: &str = "setParameter authenticationMechanisms: SCRAM-SHA-1,SCRAM-SHA-256 (version 4.0 or newer), then db.updateUser(NAME, {pwd: passwordPrompt(), mechanisms: ['SCRAM-SHA-256']}) for every user, then SCRAM-SHA-256 alone";
pub const FIX_FIRST: &str =
    "make the first administrator, or set the parameter enableLocalhostAuthBypass to 0";
const FIX_ROLES: &str = "a user of its own for each application: db.createUser({user: 'app', pwd: passwordPrompt(), roles: [{role: 'readWrite', db: 'DATABASE'}]})";

/// Served as far as it takes to make the first user, for there is none.
pub struct MayBeFirst;

/// How the server treats a client without a login.
pub type Stranger = dbdyno_audit::Stranger<MayBeFirst>;

/// Lists the databases and the users without a login.
pub fn stranger(scene: &mut Scene<'_>) -> Stranger {
    let reply = ask_without_login(scene, doc! { "listDatabases": 1, "nameOnly": true });
    scene.note_outcome(
        "mongodb.list-without-login",
        "listDatabases, without a login",
        &reply.clone().map(|reply| reply.shown()),
    );
    match reply {
        // While there is no user, an empty list is shown on the server's machine; users are not.
        Ok(reply) if reply.is_ok() => {
            let users = ask_without_login(scene, doc! { "usersInfo": 1 });
            scene.note_outcome(
                "mongodb.list-without-login",
                "usersInfo, without a login",
                &users.clone().map(|reply| reply.shown()),
            );
            match users {
                Ok(users) if users.is_refused() => Stranger::Limited(MayBeFirst),
                Ok(_) => Stranger::Served,
                Err(error) => Stranger::Unknown(error.to_string()),
            }
        }
        Ok(reply) if reply.is_refused() => Stranger::Refused,
        Ok(reply) => Stranger::Unknown(reply.shown()),
        Err(error) => Stranger::Unknown(error.to_string()),
    }
}

/// None refused, wrong refused, right accepted.
pub fn authentication(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Authentication;
    let nobody = stranger(scene);
    let user = scene.remote.user.clone().unwrap_or_else(|| "admin".to_owned());
    let wrong = open_primary(scene, scene.remote)
        .and_then(|mut channel| log_in(&mut channel, &source(scene), &user, "no-password-of-anybody"));
    scene.note_outcome(
        "mongodb.wrong-password",
        "saslStart and saslContinue (SCRAM-SHA-256) with a wrong password",
        &wrong.clone().map(|reply| reply.shown()),
    );
    let finding = match (nobody, wrong) {
        (Stranger::Served, _) => served_without_login(FIX_LOGIN),
        (Stranger::Limited(MayBeFirst), _) => AuditFinding::partial(
            feature,
            "A login is needed and there is no user yet: anyone on the server's machine may create the first administrator.",
        )
        .mend(AuditSeverity::High, FIX_FIRST),
        (Stranger::Refused, Ok(reply)) if reply.is_ok() => wrong_password_accepted(FIX_LOGIN),
        (Stranger::Refused, Ok(reply)) if reply.code() == Some(AUTHENTICATION_FAILED) => {
            let right = right(scene);
            match &right {
                Some(Err(_)) if has_older_only(scene, &user) => AuditFinding::partial(
                    feature,
                    format!(
                        "A login is needed, but `{user}` can log in with SCRAM-SHA-1 only, {WEAK}. Either the server offers no newer password mechanism, or it stores this password for SCRAM-SHA-1 alone. The audit does not log in with it."
                    ),
                )
                .mend(AuditSeverity::Medium, FIX_OLDER),
                _ => right_login(right),
            }
        }
        (Stranger::Refused, Ok(reply)) if reply.lacks_mechanism() => without_newer(scene, &reply),
        (Stranger::Refused, outcome) => {
            let got = outcome.map_or_else(|error| error.to_string(), |reply| reply.shown());
            unexpected_refusal(&got)
        }
        (Stranger::Unknown(why), _) => unseen_login(&why),
    };
    finding.see(LOGIN)
}

/// The finding where the login by SCRAM-SHA-256 was answered with this: that there is none. That can be so for one user alone, so that
/// each mechanism is begun with a user that does not exist.
fn without_newer(scene: &mut Scene<'_>, reply: &Reply) -> AuditFinding {
    if (offers(scene, NEWER), offers(scene, OLDER)) != (Some(false), Some(true)) {
        return unexpected_refusal(&reply.shown());
    }
    AuditFinding::partial(
        Feature::Authentication,
        format!(
            "A login is needed, but of the mechanisms with a password the server offers SCRAM-SHA-1 only, {WEAK}. The audit does not log in with it."
        ),
    )
    .mend(AuditSeverity::Medium, FIX_OLDER)
}

/// Whether the server begins logins of this user by the older mechanism and refuses to begin them by the newer one. Servers that lack the
/// newer one say no more than that a login failed, as they do of users that do not exist.
fn has_older_only(scene: &mut Scene<'_>, user: &str) -> bool {
    let database = source(scene);
    let mut begins = |mechanism: &str| {
        let reply = open_primary(scene, scene.remote)
            .and_then(|mut channel| begin(&mut channel, &database, mechanism, user));
        scene.note_outcome(
            "mongodb.mechanism",
            format!("saslStart ({mechanism}) of the user of the address"),
            &reply.clone().map(|reply| reply.shown()),
        );
        reply.ok().map(|reply| reply.is_ok())
    };
    (begins(NEWER), begins(OLDER)) == (Some(false), Some(true))
}

/// Whether the server begins logins by a mechanism; `None` where its answer does not show it.
fn offers(scene: &mut Scene<'_>, mechanism: &str) -> Option<bool> {
    let reply = open_primary(scene, scene.remote)
        .and_then(|mut channel| begin(&mut channel, "admin", mechanism, scene.unused_name()));
    scene.note_outcome(
        "mongodb.mechanism",
        format!("saslStart ({mechanism}) of a user that does not exist"),
        &reply.clone().map(|reply| reply.shown()),
    );
    let reply = reply.ok()?;
    if reply.lacks_mechanism() {
        return Some(false);
    }
    (reply.is_ok() || reply.code() == Some(AUTHENTICATION_FAILED)).then_some(true)
}

/// Whether a login that the audit was given is accepted; `None` without one.
fn right(scene: &mut Scene<'_>) -> Option<Result<(), String>> {
    let is_application = scene.remote.password.is_some();
    if !is_application {
        scene.administrator?.password.as_ref()?;
    }
    let channel = if is_application {
        application(scene)
    } else {
        administrator(scene)
    };
    let outcome = channel.and_then(|mut channel| {
        granted(ask(
            &mut channel,
            "admin",
            doc! { "listDatabases": 1, "nameOnly": true },
        )?)
    });
    scene.note_outcome(
        "mongodb.right-password",
        "SCRAM-SHA-256 with the login of the address, then listDatabases",
        &outcome.clone().map(|reply| reply.shown()),
    );
    Some(outcome.map(drop).map_err(|error| error.to_string()))
}

/// A low user of the audit's own may do only what was granted; and the user of the address may not do everything.
pub fn authorization(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Authorization;
    if matches!(stranger(scene), Stranger::Served) {
        return rights_without_login(format!("{FIX_LOGIN}; {FIX_ROLES}")).see(ROLES);
    }
    let finding = match low_user(scene) {
        Err(why) => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            format!("The rights of a user with few rights could not be tried: {why}."),
        ),
        Ok(granted) if !granted.is_empty() => AuditFinding::partial(
            feature,
            format!("A user without the right could {}.", granted.join(", ")),
        )
        .mend(
            AuditSeverity::High,
            "check what stands between clients and the server: what is not granted must be refused",
        ),
        Ok(_) => match too_much(scene) {
            Some(excess) if excess.is_empty() => AuditFinding::enforced(
                feature,
                "What is not granted is refused, to a user of the audit's own and to the user of the address.",
            ),
            Some(excess) => AuditFinding::partial(
                feature,
                format!(
                    "Rights are enforced, but the user of the address may {}.",
                    in_words(&excess)
                ),
            )
            .mend(severity_of(&excess), FIX_ROLES),
            None => AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                "What is not granted is refused; what the application's user may do is unknown: its login is missing or refused.",
            ),
        },
    };
    finding.see(ROLES)
}

/// Makes a user with a database of its own, and tries what it may not: what was not refused.
fn low_user(scene: &mut Scene<'_>) -> Result<Vec<&'static str>, ChannelError> {
    let mut managing = administrator(scene)?;
    let (user, password) = (scene.own_name().to_owned(), Canary::new());
    let made = make_user(&mut managing, &user, password.text());
    scene.note_outcome(
        "mongodb.low-user",
        "createUser of a user with readWrite on a database of its own",
        &made.clone().map(|reply| reply.shown()),
    );
    granted(made?)?;
    let outcome = try_low_user(scene, &user, password.text());
    ask(&mut managing, &user, doc! { "dropDatabase": 1 }).ok();
    remove_user(&mut managing, &user);
    outcome
}

fn try_low_user(
    scene: &mut Scene<'_>,
    user: &str,
    password: &str,
) -> Result<Vec<&'static str>, ChannelError> {
    let mut channel = open_primary(scene, scene.remote)?;
    granted(log_in(&mut channel, "admin", user, password)?)?;
    let own = doc! { "insert": "own", "documents": [{ "_id": 1 }] };
    granted(ask(&mut channel, user, own)?)?;
    let others = database(scene);
    let mut tries = vec![
        (
            "read a database of others",
            others.clone(),
            doc! { "find": "of_nobody", "limit": 1 },
        ),
        (
            "write a database of others",
            others,
            // Nothing is of that key, so nothing would change.
            doc! { "update": "of_nobody", "updates": [{ "q": { "_id": user }, "u": { "$set": { "a": 1 } } }] },
        ),
    ];
    tries.extend(of_administrators());
    not_refused(scene, &mut channel, "mongodb.low-user", tries)
}

/// What only administrators may do, and what is only read.
fn of_administrators() -> Vec<(&'static str, String, Document)> {
    let admin = |what, command| (what, "admin".to_owned(), command);
    let secret = doc! { "find": "system.users", "limit": 1, "projection": { "user": 1 } };
    vec![
        admin("list users", doc! { "usersInfo": 1 }),
        admin("read where passwords are stored", secret),
        admin("read the server's settings", doc! { "getCmdLineOpts": 1 }),
    ]
}

/// Tries each; what was not refused.
fn not_refused(
    scene: &mut Scene<'_>,
    channel: &mut Channel,
    probe: &str,
    tries: Vec<(&'static str, String, Document)>,
) -> Result<Vec<&'static str>, ChannelError> {
    let mut granted = Vec::new();
    for (what, database, command) in tries {
        let name = command.keys().next().cloned().unwrap_or_default();
        let reply = ask(channel, &database, command)?;
        scene.note(probe, format!("{name}, to {what}"), reply.shown());
        if reply.is_ok() {
            granted.push(what);
        } else if !reply.is_refused() {
            return Err(ChannelError::Unexpected(format!("{name}: {}", reply.shown())));
        }
    }
    Ok(granted)
}

/// Whether clients that connect and say nothing keep others out.
pub fn idle_connections(scene: &mut Scene<'_>) -> AuditFinding {
    judge_idle_connections(
        scene,
        &mut |scene| stranger(scene).answered(),
        "a firewall that admits known clients only; net.maxIncomingConnections above what they need",
        "https://www.mongodb.com/docs/manual/reference/configuration-options/#net-options",
    )
}
