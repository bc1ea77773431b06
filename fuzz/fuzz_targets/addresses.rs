//! Fuzzes [`dbdyno_fuzzed::words::addresses`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    dbdyno_fuzzed::words::addresses(bytes);
});
