//! The machine as rows of a table.

use dbdyno_record::Environment;
use dbdyno_record::environment::{DiskPreflight, NodeDisk};

use crate::number;

/// Label and value of everything that is known about the machine, in the order to show.
#[allow(
    clippy::too_many_lines,
    reason = "one row after the other, in the order to show"
)]
pub fn rows(environment: &Environment) -> Vec<(String, String)> {
    let mut rows = Rows(Vec::new());
    let tool = &environment.tool;
    rows.add(
        "dbdyno",
        Some(format!(
            "{}, {} build, {}",
            tool.version, tool.build_profile, tool.platform
        )),
    );
    let processor = &environment.processor;
    rows.add("processor", processor.model.clone());
    let counts = [
        processor.usable.map(|number| format!("{number} usable")),
        processor.logical.map(|number| format!("{number} logical")),
        processor.physical_cores.map(|number| format!("{number} cores")),
        processor.cgroup_limit.map(|limit| format!("limited to {limit}")),
    ];
    rows.join("processors", counts);
    let frequency = [
        processor.governor.as_ref().map(|name| format!("governor {name}")),
        processor
            .boost
            .map(|on| format!("turbo {}", if on { "on" } else { "off" })),
    ];
    rows.join("frequency", frequency);
    let memory = &environment.memory;
    let size = |bytes: u64| number::bytes(bytes as f64);
    rows.join(
        "memory",
        [
            memory.total_bytes.map(size),
            memory
                .available_bytes
                .map(|bytes| format!("{} available at the start", size(bytes))),
            memory
                .cgroup_limit_bytes
                .map(|bytes| format!("limited to {}", size(bytes))),
            memory.swap_total_bytes.map(|bytes| {
                if bytes == 0 {
                    "no swap".to_owned()
                } else {
                    format!("{} swap", size(bytes))
                }
            }),
        ],
    );
    rows.add("transparent huge pages", memory.transparent_huge_pages.clone());
    let kernel = &environment.kernel;
    rows.join(
        "operating system",
        [
            kernel.system.clone(),
            kernel.version.as_ref().map(|version| format!("kernel {version}")),
        ],
    );
    rows.add("clock source", kernel.clock_source.clone());
    rows.join(
        "virtualisation",
        [
            kernel.virtualisation.clone(),
            kernel
                .container
                .as_ref()
                .filter(|name| *name != "none")
                .map(|name| format!("container {name}")),
        ],
    );
    let disk = &environment.disk;
    rows.join(
        "disk of the results",
        [
            disk.filesystem.clone(),
            disk.device.clone(),
            disk.rotational.map(|on| {
                if on {
                    "rotating".to_owned()
                } else {
                    "not rotating".to_owned()
                }
            }),
            disk.total_bytes.map(size),
            disk.available_bytes.map(|bytes| format!("{} free", size(bytes))),
        ],
    );
    for (label, preflight) in [
        ("its speed", &environment.preflight),
        ("its speed with a writer per node", &environment.preflight_nodes),
        ("its speed after the last trial", &environment.preflight_after),
        (
            "after the last trial with a writer per node",
            &environment.preflight_nodes_after,
        ),
    ] {
        let Some(preflight) = preflight else { continue };
        rows.add(
            label,
            Some(format!(
                "4 KiB write and sync {} (median), {} (longest); sequential {}/s",
                number::duration_ns(preflight.sync_median_ns as f64),
                number::duration_ns(preflight.sync_max_ns as f64),
                number::bytes(preflight.write_bytes_per_second)
            )),
        );
    }
    for disk in &environment.node_disks {
        rows.add(
            &format!("disk {} of the nodes", disk.device),
            Some(node_disk(disk)),
        );
    }
    let load = &environment.load;
    rows.join(
        "load at the start",
        [
            load.averages
                .map(|averages| averages.map(|average| format!("{average:.2}")).join(", ")),
            load.steal_share_since_boot
                .map(|share| format!("{} stolen by the hypervisor since boot", number::share(share))),
        ],
    );
    rows.add("looked at", Some(environment.captured_at.clone()));
    rows.0
}

/// The machine in a few words: what two machines of the same kind share.
pub fn machine(environment: &Environment) -> String {
    let parts = [
        environment.processor.model.clone(),
        environment
            .processor
            .usable
            .map(|count| number::plural(count as usize, "processor", "processors")),
        environment
            .memory
            .total_bytes
            .map(|bytes| number::bytes(bytes as f64)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

struct Rows(Vec<(String, String)>);

/// A disk of the nodes: who is on it, and what one and all of them get of it before the first trial and after the last one.
fn node_disk(disk: &NodeDisk) -> String {
    let servers = disk.servers.iter().map(|(system, servers)| {
        let names: Vec<&str> = servers.iter().map(String::as_str).collect();
        format!("{} of {system}", names.join(", "))
    });
    let speeds = |one: &DiskPreflight, all: &DiskPreflight| {
        let sync = |speed: &DiskPreflight| number::duration_ns(speed.sync_median_ns as f64);
        let write = |speed: &DiskPreflight| number::bytes(speed.write_bytes_per_second);
        format!(
            "4 KiB write and sync {} with 1 writer, {} with {writers}; sequential {}/s with 1 writer, {}/s with {writers} together",
            sync(one),
            sync(all),
            write(one),
            write(all),
            writers = disk.writers
        )
    };
    let after = disk.one_after.as_ref().zip(disk.all_after.as_ref());
    let parts = [
        Some(servers.collect::<Vec<_>>().join("; ")),
        Some(speeds(&disk.one, &disk.all)),
        after.map(|(one, all)| format!("after the last trial: {}", speeds(one, all))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
}

impl Rows {
    fn add(&mut self, label: &str, value: Option<String>) {
        self.0.extend(
            value
                .filter(|value| !value.is_empty())
                .map(|value| (label.to_owned(), value)),
        );
    }

    fn join<const N: usize>(&mut self, label: &str, parts: [Option<String>; N]) {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        self.add(label, Some(parts.join(", ")));
    }
}
