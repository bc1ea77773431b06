//! Reading the lines of `pg_hba.conf` that the servers have loaded.

use dbdyno_audit::Scene;
use dbdyno_record::audit::UnknownReason;

use crate::client::{Session, administrator_at};
use crate::protocol::Answer;
use crate::rule::{Rule, Rules};

/// Options are read and never shown: they may hold passwords.
const RULES: &str = "SELECT coalesce(type, ''), array_to_string(database, chr(31)), array_to_string(user_name, chr(31)), \
     coalesce(address, ''), coalesce(netmask, ''), coalesce(auth_method, ''), \
     coalesce(array_to_string(options, chr(31)), ''), coalesce(error, '') FROM pg_catalog.pg_hba_file_rules";
/// The view shows the file; the server does what it last loaded.
const CHANGED: &str =
    "SELECT coalesce(bool_or((pg_stat_file(name)).modification > pg_conf_load_time()), false) FROM";
const ONE_FILE: &str = "(SELECT current_setting('hba_file') AS name) AS files";
const MANY_FILES: &str = "(SELECT current_setting('hba_file') AS name UNION SELECT file_name FROM pg_catalog.pg_hba_file_rules) AS files";
/// The first version in which a file may include others.
const INCLUDES: u32 = 160_000;

/// The lines that every server has loaded, or why they were not seen.
pub fn rules(scene: &mut Scene<'_>) -> Result<Rules, (UnknownReason, String)> {
    let mut all = Rules::default();
    for host in scene.remote.hosts.clone() {
        let seen = administrator_at(scene, &host)
            .map_err(|error| (UnknownReason::NoPrivilege, error.to_string()))
            .and_then(|mut session| rules_of(&mut session));
        let got = match &seen {
            Ok(rules) => format!(
                "{} lines trust, {} let in without TLS",
                rules.trusting.len(),
                rules.in_clear_text.len()
            ),
            Err((_, why)) => format!("not seen: {why}"),
        };
        scene.note("postgres.rules", format!("lines of pg_hba.conf at {host}"), got);
        let seen = seen?;
        all.trusting.extend(seen.trusting);
        all.in_clear_text.extend(seen.in_clear_text);
        all.passwords_in_clear_text.extend(seen.passwords_in_clear_text);
        all.from_anywhere.extend(seen.from_anywhere);
    }
    Ok(all)
}

fn rules_of(session: &mut Session) -> Result<Rules, (UnknownReason, String)> {
    let mut ask = |sql: &str| {
        let answer = session.must(sql);
        answer.map_err(|error| (UnknownReason::NoPrivilege, error.to_string()))
    };
    let unexpected = |why: &str| (UnknownReason::Unexpected, why.to_owned());
    let version = ask("SHOW server_version_num")?
        .column()
        .first()
        .and_then(|text| text.parse::<u32>().ok());
    let files = if version.is_some_and(|version| version >= INCLUDES) {
        MANY_FILES
    } else {
        ONE_FILE
    };
    match ask(&format!("{CHANGED} {files}"))?.column().as_slice() {
        [changed] if changed == "f" => {}
        [changed] if changed == "t" => {
            return Err(unexpected(
                "pg_hba.conf was changed after the server loaded it, and the loaded lines cannot be seen",
            ));
        }
        _ => return Err(unexpected("the server did not say when it loaded pg_hba.conf")),
    }
    let Answer::Rows(rows) = ask(RULES)? else {
        return Err(unexpected("no lines came"));
    };
    let read: Option<Vec<Rule>> = rows.iter().map(|row| Rule::read(row)).collect();
    match read {
        Some(read) if !read.is_empty() => Ok(Rules::judge(&read)),
        _ => Err(unexpected("the server could not read a line of pg_hba.conf")),
    }
}
