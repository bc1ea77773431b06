//! Fuzzes [`dbdyno_fuzzed::words::quantities`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    dbdyno_fuzzed::words::quantities(bytes);
});
