//! Real time: the processor's time-stamp counter where it can be trusted, else the operating system's monotonic clock.

use std::sync::OnceLock;
use std::time::Instant;

#[cfg(target_arch = "x86_64")]
use super::scale::Scale;

/// The process's monotonic time in nanoseconds since its first use.
///
/// Where the kernel itself keeps time by the time-stamp counter and the processor says that the counter runs at one
/// speed in all its power states, the counter is read directly: less than half the cost of the kernel's clock. It is
/// calibrated once per process against the kernel's clock, to about 10 parts in a million, and compared with it again at
/// the end of each phase.
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

    /// This clock and the kernel's at one moment; `None` where it is the kernel's.
    pub(crate) fn reading(&self) -> Option<Reading> {
        match self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Counter(scale) => {
                let (took, count, kernel) = read_both();
                Some(Reading {
                    ours_ns: scale.nanoseconds(count),
                    kernel,
                    uncertainty_ns: scale.duration_ns(took),
                })
            }
            Source::Kernel(_) => None,
        }
    }

    /// The name of the counter that it reads, for people.
    #[must_use]
    pub fn source(&self) -> &'static str {
        match self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Counter(_) => "time-stamp counter",
            Source::Kernel(_) => "monotonic clock of the operating system",
        }
    }
}

/// The process's clock and the kernel's monotonic clock at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    ours_ns: u64,
    kernel: Instant,
    /// The two were read within this time.
    uncertainty_ns: u64,
}

/// Smallest drift, in parts per million, that a phase must be long enough to resolve.
const EXACT_PPM: f64 = 25.0;

impl Reading {
    /// How much faster (below 0: slower) the process's clock went than the kernel's since `earlier`, parts per million;
    /// `None` when too little time passed to tell.
    pub(crate) fn drift_ppm(&self, earlier: &Self) -> Option<f64> {
        let kernel_ns = self.kernel.duration_since(earlier.kernel).as_nanos() as f64;
        let uncertainty_ns = (self.uncertainty_ns + earlier.uncertainty_ns) as f64;
        let ours_ns = self.ours_ns as f64 - earlier.ours_ns as f64;
        (uncertainty_ns * 1e6 < EXACT_PPM * kernel_ns).then(|| (ours_ns / kernel_ns - 1.0) * 1e6)
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
const CALIBRATION: std::time::Duration = std::time::Duration::from_millis(5);

#[cfg(target_arch = "x86_64")]
fn counter() -> Option<Source> {
    if !is_trustworthy() {
        return None;
    }
    calibrated().map(Source::Counter)
}

#[cfg(target_arch = "x86_64")]
fn calibrated() -> Option<Scale> {
    let (_, first_count, first) = read_both();
    std::thread::sleep(CALIBRATION);
    let (_, last_count, last) = read_both();
    let elapsed_ns = u64::try_from(last.duration_since(first).as_nanos()).ok()?;
    Scale::new(first_count, last_count.checked_sub(first_count)?, elapsed_ns)
}

/// Time by a counter whose scale is wrong by so many parts per million: what the check at the end of a phase is for.
#[cfg(all(test, target_arch = "x86_64"))]
pub(crate) fn planted(wrong_by_ppm: f64) -> MonotonicTime {
    let scale = calibrated().expect("the counter counts");
    MonotonicTime {
        source: Source::Counter(scale.times(1.0 + wrong_by_ppm / 1e6)),
    }
}

/// The counter and the kernel's clock at one moment, and the ticks between which both were read: of some tries the one
/// that took the shortest.
#[cfg(target_arch = "x86_64")]
#[expect(clippy::disallowed_methods, reason = "this is the engine's clock")]
fn read_both() -> (u64, u64, Instant) {
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
    attempts
        .min_by_key(|(took, ..)| *took)
        .expect("there are sixteen attempts")
}

/// Whether the counter is invariant (Intel SDM volume 3, 19.17.1; CPUID 8000_0007H EDX bit 8) and synchronous on all
/// processors. The kernel checks the latter at boot and while it runs, and says so by using it itself.
#[cfg(target_arch = "x86_64")]
fn is_trustworthy() -> bool {
    use std::arch::x86_64::__cpuid;
    let kernel_uses_it = dbdyno_machine::clock_source().is_some_and(|source| source == "tsc");
    kernel_uses_it && __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the clock is held against the kernel's")]
    fn it_goes_as_fast_as_the_kernels_clock() {
        let time = MonotonicTime::start();
        // Between two readings of the kernel's clock: whatever interrupts this thread, ours lies between them.
        let read = || (Instant::now(), time.now_ns(), Instant::now());
        let before = read();
        std::thread::sleep(Duration::from_millis(100));
        let after = read();
        let ours = (after.1 - before.1) as f64;
        let shortest = after.0.duration_since(before.2).as_nanos() as f64;
        let longest = after.2.duration_since(before.0).as_nanos() as f64;
        let is_right = ours > 0.99 * shortest && ours < 1.01 * longest;
        assert!(is_right, "{ours} against {shortest} to {longest}");
    }

    /// Enough for the readings to be as exact as is asked for, however busy the machine is.
    #[cfg(target_arch = "x86_64")]
    fn drift_ppm(time: MonotonicTime) -> f64 {
        let first = time.reading().unwrap();
        loop {
            std::thread::sleep(Duration::from_millis(100));
            if let Some(drift_ppm) = time.reading().unwrap().drift_ppm(&first) {
                return drift_ppm;
            }
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn a_wrong_scale_is_seen_against_the_kernels_clock() {
        // All of one calibration, whose own error they share.
        let scale = calibrated().unwrap();
        let seen_ppm = |planted_ppm: f64| {
            drift_ppm(MonotonicTime {
                source: Source::Counter(scale.times(1.0 + planted_ppm / 1e6)),
            })
        };
        let right_ppm = seen_ppm(0.0);
        for planted_ppm in [5_000.0, -5_000.0] {
            let more_ppm = seen_ppm(planted_ppm) - right_ppm;
            assert!((more_ppm - planted_ppm).abs() < 5.0 * EXACT_PPM, "{more_ppm} ppm");
        }
    }

    #[test]
    fn two_readings_close_together_tell_nothing() {
        let at = |ours_ns, kernel, uncertainty_ns| Reading {
            ours_ns,
            kernel,
            uncertainty_ns,
        };
        let kernel = kernel();
        let Source::Kernel(begin) = kernel else {
            panic!("it is the kernel's");
        };
        let later = begin + Duration::from_millis(10);
        let exact = at(10_003_000, later, 100).drift_ppm(&at(0, begin, 100)).unwrap();
        assert!((exact - 300.0).abs() < 1e-6, "{exact}");
        assert_eq!(at(10_003_000, later, 200).drift_ppm(&at(0, begin, 100)), None);
        assert!(MonotonicTime { source: kernel }.reading().is_none());
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
