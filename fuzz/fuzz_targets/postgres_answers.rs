//! Fuzzes [`dbdyno_fuzzed::answers::postgres`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    dbdyno_fuzzed::answers::postgres(bytes);
});
