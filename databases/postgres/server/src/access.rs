//! Who may connect to the servers, and how: users, passwords, certificates, `pg_hba.conf`.
//!
//! Facts: PostgreSQL's manual, "Client Authentication", "Secure TCP/IP Connections with SSL" and "Database Roles".

use std::path::Path;

use dbdyno_lab::{
    ADMINISTRATOR, APPLICATION, LabError, LaunchContext, Protection, Security, ServerRequest, random_password,
};

/// The user that every installation has, unless a profile makes an administrator of its own.
const SUPERUSER: &str = "postgres";
/// The user of replicas under a profile with logins.
const REPLICATION: &str = "dbdyno_replication";

/// The clients that servers let in.
pub(crate) struct Access<'a> {
    request: &'a ServerRequest,
    protection: &'a Protection,
    replication_password: Option<String>,
}

impl<'a> Access<'a> {
    pub(crate) fn new(request: &'a ServerRequest, protection: &'a Protection) -> Result<Self, LabError> {
        Ok(Self {
            request,
            protection,
            replication_password: protection
                .logins
                .as_ref()
                .map(|_| random_password())
                .transpose()?,
        })
    }

    pub(crate) const fn superuser(&self) -> &'static str {
        match &self.protection.logins {
            Some(_) => ADMINISTRATOR,
            None => SUPERUSER,
        }
    }

    /// The superuser's password; `None`: everybody is trusted.
    pub(crate) fn password(&self) -> Option<&str> {
        match &self.protection.logins {
            Some(logins) => Some(&logins.administrator_password),
            None => self.request.option("password"),
        }
    }

    pub(crate) const fn replication_user(&self) -> &'static str {
        match &self.replication_password {
            Some(_) => REPLICATION,
            None => SUPERUSER,
        }
    }

    pub(crate) fn replication_password(&self) -> Option<&str> {
        self.replication_password.as_deref().or_else(|| self.password())
    }

    /// The statements that make the users of a profile with logins: one that owns its database and nothing else, and one that
    /// only copies. Everybody's rights are taken away.
    pub(crate) fn users(&self) -> Option<String> {
        let logins = self.protection.logins.as_ref()?;
        let replication = self.replication_password.as_ref()?;
        // The log would hold the passwords.
        Some(format!(
            "SET log_statement = 'none';\n\
             CREATE ROLE {REPLICATION} LOGIN REPLICATION PASSWORD '{replication}';\n\
             CREATE ROLE {APPLICATION} LOGIN PASSWORD '{}';\n\
             CREATE DATABASE {APPLICATION} OWNER {APPLICATION};\n\
             REVOKE ALL ON DATABASE {APPLICATION}, postgres, template1 FROM PUBLIC;\n\
             \\connect {APPLICATION}\n\
             REVOKE CREATE ON SCHEMA public FROM PUBLIC;\n\
             GRANT CREATE, USAGE ON SCHEMA public TO {APPLICATION};\n",
            logins.password
        ))
    }

    /// The server's settings. Its files lie beside the data, where they can be written before the data exist.
    pub(crate) fn settings(
        &self,
        context: &LaunchContext<'_>,
        server: &str,
    ) -> Result<Vec<String>, LabError> {
        let mut settings = Vec::new();
        if let Some(rules) = self.rules() {
            let rules = context.write(server, "pg_hba.conf", rules)?;
            settings.push(format!("hba_file={}", rules.display()));
        }
        if let Some(tls) = &self.protection.tls {
            settings.push("ssl=on".to_owned());
            for (setting, file) in [
                ("ssl_cert_file", "server.pem"),
                ("ssl_key_file", "server.key"),
                ("ssl_ca_file", "ca.pem"),
            ] {
                let copy = context.copy(server, file, &tls.file(file))?;
                settings.push(format!("{setting}={}", copy.display()));
            }
        }
        if self.protection.profile == Security::Hardened {
            let named = [
                "password_encryption=scram-sha-256",
                "log_connections=on",
                "log_disconnections=on",
                "log_statement=ddl",
                "log_line_prefix=%m [%p] %q%u@%d %h ",
            ];
            settings.extend(named.map(str::to_owned));
        }
        Ok(settings)
    }

    /// The addresses that the servers listen on, as the setting wants them.
    pub(crate) fn addresses(&self) -> String {
        self.protection.addresses(",")
    }

    /// The lines of `pg_hba.conf`; `None`: those that `initdb` makes. With TLS nobody comes in without it, not even from this
    /// machine. Other hosts come in where the server listens for them.
    fn rules(&self) -> Option<String> {
        let (tls, listen) = (self.protection.tls.as_ref(), self.protection.listen);
        if tls.is_none() && listen.is_none() {
            return None;
        }
        let method = match self.password() {
            Some(_) => "scram-sha-256",
            None => "trust",
        };
        let (kind, certificate) = match tls {
            Some(tls) if tls.asks_clients => ("hostssl", " clientcert=verify-ca"),
            Some(_) => ("hostssl", ""),
            None => ("host", ""),
        };
        let copies = self.replication_user();
        let mut rules = format!(
            "{kind} all all 127.0.0.1/32 {method}{certificate}\n\
             {kind} replication {copies} 127.0.0.1/32 {method}{certificate}\n"
        );
        if listen.is_some() {
            rules.push_str(&format!("{kind} all all samenet {method}{certificate}\n"));
        }
        Some(rules)
    }

    /// How the tools of a server find another one; `directory` is that server's, with its certificate.
    pub(crate) fn connection(&self, port: u16, directory: &Path) -> String {
        let mut words = format!("host=127.0.0.1 port={port}");
        if self.protection.tls.is_some() {
            words.push_str(" sslmode=verify-full");
            for (option, file) in [
                ("sslrootcert", "ca.pem"),
                ("sslcert", "server.pem"),
                ("sslkey", "server.key"),
            ] {
                let path = directory.join(file).display().to_string();
                let path = path.replace('\\', "\\\\").replace('\'', "\\'");
                words.push_str(&format!(" {option}='{path}'"));
            }
        }
        words
    }
}
