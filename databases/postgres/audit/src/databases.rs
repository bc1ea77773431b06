//! Every database that the user of the address may enter: functions, views and what was granted of them are of one database each.

use dbdyno_audit::{ChannelError, Scene};

use crate::client::{Session, application, as_user, session, user};
use crate::entry::Who;

/// The other databases that the user may enter, as far as rights go.
const DATABASES: &str = "SELECT datname FROM pg_database WHERE datallowconn AND datname <> current_database() \
     AND has_database_privilege(oid, 'CONNECT') ORDER BY 1";
/// No more of them are entered.
const MOST_DATABASES: usize = 64;

/// A look at one database, named where it is not the application's own.
type Look<'a> = dyn FnMut(&mut Session, Option<&str>) -> Result<(), ChannelError> + 'a;

/// Looks at each of them as the user of the address, its own first; how many they were. Into some the
/// rules of the server may not let it.
pub fn in_every_database(scene: &Scene<'_>, look: &mut Look<'_>) -> Result<usize, ChannelError> {
    let mut own = application(scene)?;
    own.must("SET search_path = pg_catalog")?;
    look(&mut own, None)?;
    let others = own.must(DATABASES)?.column();
    if others.len() > MOST_DATABASES {
        let why = format!(
            "it may enter {} databases, and the audit looks at {MOST_DATABASES}",
            others.len()
        );
        return Err(ChannelError::Unexpected(why));
    }
    let password = scene.remote.password.as_ref().map(|password| password.reveal());
    let mut entered = 1;
    for database in &others {
        let who = Who {
            database,
            ..as_user(scene, user(scene.remote))
        };
        match session(scene, &own.host, who, password) {
            Ok(mut session) => {
                session.must("SET search_path = pg_catalog")?;
                look(&mut session, Some(database))?;
                entered += 1;
            }
            // The rules of the server let this user into some databases only.
            Err(ChannelError::Unexpected(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(entered)
}

/// Where something is, behind its name.
pub fn place(database: Option<&str>) -> String {
    database.map_or_else(String::new, |database| format!(" in database {database}"))
}
