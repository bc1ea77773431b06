//! What the user of the address may do by itself, and as the roles that it is a member of.

use dbdyno_audit::{ChannelError, Scene};

use crate::attempt::is_refused;
use crate::client::{Session, application};
use crate::protocol::{Answer, quoted};

/// The user first, then the roles with rights over the whole server that it is a member of.
const ROLES: &str = "SELECT rolname, rolsuper, rolcreaterole, rolbypassrls, rolreplication, rolname = session_user, \
     pg_has_role(session_user, oid, 'USAGE') OR pg_has_role(session_user, oid, 'MEMBER WITH ADMIN OPTION') \
     FROM pg_catalog.pg_roles WHERE rolname = session_user OR (pg_has_role(session_user, oid, 'MEMBER') \
     AND (rolsuper OR rolcreaterole OR rolbypassrls OR rolreplication OR rolname IN ('pg_read_all_data', \
     'pg_write_all_data', 'pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files'))) \
     ORDER BY rolname = session_user DESC, rolsuper DESC, rolname LIMIT 100";
/// It is rolled back.
const GRANT: &str = "BEGIN; GRANT pg_execute_server_program TO CURRENT_USER; ROLLBACK";
/// From this version on, a role that makes roles may grant only what was granted to it.
const BOUNDED: u32 = 160_000;
const NAMES: [&str; 4] = [
    "is a superuser",
    "makes roles",
    "bypasses row security",
    "may copy the whole server",
];

/// A role with rights over the whole server, which the user is or may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Role {
    name: String,
    /// In the order of [`NAMES`].
    attributes: [bool; 4],
    is_own: bool,
}

impl Role {
    fn shown(&self) -> Vec<String> {
        let names: Vec<&str> = NAMES
            .into_iter()
            .zip(self.attributes)
            .filter(|(_, has)| *has)
            .map(|(name, _)| name)
            .collect();
        match names.as_slice() {
            names if self.is_own => names.iter().map(|name| (*name).to_owned()).collect(),
            [] => vec![format!("is a member of {}", self.name)],
            names => vec![format!(
                "may act as the role {}, which {}",
                self.name,
                names.join(" and ")
            )],
        }
    }
}

/// Everything of that kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Membership {
    roles: Vec<Role>,
    /// It makes roles, and such a role may give itself all rights but a superuser's name.
    pub makes_itself_powerful: bool,
}

impl Membership {
    /// Each right, in words.
    pub fn rights(&self) -> Vec<String> {
        self.roles.iter().flat_map(Role::shown).collect()
    }

    /// The rights by which the machine is reached: superusers do all, and who makes roles may make one that does.
    pub fn machine(&self) -> Vec<String> {
        let reaches = |role: &&Role| role.attributes[0] || role.attributes[1];
        self.roles.iter().filter(reaches).flat_map(Role::shown).collect()
    }

    /// Whether it is one, or may act as one.
    pub fn is_superuser(&self) -> bool {
        self.roles.iter().any(|role| role.attributes[0])
    }

    /// A role of others that it acts as.
    pub fn acts_as(&self) -> Option<String> {
        let mut shown = self
            .roles
            .iter()
            .filter(|role| !role.is_own)
            .flat_map(Role::shown);
        shown.next()
    }
}

/// What the user of the address is and may become, as it can see and try itself.
pub fn membership(scene: &mut Scene<'_>) -> Result<Membership, ChannelError> {
    let probe = "postgres.membership";
    let mut session = application(scene)?;
    // Functions of the application that fit better would answer as it likes.
    session.must("SET search_path = pg_catalog")?;
    let version = session.must("SHOW server_version_num")?.column();
    let version = version.first().and_then(|text| text.parse::<u32>().ok());
    let Answer::Rows(rows) = session.must(ROLES)? else {
        return Err(ChannelError::Unexpected("no roles came".to_owned()));
    };
    let mut found = Membership::default();
    for row in rows {
        let (role, usable) =
            read(&row).ok_or_else(|| ChannelError::Unexpected("a role that is none".to_owned()))?;
        if found.is_superuser() {
            // It may act as everybody; the rest says no more.
            break;
        }
        if role.is_own || may_use(scene, &mut session, &role.name, usable)? {
            found.roles.push(role);
        }
    }
    if found.roles.first().is_none_or(|role| !role.is_own) {
        return Err(ChannelError::Unexpected("its own role was not shown".to_owned()));
    }
    if !found.is_superuser() && found.roles.iter().any(|role| role.attributes[1]) {
        let own = found.roles[0].attributes[1];
        let is_granted = own && !is_refused(scene, &mut session, probe, GRANT).unwrap_or(true);
        session.ask("ROLLBACK")?;
        found.makes_itself_powerful = is_granted || version.is_none_or(|version| version < BOUNDED);
    }
    let rights = found.rights();
    let shown = if rights.is_empty() {
        "none".to_owned()
    } else {
        rights.join("; ")
    };
    scene.note(
        probe,
        "rights over the whole server, by itself and by membership",
        shown,
    );
    Ok(found)
}

fn may_use(
    scene: &mut Scene<'_>,
    session: &mut Session,
    name: &str,
    usable: bool,
) -> Result<bool, ChannelError> {
    let sql = format!("SET ROLE {}", quoted(name));
    let refused = is_refused(scene, session, "postgres.membership", &sql)?;
    session.must("RESET ROLE")?;
    Ok(!refused || usable)
}

/// A row as a role, and whether its rights are had or may be taken without becoming it.
fn read(row: &[Option<String>]) -> Option<(Role, bool)> {
    let [name, flags @ ..] = row else {
        return None;
    };
    let flags: Vec<bool> = flags.iter().map(|flag| flag.as_deref() == Some("t")).collect();
    let [superuser, makes, passes, copies, is_own, usable] = flags[..] else {
        return None;
    };
    let role = Role {
        name: name.clone()?,
        attributes: [superuser, makes, passes, copies],
        is_own,
    };
    Some((role, usable))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_of_others_are_named_with_the_role() {
        let row = |name: &str, flags: &str| {
            let mut row = vec![Some(name.to_owned())];
            row.extend(flags.chars().map(|flag| Some(flag.to_string())));
            read(&row).unwrap().0
        };
        let found = Membership {
            roles: vec![
                row("app", "ftfftf"),
                row("zz", "tfffff"),
                row("pg_read_all_data", "ffffft"),
            ],
            makes_itself_powerful: false,
        };
        let (app, zz) = ("makes roles", "may act as the role zz, which is a superuser");
        assert_eq!(found.rights(), [app, zz, "is a member of pg_read_all_data"]);
        assert_eq!(found.machine(), [app, zz]);
        assert_eq!(found.acts_as().as_deref(), Some(zz));
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[Some("app".to_owned()), None]), None);
    }
}
