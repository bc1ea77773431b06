//! Where servers run and how far they may go, read back from the kernel after their start.

use dbdyno_machine::{CpuList, disk_facts};
use dbdyno_record::{ServerResource, ServerResources};

use crate::control_group::{Group, GroupLimits};
use crate::error::{LabError, LabErrorKind};
use crate::granted::Granted;
use crate::state::Server;

/// CPU shares are whole microseconds of a period of 100 ms.
const SAME_SHARE: f64 = 1e-4;

/// The resources of servers; `None` where nobody limits them, they are one, and their log lies beside the data.
///
/// # Errors
/// When the kernel states another limit than the one that was set.
pub(crate) fn read_back(
    servers: &[Server],
    groups: &[Group],
    granted: &Granted,
) -> Result<Option<ServerResources>, LabError> {
    let is_apart = servers.iter().any(|server| server.log_directory.is_some());
    if granted.is_plain() && servers.len() < 2 && !is_apart {
        return Ok(None);
    }
    let mut all = ServerResources {
        own_limits: own_limits(granted),
        client_cpus: granted.client.as_ref().map(ToString::to_string),
        ..ServerResources::default()
    };
    for (place, (server, group)) in servers.iter().zip(groups).enumerate() {
        let cpus = granted.cpus_of(place);
        let seen = CpuList::of_process(server.process.id).filter(|_| cpus.is_some());
        let limits = group.read_back(server.process.id);
        if seen != cpus || !is_as_set(limits, granted.group) {
            return Err(LabError::new(
                LabErrorKind::Machine,
                format!(
                    "the kernel does not keep {} to the CPUs and the memory that were set",
                    server.name
                ),
            )
            .help("leave out `cpus`, `memory` and `client`, or run dbdyno outside the container"));
        }
        let device = |directory| {
            let disk = disk_facts(directory);
            disk.device.or(disk.filesystem)
        };
        all.servers.push(ServerResource {
            name: server.name.clone(),
            cpus: seen.map(|cpus| cpus.to_string()),
            cpu_share: limits.cpus,
            memory_bytes: limits.memory_bytes,
            data_device: device(&server.directory),
            log_device: server.log_directory.as_deref().and_then(device),
        });
    }
    Ok(Some(all))
}

fn own_limits(granted: &Granted) -> Vec<String> {
    let options = granted
        .own
        .options
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    let arguments = (!granted.own.arguments.is_empty()).then(|| granted.own.arguments.join(" "));
    options.chain(arguments).collect()
}

/// The kernel rounds memory down to whole pages.
fn is_as_set(seen: GroupLimits, set: GroupLimits) -> bool {
    let pages = |bytes: Option<u64>| bytes.map(|bytes| bytes >> 16);
    let share = match (seen.cpus, set.cpus) {
        (Some(seen), Some(set)) => (seen - set).abs() < SAME_SHARE,
        (seen, set) => seen == set,
    };
    share && pages(seen.memory_bytes) == pages(set.memory_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_the_kernel_does_not_state_is_none() {
        let of = |cpus, memory_bytes| GroupLimits { cpus, memory_bytes };
        assert!(is_as_set(of(Some(0.33333), None), of(Some(1.0 / 3.0), None)));
        assert!(!is_as_set(of(Some(0.5), None), of(Some(1.0), None)));
        assert!(!is_as_set(GroupLimits::default(), of(Some(1.0), None)));
        assert!(!is_as_set(GroupLimits::default(), of(None, Some(1 << 30))));
        assert!(is_as_set(
            of(None, Some(1 << 30)),
            of(None, Some((1 << 30) + 100))
        ));
    }
}
