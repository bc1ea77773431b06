//! Fuzzes [`dbdyno_fuzzed::records::interval_logs`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    dbdyno_fuzzed::records::interval_logs(bytes);
});
