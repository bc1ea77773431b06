//! Real time: the processor's time-stamp counter where it can be trusted, else the operating system's monotonic clock.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

#[cfg(target_arch = "x86_64")]
use super::scale::Scale;

/// The process's monotonic time in nanoseconds since its first use.
///
/// Where the kernel itself keeps time by the time-stamp counter and the processor says that the counter runs at one
/// speed in all its power states, the counter is read directly: less than half the cost of the kernel's clock. It is
/// calibrated once per process against the kernel's clock, to about 10 parts in a million.
#[derive(Clone, Copy, Debug)]
pub struct MonotonicTime {
    source: Source,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    #[cfg(target_arch = "x86_64")]
    Counter(Scale),
    Kernel(Instant),
}

impl MonotonicTime {
    /// The process's time; the first call takes a few milliseconds for the calibration.
    #[must_use]
    pub fn start() -> Self {
        static TIME: OnceLock<MonotonicTime> = OnceLock::new();
        *TIME.get_or_init(|| Self {
            source: counter().unwrap_or_else(kernel),
        })
    }

    /// Nanoseconds since the first use.
    ///
    /// The counter is not fenced: a reading may be off by the few nanoseconds that the processor reorders.
    #[must_use]
    #[inline(always)]
    pub fn now_ns(&self) -> u64 {
        match self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Counter(scale) => scale.nanoseconds(read_counter()),
            Source::Kernel(base) => base.elapsed().as_nanos() as u64,
        }
    }

    /// What it reads, for people.
    #[must_use]
    pub fn source(&self) -> &'static str {
        match self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Counter(_) => "time-stamp counter",
            Source::Kernel(_) => "monotonic clock of the operating system",
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the engine's clock")]
fn kernel() -> Source {
    Source::Kernel(Instant::now())
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> Option<Source> {
    None
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn read_counter() -> u64 {
    // SAFETY: every x86-64 processor has RDTSC; where the kernel forbids it to processes (prctl PR_SET_TSC), the
    // kernel does not keep time by it for them either, and `counter` has not chosen it.
    #[expect(
        unsafe_code,
        reason = "the standard library has no safe way to read the time-stamp counter"
    )]
    unsafe {
        std::arch::x86_64::_rdtsc()
    }
}

/// How long the calibration waits. Both ends are known to some 20 ns, so the speed is known to about 10 in a million.
#[cfg(target_arch = "x86_64")]
const CALIBRATION: Duration = Duration::from_millis(5);

#[cfg(target_arch = "x86_64")]
fn counter() -> Option<Source> {
    if !is_trustworthy() {
        return None;
    }
    let (first_count, first) = read_both();
    std::thread::sleep(CALIBRATION);
    let (last_count, last) = read_both();
    let elapsed_ns = u64::try_from(last.duration_since(first).as_nanos()).ok()?;
    Scale::new(first_count, last_count.checked_sub(first_count)?, elapsed_ns).map(Source::Counter)
}

/// The counter and the kernel's clock at one moment: of some tries the one that took the shortest.
#[cfg(target_arch = "x86_64")]
#[expect(clippy::disallowed_methods, reason = "this is the engine's clock")]
fn read_both() -> (u64, Instant) {
    let attempts = (0..16).map(|_| {
        let before = read_counter();
        let instant = Instant::now();
        let after = read_counter();
        (
            after.wrapping_sub(before),
            before + after.wrapping_sub(before) / 2,
            instant,
        )
    });
    let (_, count, instant) = attempts
        .min_by_key(|(took, ..)| *took)
        .expect("there are sixteen attempts");
    (count, instant)
}

/// Whether the counter is invariant (Intel SDM volume 3, 19.17.1; CPUID 8000_0007H EDX bit 8) and synchronous on all
/// processors. The kernel checks the latter at boot and while it runs, and says so by using it itself.
#[cfg(target_arch = "x86_64")]
fn is_trustworthy() -> bool {
    use std::arch::x86_64::__cpuid;
    const CLOCK_SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let kernel_uses_it = std::fs::read_to_string(CLOCK_SOURCE).is_ok_and(|source| source.trim() == "tsc");
    kernel_uses_it && __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the clock is held against the kernel's")]
    fn it_goes_as_fast_as_the_kernels_clock() {
        let time = MonotonicTime::start();
        let (before, kernel_before) = (time.now_ns(), Instant::now());
        std::thread::sleep(Duration::from_millis(100));
        let (after, kernel_after) = (time.now_ns(), Instant::now());
        let ours = (after - before) as f64;
        let kernels = kernel_after.duration_since(kernel_before).as_nanos() as f64;
        // Being interrupted between two readings costs some; a wrong scale would be off by far more.
        assert!((ours / kernels - 1.0).abs() < 0.05, "{ours} against {kernels}");
    }

    #[test]
    fn it_never_goes_back() {
        let time = MonotonicTime::start();
        let mut last = 0;
        for _ in 0..100_000 {
            let now = time.now_ns();
            assert!(now >= last);
            last = now;
        }
    }
}
