//! What of an address or of an option nobody may see.

pub(crate) mod echoes;
mod masking;

use dbdyno_vocabulary::secret::{is_secret, lists_settings, without_secret_words};
pub use dbdyno_vocabulary::visible::HIDDEN;
pub use masking::masked;

/// Last words of a foreign binding's properties whose values are none. Its other properties may be anything.
const HARMLESS: [&str; 22] = [
    "host",
    "hosts",
    "port",
    "ports",
    "url",
    "uri",
    "endpoint",
    "endpoints",
    "cluster",
    "region",
    "database",
    "db",
    "keyspace",
    "bucket",
    "table",
    "columnfamily",
    "driver",
    "index",
    "datacenter",
    "readconsistencylevel",
    "writeconsistencylevel",
    "dir",
];
/// The options that say where a password is, and of which kind the place is.
const PLACES: [(&str, Place); 2] = [("password_env", Place::Variable), ("password_file", Place::File)];
/// How a foreign binding's properties begin.
const FOREIGN: &str = "p.";
/// The most digits of a number that is taken for a setting.
const FEW_DIGITS: usize = 5;

/// Where a password is, if not in the address.
#[derive(Clone, Copy)]
enum Place {
    Variable,
    File,
}

/// The value of an option as it may be shown.
#[must_use]
pub fn shown(name: &str, value: &str) -> String {
    if is_place(name, value) {
        return value.to_owned();
    }
    let hides = match name.strip_prefix(FOREIGN) {
        Some(property) => is_secret(property) || !(is_harmless(property) || is_plain(value)),
        None => is_secret(name),
    };
    if hides {
        HIDDEN.to_owned()
    } else if lists_settings(name) {
        without_secret_words(&address(value))
    } else {
        address(value)
    }
}

/// Whether this is the name of the variable or of the file that holds a password, which is no secret: without it, nobody can repeat
/// what was run. People also write the password itself there, so a value counts as a name only where it cannot be taken for one.
pub(crate) fn is_place(option: &str, value: &str) -> bool {
    let place = PLACES.iter().find(|(name, _)| *name == option);
    match place.map(|(_, place)| place) {
        Some(Place::Variable) => {
            let is_sign = |sign: u8| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == b'_';
            value.bytes().all(is_sign) && value.starts_with(|first: char| !first.is_ascii_digit())
        }
        Some(Place::File) => value.contains(['/', '.']),
        None => false,
    }
}

/// Whether an option says where a password is, instead of holding it.
#[must_use]
pub fn names_place(option: &str) -> bool {
    PLACES.iter().any(|(name, _)| *name == option)
}

fn is_harmless(property: &str) -> bool {
    let last = property.rsplit(['.', '_', '-']).next().unwrap_or(property);
    HARMLESS.contains(&last.to_ascii_lowercase().as_str())
}

/// A switch or a small number.
fn is_plain(value: &str) -> bool {
    let is_number = value.len() <= FEW_DIGITS && value.bytes().all(|sign| sign.is_ascii_digit());
    is_number || ["true", "false"].contains(&value)
}

/// Text that may be an address, without what may be the password of a login in it, and without parameters that hold one. What is a
/// secret follows from its place: what stands between the name of the user and the last `@` that can end a login.
pub(crate) fn address(text: &str) -> String {
    let login_end = login(text).and_then(|(start, authority_end)| {
        let in_authority = text[start..authority_end].rfind('@');
        // A password that nobody encoded may hold anything.
        let end = in_authority.or_else(|| text[start..].rfind('@'));
        end.map(|end| start + end)
    });
    hidden(text, login_end)
}

/// The place of an address that was parsed: a login ends in its authority, or is none.
pub(crate) fn place(text: &str) -> String {
    match login(text) {
        Some((start, authority_end)) if text.starts_with("//") => {
            let end = text[start..authority_end].rfind('@');
            hidden(text, end.map(|end| start + end))
        }
        _ => address(text),
    }
}

/// Where a login can begin, and where the authority ends.
fn login(text: &str) -> Option<(usize, usize)> {
    let start = text.find("//").map_or(0, |slashes| slashes + 2);
    let end = text[start..]
        .find(['/', '?'])
        .map_or(text.len(), |end| start + end);
    (start < text.len()).then_some((start, end))
}

/// The text without what stands between the user's name and the end of the login, and without parameters that hold a secret.
fn hidden(text: &str, login_end: Option<usize>) -> String {
    let Some(end) = login_end else {
        return without_parameters(text);
    };
    let start = text.find("//").map_or(0, |slashes| slashes + 2);
    let login = match text[start..end].split_once(':') {
        Some((user, _)) => format!("{user}:{HIDDEN}"),
        None => text[start..end].to_owned(),
    };
    format!("{}{login}{}", &text[..start], without_parameters(&text[end..]))
}

fn without_parameters(text: &str) -> String {
    match text.split_once('?') {
        Some((place, parameters)) if is_secret(parameters) => format!("{place}?{HIDDEN}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_secret_is_follows_from_its_place() {
        for (given, seen) in [
            ("//me:hunter2@db:5432/test", "//me:***@db:5432/test"),
            ("//:hunter2@db", "//:***@db"),
            ("//me@db/x", "//me@db/x"),
            ("//db:5432/x", "//db:5432/x"),
            ("/me:hunter2@db", "/me:***@db"),
            ("mongodb://me:hun/ter?2@h/d?w=1", "mongodb://me:***@h/d?w=1"),
            ("jdbc:mysql://h/d?user=a&password=hunter2", "jdbc:mysql://h/d?***"),
            ("/tmp/a.redb", "/tmp/a.redb"),
            ("", ""),
            ("//", "//"),
        ] {
            assert_eq!(address(given), seen);
        }
        assert_eq!(place("//h:5432/p@x"), "//h:5432/p@x");
        assert_eq!(place("//me:hunter2@h/p@x"), "//me:***@h/p@x");
    }

    #[test]
    fn a_list_of_settings_is_shown_without_its_secrets() {
        for (name, given, seen) in [
            (
                "java_options",
                "-Xint  -Dstore.keyPassword=hunter2 -XX:MaxRAM=1g",
                "-Xint  -Dstore.keyPassword=*** -XX:MaxRAM=1g",
            ),
            (
                "settings",
                "hbase.x:1 ssl.server.keystore.password:hunter2",
                "hbase.x:1 ssl.server.keystore.password:***",
            ),
            ("cache", "password:no list", "password:no list"),
        ] {
            assert_eq!(shown(name, given), seen);
        }
    }

    #[test]
    fn the_name_of_a_variable_or_a_file_is_no_secret_and_a_password_in_its_place_is_one() {
        for (name, given, is_seen) in [
            ("password_env", "APP_PASSWORD2", true),
            ("password_env", "_P", true),
            ("password_env", "hunter2", false),
            ("password_env", "2HUNTER", false),
            ("password_env", "HUNTER!", false),
            ("password_env", "", false),
            ("password_file", "/run/secrets/bench", true),
            ("password_file", "pw.txt", true),
            ("password_file", "hunter2", false),
            ("password", "APP_PASSWORD", false),
            ("p.password_env", "APP_PASSWORD", false),
        ] {
            let seen = if is_seen { given } else { HIDDEN };
            assert_eq!(shown(name, given), seen, "{name}={given}");
        }
    }

    #[test]
    fn a_foreign_property_is_shown_only_where_it_is_known_to_be_harmless() {
        for name in [
            "p.pwd",
            "p.auth",
            "p.apikey",
            "p.primaryKey",
            "p.x",
            "password",
            "client_secret",
            "p.db.passwd",
        ] {
            assert_eq!(shown(name, "hunter2"), HIDDEN, "{name}");
        }
        assert_eq!(shown("p.pwd", "123"), HIDDEN);
        assert_eq!(shown("p.batchsize", "1000"), "1000");
        assert_eq!(shown("p.debug", "true"), "true");
        assert_eq!(shown("p.cassandra.keyspace", "k"), "k");
        assert_eq!(
            shown("p.mongodb.url", "mongodb://me:hunter2@h/d"),
            "mongodb://me:***@h/d"
        );
        assert_eq!(shown("cache", "64M"), "64M");
    }
}
