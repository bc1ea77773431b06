//! A launcher of servers that are none.

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use dbdyno_engine::{Observer, Stop};
use dbdyno_lab::{LabError, LabErrorKind, Usage};
use dbdyno_machine::BlockDevice;
use dbdyno_record::AtRest;

use super::Log;
use crate::address::LabSystem;
use crate::run::servers::{Launch, Servers};

/// Where the data of all of them would be.
pub const DIRECTORY: &str = "/var/tmp";

pub struct Fake {
    pub log: Log,
    /// Systems that never start.
    pub broken: &'static str,
}

struct FakeServers {
    log: Log,
    request: String,
}

impl Launch for Fake {
    fn launch(
        &mut self,
        system: &LabSystem,
        _: &mut dyn Observer,
        _: &Stop,
    ) -> Result<Box<dyn Servers>, LabError> {
        let request = system.request.to_string();
        self.log.borrow_mut().push(format!("start {request}"));
        if request == self.broken {
            return Err(LabError::new(LabErrorKind::Server, "it ended at once"));
        }
        Ok(Box::new(FakeServers {
            log: Rc::clone(&self.log),
            request,
        }))
    }
}

impl Servers for FakeServers {
    fn address(&self) -> &str {
        "memory"
    }

    fn administrator(&self) -> Option<&str> {
        None
    }

    fn processes(&self) -> Vec<u32> {
        vec![u32::MAX]
    }

    fn ended(&self) -> Vec<String> {
        // Of these, the server dies in each trial.
        let dies = self.request.contains("appendfsync=no");
        dies.then(|| "node1".to_owned()).into_iter().collect()
    }

    fn usage(&self) -> Usage {
        self.usage_without_disk()
    }

    fn usage_without_disk(&self) -> Usage {
        Usage {
            written_bytes: Some(1),
            ..Usage::default()
        }
    }

    fn directory(&self) -> &Path {
        Path::new(DIRECTORY)
    }

    fn devices(&self) -> BTreeSet<BlockDevice> {
        BlockDevice::of(self.directory()).into_iter().collect()
    }

    fn at_rest(&self) -> Option<&AtRest> {
        self.has_volume().then_some(&AtRest::PlainVolume)
    }

    fn full_volume(&self) -> Option<String> {
        self.has_volume().then(|| "the volume is full".to_owned())
    }
}

impl FakeServers {
    fn has_volume(&self) -> bool {
        self.request.contains("at_rest=plain-volume")
    }
}

impl Drop for FakeServers {
    fn drop(&mut self) {
        self.log.borrow_mut().push(format!("stop {}", self.request));
    }
}
