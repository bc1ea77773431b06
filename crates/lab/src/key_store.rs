//! Keys of Java servers that encrypt their own files: a key store made for one start.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::LabError;
use crate::launch::LaunchContext;
use crate::security::random_password;
use crate::source::on_path;

/// The directory of the key store; it is the servers', and nobody else can enter it.
const DIRECTORY: &str = "keys";
/// The type of key store that holds secret keys in every version of Java.
pub const KEY_STORE_TYPE: &str = "JCEKS";

/// A key store with one secret key, which all servers of an instance share.
#[derive(Clone)]
pub struct KeyStore {
    /// The file.
    pub path: PathBuf,
    /// The password of the store and of its key.
    pub password: String,
    /// The key's name in it.
    pub alias: &'static str,
}

/// Shows no password.
impl std::fmt::Debug for KeyStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "KeyStore({}, ***)", self.path.display())
    }
}

impl LaunchContext<'_> {
    /// Makes a key store with a new AES key of 128 bits, by the `keytool` of this Java.
    ///
    /// # Errors
    /// When there is no `keytool`, or it fails.
    pub fn key_store(&mut self, java: &Path) -> Result<KeyStore, LabError> {
        let beside = Some(java.with_file_name("keytool")).filter(|path| path.is_file());
        let keytool = beside
            .or_else(|| on_path("keytool", &[]))
            .unwrap_or_else(|| PathBuf::from("keytool"));
        let store = KeyStore {
            path: self.server_directory(DIRECTORY)?.join("keys.jceks"),
            password: random_password()?,
            alias: "dbdyno",
        };
        self.hand_over(DIRECTORY)?;
        let mut command = Command::new(keytool);
        command
            .args(["-J-Xmx64m", "-genseckey", "-keyalg", "AES", "-keysize", "128"])
            .args(["-storetype", KEY_STORE_TYPE, "-alias", store.alias, "-keystore"])
            .arg(&store.path)
            // Every user of the machine can read a command line, only this one its environment.
            .args(["-storepass:env", "DBDYNO_KEY_STORE"])
            .env("DBDYNO_KEY_STORE", &store.password);
        self.run_tool(&mut command)?;
        Ok(store)
    }
}
