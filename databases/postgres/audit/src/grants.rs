//! What was granted to the user of the address of what the server keeps to superusers: its own functions, and the hashes of passwords
//! through views of others. Nothing is called and no hash is read.

use dbdyno_audit::{ChannelError, Scene};

use crate::client::Session;

/// Functions that the server itself grants to no user (manual, "pg_init_privs") and that this one may call, but for those that list
/// files of the server to whoever watches it (`pg_monitor`).
const FUNCTIONS: &str = "SELECT p.oid::regprocedure::text FROM pg_init_privs i JOIN pg_proc p ON p.oid = i.objoid \
     WHERE i.classoid = 'pg_proc'::regclass AND has_function_privilege(p.oid, 'EXECUTE') \
     AND NOT EXISTS (SELECT FROM aclexplode(i.initprivs) a WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE') \
     AND p.proname !~ '^pg_ls_[a-z_]+dir$' ORDER BY 1 LIMIT 50";
/// Views of others over the column with the hashes that this one may read, whose owner may: it reads with that one's rights. What a view
/// takes from the server's own tables is in its rule alone: dependencies on them are not kept (manual, "pg_depend").
const VIEWS: &str = "SELECT DISTINCT v.oid::regclass::text FROM pg_rewrite r JOIN pg_class v ON v.oid = r.ev_class \
     WHERE v.relkind IN ('v', 'm') AND v.relnamespace <> 'pg_catalog'::regnamespace \
     AND r.ev_action::text ~ format(':relid (%s|%s) ', 'pg_authid'::regclass::oid, 'pg_shadow'::regclass::oid) \
     AND pg_get_viewdef(v.oid) ~ '\\m(rolpassword|passwd)\\M' \
     AND NOT coalesce(v.reloptions && ARRAY['security_invoker=true', 'security_invoker=on', 'security_invoker=1'], false) \
     AND has_table_privilege(v.relowner, 'pg_authid'::regclass, 'SELECT') \
     AND NOT has_table_privilege('pg_authid'::regclass, 'SELECT') \
     AND has_schema_privilege(v.relnamespace, 'USAGE') AND has_any_column_privilege(v.oid, 'SELECT') LIMIT 50";
/// No more are named in a sentence.
const SHOWN: usize = 3;

/// Each right of this kind, as it goes on after "the user of the address".
pub fn granted(scene: &mut Scene<'_>, session: &mut Session) -> Result<Vec<String>, ChannelError> {
    session.must("SET search_path = pg_catalog")?;
    let functions = session.must(FUNCTIONS)?.column();
    let views = session.must(VIEWS)?.column();
    scene.note(
        "postgres.granted",
        "functions that the server grants to nobody and that it may call; views of others over hashes of passwords that it may read",
        format!("{}; {}", listed(&functions), listed(&views)),
    );
    let sentences = [
        (
            "may call functions that the server keeps to superusers",
            functions,
        ),
        ("may read views over the hashes of passwords", views),
    ];
    let found = sentences.into_iter().filter(|(_, names)| !names.is_empty());
    Ok(found
        .map(|(what, names)| format!("{what} ({})", listed(&names)))
        .collect())
}

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    dbdyno_audit::first_of(names, SHOWN, ", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_names_are_shown() {
        let names =
            |count: usize| -> Vec<String> { (0..count).map(|number| format!("f{number}()")).collect() };
        assert_eq!(listed(&names(0)), "none");
        assert_eq!(listed(&names(3)), "f0(), f1(), f2()");
        assert_eq!(listed(&names(5)), "f0(), f1(), f2(), 2 more");
    }
}
