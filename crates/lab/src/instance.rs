//! A running system of the lab, from the request to its end.

use std::path::Path;
use std::process::Child;

use dbdyno_machine::ProcessId;
use dbdyno_record::{AtRest, ServerResources};

use crate::account::{Account, is_root_of_machine};
use crate::error::{LabError, LabErrorKind};
use crate::granted::Granted;
use crate::home::{LabHome, VARIABLE};
use crate::launch::{LaunchContext, Place, servers_directory};
use crate::listen::listen;
use crate::placed;
use crate::platform;
use crate::ports::Claims;
use crate::process::{Signal, end};
use crate::progress::Progress;
use crate::recipe::Recipe;
use crate::recipe_info::CLIENT_OPTION;
use crate::request::ServerRequest;
use crate::resources::{granted, sized};
use crate::security::Security;
use crate::shared_memory;
use crate::sockets;
use crate::spawn::{ServerSpec, Surroundings, name_of, spawn};
use crate::state::{Instance, LAST_PATIENCE, PATIENCE, Server, remove};
use crate::store::{Store, set_mode};
use crate::usage::{Usage, usage_of, usage_without_disk};
use crate::volume::{self, Volume};
use crate::{control_group, log_directory};

/// How long a system lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Until the [`Lab`] is dropped, or this process ends in any way.
    UntilDropped,
    /// Until somebody calls [`down`](crate::down).
    Detached,
}

/// A running system.
pub struct Lab {
    instance: Instance,
    children: Vec<(Child, ServerSpec)>,
    /// Whom the servers run as, where this process is root.
    account: Option<Account>,
    /// Where the servers' directories lie, where that is no plain directory.
    volume: Option<Volume>,
    /// The CPUs and the memory of its servers.
    granted: Granted,
    /// The servers' ports stay theirs while they are started again.
    ports: Claims,
    keep: Keep,
}

/// Another program may listen on a port between the moment when the lab finds it free and the moment when the server listens: up to
/// twenty seconds with Java. The next start has other ports.
const STARTS: usize = 3;

/// A system that the lab shall start.
#[derive(Clone, Copy)]
pub struct InstanceRequest<'a> {
    /// Its product.
    pub recipe: &'a dyn Recipe,
    /// Its version and options.
    pub request: &'a ServerRequest,
    /// Where software and instances have their files.
    pub home: &'a LabHome,
    /// How long it lives.
    pub keep: Keep,
}

/// Installs and starts what is asked for, and returns when it answers.
///
/// # Errors
/// When the request names something unknown, the software cannot be had, the machine has no room, a server does not start,
/// listens on an address that is neither loopback nor asked for, or `stop` says so. What was started is stopped, and nothing is left.
pub fn up(
    instance: &InstanceRequest<'_>,
    progress: &mut dyn Progress,
    stop: &dyn Fn() -> bool,
) -> Result<Lab, LabError> {
    for _ in 1..STARTS {
        match up_once(instance, progress, stop) {
            Err(error) if error.kind == LabErrorKind::PortTaken => {
                progress.say(
                    "another program listens on a port of the server: it is started again on other ports",
                );
            }
            ended => return ended,
        }
    }
    up_once(instance, progress, stop)
}

fn up_once(
    instance: &InstanceRequest<'_>,
    progress: &mut dyn Progress,
    stop: &dyn Fn() -> bool,
) -> Result<Lab, LabError> {
    let InstanceRequest {
        recipe,
        request,
        home,
        keep,
    } = *instance;
    platform::check()?;
    let info = recipe.info();
    request.check(&info)?;
    let listen = listen(request, Security::of(request)?.has_login())?;
    let at_rest = request.at_rest()?;
    volume::check(at_rest, is_root_of_machine())?;
    let granted = granted(recipe, request)?;
    check_client(keep, &granted)?;
    let shown = request;
    let request = &sized(&request.with_password()?, &granted.own);
    let installation = recipe.install(request, &Store::of(home), progress);
    // Ctrl-C ends a question, and reaches what fetches and installs: their failure is not the reason then.
    if stop() {
        return Err(LabError::new(
            LabErrorKind::Interrupted,
            format!("stopped before {shown} was started"),
        ));
    }
    let installation = installation?;
    let account = Account::of_servers(progress)?;
    let directory = tempfile::Builder::new()
        .prefix(&format!("{}-", info.name))
        .tempdir_in(home.instances())
        .map_err(|error| LabError::files("make a directory in", home.instances(), &error))?
        .keep();
    let mut lab = Lab {
        instance: Instance {
            name: name_of(&directory),
            request: shown.to_string(),
            address: String::new(),
            administrator: None,
            topology: None,
            at_rest: None,
            resources: None,
            started_at: jiff::Timestamp::now().to_string(),
            // Until it stands, it is this process's, which may be killed.
            owner: ProcessId::own(),
            servers: Vec::new(),
            directory: directory.clone(),
        },
        children: Vec::new(),
        account,
        volume: None,
        granted,
        ports: Claims::default(),
        // Until it stands, it falls with this process.
        keep: Keep::UntilDropped,
    };
    // Servers pass through to their own directories.
    set_mode(&directory, 0o711)?;
    lab.instance.write()?;
    if let Some(account) = &lab.account {
        let help = "name the directory of software that every user can read";
        account.check_reads(&installation.path, help)?;
        account.check_enters(
            &directory,
            &format!(
                "let every user enter that directory (chmod o+x), or name another directory in {VARIABLE}"
            ),
        )?;
    }
    if at_rest.has_image() {
        let made = Volume::make(&directory, at_rest, progress)?;
        lab.instance.at_rest = Some(made.facts.clone());
        lab.volume = Some(made);
    }
    progress.say(&format!("starting {shown} ({})", installation.origin));
    let place = Place {
        directory,
        volume: lab.volume.clone(),
        account: lab.account.clone(),
        granted: lab.granted.clone(),
    };
    let mut context = LaunchContext::new(place, keep == Keep::Detached, progress, stop);
    let memory = recipe.memory_bytes(request);
    let started = memory
        .and_then(|bytes| context.check_memory(bytes))
        .and_then(|()| recipe.start(request, &installation, &mut context));
    lab.instance.servers = std::mem::take(&mut context.servers);
    lab.children = std::mem::take(&mut context.children);
    let groups = std::mem::take(&mut context.groups);
    lab.ports = std::mem::take(&mut context.ports).into_claims();
    lab.instance.administrator = context.administrator.take();
    lab.instance.topology = context.topology.take();
    if let Some(encryption) = context.engine_encryption.take() {
        lab.instance.at_rest = Some(AtRest::Engine(encryption));
    }
    lab.instance.address = started?;
    sockets::check(info.name, &lab.instance.servers, listen)?;
    lab.instance.resources = placed::read_back(&lab.instance.servers, &groups, &lab.granted)?;
    if keep == Keep::Detached {
        lab.instance.owner = None;
    }
    lab.instance.write()?;
    lab.keep = keep;
    Ok(lab)
}

/// Servers that outlive this process have no load generator to be apart from.
fn check_client(keep: Keep, granted: &Granted) -> Result<(), LabError> {
    if keep == Keep::Detached && granted.client.is_some() {
        return Err(LabError::new(
            LabErrorKind::Request,
            format!("`{}` separates the CPUs of one run, and these servers are started without one", CLIENT_OPTION.name),
        )
        .help("use it in the address of a run or a study; or bind a later run yourself: taskset -c CPUS dbdyno run ..."));
    }
    Ok(())
}

impl Lab {
    /// The ordinary address.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.instance.address
    }

    /// Its state, as other processes see it.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Its servers, in the order of their start.
    #[must_use]
    pub fn servers(&self) -> &[Server] {
        &self.instance.servers
    }

    /// Resources of all servers up to now.
    #[must_use]
    pub fn usage(&self) -> Usage {
        usage_of(&self.instance.servers)
    }

    /// Their resources up to now, without the size of their data, which takes longer to find.
    #[must_use]
    pub fn usage_without_disk(&self) -> Usage {
        usage_without_disk(&self.instance.servers)
    }

    /// The directory of the instance.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.instance.directory
    }

    /// How the servers' files are encrypted, or in which volume they lie without; `None`: in a plain directory.
    #[must_use]
    pub fn at_rest(&self) -> Option<&AtRest> {
        self.instance.at_rest.as_ref()
    }

    /// CPUs, memory and disks of the servers, as read back; `None`: one server without limits.
    #[must_use]
    pub fn resources(&self) -> Option<&ServerResources> {
        self.instance.resources.as_ref()
    }

    /// The volume of the servers' files or the disk below it, in words, where it has no room left.
    #[must_use]
    pub fn full_volume(&self) -> Option<String> {
        self.volume.as_ref()?.full()
    }

    /// The image file of the servers' volume, if they have one: what a thief of the disk can read.
    #[must_use]
    pub fn volume_image(&self) -> Option<&Path> {
        self.volume.as_ref().map(|volume| volume.image.as_path())
    }

    fn position(&self, server: &str) -> Result<usize, LabError> {
        let names = || self.instance.servers.iter().map(|known| known.name.as_str());
        names().position(|known| known == server).ok_or_else(|| {
            LabError::new(
                LabErrorKind::Request,
                format!("{} has no server {server}", self.instance.request),
            )
            .help(format!("it has {}", names().collect::<Vec<_>>().join(", ")))
        })
    }

    /// Signals a server; when the signal ends it, waits for its end.
    ///
    /// # Errors
    /// When there is no server of that name.
    pub fn signal(&mut self, server: &str, signal: Signal) -> Result<(), LabError> {
        let position = self.position(server)?;
        let process = self.instance.servers[position].process;
        match signal {
            Signal::Pause | Signal::Resume => drop(signal.send(process)),
            Signal::Terminate | Signal::Interrupt | Signal::Kill => {
                end(&[(process, signal)], PATIENCE);
                self.children[position].0.wait().ok();
            }
        }
        Ok(())
    }

    /// Starts a server that ended again, as it was started first. Whether it answers is the caller's question.
    ///
    /// # Errors
    /// When there is no server of that name, or it cannot be started.
    pub fn restart(&mut self, server: &str) -> Result<(), LabError> {
        let position = self.position(server)?;
        self.signal(server, self.instance.servers[position].stop)?;
        let spec = self.children[position].1.clone();
        let surroundings = Surroundings {
            instance: &self.instance.directory,
            servers: servers_directory(&self.instance.directory, self.volume.as_ref()),
            account: self.account.as_ref(),
            granted: &self.granted,
            detached: self.keep == Keep::Detached,
        };
        let (child, server, _) = spawn(&spec, position, &surroundings)?;
        self.children[position] = (child, spec);
        self.instance.servers[position] = server;
        self.instance.write()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if self.keep == Keep::Detached {
            return;
        }
        let servers: Vec<(ProcessId, Signal)> = self.instance.servers.iter().map(Server::ending).collect();
        end(&servers, LAST_PATIENCE);
        for (child, _) in &mut self.children {
            child.wait().ok();
        }
        let makers: Vec<ProcessId> = servers.iter().map(|(process, _)| *process).collect();
        shared_memory::remove_left(&makers);
        control_group::remove(&self.instance.name);
        log_directory::remove(&self.instance.request, &self.instance.name);
        volume::unmount(&self.instance.directory).ok();
        // A directory that stays is found and removed by `lab down`.
        remove(&self.instance.directory).ok();
    }
}
