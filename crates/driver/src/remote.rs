//! Addresses of servers: `scheme://[user[:password]@]host[:port][,host[:port]...][/path][?option=value&...]`, and the
//! options that mean the same for every database reached over a network.

#[cfg(feature = "tls")]
mod encryption;
mod known;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dbdyno_owned::foreign;
#[cfg(feature = "tls")]
pub use encryption::{authorities, client_configuration};
pub use known::{OPTIONS, SERVER_PIDS};
use percent_encoding::percent_decode_str;

use crate::secrets::echoes;
use crate::{DbError, DriverInfo, ErrorClass, Target, options, text_file};

/// The most that a server may send for one operation. More than any scan of a workload asks for, and little enough that a server
/// which never stops takes no machine's memory.
pub const LARGEST_ANSWER_BYTES: usize = 128 << 20;

/// A text that no output shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret of this text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        echoes::remember(&text);
        Self(text)
    }

    /// The text itself, for the client library and nothing else.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

/// One server of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPort {
    /// Name or address; an IPv6 address without its brackets.
    pub host: String,
    /// Port; the driver's default when none was given.
    pub port: u16,
}

impl fmt::Display for HostPort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(formatter, "[{}]:{}", self.host, self.port)
        } else {
            write!(formatter, "{}:{}", self.host, self.port)
        }
    }
}

/// How a connection is encrypted. The server's certificate and name are always checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// Authorities that may have signed the server's certificate; `None`: the system's.
    pub ca: Option<PathBuf>,
    /// The client's certificate and key.
    pub client: Option<(PathBuf, PathBuf)>,
}

/// A server's address, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// At least one.
    pub hosts: Vec<HostPort>,
    /// Who logs in.
    pub user: Option<String>,
    /// With which password.
    pub password: Option<Secret>,
    /// What follows the hosts, without its `/`: a database or keyspace; empty when absent.
    pub path: String,
    /// `None`: not encrypted.
    pub tls: Option<Tls>,
    /// Longest wait for a connection.
    pub connect_timeout: Duration,
    /// Longest wait for the answer to one operation.
    pub timeout: Duration,
}

impl Remote {
    /// Reads a target's address and the options of servers. Files and variables that hold secrets are read here.
    ///
    /// # Errors
    /// `Rejected`, with what is wrong and how it is written. The password is never part of it.
    pub fn read(info: &DriverInfo, target: &Target) -> Result<Self, DbError> {
        let refuse = |what: String| DbError::new(ErrorClass::Rejected, format!("`{}` {what}", info.name));
        let rest = target.place.strip_prefix("//").ok_or_else(|| {
            refuse(format!(
                "needs the address of its server; write e.g. `{}`",
                info.example
            ))
        })?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (login, hosts) = match authority.rsplit_once('@') {
            Some((login, hosts)) => (Some(login), hosts),
            None => (None, authority),
        };
        let hosts = hosts
            .split(',')
            .map(|host| host_port(host, info.default_port).map_err(&refuse))
            .collect::<Result<Vec<_>, _>>()?;
        let (user_of_url, password_of_url) = match login.map(|login| login.split_once(':')) {
            Some(Some((user, password))) => (Some(decoded(user)), Some(decoded(password))),
            Some(None) => (login.map(decoded), None),
            None => (None, None),
        };
        let option = |name: &str| target.options.get(name).map(String::as_str);
        let user = match (user_of_url, option("user")) {
            (Some(_), Some(_)) => {
                return Err(refuse(
                    "has two users; remove the URL's user or the option `user`".into(),
                ));
            }
            (of_url, of_option) => of_url.or(of_option.map(str::to_owned)),
        };
        let passwords = [
            password_of_url.is_some(),
            option("password_file").is_some(),
            option("password_env").is_some(),
        ];
        if passwords.into_iter().filter(|given| *given).count() > 1 {
            return Err(refuse(
                "has more than one password; keep one of the URL's password, `password_file` and `password_env`"
                    .into(),
            ));
        }
        let password = if let Some(file) = option("password_file") {
            let text = text_file::read(Path::new(file)).map_err(|error| {
                refuse(format!(
                    "cannot read the file that `password_file` names: {error}"
                ))
            })?;
            text.lines().next().map(str::to_owned)
        } else if let Some(variable) = option("password_env") {
            // The name may be the password itself, given in the wrong place.
            let unset = "needs the password from an environment variable, and the one that `password_env` names is not set";
            Some(std::env::var(variable).map_err(|_| refuse(unset.to_owned()))?)
        } else {
            password_of_url
        };
        Ok(Self {
            hosts,
            user,
            password: password.map(Secret::new),
            path: decoded(path.trim_end_matches('/')),
            tls: tls(info, target).map_err(refuse)?,
            connect_timeout: options::duration(info, target, "connect_timeout", Duration::from_secs(10))?,
            timeout: options::duration(info, target, "timeout", Duration::from_secs(10))?,
        })
    }

    /// The hosts as people write them, for messages.
    #[must_use]
    pub fn hosts_text(&self) -> String {
        let hosts: Vec<String> = self.hosts.iter().map(HostPort::to_string).collect();
        hosts.join(",")
    }
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn host_port(text: &str, default_port: Option<u16>) -> Result<HostPort, String> {
    if text.starts_with('[') && !text.contains(']') {
        return Err("has an IPv6 address without its `]`; write e.g. `//[::1]:9042`".to_owned());
    }
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, "")) => (host, None),
        Some((host, port)) => (host, Some(port.trim_start_matches(':'))),
        None => match text.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        },
    };
    if host.is_empty() {
        return Err("has an empty host in its address; write e.g. `//127.0.0.1:9042`".to_owned());
    }
    let port = match port {
        // It may be a password, where the host was forgotten.
        Some(port) => port.parse().map_err(|_| {
            let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
            let port = if is_number { format!("`{port}`") } else { "what follows `:`".to_owned() };
            format!("cannot read {port} as a port, which is a number up to 65535; a login comes before the host: `user:password@host:port`")
        })?,
        None => default_port.ok_or("needs a port in its address; write e.g. `//127.0.0.1:9042`")?,
    };
    Ok(HostPort {
        host: host.to_owned(),
        port,
    })
}

fn tls(info: &DriverInfo, target: &Target) -> Result<Option<Tls>, String> {
    let file = |name: &str| target.options.get(name).map(PathBuf::from);
    let (ca, certificate, key) = (file("tls_ca"), file("tls_cert"), file("tls_key"));
    for (name, path) in [("tls_ca", &ca), ("tls_cert", &certificate), ("tls_key", &key)] {
        if let Some(path) = path
            && let Err(error) = check_file(path)
        {
            return Err(format!("cannot read `{name}={}`: {error}", path.display()));
        }
    }
    let client = match (certificate, key) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        _ => return Err("needs `tls_cert` and `tls_key` together".to_owned()),
    };
    let wanted = ca.is_some() || client.is_some();
    let on = options::choice(
        info,
        target,
        "tls",
        &["on", "off"],
        if wanted { "on" } else { "off" },
    )
    .map_err(|error| error.message)?;
    match (on, wanted) {
        ("on", _) => Ok(Some(Tls { ca, client })),
        (_, true) => Err("has both `tls=off` and TLS files; remove one of them".to_owned()),
        _ => Ok(None),
    }
}

/// Whether a file that a library reads itself, such as a certificate or a keytab, can be read to its end without waiting.
///
/// # Errors
/// When it cannot be opened, is larger than 64 MiB, or is a pipe or a device: it is read more than once.
pub fn check_file(path: &Path) -> io::Result<()> {
    let file = foreign::open(path)?;
    if file.metadata()?.len() > text_file::MOST_BYTES {
        return Err(foreign::too_large(text_file::MOST_BYTES));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
