//! Fuzzes [`dbdyno_fuzzed::messages::of_agents`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    dbdyno_fuzzed::messages::of_agents(bytes);
});
