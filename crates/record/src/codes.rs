//! The names of findings that code looks for: a record keeps them, so they stay as they are.

use crate::Finding;

/// The tool was built without optimisation.
pub const DEBUG_BUILD: &str = "debug-build";
/// Records could not be inserted.
pub const LOAD_INCOMPLETE: &str = "load-incomplete";
/// Operations failed.
pub const ERRORS: &str = "errors";
/// Every operation failed.
pub const ONLY_ERRORS: &str = "only-errors";
/// Clients waited for an answer when the drain ended.
pub const CLIENTS_STUCK: &str = "clients-stuck";
/// The system was slower than the requested rate.
pub const RATE_NOT_SUSTAINED: &str = "rate-not-sustained";
/// Values read back differ from those written.
pub const VERIFICATION_FAILED: &str = "verification-failed";
/// Operations did not find their record.
pub const NOT_FOUND: &str = "not-found";
/// The load generator, or the embedded store with it, used nearly all CPUs.
pub const CPU_SATURATED: &str = "cpu-saturated";
/// One thread of the load generator used nearly all of its CPU.
pub const CLIENT_THREAD_SATURATED: &str = "client-thread-saturated";
/// The measured phase was dominated by its beginning and by single events.
pub const TOO_SHORT: &str = "too-short";
/// The measured phase never reached a steady state.
pub const NO_STEADY_STATE: &str = "no-steady-state";
/// The measured phase began slower than it went on.
pub const SLOW_START: &str = "slow-start";
/// Nothing was answered for a part of the measured phase.
pub const PAUSES: &str = "pauses";
/// The measured phase went back and forth between two levels, like a machine with two speeds.
pub const TWO_SPEEDS: &str = "two-speeds";
/// The server still compiled its code in the measured phase.
pub const STILL_COMPILING: &str = "still-compiling";
/// The CPUs of a virtual machine shared a physical core.
pub const SHARED_CORE: &str = "shared-core";
/// The CPUs of the machine shared no cache for a part of the slices.
pub const FAR_CORES: &str = "far-cores";
/// Trials that took turns with this one are missing.
pub const TORN_GROUP: &str = "torn-group";
/// A system had work done while others were measured.
pub const DEFERRED_WORK: &str = "deferred-work";
/// A system read from storage or wrote to it while others were measured.
pub const PARKED_IO: &str = "parked-io";
/// A system was not back at speed when its slices began.
pub const SHORT_HEAD: &str = "short-head";
/// The servers were protected otherwise than a factor of the system says.
pub const PROTECTION_DIFFERS: &str = "protection-differs";
/// Figures of an imported result contradict each other.
pub const FIGURES_DISAGREE: &str = "figures-disagree";

/// The host took processor time away from this machine.
pub const HOST_STEAL: &str = "host-steal";
/// Other processes used the processors.
pub const HOST_OTHER_PROCESSES: &str = "host-other-processes";
/// Other processes used the disks.
pub const HOST_OTHER_IO: &str = "host-other-io";
/// The container was held back by its quota.
pub const HOST_THROTTLED: &str = "host-throttled";
/// Memory was swapped.
pub const HOST_SWAPPED: &str = "host-swapped";
/// Processes waited for memory.
pub const HOST_MEMORY_PRESSURE: &str = "host-memory-pressure";

/// The findings about what else the machine did.
pub const OF_HOST: [&str; 6] = [
    HOST_STEAL,
    HOST_OTHER_PROCESSES,
    HOST_OTHER_IO,
    HOST_THROTTLED,
    HOST_SWAPPED,
    HOST_MEMORY_PRESSURE,
];

/// Whether a finding is about what else the machine did.
#[must_use]
pub fn is_of_host(finding: &Finding) -> bool {
    OF_HOST.contains(&finding.code.as_str())
}
