//! Fuzzes [`dbdyno_fuzzed::files::studies`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    dbdyno_fuzzed::files::studies(bytes);
});
