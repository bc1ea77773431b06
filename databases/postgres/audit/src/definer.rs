//! Functions that act with the rights of their owners (SECURITY DEFINER): which of them the application may call, and what their text
//! shows. None is called.

use dbdyno_audit::{ChannelError, Scene};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::client::Session;
use crate::databases::{in_every_database, place};
use crate::protocol::Answer;

const WRITING: &str =
    "https://www.postgresql.org/docs/current/sql-createfunction.html#SQL-CREATEFUNCTION-SECURITY";
const FIX: &str = "REVOKE EXECUTE ON FUNCTION ... FROM PUBLIC, app; or ALTER FUNCTION ... SET search_path = pg_catalog, pg_temp, an owner without such rights, and no text of the caller in EXECUTE";
/// The functions of others that the user may call, with whether their owner has rights over the whole server, their search path where it
/// is fixed, their language, their text, and whether names in it were bound when it was made (`BEGIN ATOMIC`, from version 14 on).
const FUNCTIONS: &str = "SELECT p.oid::regprocedure::text, \
     r.rolsuper OR r.rolcreaterole OR r.rolbypassrls OR r.rolreplication \
     OR EXISTS (SELECT FROM pg_roles g WHERE g.rolname IN ('pg_read_all_data', 'pg_write_all_data', 'pg_execute_server_program', \
     'pg_read_server_files', 'pg_write_server_files') AND pg_has_role(r.oid, g.oid, 'USAGE')), \
     (SELECT substr(c, length('search_path=') + 1) FROM unnest(p.proconfig) c WHERE c LIKE 'search\\_path=%'), \
     l.lanname, p.prosrc, to_jsonb(p) ->> 'prosqlbody' IS NOT NULL \
     FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner JOIN pg_language l ON l.oid = p.prolang \
     WHERE p.prosecdef AND r.rolname <> current_user AND has_function_privilege(p.oid, 'EXECUTE') \
     AND has_schema_privilege(p.pronamespace, 'USAGE') ORDER BY 2 DESC, 1 LIMIT 201";
/// One less than are asked for: with more, some would not be seen.
const MOST_FUNCTIONS: usize = 200;
/// The schemas in which the user may make tables and functions of its own, and `pg_temp` where it may make temporary ones.
const WRITABLE: &str = "SELECT nspname FROM pg_namespace WHERE has_schema_privilege(oid, 'CREATE') \
     UNION ALL SELECT 'pg_temp' WHERE has_database_privilege(current_database(), 'TEMP')";
/// No more functions are named in a sentence.
const SHOWN: usize = 5;

/// The functions, as they were seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definers {
    /// Those by which the caller may get rights of its owner that were not meant, with why.
    weak: Vec<String>,
    /// Those with a powerful owner whose language the probe cannot read.
    unread: Vec<String>,
    /// Those with a powerful owner in whose text nothing was found.
    sound: usize,
    /// Those of owners without rights over the whole server, whose text says nothing of such rights.
    of_others: usize,
}

/// Reads the functions that the user of the address may call, in every database that it may enter: their owners have their rights in all
/// of them.
pub fn definers(scene: &mut Scene<'_>) -> Result<Definers, ChannelError> {
    let mut found = Definers::default();
    let entered = in_every_database(scene, &mut |session, database| found.read(session, database))?;
    let got = format!(
        "{} weak, {} not readable, {} sound, {} of owners without rights over the whole server, in {entered} databases",
        found.weak.len(),
        found.unread.len(),
        found.sound,
        found.of_others
    );
    let sent = "functions of others that it may call and that act for their owners: owner, search_path, text";
    scene.note("postgres.security-definer", sent, got);
    Ok(found)
}

impl Definers {
    /// Reads those of one database, which is named where it is not the application's.
    fn read(&mut self, session: &mut Session, database: Option<&str>) -> Result<(), ChannelError> {
        let writable = session.must(WRITABLE)?.column();
        let Answer::Rows(rows) = session.must(FUNCTIONS)? else {
            return Err(ChannelError::Unexpected("no functions came".to_owned()));
        };
        if rows.len() > MOST_FUNCTIONS {
            return Err(ChannelError::Unexpected(format!(
                "there are more than {MOST_FUNCTIONS}{}",
                place(database)
            )));
        }
        for row in &rows {
            self.add(row, database, &writable);
        }
        Ok(())
    }

    fn add(&mut self, row: &[Option<String>], database: Option<&str>, writable: &[String]) {
        let given = |index: usize| row.get(index).and_then(Option::as_deref);
        let text = |index: usize| given(index).unwrap_or_default();
        let (name, language) = (format!("{}{}", text(0), place(database)), text(3));
        if text(1) != "t" {
            self.of_others += 1;
        } else if !["sql", "plpgsql"].contains(&language) {
            self.unread.push(format!("{name} in {language}"));
        } else if language == "plpgsql" && has_word(text(4), "execute") {
            self.weak
                .push(format!("{name} runs statements that it puts together"));
        } else if text(5) == "t" || given(2).is_some_and(|path| is_fixed(path, writable)) {
            self.sound += 1;
        } else if let Some(path) = given(2) {
            self.weak.push(format!(
                "{name} may find the caller's objects before its own (search_path = {path})"
            ));
        } else {
            self.weak.push(format!("{name} uses the caller's search_path"));
        }
    }

    /// What was looked at, for a finding that has nothing to mend.
    pub fn sentence(&self) -> String {
        let of_others = match self.of_others {
            0 => String::new(),
            others => format!("; {others} act for owners without such rights and were not judged"),
        };
        match self.sound {
            0 => format!(
                "it may call no function that acts for an owner with rights over the whole server (SECURITY DEFINER){of_others}"
            ),
            sound => format!(
                "functions that act for owners with rights over the whole server (SECURITY DEFINER) and that it may call, {sound} in all, were read and not called: nothing was found in their text{of_others}"
            ),
        }
    }

    /// The finding, where the functions are more than harmless.
    pub fn finding(&self, feature: Feature) -> Option<AuditFinding> {
        if !self.weak.is_empty() {
            let summary = format!(
                "The user of the address may call functions that act for owners with rights over the whole server (SECURITY DEFINER), and may thereby gain these rights: {}. They were read and not called.",
                some(&self.weak)
            );
            let finding = AuditFinding::partial(feature, summary);
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
            AuditFinding::enforced(feature, summary)
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

/// Whether the names of a function with this path mean what its owner meant: the caller may make nothing in a schema before the last, and
/// temporary tables, which are found first where `pg_temp` is not in the path, come last. A path of the server's own schema alone asks for
/// the full name of everything else (manual, "Writing SECURITY DEFINER Functions Safely").
fn is_fixed(path: &str, writable: &[String]) -> bool {
    let schemas: Vec<&str> = path
        .split(',')
        .map(|schema| schema.trim().trim_matches('"'))
        .filter(|schema| !schema.is_empty())
        .collect();
    let may_make = |schema: &str| writable.iter().any(|own| own == schema);
    let is_temporary = |schema: &str| schema == "pg_temp";
    if schemas.iter().all(|schema| *schema == "pg_catalog") {
        return true;
    }
    let own = schemas.iter().filter(|schema| !is_temporary(schema));
    let is_writable = own
        .into_iter()
        .any(|schema| *schema == "$user" || may_make(schema));
    !is_writable && (!may_make("pg_temp") || schemas.last().is_some_and(|last| is_temporary(last)))
}

/// Whether a text has this word, in letters of any size.
fn has_word(text: &str, word: &str) -> bool {
    let is_of_a_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(|letter| !is_of_a_word(letter))
        .any(|found| found.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use dbdyno_record::audit::ProtectionLevel;

    use super::*;

    #[test]
    fn a_function_is_judged_by_its_owner_its_path_and_its_text() {
        let writable = ["pg_temp".to_owned(), "public".to_owned()];
        let judged = |powerful: &str, path: Option<&str>, language: &str, text: &str, bound: &str| {
            let mut found = Definers::default();
            let row = [
                Some("f()"),
                Some(powerful),
                path,
                Some(language),
                Some(text),
                Some(bound),
            ];
            found.add(&row.map(|word| word.map(str::to_owned)), None, &writable);
            (found.weak.len(), found.unread.len(), found.sound, found.of_others)
        };
        let (weak, unread, sound, of_others) = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1));
        let fixed = Some("admin, pg_temp");
        assert_eq!(
            judged("f", None, "plpgsql", "BEGIN EXECUTE $1; END", "f"),
            of_others
        );
        assert_eq!(judged("t", fixed, "plpgsql", "BEGIN Execute $1; END", "f"), weak);
        assert_eq!(
            judged("t", fixed, "plpgsql", "BEGIN v := is_executed; END", "f"),
            sound
        );
        assert_eq!(judged("t", None, "sql", "SELECT 1", "f"), weak);
        assert_eq!(judged("t", None, "sql", "", "t"), sound, "names are bound");
        assert_eq!(judged("t", Some("public, pg_temp"), "sql", "SELECT 1", "f"), weak);
        assert_eq!(judged("t", fixed, "c", "symbol", "f"), unread);
    }

    #[test]
    fn a_path_is_fixed_where_the_caller_makes_nothing_in_it() {
        let fixed = |path: &str, writable: &[&str]| {
            let writable: Vec<String> = writable.iter().map(|schema| (*schema).to_owned()).collect();
            is_fixed(path, &writable)
        };
        for (path, writable, expected) in [
            ("admin, pg_temp", &["pg_temp", "public"][..], true),
            ("\"admin\", \"pg_temp\"", &["pg_temp"], true),
            ("admin", &["pg_temp"], false),
            ("pg_temp, admin", &["pg_temp"], false),
            ("admin", &[], true),
            ("public, pg_temp", &["pg_temp", "public"], false),
            ("\"$user\", admin, pg_temp", &["pg_temp"], false),
            ("\"\"", &["pg_temp", "public"], true),
            ("pg_catalog", &["pg_temp", "public"], true),
        ] {
            assert_eq!(fixed(path, writable), expected, "{path}, {writable:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_unknown() {
        let unread = Definers {
            unread: vec!["f() in c".to_owned()],
            ..Definers::default()
        };
        let finding = unread.finding(Feature::Authorization).unwrap();
        assert_eq!(finding.level, ProtectionLevel::Unknown);
        assert_eq!(Definers::default().finding(Feature::Authorization), None);
    }
}
