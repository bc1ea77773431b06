//! A recipe of this test, whose server is a few lines of Python: whom it runs as, where it may listen, and what is left.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use dbdyno_lab::{
    AT_REST_OPTION, Installation, InstanceRequest, Keep, Lab, LabError, LabErrorKind, LabHome, LaunchContext,
    Progress, Recipe, RecipeInfo, ServerRequest, ServerSpec, Signal, Software, Store, SystemPackages, down,
    instances, last_lines, up,
};
use dbdyno_machine::mounts_below;
use dbdyno_record::AtRest;
use rustix::net::{AddressFamily, SocketType};
use tempfile::TempDir;

/// Not the first on PATH, which may lie in a home that other users cannot enter.
const PYTHON: &str = "/usr/bin/python3";
/// Prints whom it runs as, writes a file and listens: who can connect finds both.
const SERVER: &str = "
import os, socket, sys, time
print(os.getuid(), os.getgid(), len(os.getgroups()), os.environ['HOME'], flush=True)
open('data', 'w').close()
listener = socket.create_server((sys.argv[1], int(sys.argv[2])), family=int(sys.argv[3]))
time.sleep(600)
";

/// Starts a server on this address.
struct Planted {
    address: &'static str,
    program: PathBuf,
    memory_bytes: u64,
    ports: Mutex<Vec<u16>>,
    /// Ports of other programs, which the first starts take for free ones.
    taken: Mutex<Vec<u16>>,
}

impl Planted {
    fn on(address: &'static str) -> Self {
        Self {
            address,
            program: PYTHON.into(),
            memory_bytes: 0,
            ports: Mutex::new(Vec::new()),
            taken: Mutex::new(Vec::new()),
        }
    }
}

impl Recipe for Planted {
    fn info(&self) -> RecipeInfo {
        RecipeInfo {
            name: "planted",
            product: "Planted",
            summary: "a listener",
            versions: &["1"],
            options: &[AT_REST_OPTION],
            software: Software {
                home: "PLANTED_HOME",
                program: None,
                further: &[],
                fetched: None,
                otherwise: "built by hand",
            },
            durability_by: None,
            encrypts_files: None,
            scans_by_key: None,
            usual_start: Duration::from_secs(1),
            usual_warmup: Duration::ZERO,
        }
    }

    fn install(&self, _: &ServerRequest, _: &Store, _: &mut dyn Progress) -> Result<Installation, LabError> {
        Ok(Installation {
            path: PYTHON.into(),
            origin: "planted".to_owned(),
        })
    }

    fn memory_bytes(&self, _: &ServerRequest) -> Result<u64, LabError> {
        Ok(self.memory_bytes)
    }

    fn start(
        &self,
        _: &ServerRequest,
        _: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        let port = match self.taken.lock().unwrap().pop() {
            Some(taken) => taken,
            None => context.port()?,
        };
        self.ports.lock().unwrap().push(port);
        let written = context.write("node1", "secret.conf", "secret")?;
        assert_eq!(written.metadata().unwrap().mode() & 0o777, 0o600);
        // AF_INET or AF_INET6.
        let family = if self.address.contains(':') { "10" } else { "2" };
        let arguments = ["-c", SERVER, self.address, &port.to_string(), family];
        context.spawn(ServerSpec::new("node1", &self.program).arguments(arguments))?;
        context.wait_until("open port", Duration::from_secs(20), || {
            connect(port).map_err(|error| error.to_string())
        })?;
        let late = context.write("node1", "late.conf", "").unwrap_err();
        assert!(late.message.contains("late.conf"), "{late}");
        Ok(format!("planted://127.0.0.1:{port}"))
    }
}

fn connect(port: u16) -> std::io::Result<()> {
    let addresses: [SocketAddr; 2] = [
        (Ipv4Addr::LOCALHOST, port).into(),
        (Ipv6Addr::LOCALHOST, port).into(),
    ];
    TcpStream::connect(&addresses[..]).map(drop)
}

/// A home that servers of every user can pass through.
fn home() -> (TempDir, LabHome) {
    let place = tempfile::Builder::new()
        .permissions(PermissionsExt::from_mode(0o711))
        .tempdir()
        .unwrap();
    let home = LabHome::at(place.path()).unwrap();
    (place, home)
}

/// Installs the tools of volumes where they are missing.
struct Permitting;

impl Progress for Permitting {
    fn say(&mut self, _: &str) {}

    fn may_install(&mut self, _: &SystemPackages<'_>) -> bool {
        true
    }
}

fn start(recipe: &Planted, home: &LabHome, keep: Keep) -> Result<Lab, LabError> {
    start_as("planted", recipe, home, keep)
}

fn start_as(request: &str, recipe: &Planted, home: &LabHome, keep: Keep) -> Result<Lab, LabError> {
    let instance = InstanceRequest {
        recipe,
        request: &ServerRequest::parse(request).unwrap(),
        home,
        keep,
    };
    up(&instance, &mut Permitting, &|| false)
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// User and group of a running process.
fn owner(process: u32) -> (u32, u32) {
    let found = std::fs::metadata(Path::new("/proc").join(process.to_string())).unwrap();
    (found.uid(), found.gid())
}

#[test]
fn a_server_that_other_machines_can_reach_is_refused_and_stopped() {
    let (_place, home) = home();
    for (address, shown) in [("0.0.0.0", "0.0.0.0"), ("::", "::")] {
        let recipe = Planted::on(address);
        let error = start(&recipe, &home, Keep::Detached).err().unwrap();
        assert_eq!(error.kind, LabErrorKind::Server);
        let port = recipe.ports.lock().unwrap()[0];
        let expected = format!("node1 of planted listens on the address {shown}, port {port}");
        assert!(error.message.contains(&expected), "{error}");
        assert!(error.help.contains("loopback"), "{}", error.help);
        assert!(connect(port).is_err(), "it was stopped");
        assert_eq!(instances(&home).unwrap(), []);
    }
}

#[test]
fn a_server_of_root_runs_as_an_unprivileged_user_in_a_directory_of_its_own() {
    let (_place, home) = home();
    let mut lab = start(&Planted::on("127.0.0.1"), &home, Keep::UntilDropped).unwrap();
    let own = owner(std::process::id());
    for is_restarted in [false, true] {
        if is_restarted {
            lab.restart("node1").unwrap();
            wait_for(|| last_lines(&lab.servers()[0].log, 9).lines().count() == 2);
        }
        let server = &lab.servers()[0];
        let (user, group) = owner(server.process.id);
        if is_root() {
            assert!(user != 0 && group != 0, "{user} {group}");
        } else {
            assert_eq!((user, group), own);
        }
        let directory = server.directory.metadata().unwrap();
        assert_eq!((directory.uid(), directory.gid()), (user, group));
        assert_eq!(directory.mode() & 0o777, 0o700);
        for file in ["secret.conf", "data"] {
            assert_eq!(
                server.directory.join(file).metadata().unwrap().uid(),
                user,
                "{file}"
            );
        }
        let log = server.log.metadata().unwrap();
        assert_eq!((log.uid(), log.mode() & 0o777), (own.0, 0o600));
        assert!(!server.log.starts_with(&server.directory));
        if is_root() {
            let stated = last_lines(&server.log, 1);
            let expected = format!("  {user} {group} 0 {}", server.directory.display());
            assert_eq!(stated, expected, "no group of root's is kept, nor its home");
        }
        assert!(lab.instance().is_running());
    }
    let process = lab.servers()[0].process;
    lab.signal("node1", Signal::Pause).unwrap();
    wait_for(|| state(process.id) == Some('T'));
    lab.signal("node1", Signal::Kill).unwrap();
    assert!(!process.is_alive());
    drop(lab);
    assert_eq!(instances(&home).unwrap(), []);
}

#[test]
fn a_detached_server_of_another_user_is_found_and_ended() {
    let (_place, home) = home();
    let lab = start(&Planted::on("127.0.0.1"), &home, Keep::Detached).unwrap();
    let process = lab.servers()[0].process;
    drop(lab);
    let found = instances(&home).unwrap();
    assert!(found[0].is_running());
    down(&found[0]).unwrap();
    assert!(!process.is_alive());
    assert_eq!(instances(&home).unwrap(), []);
}

#[test]
fn a_volume_holds_what_servers_write_and_goes_with_them() {
    let (place, home) = home();
    let mounts = || mounts_below(place.path());
    let recipe = Planted::on("127.0.0.1");
    if !is_root() {
        let error = start_as("planted?at_rest=volume", &recipe, &home, Keep::UntilDropped).err();
        let error = error.unwrap();
        assert!(error.message.contains("needs root"), "{error}");
        assert_eq!(mounts(), [] as [PathBuf; 0]);
        return;
    }
    for (level, keep) in [
        ("volume", Keep::UntilDropped),
        ("plain-volume", Keep::Detached),
        ("volume", Keep::Detached),
    ] {
        let request = format!("planted?at_rest={level}");
        let mut lab = start_as(&request, &recipe, &home, keep).unwrap();
        let mounted = mounts();
        assert_eq!(mounted.len(), 1, "{mounted:?}");
        let server = lab.servers()[0].clone();
        assert!(server.directory.starts_with(&mounted[0]) && server.log.starts_with(&mounted[0]));
        assert!(lab.instance().is_running());
        let (user, _) = owner(server.process.id);
        let directory = server.directory.metadata().unwrap();
        assert_eq!((directory.uid(), directory.mode() & 0o777), (user, 0o700));
        assert_eq!(server.directory.join("data").metadata().unwrap().uid(), user);
        // Other processes read the facts, too.
        let facts = lab.at_rest().unwrap().clone();
        assert_eq!(facts.name(), level);
        assert_eq!(instances(&home).unwrap()[0].at_rest.as_ref(), Some(&facts));
        if let AtRest::Volume(encryption) = &facts {
            assert_eq!(
                (encryption.contents.as_str(), encryption.policy_version),
                ("AES-256-XTS", 2)
            );
            assert!(encryption.implementation.is_some(), "{facts}");
        }
        lab.restart("node1").unwrap();
        wait_for(|| last_lines(&lab.servers()[0].log, 9).lines().count() == 2);
        drop(lab);
        if keep == Keep::Detached {
            let left = instances(&home).unwrap();
            assert!(left[0].is_running());
            // A killed process has no time to unmount anything.
            for server in &left[0].servers {
                Signal::Kill.send(server.process);
            }
            down(&left[0]).unwrap();
        }
        assert_eq!(mounts(), [] as [PathBuf; 0]);
        assert_eq!(instances(&home).unwrap(), []);
    }
    // A start that fails leaves nothing either.
    let error = start_as(
        "planted?at_rest=volume",
        &Planted::on("0.0.0.0"),
        &home,
        Keep::Detached,
    )
    .err();
    assert_eq!(error.unwrap().kind, LabErrorKind::Server);
    assert_eq!(mounts(), [] as [PathBuf; 0]);
    assert_eq!(instances(&home).unwrap(), []);
}

#[test]
fn what_the_servers_cannot_reach_is_named_before_they_start() {
    if !is_root() {
        return;
    }
    let closed = tempfile::tempdir().unwrap();
    std::fs::set_permissions(closed.path(), PermissionsExt::from_mode(0o700)).unwrap();
    let home_inside = LabHome::at(&closed.path().join("lab")).unwrap();
    let error = start(&Planted::on("127.0.0.1"), &home_inside, Keep::UntilDropped)
        .err()
        .unwrap();
    let expected = format!("{} is closed", closed.path().display());
    assert!(error.message.contains(&expected), "{error}");
    assert!(error.help.contains("DBDYNO_LAB_HOME"), "{}", error.help);

    let (_place, home) = home();
    let program = closed.path().join("server");
    std::fs::copy("/bin/true", &program).unwrap();
    let recipe = Planted {
        program,
        ..Planted::on("127.0.0.1")
    };
    let error = start(&recipe, &home, Keep::UntilDropped).err().unwrap();
    assert!(error.message.contains(&expected), "{error}");
}

/// The letter of a process's state, `T` where it stands still.
#[test]
fn servers_that_do_not_fit_together_are_refused_before_the_first_starts() {
    let (_place, home) = home();
    let recipe = Planted {
        memory_bytes: 1 << 50,
        ..Planted::on("127.0.0.1")
    };
    let error = start(&recipe, &home, Keep::UntilDropped).err().unwrap();
    assert_eq!(error.kind, LabErrorKind::Machine);
    assert!(
        error.message.contains("the servers need 1073741824 MiB"),
        "{error}"
    );
    assert!(recipe.ports.lock().unwrap().is_empty());
}

#[test]
fn a_server_whose_port_another_program_took_starts_again_on_another() {
    let (_place, home) = home();
    // It does not listen, or it would answer the question whether the server is up.
    let other = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    rustix::net::bind(&other, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let taken = SocketAddr::try_from(rustix::net::getsockname(&other).unwrap()).unwrap();
    let with_taken = |times| Planted {
        taken: Mutex::new(vec![taken.port(); times]),
        ..Planted::on("127.0.0.1")
    };
    let recipe = with_taken(2);
    let lab = start(&recipe, &home, Keep::UntilDropped).unwrap();
    let ports = recipe.ports.lock().unwrap();
    assert_eq!(ports[..2], [taken.port(); 2]);
    assert_eq!(lab.address(), format!("planted://127.0.0.1:{}", ports[2]));
    assert_eq!(
        instances(&home).unwrap().len(),
        1,
        "nothing is left of the others"
    );
    let error = start(&with_taken(3), &home, Keep::UntilDropped).err().unwrap();
    assert_eq!(error.kind, LabErrorKind::PortTaken);
    assert!(error.message.contains("Address already in use"), "{error}");
}

fn state(process: u32) -> Option<char> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    text.rsplit_once(") ")?.1.chars().next()
}

fn wait_for(is_so: impl Fn() -> bool) {
    for _ in 0..3_000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it did not come about within a minute");
}
