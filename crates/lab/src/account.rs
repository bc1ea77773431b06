//! The account that servers run as where dbdyno runs as root: decided here, for every recipe.

use std::os::unix::fs::lchown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{LabError, LabErrorKind};
use crate::machine_lock;
use crate::progress::Progress;
use crate::source::{on_path, tool};

/// Names the account, for people who made one or want none made.
pub const VARIABLE: &str = "DBDYNO_LAB_USER";
/// The account of the lab. Nothing else runs as it, so no other service can signal or read the servers.
const OWN: &str = "dbdyno-lab";
/// The account where there is no other. Other services may run as it, too.
const SHARED: &str = "nobody";

/// An unprivileged account of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    name: String,
    user: u32,
    group: u32,
}

impl Account {
    /// The account of the servers; `None` where dbdyno is not root and servers run as its user.
    ///
    /// # Errors
    /// When the account that [`VARIABLE`] names does not exist or is root.
    pub(crate) fn of_servers(progress: &mut dyn Progress) -> Result<Option<Self>, LabError> {
        if !is_root_of_machine() {
            return Ok(None);
        }
        let named = std::env::var(VARIABLE).ok().filter(|name| !name.is_empty());
        choose(named.as_deref(), &find, &mut || make(OWN, progress)).map(Some)
    }

    /// Lets a command run as this account. Whatever groups this process has are left behind.
    pub(crate) fn run(&self, command: &mut Command, home: &Path) {
        command
            .uid(self.user)
            .gid(self.group)
            .env("HOME", home)
            .env("USER", &self.name)
            .env("LOGNAME", &self.name);
    }

    /// Gives a directory to the account, with everything in it. The directory itself comes last: until then only this
    /// process can put anything there.
    pub(crate) fn give(&self, path: &Path) -> Result<(), LabError> {
        let failed = |error: &std::io::Error| {
            LabError::files(&format!("give to the user {}", self.name), path, error)
                .help("run dbdyno as an ordinary user, or as root with the right to change owners and users")
        };
        if std::fs::symlink_metadata(path)
            .map_err(|error| failed(&error))?
            .is_dir()
        {
            for entry in std::fs::read_dir(path).map_err(|error| failed(&error))? {
                self.give(&entry.map_err(|error| failed(&error))?.path())?;
            }
        }
        lchown(path, Some(self.user), Some(self.group)).map_err(|error| failed(&error))
    }

    /// Checks that the account can read what lies at a path.
    ///
    /// # Errors
    /// When it cannot, with the directory that keeps it out, followed by `help`.
    pub(crate) fn check_reads(&self, path: &Path, help: &str) -> Result<(), LabError> {
        self.check("-r", "read", path, help)
    }

    fn check(&self, question: &str, what: &str, path: &Path, help: &str) -> Result<(), LabError> {
        let Some(closed) = self.closed(question, path) else {
            return Ok(());
        };
        let through = if closed == path {
            String::new()
        } else {
            format!(", because {} is closed to it", closed.display())
        };
        Err(LabError::new(
            LabErrorKind::Files,
            format!(
                "the servers' user {} cannot {what} {}{through}",
                self.name,
                path.display()
            ),
        )
        .help(help))
    }

    /// Checks that the account can pass through a directory.
    ///
    /// # Errors
    /// As [`check_reads`](Self::check_reads).
    pub(crate) fn check_enters(&self, directory: &Path, help: &str) -> Result<(), LabError> {
        self.check("-x", "enter", directory, help)
    }

    /// The first directory on the way to a path that the account cannot enter, or the path itself.
    fn closed(&self, question: &str, path: &Path) -> Option<PathBuf> {
        if self.can(question, path) {
            return None;
        }
        let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
        above.reverse();
        let closed = above.into_iter().find(|directory| !self.can("-x", directory));
        Some(closed.unwrap_or(path).to_owned())
    }

    /// Asks the kernel: modes alone would overlook access control lists.
    fn can(&self, question: &str, path: &Path) -> bool {
        let mut command = Command::new("test");
        command.arg(question).arg(path).current_dir("/");
        self.run(&mut command, Path::new("/"));
        let status = command.stdin(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }
}

/// The account that is named, else the lab's own, made if need be, else the one that every machine has.
fn choose(
    named: Option<&str>,
    find: &dyn Fn(&str) -> Option<Account>,
    make: &mut dyn FnMut(),
) -> Result<Account, LabError> {
    if let Some(name) = named {
        let (why, help) = match find(name) {
            Some(account) if account.user != 0 => return Ok(account),
            Some(_) => ("is root", "name an unprivileged account".to_owned()),
            None => (
                "does not exist",
                format!("create it (useradd --system {name}), name another account"),
            ),
        };
        return Err(LabError::new(
            LabErrorKind::Machine,
            format!("the account {name}, which {VARIABLE} names, {why}"),
        )
        .help(format!("{help}, or unset {VARIABLE}")));
    }
    let unprivileged = |name: &str| find(name).filter(|account| account.user != 0);
    if let Some(account) = unprivileged(OWN) {
        return Ok(account);
    }
    make();
    unprivileged(OWN).or_else(|| unprivileged(SHARED)).ok_or_else(|| {
        LabError::new(
            LabErrorKind::Machine,
            format!("servers do not run as root, and neither account {OWN} nor {SHARED} exists"),
        )
        .help(format!("name an unprivileged account in {VARIABLE}"))
    })
}

/// Looks where the machine keeps its accounts, which need not be `/etc/passwd`.
fn find(name: &str) -> Option<Account> {
    let user = nix::unistd::User::from_name(name).ok()??;
    Some(Account {
        name: user.name,
        user: user.uid.as_raw(),
        group: user.gid.as_raw(),
    })
}

/// Makes an account. Where that fails, the caller finds none when it looks again.
///
/// Of two `useradd` at once the second overwrites the account of the first with another number, which servers may run as by
/// then: the second waits here and finds the account made.
fn make(name: &str, progress: &mut dyn Progress) {
    let _alone = machine_lock::lock();
    if find(name).is_some() {
        return;
    }
    let Some(program) = on_path("useradd", &["/usr/sbin", "/sbin"]) else {
        progress.say(&format!(
            "running servers as {SHARED}, because useradd is missing to create {name}"
        ));
        return;
    };
    progress.say(&format!("creating the account {name} for servers"));
    let mut command = Command::new(program);
    command.args([
        "--system",
        "--user-group",
        "--no-create-home",
        "--home-dir",
        "/nonexistent",
    ]);
    command.args([
        "--shell",
        "/usr/sbin/nologin",
        "--comment",
        "servers of dbdyno's lab",
        name,
    ]);
    if let Err(error) = tool(&mut command, "") {
        progress.say(&format!("running servers as {SHARED}: {error}"));
    }
}

/// The user of the lab's own account, under which nothing else runs; `None` where servers run under another account.
pub(crate) fn user_of_lab() -> Option<u32> {
    let is_root = is_root_of_machine() && std::env::var_os(VARIABLE).is_none();
    is_root.then(|| find(OWN)).flatten().map(|account| account.user)
}

/// Whether this process has the rights of root, and not only those of one in a namespace of its own.
pub(crate) fn is_root_of_machine() -> bool {
    let users = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    rustix::process::geteuid().is_root() && has_other_users(&users)
}

/// Whether root can become another user. In a user namespace of one user it cannot; there it is an ordinary user outside.
/// Lines of `uid_map` (user_namespaces(7)): first number inside, first outside, how many.
fn has_other_users(uid_map: &str) -> bool {
    let counts = uid_map
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2)?.parse::<u64>().ok());
    counts.sum::<u64>() > 1
}

#[cfg(test)]
pub(crate) mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    /// The account that everybody's machine has; `None` where the test is not root.
    pub(crate) fn shared() -> Option<Account> {
        rustix::process::geteuid()
            .is_root()
            .then(|| find(SHARED).unwrap())
    }

    fn account(name: &str, user: u32) -> Account {
        Account {
            name: name.to_owned(),
            user,
            group: user,
        }
    }

    fn chosen(named: Option<&str>, known: &[(&str, u32)], makes: bool) -> Result<String, LabError> {
        let made = std::cell::Cell::new(false);
        let find = |name: &str| {
            let own = (made.get() && name == OWN).then(|| account(OWN, 990));
            let known = known.iter().find(|(known, _)| *known == name);
            own.or_else(|| known.map(|(name, user)| account(name, *user)))
        };
        choose(named, &find, &mut || made.set(makes)).map(|account| account.name)
    }

    #[test]
    fn the_account_is_the_named_one_else_the_labs_own_else_the_one_that_everybody_has() {
        let machine = [("root", 0), ("redis", 101), (SHARED, 65_534)];
        assert_eq!(chosen(Some("redis"), &machine, true).unwrap(), "redis");
        assert_eq!(chosen(None, &machine, true).unwrap(), OWN);
        assert_eq!(chosen(None, &machine, false).unwrap(), SHARED);
        assert_eq!(chosen(None, &[(OWN, 101)], false).unwrap(), OWN);
        for (named, expected) in [("root", "is root"), ("nosuch", "does not exist")] {
            let error = chosen(Some(named), &machine, true).unwrap_err();
            assert!(
                error.message.contains(named) && error.message.contains(expected),
                "{error}"
            );
            assert!(error.help.contains(VARIABLE), "{}", error.help);
        }
        assert!(
            chosen(None, &[(OWN, 0), (SHARED, 0)], false).is_err(),
            "never root"
        );
    }

    #[test]
    fn an_account_that_is_made_twice_at_once_is_made_once() {
        let Some(remove) = on_path("userdel", &["/usr/sbin", "/sbin"]).filter(|_| shared().is_some()) else {
            return;
        };
        let name = format!("dbdyno-test-{}", std::process::id());
        let made = || {
            make(&name, &mut ());
            find(&name)
        };
        let found: Vec<Option<Account>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(made)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let last = find(&name);
        tool(Command::new(remove).arg(&name), "").unwrap();
        assert!(last.is_some());
        assert!(found.iter().all(|one| *one == last), "{found:?}, now {last:?}");
    }

    #[test]
    fn root_of_a_namespace_without_other_users_stays_what_it_is() {
        assert!(has_other_users("         0          0 4294967295\n"));
        assert!(has_other_users("0 1000 1\n1 100000 65536\n"));
        assert!(!has_other_users("         0       1000          1\n"));
        assert!(!has_other_users(""));
    }

    #[test]
    fn a_directory_is_given_with_its_content_and_without_what_links_lead_to() {
        let Some(account) = shared() else { return };
        let place = tempfile::tempdir().unwrap();
        let (given, kept) = (place.path().join("given"), place.path().join("kept"));
        std::fs::create_dir_all(given.join("data")).unwrap();
        std::fs::write(given.join("data/file"), "").unwrap();
        std::fs::write(&kept, "").unwrap();
        symlink(&kept, given.join("link")).unwrap();
        account.give(&given).unwrap();
        let owner = |path: &Path| std::fs::symlink_metadata(path).unwrap().uid();
        for path in ["", "data", "data/file", "link"] {
            assert_eq!(owner(&given.join(path)), account.user, "{path}");
        }
        assert_eq!(owner(&kept), 0);
    }

    #[test]
    fn the_directory_that_keeps_the_servers_out_is_named() {
        let Some(account) = shared() else { return };
        let place = tempfile::tempdir().unwrap();
        let software = place.path().join("above/software");
        std::fs::create_dir_all(&software).unwrap();
        std::fs::set_permissions(place.path(), PermissionsExt::from_mode(0o700)).unwrap();
        let error = account.check_reads(&software, "move it").unwrap_err();
        let closed = format!("{} is closed", place.path().display());
        assert!(
            error.message.contains(&closed) && error.message.contains(SHARED),
            "{error}"
        );
        assert_eq!(error.help, "move it");
        std::fs::set_permissions(place.path(), PermissionsExt::from_mode(0o711)).unwrap();
        account.check_reads(&software, "").unwrap();
        std::fs::set_permissions(&software, PermissionsExt::from_mode(0o711)).unwrap();
        let error = account.check_reads(&software, "").unwrap_err();
        assert!(error.message.ends_with("software"), "{error}");
    }
}
