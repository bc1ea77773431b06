//! Commands to servers that want TLS or a login, through MongoDB's own library.

use std::path::PathBuf;
use std::time::Duration;

use bson::Document;
use mongodb::Client;
use mongodb::options::{ClientOptions, Credential, ServerAddress, Tls, TlsOptions};

/// Longest wait for one command.
const PATIENCE: Duration = Duration::from_secs(10);

/// How the servers let this process in.
#[derive(Clone, Default)]
pub(crate) struct Access {
    /// A certificate with its key in one file, and the authority's.
    pub(crate) tls: Option<(PathBuf, PathBuf)>,
    /// User and password.
    pub(crate) login: Option<(String, String)>,
}

/// Sends a command to one server; the answer, when it says `ok`.
pub(crate) fn ask(access: &Access, port: u16, database: &str, command: Document) -> Result<Document, String> {
    let options = options(access, port);
    // A thread of its own, for the caller may be a task already, and a task may not wait for another runtime.
    let asking = std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| error.to_string())?;
            runtime.block_on(async {
                let client = Client::with_options(options).map_err(|error| error.to_string())?;
                let database = client.database(database);
                let answer = database.run_command(command).into_future();
                let answer = tokio::time::timeout(PATIENCE, answer).await;
                let ending = client.shutdown().immediate(true).into_future();
                tokio::time::timeout(PATIENCE, ending).await.ok();
                match answer {
                    Ok(answer) => answer.map_err(|error| error.to_string()),
                    Err(_) => Err("no answer in time".to_owned()),
                }
            })
        });
        asking.join()
    });
    asking
        .unwrap_or_else(|_| Err("the asking thread died".to_owned()))
        .map_err(|error| format!("port {port}: {error}"))
}

fn options(access: &Access, port: u16) -> ClientOptions {
    let host = ServerAddress::Tcp {
        host: "127.0.0.1".to_owned(),
        port: Some(port),
    };
    let mut options = ClientOptions::builder()
        .hosts(vec![host])
        .direct_connection(true)
        .connect_timeout(PATIENCE)
        .server_selection_timeout(PATIENCE)
        .build();
    if let Some((user, password)) = &access.login {
        let mut credential = Credential::default();
        credential.username = Some(user.clone());
        credential.password = Some(password.clone());
        credential.source = Some("admin".to_owned());
        options.credential = Some(credential);
    }
    if let Some((own, authority)) = &access.tls {
        // The library takes the provider of cryptography that the process has; another part may have named it already.
        rustls::crypto::ring::default_provider().install_default().ok();
        let mut tls = TlsOptions::default();
        tls.ca_file_path = Some(authority.clone());
        tls.cert_key_file_path = Some(own.clone());
        options.tls = Some(Tls::Enabled(tls));
    }
    options
}
