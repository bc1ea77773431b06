//! Starting the program anew in the same process, from a signal handler: everything that takes memory is made beforehand.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt as _;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use nix::libc::c_char;
use nix::sys::signal::SigSet;

/// Numbers of the trials in which a client library aborted the process, separated by commas.
const ABORTED_IN: &str = "DBDYNO_ABORTED_IN";
/// Room for their digits and commas. A study of more systems that abort ends with the last of them.
const ROOM_BYTES: usize = 512;

/// The trials in which this study was aborted before it was started anew.
pub fn trials() -> Vec<u32> {
    let Ok(numbers) = std::env::var(ABORTED_IN) else {
        return Vec::new();
    };
    numbers
        .split(',')
        .filter_map(|number| number.parse().ok())
        .collect()
}

/// What starts the program anew. It lives until the process ends.
pub struct Restart {
    program: CString,
    /// Pointers to texts that end with 0, and a last one that is null.
    arguments: Vec<usize>,
    environment: Vec<usize>,
    /// The entry of the environment that names the trials, and how much of it is written.
    entry: &'static [AtomicU8],
    written: AtomicUsize,
}

impl Restart {
    /// With these arguments, the program's name first; `None` where one of them holds a zero.
    pub fn prepare(arguments: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let arguments: Vec<CString> = arguments
            .into_iter()
            .map(|argument| CString::new(argument.into_vec()).ok())
            .collect::<Option<_>>()?;
        let others = std::env::vars_os().filter(|(name, _)| name != ABORTED_IN);
        let mut environment: Vec<CString> = others
            .filter_map(|(mut name, value)| {
                name.push("=");
                name.push(value);
                CString::new(name.into_vec()).ok()
            })
            .collect();
        let before = trials().iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let text = format!("{ABORTED_IN}={before}");
        let bytes = text.bytes().chain(std::iter::repeat(0));
        let entry: Vec<AtomicU8> = bytes.take(text.len() + ROOM_BYTES).map(AtomicU8::new).collect();
        let entry: &'static [AtomicU8] = entry.leak();
        let mut environment = pointers(environment.drain(..));
        environment.insert(0, entry.as_ptr().addr());
        Some(Self {
            program: c"/proc/self/exe".to_owned(),
            arguments: pointers(arguments),
            environment,
            entry,
            written: AtomicUsize::new(text.len()),
        })
    }

    /// Starts it anew, for a signal handler. Returns where that is not possible.
    pub fn without(&self, trial: u32) {
        if !self.note(trial) {
            return;
        }
        // What is blocked in a handler would stay blocked.
        let _ = SigSet::empty().thread_set_mask();
        #[expect(
            unsafe_code,
            reason = "the pointers are to texts that end with 0 and are never freed, and each list ends with null"
        )]
        unsafe {
            nix::libc::execve(
                self.program.as_ptr(),
                self.arguments.as_ptr().cast(),
                self.environment.as_ptr().cast(),
            )
        };
    }

    /// Writes a number behind the others; false where there is no room.
    fn note(&self, trial: u32) -> bool {
        let mut digits = [0_u8; 11];
        let (mut left, mut count) = (trial, 0);
        loop {
            digits[count] = b'0' + (left % 10) as u8;
            count += 1;
            left /= 10;
            if left == 0 {
                break;
            }
        }
        digits[count] = b',';
        let at = self.written.fetch_add(count + 1, Ordering::Relaxed);
        // The last byte stays 0.
        if at + count + 1 >= self.entry.len() {
            return false;
        }
        for (place, digit) in self.entry[at..].iter().zip(digits[..=count].iter().rev()) {
            place.store(*digit, Ordering::Relaxed);
        }
        true
    }
}

/// Addresses of texts that are never freed, and null.
fn pointers(texts: impl IntoIterator<Item = CString>) -> Vec<usize> {
    let texts = texts.into_iter().map(|text| {
        let text: *mut c_char = text.into_raw();
        text.expose_provenance()
    });
    texts.chain([0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_behind_each_other_and_room_is_limited() {
        let restart = Restart::prepare([OsString::from("dbdyno")]).unwrap();
        for trial in [3, 17, 1_000_000] {
            assert!(restart.note(trial));
        }
        let written: Vec<u8> = restart
            .entry
            .iter()
            .map(|byte| byte.load(Ordering::Relaxed))
            .collect();
        let text = written.split(|byte| *byte == 0).next().unwrap();
        assert_eq!(String::from_utf8_lossy(text), "DBDYNO_ABORTED_IN=,3,17,1000000");
        assert!((0..ROOM_BYTES).any(|_| !restart.note(12_345)));
        assert_eq!(restart.entry.last().unwrap().load(Ordering::Relaxed), 0);
        assert_eq!(restart.arguments.last(), Some(&0));
        assert_eq!(restart.environment.last(), Some(&0));
    }

    #[test]
    fn an_argument_with_a_zero_is_none() {
        assert!(Restart::prepare([OsString::from("a\0b")]).is_none());
    }
}
