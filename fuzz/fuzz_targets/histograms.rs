//! Fuzzes [`dbdyno_fuzzed::records::histograms`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    dbdyno_fuzzed::records::histograms(bytes);
});
