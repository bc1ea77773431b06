//! Whom the server runs as: PostgreSQL refuses to be root.

use std::path::Path;

use dbdyno_lab::LabError;

/// The number of the user `nobody`, and of its group, on Linux.
const NOBODY: (u32, u32) = (65_534, 65_534);

/// User and group for the server; `None` when this process is not root, so that it runs as we do.
pub(crate) fn account() -> Option<(u32, u32)> {
    let own = std::fs::metadata("/proc/self").ok()?;
    if std::os::unix::fs::MetadataExt::uid(&own) != 0 {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    Some(of_postgres(&users).unwrap_or(NOBODY))
}

/// The account that the package makes: `postgres:x:101:104:...`.
fn of_postgres(users: &str) -> Option<(u32, u32)> {
    let line = users.lines().find(|line| line.starts_with("postgres:"))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// Gives a file or directory to the server's user.
pub(crate) fn give(path: &Path, account: Option<(u32, u32)>) -> Result<(), LabError> {
    let Some((user, group)) = account else {
        return Ok(());
    };
    std::os::unix::fs::chown(path, Some(user), Some(group))
        .map_err(|error| LabError::files("give to the server's user", path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packages_account_is_found() {
        let users =
            "root:x:0:0:root:/root:/bin/bash\npostgres:x:101:104:PostgreSQL:/var/lib/postgresql:/bin/bash\n";
        assert_eq!(of_postgres(users), Some((101, 104)));
        assert_eq!(of_postgres("root:x:0:0::/root:/bin/sh\n"), None);
    }
}
