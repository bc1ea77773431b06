//! Functions that act with the rights of their owners (SECURITY DEFINER): which of them the application may call, and what their text
//! shows. None is called.

use dbdyno_audit::{ChannelError, Scene};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::client::{Session, application, as_user, session, user};
use crate::entry::Who;
use crate::protocol::Answer;

const WRITING: &str =
    "https://www.postgresql.org/docs/current/sql-createfunction.html#SQL-CREATEFUNCTION-SECURITY";
const FIX: &str = "REVOKE EXECUTE ON FUNCTION ... FROM PUBLIC, app; or ALTER FUNCTION ... SET search_path = pg_catalog, pg_temp, an owner without such rights, and no text of the caller in EXECUTE";
/// The functions of others that the user may call, with whether their owner has rights over the whole server, whether their search path is
/// fixed, their language, and their text.
const FUNCTIONS: &str = "SELECT p.oid::regprocedure::text, \
     r.rolsuper OR r.rolcreaterole OR r.rolbypassrls OR r.rolreplication \
     OR EXISTS (SELECT FROM pg_roles g WHERE g.rolname IN ('pg_read_all_data', 'pg_write_all_data', 'pg_execute_server_program', \
     'pg_read_server_files', 'pg_write_server_files') AND pg_has_role(r.oid, g.oid, 'USAGE')), \
     coalesce(array_to_string(p.proconfig, chr(31)) ~ ('(^|' || chr(31) || ')search_path='), false), l.lanname, p.prosrc \
     FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner JOIN pg_language l ON l.oid = p.prolang \
     WHERE p.prosecdef AND r.rolname <> current_user AND has_function_privilege(p.oid, 'EXECUTE') \
     AND has_schema_privilege(p.pronamespace, 'USAGE') ORDER BY 2 DESC, 1 LIMIT 200";
/// The other databases that the user may enter, as far as rights go.
const DATABASES: &str = "SELECT datname FROM pg_database WHERE datallowconn AND datname <> current_database() \
     AND has_database_privilege(oid, 'CONNECT') ORDER BY 1";
/// No more of them are entered.
const MOST_DATABASES: usize = 64;
/// No more functions are named in a sentence.
const SHOWN: usize = 5;

/// What the functions show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definers {
    /// Those by which the caller may get rights of its owner that were not meant, with why.
    weak: Vec<String>,
    /// Those with a powerful owner whose language the probe cannot read.
    unread: Vec<String>,
    /// Those in whose text nothing was found, and those of owners without rights over the whole server.
    others: usize,
}

/// Reads the functions that the user of the address may call, in every database that it may enter: their owners have their rights in all
/// of them.
pub fn definers(scene: &mut Scene<'_>) -> Result<Definers, ChannelError> {
    let mut own = application(scene)?;
    own.must("SET search_path = pg_catalog")?;
    let mut found = Definers::default();
    found.read(&mut own, None)?;
    let others = own.must(DATABASES)?.column();
    if others.len() > MOST_DATABASES {
        let why = format!(
            "it may enter {} databases, and the audit looks at {MOST_DATABASES}",
            others.len()
        );
        return Err(ChannelError::Unexpected(why));
    }
    let (host, mut refused) = (own.host.clone(), 0);
    let password = scene.remote.password.as_ref().map(|password| password.reveal());
    for database in &others {
        let who = Who {
            database,
            ..as_user(scene, user(scene.remote))
        };
        match session(scene, &host, who, password) {
            Ok(mut session) => {
                session.must("SET search_path = pg_catalog")?;
                found.read(&mut session, Some(database))?;
            }
            // The rules of the server let this user into some databases only.
            Err(ChannelError::Unexpected(_)) => refused += 1,
            Err(error) => return Err(error),
        }
    }
    let got = format!(
        "{} weak, {} not readable, {} others, in {} databases",
        found.weak.len(),
        found.unread.len(),
        found.others,
        1 + others.len() - refused
    );
    let sent = "functions of others that it may call and that act for their owners: owner, search_path, text";
    scene.note("postgres.security-definer", sent, got);
    Ok(found)
}

impl Definers {
    /// Reads those of one database, which is named where it is not the application's.
    fn read(&mut self, session: &mut Session, database: Option<&str>) -> Result<(), ChannelError> {
        let Answer::Rows(rows) = session.must(FUNCTIONS)? else {
            return Err(ChannelError::Unexpected("no functions came".to_owned()));
        };
        for row in &rows {
            self.add(row, database);
        }
        Ok(())
    }

    fn add(&mut self, row: &[Option<String>], database: Option<&str>) {
        let text = |index: usize| row.get(index).and_then(Option::as_deref).unwrap_or_default();
        let place = database.map_or_else(String::new, |database| format!(" in database {database}"));
        let (name, language) = (format!("{}{place}", text(0)), text(3));
        if text(1) != "t" {
            self.others += 1;
        } else if !["sql", "plpgsql"].contains(&language) {
            self.unread.push(format!("{name} in {language}"));
        } else if language == "plpgsql" && has_word(text(4), "execute") {
            self.weak
                .push(format!("{name} runs statements that it puts together"));
        } else if text(2) != "t" {
            self.weak.push(format!("{name} uses the caller's search_path"));
        } else {
            self.others += 1;
        }
    }

    /// What was looked at, for a finding that has nothing to mend.
    pub fn sentence(&self) -> String {
        if self.others == 0 {
            return "it may call no function of others that acts for its owner (SECURITY DEFINER)".to_owned();
        }
        format!(
            "functions of others that act for their owners (SECURITY DEFINER) and that it may call, {} in all, were read and not called: nothing was found in their text",
            self.others
        )
    }

    /// The finding, where the functions are more than harmless.
    pub fn finding(&self, feature: Feature) -> Option<AuditFinding> {
        if !self.weak.is_empty() {
            let summary = format!(
                "The user of the address may call functions that act for owners with rights over the whole server (SECURITY DEFINER), and may thereby gain these rights: {}. They were read and not called.",
                some(&self.weak)
            );
            let finding = AuditFinding::new(feature, ProtectionLevel::Partial, summary);
            return Some(finding.mend(AuditSeverity::Medium, FIX).see(WRITING));
        }
        (!self.unread.is_empty()).then(|| {
            let summary = format!(
                "What was tried was refused; the user of the address may call functions that act for owners with rights over the whole server (SECURITY DEFINER), and what they do cannot be read: {}.",
                some(&self.unread)
            );
            AuditFinding::unknown(feature, UnknownReason::Unexpected, summary).see(WRITING)
        })
    }
}

/// The finding of a feature for which nothing else was found: what the functions show, or enforced with what was seen.
pub fn or_enforced(scene: &mut Scene<'_>, feature: Feature, seen: &str) -> AuditFinding {
    match definers(scene) {
        Ok(found) => found.finding(feature).unwrap_or_else(|| {
            let summary = format!("{seen}; {}.", found.sentence());
            AuditFinding::new(feature, ProtectionLevel::Enforced, summary)
        }),
        Err(error) => {
            let summary = format!(
                "{seen}; functions that act for their owners (SECURITY DEFINER) were not examined: {error}."
            );
            AuditFinding::unknown(feature, UnknownReason::NoPrivilege, summary)
        }
    }
}

fn some(names: &[String]) -> String {
    dbdyno_audit::first_of(names, SHOWN, "; ")
}

/// Whether a text has this word, in letters of any size.
fn has_word(text: &str, word: &str) -> bool {
    let is_of_a_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(|letter| !is_of_a_word(letter))
        .any(|found| found.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_judged_by_its_owner_its_path_and_its_text() {
        let judged = |powerful: &str, fixed: &str, language: &str, text: &str| {
            let mut found = Definers::default();
            found.add(
                &["f()", powerful, fixed, language, text].map(|word| Some(word.to_owned())),
                None,
            );
            (found.weak.len(), found.unread.len(), found.others)
        };
        assert_eq!(judged("f", "f", "plpgsql", "BEGIN EXECUTE $1; END"), (0, 0, 1));
        assert_eq!(judged("t", "t", "plpgsql", "BEGIN Execute $1; END"), (1, 0, 0));
        assert_eq!(
            judged("t", "t", "plpgsql", "BEGIN v := is_executed; END"),
            (0, 0, 1)
        );
        assert_eq!(judged("t", "f", "sql", "SELECT 1"), (1, 0, 0));
        assert_eq!(judged("t", "t", "sql", "SELECT 1"), (0, 0, 1));
        assert_eq!(judged("t", "t", "c", "symbol"), (0, 1, 0));
        let unread = Definers {
            unread: vec!["f() in c".to_owned()],
            ..Definers::default()
        };
        let finding = unread.finding(Feature::Authorization).unwrap();
        assert_eq!(finding.level, ProtectionLevel::Unknown);
        assert_eq!(Definers::default().finding(Feature::Authorization), None);
    }
}
