//! What was granted to the user of the address of what the server keeps to superusers: its own functions, and the hashes of passwords
//! through views of others. Nothing is called and no hash is read.

use dbdyno_audit::{ChannelError, Scene};

use crate::databases::{in_every_database, place};

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

/// Functions by which files of the machine are written (`adminpack` and large objects).
const WRITING: [&str; 2] = ["lo_export(", "pg_file_"];

/// What was granted, by name, in every database that the user may enter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    functions: Vec<String>,
    views: Vec<String>,
}

/// Reads it.
pub fn granted(scene: &mut Scene<'_>) -> Result<Grants, ChannelError> {
    let mut found = Grants::default();
    let entered = in_every_database(scene, &mut |session, database| {
        let named = |name: String| format!("{name}{}", place(database));
        found
            .functions
            .extend(session.must(FUNCTIONS)?.column().into_iter().map(named));
        found
            .views
            .extend(session.must(VIEWS)?.column().into_iter().map(named));
        Ok(())
    })?;
    scene.note(
        "postgres.granted",
        "functions that the server grants to nobody and that it may call; views of others over hashes of passwords that it may read",
        format!(
            "{}; {}; in {entered} databases",
            listed(&found.functions),
            listed(&found.views)
        ),
    );
    Ok(found)
}

impl Grants {
    /// Each right of this kind, as it goes on after "the user of the address".
    pub fn sentences(&self) -> Vec<String> {
        let views = (!self.views.is_empty()).then(|| {
            format!(
                "may read views over the hashes of passwords ({})",
                listed(&self.views)
            )
        });
        self.functions().into_iter().chain(views).collect()
    }

    /// The functions in words.
    pub fn functions(&self) -> Option<String> {
        (!self.functions.is_empty()).then(|| {
            format!(
                "may call functions that the server keeps to superusers ({})",
                listed(&self.functions)
            )
        })
    }

    /// Whether one of them writes files of the machine.
    pub fn writes_files(&self) -> bool {
        let writes = |name: &String| WRITING.iter().any(|writing| name.starts_with(writing));
        self.functions.iter().any(writes)
    }
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
    #[test]
    fn functions_that_write_files_are_known() {
        let grants = |name: &str| Grants {
            functions: vec![name.to_owned()],
            views: Vec::new(),
        };
        assert!(grants("lo_export(oid,text) in database x").writes_files());
        assert!(!grants("pg_read_file(text)").writes_files());
        assert_eq!(Grants::default().sentences(), [] as [String; 0]);
    }
}
