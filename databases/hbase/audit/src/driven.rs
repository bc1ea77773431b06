//! Probes that go through the driver: a Kerberos login takes HBase's own client.

use dbdyno_audit::{PREFIX, Scene, is_own, shortened};
use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{DbError, Driver, ErrorClass, Fields, Key, Rows, Session, Table, Target};
use tokio::runtime::{Builder, Runtime};

/// Tables that an audit may have left, at most.
const MOST_LEFT: u32 = 1_000;

/// Connects and does something. The driver ends every wait by itself: it gets the audit's patience, where the address says nothing.
pub fn connected<T>(
    scene: &Scene<'_>,
    target: &Target,
    work: impl AsyncFnOnce(&HbaseDriver) -> Result<T, DbError>,
) -> Result<T, DbError> {
    let driven = Driven::connect(scene, target)?;
    driven.wait(work(&driven.driver))
}

/// A connection that lasts for several probes.
pub struct Driven {
    runtime: Runtime,
    pub driver: HbaseDriver,
}

impl Driven {
    pub fn connect(scene: &Scene<'_>, target: &Target) -> Result<Self, DbError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| DbError::new(ErrorClass::Bug, format!("no runtime for the driver: {error}")))?;
        let target = patient(scene, target);
        let driver = runtime.block_on(HbaseDriver::connect(&target))?;
        Ok(Self { runtime, driver })
    }

    pub fn wait<F: Future>(&self, work: F) -> F::Output {
        self.runtime.block_on(work)
    }
}

/// The address with the audit's patience.
fn patient(scene: &Scene<'_>, target: &Target) -> Target {
    let mut target = target.clone();
    // Java begins with the first connection, which takes seconds.
    for (name, factor) in [("connect_timeout", 6), ("timeout", 2)] {
        let patience = format!("{}ms", (scene.patience * factor).as_millis());
        target.options.entry(name.to_owned()).or_insert(patience);
    }
    target
}

/// The address of an administrator, or without one the application's. What it may do is seen when it does it.
pub fn managing<'a>(scene: &Scene<'a>) -> &'a Target {
    scene.administrator_target.unwrap_or(scene.target)
}

/// How HBase calls a principal: without host and realm.
pub fn short_name(target: &Target) -> Option<String> {
    let principal = target.options.get("principal")?;
    principal.split(['/', '@']).next().map(str::to_owned)
}

/// The audit's own table, which is about to be made by a client that has connected.
pub fn own_table(scene: &Scene<'_>) -> Table {
    table(scene.own_name())
}

fn table(name: &str) -> Table {
    Table {
        name: name.to_owned(),
        field_names: vec!["field0".to_owned()],
    }
}

/// Removes the tables of this audit and of those that no longer live. Returns what could not be removed, with why.
pub fn clean(scene: &Scene<'_>) -> Vec<String> {
    match tables_of_audits(scene) {
        Ok(left) if left.is_empty() => Vec::new(),
        Ok(left) => removed(scene, &left),
        Err(error) => scene
            .not_looked_for("tables", &shortened(&error.message))
            .into_iter()
            .collect(),
    }
}

/// Removes these tables. Returns those that stayed, with why.
fn removed(scene: &Scene<'_>, left: &[String]) -> Vec<String> {
    let removed = connected(scene, managing(scene), async |driver| {
        let mut stayed = Vec::new();
        for name in left {
            if let Err(error) = driver.drop_table(&table(name)).await {
                stayed.push(format!("table {name}: {}", error.message));
            }
        }
        Ok(stayed)
    });
    removed.unwrap_or_else(|error| vec![format!("tables {}: {}", left.join(", "), error.message)])
}

/// The tables whose names begin as the audit's do. Rows of the catalogue are called TABLE,KEY,TIME.
fn tables_of_audits(scene: &Scene<'_>) -> Result<Vec<String>, DbError> {
    let mut target = managing(scene).clone();
    target
        .options
        .insert("columnfamily".to_owned(), "info".to_owned());
    let driven = Driven::connect(scene, &target)?;
    let names = driven.wait(async {
        let catalogue = Table {
            name: "hbase:meta".to_owned(),
            field_names: vec!["regioninfo".to_owned()],
        };
        let mut session = driven.driver.session(&catalogue).await?;
        let mut rows = Rows::new();
        session
            .scan(&Key::new(0, PREFIX), MOST_LEFT, Fields::All, &mut rows)
            .await?;
        let mut names: Vec<String> = rows
            .iter()
            .filter_map(|(key, _)| table_of(key.as_bytes()))
            .filter(|name| scene.may_remove(name))
            .collect();
        names.dedup();
        Ok(names)
    });
    match names {
        // Who is let in and may not look for tables has made none.
        Err(DbError {
            class: ErrorClass::Auth | ErrorClass::NotFound,
            ..
        }) => Ok(Vec::new()),
        names => names,
    }
}

fn table_of(row: &[u8]) -> Option<String> {
    let name = row.split(|byte| *byte == b',').next()?;
    let name = str::from_utf8(name).ok()?;
    is_own(name).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene_of_tests::in_scene;

    #[test]
    fn a_principal_is_known_without_host_and_realm() {
        let name = |options: &str| short_name(&Target::parse(&format!("hbase://h{options}")).unwrap());
        assert_eq!(name("?principal=me@A"), Some("me".to_owned()));
        assert_eq!(name("?principal=me/host@A"), Some("me".to_owned()));
        assert_eq!(name(""), None);
    }

    #[test]
    fn only_tables_of_audits_are_removed() {
        assert_eq!(
            table_of(b"dbdyno_audit_0123456789ab,,1700000000000.abc."),
            Some("dbdyno_audit_0123456789ab".to_owned())
        );
        assert_eq!(table_of(b"usertable,dbdyno_audit_0123456789ab,1.abc."), None);
        assert_eq!(table_of(b"dbdyno_audit_mine,,1.abc."), None);
        assert_eq!(table_of(b"dbdyno_audi,,1.abc."), None);
        assert_eq!(table_of(b"\xff"), None);
    }

    #[test]
    fn what_was_made_is_not_forgotten_where_the_login_fails_at_the_end() {
        let port = dbdyno_testkit::audit::server(drop);
        // Without a class path there is no client, so nobody gets in.
        let address = format!(
            "hbase://127.0.0.1:{port}?class_path=/no/such/directory&principal=app@EXAMPLE&keytab={}",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")
        );
        let clean_after = |names: bool| {
            in_scene(&address, |scene| {
                if names {
                    own_table(scene);
                }
                clean(scene)
            })
        };
        let left = clean_after(true);
        let begin = "tables named dbdyno_audit_";
        assert!(
            matches!(left.as_slice(), [one] if one.starts_with(begin) && one.contains("could not be looked for")),
            "{left:?}"
        );
        assert!(clean_after(false).is_empty());
    }
}
