//! A certification authority for one start of servers: made anew, its key forgotten when its certificates are written.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};

use crate::error::{LabError, LabErrorKind};

/// Puts an authority's certificate (`ca.pem`), and certificates and keys of servers with these names and of a client
/// (`server.pem`, `server.key`, `client.pem`, `client.key`) into a directory. Servers show their certificate to each other,
/// so it serves both ends.
///
/// # Errors
/// When a name cannot stand in a certificate, or a file cannot be written or is there.
pub fn make_certificates(directory: &Path, names: &[&str]) -> Result<(), LabError> {
    let failed = |error: rcgen::Error| {
        LabError::new(
            LabErrorKind::Files,
            format!("cannot make certificates for {}: {error}", names.join(", ")),
        )
    };
    let mut authority = CertificateParams::new(Vec::<String>::new()).map_err(failed)?;
    authority
        .distinguished_name
        .push(DnType::CommonName, "dbdyno's lab, for one start");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().map_err(failed)?;
    let certificate = authority.self_signed(&key).map_err(failed)?;
    write(directory, "ca.pem", &certificate.pem())?;
    let issuer = Issuer::new(authority, key);
    for name in ["server", "client"] {
        let key = KeyPair::generate().map_err(failed)?;
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut parameters = CertificateParams::new(names).map_err(failed)?;
        parameters.distinguished_name.push(DnType::CommonName, name);
        parameters
            .extended_key_usages
            .push(ExtendedKeyUsagePurpose::ClientAuth);
        if name == "server" {
            parameters
                .extended_key_usages
                .push(ExtendedKeyUsagePurpose::ServerAuth);
        }
        let certificate = parameters.signed_by(&key, &issuer).map_err(failed)?;
        write(directory, &format!("{name}.pem"), &certificate.pem())?;
        write(directory, &format!("{name}.key"), &key.serialize_pem())?;
    }
    Ok(())
}

/// A new file that only its owner can read.
pub(crate) fn write(directory: &Path, name: &str, text: &str) -> Result<(), LabError> {
    let path = directory.join(name);
    let mut options = File::options();
    options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| LabError::files("write", &path, &error))
}
