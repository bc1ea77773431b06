//! Fuzzes [`dbdyno_fuzzed::answers::redis_driver`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    dbdyno_fuzzed::answers::redis_driver(bytes);
});
