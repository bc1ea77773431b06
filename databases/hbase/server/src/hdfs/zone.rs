//! An encryption zone: HDFS keeps nothing of HBase's files that can be read without a key. By Hadoop's guide "Transparent Encryption in
//! HDFS"; names of settings are those of core-default.xml. The key lies in a file that all processes of the instance read: a key server
//! (Hadoop KMS) would keep them from whoever can read that file.

use std::path::PathBuf;

use dbdyno_lab::{LabError, LabErrorKind, LaunchContext, RecipeOption, ServerRequest, random_password};

/// The option of an address.
pub const OPTION: RecipeOption = RecipeOption::new(
    "encryption_zone",
    "on: HDFS encrypts all of HBase's files; off",
    "off",
);
/// The name of the key, and its length in bits.
pub const KEY: (&str, u32) = ("hbase", 128);
/// What HDFS encrypts with: it has no other cipher that Java brings.
pub const CIPHER: &str = "AES-128-CTR";
/// The directory of whoever makes the key, and where it then lies.
pub const MAKER: &str = "zone";
/// Found on the class path of every process.
pub const PASSWORD_FILE: &str = "zone.password";

/// Where the key lies, and how it is read.
pub struct Zone {
    keys: PathBuf,
    password: String,
}

impl Zone {
    /// Whether a request asks for one.
    ///
    /// # Errors
    /// When it is asked for in other words, or without HDFS.
    pub fn is_asked(request: &ServerRequest, has_hdfs: bool) -> Result<bool, LabError> {
        let is_asked = request.choice(OPTION.name, &["off", "on"])? == "on";
        if is_asked && !has_hdfs {
            return Err(LabError::new(
                LabErrorKind::Request,
                "encryption_zone=on of hbase needs HDFS: on the local file system there are no zones",
            )
            .help("add hdfs=1, or use at_rest=engine, with which HBase encrypts its files itself"));
        }
        Ok(is_asked)
    }

    /// Chooses where the key will lie.
    ///
    /// # Errors
    /// When there is no directory for it.
    pub fn prepare(context: &LaunchContext<'_>) -> Result<Self, LabError> {
        Ok(Self {
            keys: context.server_directory(MAKER)?.join("keys.jceks"),
            password: random_password()?,
        })
    }

    /// Settings of everybody: the servers, and those who store files there.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            (
                "hadoop.security.key.provider.path",
                format!("jceks://file{}", self.keys.display()),
            ),
            (
                "hadoop.security.keystore.java-keystore-provider.password-file",
                PASSWORD_FILE.to_owned(),
            ),
        ]
    }

    /// Writes what a process needs beside its settings into its directory.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_password(&self, context: &LaunchContext<'_>, process: &str) -> Result<(), LabError> {
        context.write(process, PASSWORD_FILE, &self.password).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_asked_for_in_words_and_needs_hdfs() {
        let asked = |options: &str, has_hdfs| {
            let request = ServerRequest::parse(&format!("hbase?{options}")).unwrap();
            Zone::is_asked(&request, has_hdfs).map_err(|error| error.help)
        };
        assert_eq!(asked("hdfs=1", true), Ok(false));
        assert_eq!(asked("encryption_zone=off", false), Ok(false));
        assert_eq!(asked("encryption_zone=on", true), Ok(true));
        assert!(asked("encryption_zone=on", false).unwrap_err().contains("hdfs=1"));
        assert!(
            asked("encryption_zone=yes", true)
                .unwrap_err()
                .contains("off, on")
        );
    }
}
