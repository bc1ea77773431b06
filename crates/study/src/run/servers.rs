//! How the servers of the lab's systems are started, and what a study asks of them while they run.

use std::collections::BTreeSet;
use std::path::Path;

use dbdyno_engine::{Event, Observer, Stop};
use dbdyno_lab::{InstanceRequest, Keep, Lab, LabError, LabHome, Progress, Usage, devices_of};
use dbdyno_machine::BlockDevice;
use dbdyno_record::AtRest;

use crate::address::LabSystem;

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
    /// The devices under these.
    fn devices(&self) -> BTreeSet<BlockDevice>;
    /// How their files are encrypted, or in which volume they lie without; `None`: in a plain directory.
    fn at_rest(&self) -> Option<&AtRest>;
    /// Their volume, in words, where it has no room left.
    fn full_volume(&self) -> Option<String>;
}

/// Starts what the recipes bring.
#[derive(Default)]
pub(crate) struct FromRecipes {
    home: Option<LabHome>,
}

impl Launch for FromRecipes {
    fn launch(
        &mut self,
        system: &LabSystem,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<Box<dyn Servers>, LabError> {
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

    fn devices(&self) -> BTreeSet<BlockDevice> {
        devices_of(self.servers())
    }

    fn at_rest(&self) -> Option<&AtRest> {
        self.at_rest()
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
