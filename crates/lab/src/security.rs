//! How servers of the lab are protected: five profiles with the same meaning for every product, with certificates and
//! passwords made for one start.

use std::fs::DirBuilder;
use std::net::IpAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::authority::{make_certificates, write};
use crate::error::{LabError, LabErrorKind};
use crate::launch::LaunchContext;
use crate::listen::listen;
use crate::recipe_info::RecipeOption;
use crate::recipe_info::{PASSWORD_ENV_OPTION, PASSWORD_FILE_OPTION, TLS_OPTION};
use crate::request::{PASSWORD, ServerRequest};

/// The option of recipes that names the profile.
pub const SECURITY_OPTION: RecipeOption = RecipeOption::new(
    "security",
    "none, auth (logins), tls, mtls (clients show a certificate) or hardened (all of it, with the least rights), with certificates and passwords made for this start",
    "none",
);

/// A profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// As products come, on loopback: no login, no encryption.
    None,
    /// Everybody logs in; clear text.
    Auth,
    /// TLS and nothing else; clients need no certificate.
    Tls,
    /// TLS and nothing else; clients show a certificate.
    Mtls,
    /// Login, TLS on both sides, also between servers, the least rights, and every management plane closed.
    Hardened,
}

impl Security {
    /// Every profile, the least first.
    pub const ALL: [Self; 5] = [Self::None, Self::Auth, Self::Tls, Self::Mtls, Self::Hardened];

    /// Its name in a request.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Auth => "auth",
            Self::Tls => "tls",
            Self::Mtls => "mtls",
            Self::Hardened => "hardened",
        }
    }

    /// The profile that a request asks for.
    ///
    /// # Errors
    /// When there is none of that name, or the request also sets what the profile sets.
    pub fn of(request: &ServerRequest) -> Result<Self, LabError> {
        let name = request.choice(SECURITY_OPTION.name, &Self::ALL.map(Self::name))?;
        let profile = Self::ALL.into_iter().find(|profile| profile.name() == name);
        let profile = profile.unwrap_or(Self::None);
        let set_by_it = [
            PASSWORD,
            PASSWORD_FILE_OPTION.name,
            PASSWORD_ENV_OPTION.name,
            TLS_OPTION.name,
            "user",
            "auth",
        ];
        match set_by_it
            .into_iter()
            .find(|option| request.option(option).is_some())
        {
            Some(option) if profile != Self::None => Err(LabError::new(
                LabErrorKind::Request,
                format!("security={name} of {} already decides `{option}`", request.name),
            )
            .help(format!("leave out one of security and {option}"))),
            _ => Ok(profile),
        }
    }

    /// Whether everybody must log in.
    #[must_use]
    pub const fn has_login(self) -> bool {
        matches!(self, Self::Auth | Self::Hardened)
    }

    /// Whether clients must use TLS.
    #[must_use]
    pub const fn has_tls(self) -> bool {
        matches!(self, Self::Tls | Self::Mtls | Self::Hardened)
    }

    /// Whether clients must show a certificate.
    #[must_use]
    pub const fn asks_for_certificates(self) -> bool {
        matches!(self, Self::Mtls | Self::Hardened)
    }
}

/// What servers are protected with in one start: what the profile asks for, or what the request's own options name.
#[derive(Clone, Debug)]
pub struct Protection {
    /// The profile; `None` also where the request's own options protect the servers.
    pub profile: Security,
    /// Certificates; `None` without TLS.
    pub tls: Option<ServerTls>,
    /// Logins that the profile makes; `None` without.
    pub logins: Option<Logins>,
    /// The address on which servers listen beside loopback; `None` as a rule.
    pub listen: Option<IpAddr>,
    /// Where the files of clients lie.
    clients: PathBuf,
}

/// The certificates that servers encrypt with.
#[derive(Clone, Debug)]
pub struct ServerTls {
    /// Directory of `server.pem`, `server.key` and `ca.pem`.
    pub directory: PathBuf,
    /// Whether clients must show a certificate of that authority.
    pub asks_clients: bool,
}

/// Passwords that nobody chose: one for the application, which may do no more than it needs, one for the administrator.
#[derive(Clone)]
pub struct Logins {
    /// Of the user [`APPLICATION`].
    pub password: String,
    /// Of the user [`ADMINISTRATOR`].
    pub administrator_password: String,
}

/// Shows no password.
impl std::fmt::Debug for Logins {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Logins(***)")
    }
}

/// The user that drivers log in as under a profile with logins.
pub const APPLICATION: &str = "dbdyno";
/// The administrator of a profile with logins.
pub const ADMINISTRATOR: &str = "dbdyno_admin";
/// Files of clients in [`Protection::clients`].
const PASSWORD_FILE: &str = "password";
const ADMINISTRATOR_PASSWORD_FILE: &str = "administrator-password";

impl LaunchContext<'_> {
    /// What the servers of a request are protected with. Under a profile, certificates for all loopback addresses and
    /// passwords are made and laid down where clients of this user find them.
    ///
    /// # Errors
    /// As [`Security::of`]; when files cannot be written.
    pub fn protection(&self, request: &ServerRequest) -> Result<Protection, LabError> {
        let profile = Security::of(request)?;
        let clients = self.directory().join("clients");
        let mut protection = Protection {
            profile,
            tls: request.option(TLS_OPTION.name).map(|directory| ServerTls {
                directory: PathBuf::from(directory),
                asks_clients: true,
            }),
            logins: None,
            listen: listen(request, profile.has_login())?,
            clients: clients.clone(),
        };
        if profile == Security::None {
            return Ok(protection);
        }
        DirBuilder::new()
            .mode(0o700)
            .create(&clients)
            .map_err(|error| LabError::files("make", &clients, &error))?;
        if profile.has_tls() {
            let mut names: Vec<String> = (1..=8).map(|last| format!("127.0.0.{last}")).collect();
            names.extend(protection.listen.map(|address| address.to_string()));
            let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
            names.push("localhost");
            make_certificates(&clients, &names)?;
            protection.tls = Some(ServerTls {
                directory: clients.clone(),
                asks_clients: profile.asks_for_certificates(),
            });
        }
        if profile.has_login() {
            let logins = Logins {
                password: random_password()?,
                administrator_password: random_password()?,
            };
            write(&clients, PASSWORD_FILE, &logins.password)?;
            write(
                &clients,
                ADMINISTRATOR_PASSWORD_FILE,
                &logins.administrator_password,
            )?;
            protection.logins = Some(logins);
        }
        Ok(protection)
    }
}

impl Protection {
    /// The addresses on which servers listen, separated by this.
    #[must_use]
    pub fn addresses(&self, separator: &str) -> String {
        let listen = self.listen.map(|address| format!("{separator}{address}"));
        format!("127.0.0.1{}", listen.unwrap_or_default())
    }

    /// The options of an address with which a driver gets in as the application: files of certificates and of the password.
    /// Empty without a profile: who sets options by hand has the clients' files.
    #[must_use]
    pub fn client_options(&self) -> Vec<(&'static str, String)> {
        self.options(PASSWORD_FILE)
    }

    /// The options of an address with which a driver gets in as the administrator.
    #[must_use]
    pub fn administrator_options(&self) -> Vec<(&'static str, String)> {
        self.options(ADMINISTRATOR_PASSWORD_FILE)
    }

    fn options(&self, password: &str) -> Vec<(&'static str, String)> {
        let file = |name: &str| self.clients.join(name).display().to_string();
        let mut options = Vec::new();
        if self.profile.has_login() {
            options.push((PASSWORD_FILE_OPTION.name, file(password)));
        }
        if self.profile.has_tls() {
            options.push(("tls_ca", file("ca.pem")));
        }
        if self.profile.asks_for_certificates() {
            options.push(("tls_cert", file("client.pem")));
            options.push(("tls_key", file("client.key")));
        }
        options
    }
}

impl ServerTls {
    /// Copies the certificate and the key in one file `server.pem`, as several products want them, and `ca.pem`, into the
    /// directory of a server. Returns both paths.
    ///
    /// # Errors
    /// When one cannot be read or written.
    pub fn as_one_file(
        &self,
        context: &LaunchContext<'_>,
        server: &str,
    ) -> Result<(PathBuf, PathBuf), LabError> {
        let read = |name: &str| {
            let path = self.directory.join(name);
            std::fs::read(&path).map_err(|error| LabError::files("read", &path, &error))
        };
        let both = [read("server.key")?, read("server.pem")?].join(&b'\n');
        Ok((
            context.write(server, "server.pem", both)?,
            context.write(server, "ca.pem", read("ca.pem")?)?,
        ))
    }

    /// A file of the directory.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        Path::new(&self.directory).join(name)
    }
}

/// An address with further options.
#[must_use]
pub fn with_options(address: &str, options: &[(&'static str, String)]) -> String {
    let mut address = address.to_owned();
    for (name, value) in options {
        address.push(if address.contains('?') { '&' } else { '?' });
        address.push_str(&format!("{name}={value}"));
    }
    address
}

/// A password that nobody chose: 160 bits in letters and digits, which every product takes and no address must encode.
///
/// # Errors
/// When the machine gives no random numbers.
pub fn random_password() -> Result<String, LabError> {
    let mut bytes = [0; 20];
    getrandom::fill(&mut bytes).map_err(|error| {
        LabError::new(
            LabErrorKind::Machine,
            format!("the machine gives no random numbers for passwords: {error}"),
        )
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::granted::Granted;
    use crate::launch::Place;

    fn of(text: &str) -> Result<Security, LabError> {
        Security::of(&ServerRequest::parse(text).unwrap())
    }

    #[test]
    fn a_profile_decides_alone() {
        assert_eq!(of("redis").unwrap(), Security::None);
        for profile in Security::ALL {
            assert_eq!(
                of(&format!("redis?security={}", profile.name())).unwrap(),
                profile
            );
        }
        assert_eq!(of("redis?security=none&password=x").unwrap(), Security::None);
        for (text, expected) in [
            ("redis?security=tight", "is not valid"),
            ("redis?security=tls&password=x", "already decides `password`"),
            ("redis?security=auth&tls=/d", "already decides `tls`"),
            ("hbase?security=hardened&auth=kerberos", "already decides `auth`"),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.message.contains(expected), "{text}: {error}");
            assert!(!error.help.is_empty());
        }
    }

    #[test]
    fn a_profile_lays_down_what_its_clients_need_for_nobody_else_to_read() {
        use std::os::unix::fs::PermissionsExt;
        for profile in Security::ALL {
            let place = tempfile::tempdir().unwrap();
            let (mut silent, stop) = ((), || false);
            let plain = Place {
                directory: place.path().to_owned(),
                volume: None,
                account: None,
                granted: Granted::default(),
            };
            let context = LaunchContext::new(plain, false, &mut silent, &stop);
            let request = format!("redis?security={}", profile.name());
            let protection = context
                .protection(&ServerRequest::parse(&request).unwrap())
                .unwrap();
            let options = protection.client_options();
            let names: Vec<&str> = options.iter().map(|(name, _)| *name).collect();
            let expected: &[&str] = match profile {
                Security::None => &[],
                Security::Auth => &["password_file"],
                Security::Tls => &["tls_ca"],
                Security::Mtls => &["tls_ca", "tls_cert", "tls_key"],
                Security::Hardened => &["password_file", "tls_ca", "tls_cert", "tls_key"],
            };
            assert_eq!(names, expected);
            for (_, path) in options {
                let mode = Path::new(&path).metadata().unwrap().permissions().mode();
                assert_eq!(mode & 0o077, 0, "{path}");
            }
            if let Some(logins) = &protection.logins {
                assert_ne!(logins.password, logins.administrator_password);
                assert!(!format!("{protection:?}").contains(&logins.password));
            }
        }
    }
}
