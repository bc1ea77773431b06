//! The users of servers with logins: the administrator, and the application, which may do no more than it needs.

use bson::{Document, doc};
use dbdyno_lab::{APPLICATION, LabError, LaunchContext};

use crate::client::Access;
use crate::command::{DEADLINE, ask, refused};

/// The role with which an application divides its collections in a cluster.
const SHARDING_ROLE: &str = "dbdyno_sharding";

/// Who is to log in.
pub(crate) struct Users<'a> {
    /// Who may do everything, with the password; `None`: nobody logs in.
    pub(crate) administrator: Option<&'a (String, String)>,
    /// The application's password, where a profile has one.
    pub(crate) application_password: Option<&'a str>,
    /// Whether they are a cluster's.
    pub(crate) is_cluster: bool,
}

impl Users<'_> {
    /// Makes all users on one server or set. `access` is without a login before and after: every set has its own first user.
    pub(crate) fn make(
        &self,
        context: &mut LaunchContext<'_>,
        access: &mut Access,
        port: u16,
    ) -> Result<(), LabError> {
        self.make_administrator(access, port)?;
        self.make_application(context, access, port)?;
        access.login = None;
        Ok(())
    }

    /// Makes the administrator, where there is to be one, and logs in as it.
    pub(crate) fn make_administrator(&self, access: &mut Access, port: u16) -> Result<(), LabError> {
        let Some((user, password)) = self.administrator else {
            return Ok(());
        };
        let mut create = doc! {
            "createUser": user, "pwd": password, "roles": [{ "role": "root", "db": "admin" }],
            "writeConcern": { "w": "majority" },
        };
        if self.application_password.is_some() {
            create.insert("mechanisms", vec!["SCRAM-SHA-256"]);
        }
        // The first user may be made without a login, from this machine only.
        ask(access, port, create).map_err(|why| refused("made no user", &why))?;
        access.login = self.administrator.cloned();
        Ok(())
    }

    /// Makes the application's user, where a profile has one, as the administrator.
    pub(crate) fn make_application(
        &self,
        context: &mut LaunchContext<'_>,
        access: &Access,
        port: u16,
    ) -> Result<(), LabError> {
        let Some(password) = self.application_password else {
            return Ok(());
        };
        for command in commands(password, self.is_cluster) {
            // A member that has just become the primary may still close connections.
            context.wait_until("the application's user", DEADLINE, || {
                ask(access, port, command.clone()).map(drop)
            })?;
        }
        Ok(())
    }
}

/// What makes the application's user; in a cluster it may also shard the collections of its database.
fn commands(password: &str, is_cluster: bool) -> Vec<Document> {
    let mut roles = vec![doc! { "role": "readWrite", "db": "ycsb" }];
    let mut commands = Vec::new();
    if is_cluster {
        roles.push(doc! { "role": SHARDING_ROLE, "db": "admin" });
        commands.push(doc! {
            "createRole": SHARDING_ROLE,
            "privileges": [
                {
                    "resource": { "db": "ycsb", "collection": "" },
                    "actions": ["enableSharding", "splitChunk", "moveChunk"],
                },
                { "resource": { "cluster": true }, "actions": ["listShards"] },
            ],
            "roles": [],
        });
    }
    commands.push(doc! {
        "createUser": APPLICATION, "pwd": password,
        "roles": roles,
        "mechanisms": ["SCRAM-SHA-256"],
        "writeConcern": { "w": "majority" },
    });
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_in_a_cluster_an_application_may_shard_its_collections() {
        let names = |is_cluster| -> Vec<String> {
            let commands = commands("secret", is_cluster);
            let name = |command: &Document| command.keys().next().cloned();
            commands.iter().filter_map(name).collect()
        };
        assert_eq!(names(false), ["createUser"]);
        assert_eq!(names(true), ["createRole", "createUser"]);
        let user = commands("secret", false).remove(0);
        assert_eq!(user.get_array("roles").unwrap().len(), 1);
    }
}
