//! Another host for the servers of this machine: a network namespace with an interface of its own.

use std::net::Ipv4Addr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

const NAMES: &str = "dbdyno-test-";
/// How many this process has made.
static MADE: AtomicU32 = AtomicU32::new(0);

/// A network namespace, joined to this machine by a pair of virtual interfaces with private addresses. It is removed with this value;
/// one that a killed process left is removed when the next is made.
pub struct OtherHost {
    name: String,
    interface: String,
    here: Ipv4Addr,
}

impl OtherHost {
    /// Makes one; `None` where this process is not root.
    ///
    /// # Panics
    /// When `ip` fails.
    #[must_use]
    pub fn new() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            return None;
        }
        remove_left();
        let (process, number) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        // Four addresses for each process; numbers of processes go round much later than tests.
        let net = 10 << 24 | (213 + number % 8) << 16 | (process % (1 << 14)) << 2;
        let [here, there] = [1, 2].map(|last| Ipv4Addr::from_bits(net | last));
        let other = Self {
            name: format!("{NAMES}{process}-{number}"),
            interface: format!("dbd{process}n{number}"),
            here,
        };
        let (name, interface) = (&other.name, &other.interface);
        let peer = format!("{interface}p");
        for line in [
            format!("netns add {name}"),
            format!("link add {interface} type veth peer name {peer} netns {name}"),
            format!("address add {here}/30 dev {interface}"),
            format!("link set {interface} up"),
            format!("-n {name} address add {there}/30 dev {peer}"),
            format!("-n {name} link set {peer} up"),
            format!("-n {name} link set lo up"),
        ] {
            assert!(ip(&line), "ip {line}");
        }
        Some(other)
    }

    /// What `ip netns` calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Lets it reach another address of this machine, too.
    ///
    /// # Panics
    /// When `ip` fails.
    pub fn reach(&self, address: Ipv4Addr) {
        let line = format!("-n {} route add {address}/32 via {}", self.name, self.here);
        assert!(ip(&line), "ip {line}");
    }

    /// Limits what it can send, e.g. to `1mbit` a second.
    ///
    /// # Panics
    /// When `tc` fails.
    pub fn limit(&self, rate: &str) {
        let line = format!(
            "netns exec {} tc qdisc add dev {}p root tbf rate {rate} burst 32kbit latency 400ms",
            self.name, self.interface
        );
        assert!(ip(&line), "ip {line}");
    }

    /// The address of this machine that it reaches.
    #[must_use]
    pub fn here(&self) -> Ipv4Addr {
        self.here
    }
}

impl Drop for OtherHost {
    fn drop(&mut self) {
        // Interfaces go with their pairs.
        ip(&format!("link delete {}", self.interface));
        ip(&format!("netns delete {}", self.name));
    }
}

fn ip(line: &str) -> bool {
    let status = Command::new("ip").args(line.split(' ')).status();
    status.is_ok_and(|status| status.success())
}

/// Removes those of processes that are no more.
fn remove_left() {
    for entry in std::fs::read_dir("/run/netns").into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix(NAMES).and_then(|rest| rest.split('-').next());
        let is_gone = |process: &str| !Path::new("/proc").join(process).exists();
        if process.is_some_and(is_gone) {
            ip(&format!("netns delete {name}"));
        }
    }
}
