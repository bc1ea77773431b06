//! How the servers of the lab's systems are started, and what a study asks of them while they run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use dbdyno_engine::{Event, Observer, Stop};
use dbdyno_lab::{
    InstanceRequest, Keep, Lab, LabError, LabErrorKind, LabHome, Progress, Server, Usage, client_cpus,
    devices_of,
};
use dbdyno_machine::{BlockDevice, CpuList};
use dbdyno_record::{AtRest, ServerResources};

use crate::address::LabSystem;
use crate::run::node_disks::ServerPlace;

/// How the servers of a system are started; tests start none.
pub(crate) trait Launch {
    /// Starts them, and returns when they answer.
    fn launch(
        &mut self,
        system: &LabSystem,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<Box<dyn Servers>, LabError>;
}

/// Running servers of one system. They end when this is dropped.
pub(crate) trait Servers {
    /// The address that a driver knows.
    fn address(&self) -> &str;
    /// The address with the login of an administrator, where there is one.
    fn administrator(&self) -> Option<&str>;
    /// Their processes.
    fn processes(&self) -> Vec<u32>;
    /// The names of those that have ended by themselves.
    fn ended(&self) -> Vec<String>;
    /// Resources that they have used so far.
    fn usage(&self) -> Usage;
    /// The usage without the size of their data, which takes longer to find.
    fn usage_without_disk(&self) -> Usage;
    /// Where their data are.
    fn directory(&self) -> &Path;
    /// Where each of them keeps files, for the disk control; empty for a single server on one disk.
    fn places(&self) -> Vec<ServerPlace> {
        Vec::new()
    }
    /// The devices under these.
    fn devices(&self) -> BTreeSet<BlockDevice>;
    /// How their files are encrypted, or in which volume they lie without; `None`: in a plain directory.
    fn at_rest(&self) -> Option<&AtRest>;
    /// CPUs, memory and disks that they were given; `None`: one server without limits.
    fn resources(&self) -> Option<&ServerResources> {
        None
    }
    /// Their volume, in words, where it has no room left.
    fn full_volume(&self) -> Option<String>;
}

/// Starts what the recipes bring.
#[derive(Default)]
pub(crate) struct FromRecipes {
    home: Option<LabHome>,
    /// The CPUs of this process before it was bound to its own; `None`: it was not.
    unbound: Option<CpuList>,
}

impl FromRecipes {
    /// Binds this process to CPUs, and asks the kernel whether it is.
    fn bind(&mut self, cpus: &CpuList) -> Result<(), LabError> {
        let now = CpuList::of_this_process();
        let refused = |why: String| {
            LabError::new(
                LabErrorKind::Machine,
                format!("cannot bind dbdyno to CPU {cpus}: {why}"),
            )
            .help("leave out `client`, or run dbdyno where it may choose its CPUs")
        };
        cpus.bind_this_process()
            .map_err(|error| refused(error.to_string()))?;
        if CpuList::of_this_process().as_ref() != Some(cpus) {
            return Err(refused("the kernel states others".to_owned()));
        }
        self.unbound = self.unbound.take().or(now);
        Ok(())
    }
}

/// Gives this process its CPUs back.
impl Drop for FromRecipes {
    fn drop(&mut self) {
        if let Some(cpus) = &self.unbound {
            cpus.bind_this_process().ok();
        }
    }
}

impl Launch for FromRecipes {
    fn launch(
        &mut self,
        system: &LabSystem,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<Box<dyn Servers>, LabError> {
        // Before the servers, whose CPUs these are not, and before the threads of clients, which inherit it.
        if let Some(cpus) = client_cpus(&system.request)? {
            self.bind(&cpus)?;
        }
        let home = match self.home.take() {
            Some(home) => home,
            None => LabHome::of_user()?,
        };
        let home = self.home.insert(home);
        let instance = InstanceRequest {
            recipe: system.recipe,
            request: &system.request,
            home,
            keep: Keep::UntilDropped,
        };
        let lab = dbdyno_lab::up(&instance, &mut LabEvents(observer), &|| stop.is_requested())?;
        Ok(Box::new(lab))
    }
}

impl Servers for Lab {
    fn address(&self) -> &str {
        self.address()
    }

    fn administrator(&self) -> Option<&str> {
        self.instance().administrator.as_deref()
    }

    fn processes(&self) -> Vec<u32> {
        self.servers().iter().map(|server| server.process.id).collect()
    }

    fn ended(&self) -> Vec<String> {
        let ended = self.servers().iter().filter(|server| !server.process.is_alive());
        ended.map(|server| server.name.clone()).collect()
    }

    fn usage(&self) -> Usage {
        self.usage()
    }

    fn usage_without_disk(&self) -> Usage {
        self.usage_without_disk()
    }

    fn directory(&self) -> &Path {
        self.directory()
    }

    fn places(&self) -> Vec<ServerPlace> {
        let servers = self.servers();
        if servers.len() < 2 && servers.iter().all(|server| server.log_directory.is_none()) {
            return Vec::new();
        }
        // The directories themselves are the servers' own.
        let above = |directory: &Path| directory.parent().map(Path::to_owned);
        let place = |server: &Server| {
            let both = [Some(server.directory.as_path()), server.log_directory.as_deref()];
            let directories: Vec<PathBuf> = both.into_iter().flatten().filter_map(above).collect();
            let name = server.name.clone();
            directories.into_iter().map(move |directory| ServerPlace {
                server: name.clone(),
                directory,
            })
        };
        servers.iter().flat_map(place).collect()
    }

    fn devices(&self) -> BTreeSet<BlockDevice> {
        devices_of(self.servers())
    }

    fn at_rest(&self) -> Option<&AtRest> {
        self.at_rest()
    }

    fn resources(&self) -> Option<&ServerResources> {
        self.resources()
    }

    fn full_volume(&self) -> Option<String> {
        self.full_volume()
    }
}

struct LabEvents<'a>(&'a mut dyn Observer);

impl Progress for LabEvents<'_> {
    fn say(&mut self, what: &str) {
        self.0.event(&Event::Preparing(what.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_its_cpus_again_when_the_servers_are_gone() {
        let all = CpuList::of_this_process().unwrap();
        let first = CpuList::new(all.numbers().take(1));
        let mut launch = FromRecipes::default();
        launch.bind(&first).unwrap();
        assert_eq!(CpuList::of_this_process().as_ref(), Some(&first));
        launch.bind(&first).unwrap();
        drop(launch);
        assert_eq!(CpuList::of_this_process(), Some(all));
    }
}
