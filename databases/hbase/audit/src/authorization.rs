//! Whether the application may do what was not granted to it.

use std::collections::BTreeMap;

use dbdyno_audit::{Scene, Stranger, first_of, severity_of_rights, shortened};
use dbdyno_driver::{DbError, Driver, ErrorClass, Key, Row, Session};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::access::{SECURITY, stranger};
use crate::driven::{Driven, connected, own_table, short_name};
use crate::ports::parent;
use crate::quorum::Quorum;

const FIX: &str = "hbase.security.authorization=true, AccessController in hbase.coprocessor.master.classes, .region.classes and .regionserver.classes, and for the application only: grant 'USER', 'RW', 'TABLE'";
/// Rights that a sentence names; the others are counted.
const SHOWN: usize = 4;
/// How the client calls a refusal for lack of a right.
const DENIALS: [&str; 2] = ["AccessDeniedException", "AccessControlException"];
/// The driver's words where a server wants a login, which it calls by the same name.
const WANTS_LOGIN: &str = "authentication is required";

/// Writes with the application's login to a table of the administrator's, on which it was granted nothing.
pub fn authorization(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Authorization;
    if matches!(stranger(scene), Stranger::Served) {
        return AuditFinding::off(
            feature,
            "Anyone may do anything: the servers take any name on trust, an administrator's too.",
        )
        .mend(AuditSeverity::High, FIX)
        .see(SECURITY);
    }
    let finding = match foreign_table(scene) {
        Err((why, text)) => AuditFinding::unknown(feature, why, text),
        Ok(Outcome::Refused) => other_rights(scene),
        Ok(Outcome::Allowed) if has_controller(scene) => AuditFinding::partial(
            feature,
            "Rights are enforced, but the application's login writes to a table on which it was granted nothing: it has rights on everything.",
        )
        .mend(severity_of_rights(true), "revoke 'USER', then grant 'USER', 'RW', 'TABLE'; leave it out of hbase.superuser"),
        Ok(Outcome::Allowed) => AuditFinding::off(
            feature,
            "Anyone who can log in may do anything: the application writes to a table of the administrator's, and no rights are enforced.",
        )
        .mend(AuditSeverity::High, FIX),
        Ok(Outcome::Other(why)) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!("Neither a refusal nor a success: {why}."),
        ),
    };
    finding.see(SECURITY)
}

/// The finding where a table was refused: by all rights that the servers list for the application.
fn other_rights(scene: &mut Scene<'_>) -> AuditFinding {
    const REFUSED: &str = "A table of the administrator's is refused to the login of the application, which was granted nothing on it";
    let feature = Feature::Authorization;
    let (Some(administrator), Some(user)) = (scene.administrator_target, short_name(scene.target)) else {
        let why = format!("{REFUSED}; its other rights are unknown.");
        return AuditFinding::unknown(feature, UnknownReason::NoPrivilege, why);
    };
    let rights = connected(scene, administrator, async |driver| driver.rights(&user));
    let got = rights.as_ref().map(in_words);
    scene.note(
        "hbase.rights",
        "as the administrator, the rights of the application's user",
        got.unwrap_or_else(|error| error.message.clone()),
    );
    match rights {
        Ok(rights) => {
            let excess: BTreeMap<String, String> = rights
                .into_iter()
                .filter(|(place, _)| is_beyond_data(place))
                .collect();
            if excess.is_empty() {
                let what = format!("{REFUSED}, and it has rights only on namespaces and tables of users.");
                return AuditFinding::enforced(feature, what);
            }
            let what = format!(
                "Rights are enforced, but the application's user has rights beyond its own data: {}.",
                in_words(&excess)
            );
            AuditFinding::partial(feature, what).mend(
                severity_of_rights(excess.iter().any(takes_over)),
                "revoke 'USER' (everywhere), revoke 'USER', '@hbase', revoke 'USER', 'hbase:acl'; then grant 'USER', 'RW', 'TABLE'",
            )
        }
        Err(error) => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            format!(
                "{REFUSED}; its other rights could not be listed: {}.",
                shortened(&error.message)
            ),
        ),
    }
}

/// Whether a right at this place reaches beyond the data of users: everywhere, or in the namespace of the servers.
fn is_beyond_data(place: &str) -> bool {
    place.is_empty() || place == "@hbase" || place.starts_with("hbase:")
}

/// Whether a right is one by which a user gives itself every other one: to administer, or to write the table of rights.
fn takes_over((place, actions): (&String, &String)) -> bool {
    ["", "@hbase", "hbase:acl"].contains(&place.as_str()) && actions.contains(['A', 'W'])
}

/// Rights as an administrator grants them.
fn in_words(rights: &BTreeMap<String, String>) -> String {
    if rights.is_empty() {
        return "none".to_owned();
    }
    let all: Vec<String> = rights
        .iter()
        .map(|(place, actions)| match place.as_str() {
            "" => format!("{actions} everywhere"),
            place => format!("{actions} on {place}"),
        })
        .collect();
    first_of(&all, SHOWN, ", ")
}

enum Outcome {
    Refused,
    Allowed,
    Other(String),
}

impl Outcome {
    /// What an attempt to write shows, of a login that works.
    fn of(tried: &Result<(), DbError>) -> Self {
        match tried {
            Ok(()) => Self::Allowed,
            Err(error) if is_denial(error) => Self::Refused,
            // A table that is not there may be hidden, or gone.
            Err(error) => Self::Other(shortened(&error.message)),
        }
    }
}

/// Whether a right was refused. A region server that does not accept the ticket fails with the same class, and has not looked at
/// rights.
pub fn is_denial(error: &DbError) -> bool {
    error.class == ErrorClass::Auth
        && DENIALS.iter().any(|denial| error.message.contains(denial))
        && !error.message.contains(WANTS_LOGIN)
}

fn foreign_table(scene: &mut Scene<'_>) -> Result<Outcome, (UnknownReason, String)> {
    let principal = |target: &dbdyno_driver::Target| target.options.get("principal").cloned();
    let administrator = scene.administrator_target;
    let Some(administrator) = administrator.filter(|other| principal(other) != principal(scene.target))
    else {
        return Err((
            UnknownReason::NoPrivilege,
            "Rights were not tried: it takes the application's login and that of another user who may create tables (--administrator)."
                .to_owned(),
        ));
    };
    let made = connected(scene, administrator, async |driver| {
        let table = own_table(scene);
        driver.create_table(&table).await.map(|()| table)
    });
    let table = made.map_err(|error| {
        let why = format!(
            "The administrator could not make a table to try rights with: {}.",
            error.message
        );
        (UnknownReason::NoPrivilege, why)
    })?;
    // A login that fails says nothing about rights, so it is no part of what is judged.
    let tried = Driven::connect(scene, scene.target).map(|application| {
        application.wait(async {
            let mut session = application.driver.session(&table).await?;
            let mut row = Row::new();
            row.push(0, b"not granted");
            session.insert(&Key::new(1, "user1"), &row).await
        })
    });
    let (outcome, got) = match tried {
        Ok(tried) => (
            Ok(Outcome::of(&tried)),
            tried.map_or_else(|error| error.message, |()| "written".to_owned()),
        ),
        Err(error) => {
            let why = format!(
                "Rights were not tried: the application could not connect: {}.",
                shortened(&error.message)
            );
            (Err((UnknownReason::NoPrivilege, why)), error.message)
        }
    };
    scene.note(
        "hbase.foreign-table",
        "as the application, a record into a table that the administrator made",
        got,
    );
    // What stays is found by the cleaning at the end.
    connected(scene, administrator, async |driver| {
        driver.drop_table(&table).await
    })
    .ok();
    outcome
}

/// Whether servers keep lists of rights: then they tell each other by a node in ZooKeeper.
fn has_controller(scene: &mut Scene<'_>) -> bool {
    let path = format!("{}/acl", parent(scene));
    let found = Quorum::connect(scene).and_then(|mut quorum| quorum.exists(&path));
    let got = found
        .clone()
        .map(|found| if found { "it is there" } else { "it is not there" }.to_owned());
    scene.note_outcome("zookeeper.list-of-rights", format!("exists {path}"), &got);
    found.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_on_tables_of_users_are_no_more_than_data() {
        for (place, expected) in [
            ("", true),
            ("@hbase", true),
            ("hbase:acl", true),
            ("@default", false),
            ("usertable", false),
            ("app:hbase", false),
        ] {
            assert_eq!(is_beyond_data(place), expected, "{place}");
        }
        for (place, actions, expected) in [
            ("", "A", true),
            ("hbase:acl", "W", true),
            ("hbase:acl", "R", false),
            ("hbase:meta", "RWXCA", false),
        ] {
            let right = (&place.to_owned(), &actions.to_owned());
            assert_eq!(takes_over(right), expected, "{actions} on {place}");
        }
        let rights = BTreeMap::from([
            (String::new(), "RA".to_owned()),
            ("@default".to_owned(), "C".to_owned()),
        ]);
        assert_eq!(in_words(&rights), "RA everywhere, C on @default");
        assert_eq!(in_words(&BTreeMap::new()), "none");
    }

    #[test]
    fn only_a_denial_is_a_refusal() {
        let of = |class, message: &str| Outcome::of(&Err(DbError::new(class, message)));
        assert!(matches!(Outcome::of(&Ok(())), Outcome::Allowed));
        let denied = "HBase at h:1: AccessDeniedException: Insufficient permissions";
        assert!(matches!(of(ErrorClass::Auth, denied), Outcome::Refused));
        for (class, message) in [
            (
                ErrorClass::NotFound,
                "TableNotFoundException: dbdyno_audit_0123456789ab",
            ),
            (
                ErrorClass::Auth,
                "AccessDeniedException: authentication is required by h:16020",
            ),
            (
                ErrorClass::Auth,
                "LoginException: Unable to obtain password from user",
            ),
            (ErrorClass::Auth, "SaslException: GSS initiate failed"),
            (ErrorClass::Timeout, "CallTimeoutException"),
        ] {
            assert!(matches!(of(class, message), Outcome::Other(_)), "{message}");
        }
    }
}
