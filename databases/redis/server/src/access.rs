//! Who may log in to the servers, and how they speak to each other: users, passwords, TLS.
//!
//! Facts: redis.io's documentation of `redis.conf`, "ACL" and "TLS".

use dbdyno_lab::{
    ADMINISTRATOR, APPLICATION, LabError, LaunchContext, Protection, ServerRequest, ServerSpec,
    random_password,
};

/// The user of replicas under a profile with logins, and what it may do: ask for the stream of writes.
const REPLICATION: &str = "dbdyno_replication";
const REPLICATION_RIGHTS: &str = "+psync +replconf +ping";

/// Rights of the application: everything with its data, nothing with the server. A cluster's clients read its slots, and the
/// driver reads the facts about the server.
const APPLICATION_RIGHTS: &str = "~* &* +@all -@admin -@dangerous +info +cluster|slots +cluster|shards +cluster|info +cluster|nodes +config|get";

/// A user and a password; without a name, the default user.
pub(crate) struct Login<'a> {
    pub(crate) user: Option<&'a str>,
    pub(crate) password: &'a str,
}

/// How servers let clients and each other in.
pub(crate) struct Access<'a> {
    request: &'a ServerRequest,
    pub(crate) protection: &'a Protection,
    /// Of the user [`REPLICATION`].
    replication_password: Option<String>,
}

impl<'a> Access<'a> {
    pub(crate) fn new(request: &'a ServerRequest, protection: &'a Protection) -> Result<Self, LabError> {
        let logins = protection.logins.as_ref();
        Ok(Self {
            request,
            protection,
            replication_password: logins.map(|_| random_password()).transpose()?,
        })
    }

    /// The login of who may do everything; `None`: nobody has to log in.
    pub(crate) fn login(&self) -> Option<Login<'_>> {
        if let Some(logins) = &self.protection.logins {
            return Some(Login {
                user: Some(ADMINISTRATOR),
                password: &logins.administrator_password,
            });
        }
        let password = self.request.option("password")?;
        Some(Login { user: None, password })
    }

    /// Settings with passwords, of a server that has replicas, is one, or neither.
    pub(crate) fn secret_settings(&self, has_replicas: bool, is_replica: bool) -> Option<String> {
        if let Some(logins) = &self.protection.logins {
            let mut settings = format!(
                "user default off\nuser {ADMINISTRATOR} on >{} ~* &* +@all\nuser {APPLICATION} on >{} {APPLICATION_RIGHTS}\n",
                logins.administrator_password, logins.password
            );
            let replication = self.replication_password.as_deref().unwrap_or_default();
            if has_replicas {
                settings.push_str(&format!(
                    "user {REPLICATION} on >{replication} {REPLICATION_RIGHTS}\n"
                ));
            }
            // Who may read the settings of a replica sees this password, which lets nobody write.
            if is_replica {
                settings.push_str(&format!("masteruser {REPLICATION}\nmasterauth {replication}\n"));
            }
            return Some(settings);
        }
        let password = quoted(self.request.option("password")?);
        let mut settings = format!("requirepass {password}\n");
        if is_replica {
            settings.push_str(&format!("masterauth {password}\n"));
        }
        Some(settings)
    }

    /// Lets a server listen at this port, as the protection asks for.
    pub(crate) fn listening(
        &self,
        context: &LaunchContext<'_>,
        mut spec: ServerSpec,
        port: u16,
    ) -> Result<ServerSpec, LabError> {
        let port = port.to_string();
        let Some(tls) = &self.protection.tls else {
            return Ok(spec.arguments(["--port", &port]));
        };
        let clients = if tls.asks_clients { "yes" } else { "no" };
        spec = spec.arguments(["--port", "0", "--tls-port", &port, "--tls-auth-clients", clients]);
        for (option, file) in [
            ("--tls-cert-file", "server.pem"),
            ("--tls-key-file", "server.key"),
            ("--tls-ca-cert-file", "ca.pem"),
        ] {
            let copy = context.copy(&spec.name, file, &tls.file(file))?;
            spec = spec.arguments([option]).arguments([copy]);
        }
        Ok(spec)
    }
}

/// A string of Redis's configuration, whatever signs it has.
fn quoted(text: &str) -> String {
    let signs: String = text.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("\"{signs}\"")
}
