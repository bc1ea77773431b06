//! Fuzzes [`dbdyno_fuzzed::files::prices`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    dbdyno_fuzzed::files::prices(bytes);
});
