//! The resources that servers of the lab were given, as read back from the kernel, and the disks that they were on.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Limits and places of servers that the lab started. In records it is absent where an address asked for none and there was one
/// server, and where the lab did not start them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerResources {
    /// Each server, in the order of their start.
    pub servers: Vec<ServerResource>,
    /// Settings of the product by which the lab kept each node within the memory asked for, e.g. `heap=512M`; empty: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_limits: Vec<String>,
    /// CPUs that the load generator had for itself, in the kernel's list format; absent where it shared those of the servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_cpus: Option<String>,
}

/// One server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerResource {
    /// Its name in the instance, e.g. `node1`.
    pub name: String,
    /// The CPUs that it may run on, in the kernel's list format (`Cpus_allowed_list`); absent where nobody restricted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<String>,
    /// CPU time by time that its control group grants, e.g. 0.5; absent without such a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_share: Option<f64>,
    /// Memory that its control group grants, bytes; absent without such a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The block device of its data, or the type of a file system without one; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_device: Option<String>,
    /// The block device of its log of writes, where the address puts it elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_device: Option<String>,
}

impl ServerResources {
    /// The one device that holds the data of all servers; `None` for one server, where they differ, and where one is not known.
    #[must_use]
    pub fn shared_device(&self) -> Option<&str> {
        let first = self.servers.first()?.data_device.as_deref()?;
        let is_first = |server: &ServerResource| server.data_device.as_deref() == Some(first);
        (self.servers.len() > 1 && self.servers.iter().all(is_first)).then_some(first)
    }

    /// Whether there is any limit.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        !self.limits().is_empty()
    }

    /// The limits in words, empty without any. Servers with equal limits are named once.
    #[must_use]
    pub fn limits(&self) -> String {
        let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
        for server in &self.servers {
            let limit = server.limit();
            match groups.iter_mut().find(|(known, _)| *known == limit) {
                Some((_, names)) => names.push(&server.name),
                None => groups.push((limit, vec![&server.name])),
            }
        }
        let is_one = groups.len() == 1;
        let of_servers = groups.into_iter().filter(|(limit, _)| !limit.is_empty());
        let mut parts: Vec<String> = of_servers
            .map(|(limit, names)| match is_one {
                true => limit,
                false => format!("{}: {limit}", names.join(", ")),
            })
            .collect();
        if !self.own_limits.is_empty() {
            parts.push(format!("memory by {}", self.own_limits.join(", ")));
        }
        if let Some(cpus) = &self.client_cpus {
            parts.push(format!("load generator apart on CPU {cpus}"));
        }
        parts.join("; ")
    }

    /// Where the log of writes lies apart from the data, in words; empty where it does not.
    #[must_use]
    pub fn apart_log(&self) -> String {
        let of = |server: &ServerResource| {
            let data = server.data_device.as_deref().unwrap_or("an unknown device");
            server
                .log_device
                .as_ref()
                .map(|log| format!("data on {data}, log of writes on {log}"))
        };
        let mut parts: Vec<String> = self.servers.iter().filter_map(of).collect();
        parts.dedup();
        parts.join("; ")
    }
}

impl ServerResource {
    fn limit(&self) -> String {
        let share = self.cpu_share.map(|share| match share {
            1.0 => "1 CPU's time by control group".to_owned(),
            share => format!("{share} CPUs' time by control group"),
        });
        let cpus = self.cpus.as_ref().map(|cpus| format!("on CPU {cpus}"));
        let memory = self
            .memory_bytes
            .map(|bytes| format!("{} MiB by control group", bytes >> 20));
        let parts: Vec<String> = [share, cpus, memory].into_iter().flatten().collect();
        parts.join(", ")
    }
}

/// The limits and, where it lies apart, the log of writes.
impl fmt::Display for ServerResources {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [self.limits(), self.apart_log()];
        let parts: Vec<&str> = parts
            .iter()
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        formatter.write_str(&parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(name: &str, device: Option<&str>) -> ServerResource {
        ServerResource {
            name: name.to_owned(),
            data_device: device.map(str::to_owned),
            ..ServerResource::default()
        }
    }

    #[test]
    fn limits_name_servers_only_where_they_differ() {
        let mut resources = ServerResources {
            servers: vec![server("node1", None), server("node2", None)],
            ..ServerResources::default()
        };
        assert_eq!(resources.to_string(), "");
        assert!(!resources.is_limited());
        for server in &mut resources.servers {
            server.cpu_share = Some(0.5);
            server.memory_bytes = Some(1 << 30);
        }
        assert_eq!(
            resources.limits(),
            "0.5 CPUs' time by control group, 1024 MiB by control group"
        );
        resources.servers[1].cpus = Some("1".to_owned());
        resources.servers[1].cpu_share = None;
        resources.own_limits = vec!["heap=512M".to_owned()];
        resources.client_cpus = Some("0".to_owned());
        assert_eq!(
            resources.limits(),
            "node1: 0.5 CPUs' time by control group, 1024 MiB by control group; node2: on CPU 1, 1024 MiB by control group; \
             memory by heap=512M; load generator apart on CPU 0"
        );
    }

    #[test]
    fn a_device_is_shared_where_all_of_several_servers_are_on_it() {
        let of = |devices: &[Option<&str>]| ServerResources {
            servers: devices.iter().map(|device| server("x", *device)).collect(),
            ..ServerResources::default()
        };
        assert_eq!(of(&[Some("vda"), Some("vda")]).shared_device(), Some("vda"));
        for apart in [
            &[Some("vda")][..],
            &[Some("vda"), Some("vdb")],
            &[Some("vda"), None],
            &[],
        ] {
            assert_eq!(of(apart).shared_device(), None, "{apart:?}");
        }
        let mut apart = of(&[Some("vda")]);
        apart.servers[0].log_device = Some("vdb".to_owned());
        assert_eq!(apart.to_string(), "data on vda, log of writes on vdb");
    }
}
