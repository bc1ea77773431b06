//! Who reaches the machine through the server.

use dbdyno_audit::{Scene, severity_of_rights};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::attempt::is_refused;
use crate::client::application;
use crate::definer::or_enforced;
use crate::grants::granted;
use crate::membership::membership;
use crate::others::others;
use crate::rights::LOW;
use crate::stranger::{Stranger, stranger};

const PREDEFINED: &str = "https://www.postgresql.org/docs/current/predefined-roles.html";

/// What the tries run where they are not refused.
pub const MAY_RUN: &str =
    "runs the program `true` on the server's machine (COPY TO PROGRAM), unless the server refuses it";

/// What was tried, and no more.
const REFUSED: &str = "The user of the address was refused when it tried to read a file of the machine and to run a program on it, and is a member of no role that may";

/// Who may read files of the machine and run programs on it.
pub fn access(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::JmxAuthentication;
    let stranger = stranger(scene);
    let reach = reach(scene);
    let finding = match (stranger, reach) {
        (Stranger::Served | Stranger::Trusted, Some((reach, _))) if !reach.is_empty() => AuditFinding::off(
            feature,
            format!(
                "Anyone who reaches the server {}: they own what its account owns on the machine.",
                reach.join(", ")
            ),
        )
        .mend(AuditSeverity::Critical, format!("scram-sha-256 in pg_hba.conf; {LOW}")),
        (Stranger::Served, Some(_)) => AuditFinding::partial(
            feature,
            "The user of the address was refused files and programs of the machine when it tried, but anyone may act as any other user.",
        )
        .mend(AuditSeverity::High, "pg_hba.conf: scram-sha-256 in place of trust, in every line"),
        (_, Some((reach, severity))) if !reach.is_empty() => AuditFinding::partial(
            feature,
            format!("A login is needed, and the application's own {}.", reach.join(", ")),
        )
        .mend(
            severity,
            format!("{LOW}; REVOKE pg_read_server_files, pg_write_server_files, pg_execute_server_program FROM app"),
        ),
        (_, Some(_)) => {
            let others = others(scene);
            others
                .need_no_login(feature)
                .or_else(|| others.unseen(feature, &format!("{REFUSED}.")))
                .unwrap_or_else(|| or_enforced(scene, feature, REFUSED))
        }
        (_, None) => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            "What the application's user may do to the server is unknown without its login.",
        ),
    };
    finding.see(PREDEFINED)
}

/// How far the user of the address reaches beyond the database, and how much it matters; `None` when it could not be seen.
fn reach(scene: &mut Scene<'_>) -> Option<(Vec<String>, AuditSeverity)> {
    const ROLES: [(&str, &str); 4] = [
        ("pg_read_server_files", "reads files of the machine"),
        ("pg_write_server_files", "writes files of the machine"),
        ("pg_execute_server_program", "runs programs on the machine"),
        ("pg_signal_backend", "ends other users' sessions"),
    ];
    /// By which the server's account on the machine is had: a file that it writes may be one that it runs.
    const OWNING: [&str; 2] = ["pg_write_server_files", "pg_execute_server_program"];
    let mut session = application(scene).ok()?;
    let membership = membership(scene).ok()?;
    let mut reach = membership.machine();
    let mut owns_machine = membership.is_superuser();
    if membership.makes_itself_powerful {
        reach.push("may thereby give itself the right to run programs on the machine".to_owned());
        owns_machine = true;
    }
    for (role, what) in ROLES {
        let sql = format!("SELECT pg_catalog.pg_has_role(current_user, '{role}', 'MEMBER')");
        let answer = session.ask(&sql).ok()?;
        scene.note("postgres.management", sql.as_str(), answer.shown());
        // An older server has not all of these roles.
        if answer.column() == ["t"] {
            reach.push(what.to_owned());
            owns_machine |= OWNING.contains(&role);
        }
    }
    let sql = "SELECT length(pg_catalog.pg_read_file('PG_VERSION'))";
    let reads = !is_refused(scene, &mut session, "postgres.management", sql).ok()?;
    if reads && !reach.iter().any(|what| what == ROLES[0].1) {
        reach.push(ROLES[0].1.to_owned());
    }
    // Where something was found already, nothing is run.
    if reach.is_empty() {
        let sql = "COPY (SELECT 1) TO PROGRAM 'true'";
        if !is_refused(scene, &mut session, "postgres.management", sql).ok()? {
            reach.push(ROLES[2].1.to_owned());
            owns_machine = true;
        }
    }
    if !membership.is_superuser() {
        let grants = granted(scene).ok()?;
        owns_machine |= grants.writes_files();
        reach.extend(grants.functions());
    }
    let sql = "SELECT lanname FROM pg_catalog.pg_language WHERE NOT lanpltrusted AND lanname NOT IN ('internal', 'c') \
               AND (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user)";
    let languages = session.ask(sql).ok()?;
    scene.note(
        "postgres.management",
        "untrusted languages that it may use",
        languages.column().join(", "),
    );
    if !languages.column().is_empty() {
        reach.push("writes functions in an untrusted language".to_owned());
    }
    Some((reach, severity_of_rights(owns_machine)))
}
