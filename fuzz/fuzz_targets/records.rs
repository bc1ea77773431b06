//! Fuzzes [`dbdyno_fuzzed::records::records`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    dbdyno_fuzzed::records::records(bytes);
});
