//! Every quantity reads back what it writes, in text and in files, and none panics on any text.

use std::time::Duration;

use dbdyno_vocabulary::{Count, Rate, Share, Size, Time, suggest};
use proptest::prelude::*;

fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>()
            .prop_map(f64::abs)
            .prop_filter("a number", |value| value.is_normal()),
        (0_u32..1_000_000).prop_map(|thousandths| f64::from(thousandths) / 1000.0),
        (0_u64..1 << 53).prop_map(|whole| whole as f64),
    ]
}

proptest! {
    #[test]
    fn counts(count: u64) {
        let count = Count::new(count);
        prop_assert_eq!(Count::parse(&count.to_string()), Ok(count));
        let json = serde_json::to_string(&count).unwrap();
        prop_assert_eq!(serde_json::from_str::<Count>(&json).unwrap(), count);
    }

    #[test]
    fn short_counts(digits in 0_u64..100_000, zeros in 0_u32..12) {
        let count = Count::new(digits * 10_u64.pow(zeros));
        prop_assert_eq!(Count::parse(&count.to_string()), Ok(count));
        prop_assert_eq!(Count::parse(&format!("{digits}e{zeros}")), Ok(count));
    }

    #[test]
    fn rates(rate in positive()) {
        let rate = Rate::new(rate);
        prop_assert_eq!(Rate::parse(&rate.to_string()), Ok(rate));
        prop_assert_eq!(Rate::parse(&format!("{rate}/s")), Ok(rate));
    }

    #[test]
    fn shares(part in positive().prop_filter("in range of a percentage", |part| *part < 1e300 && *part > 1e-300)) {
        let share = Share::new(part);
        prop_assert_eq!(Share::parse(&share.to_string()), Ok(share));
        let json = serde_json::to_string(&share).unwrap();
        prop_assert_eq!(serde_json::from_str::<Share>(&json).unwrap(), share);
    }

    #[test]
    fn sizes(bytes: u64, shift in 0_u32..64) {
        for bytes in [bytes, bytes >> shift, bytes << shift] {
            let size = Size::new(bytes);
            prop_assert_eq!(Size::parse(&size.to_string()), Ok(size));
        }
    }

    #[test]
    fn times(nanoseconds: u64) {
        let time = Time::new(Duration::from_nanos(nanoseconds));
        prop_assert_eq!(Time::parse(&time.to_string()), Ok(time));
        let json = serde_json::to_string(&time).unwrap();
        prop_assert_eq!(serde_json::from_str::<Time>(&json).unwrap(), time);
    }

    #[test]
    fn no_text_is_too_strange(text in "\\PC*") {
        let _ = (Count::parse(&text), Rate::parse(&text), Share::parse(&text), Size::parse(&text), Time::parse(&text));
        let _ = suggest::nearest(&text, ["read", "é"]);
    }

    #[test]
    fn no_number_is_too_strange(text in "[0-9eE.k_M% +-]{0,12}[a-zµ%/]{0,4}") {
        let _ = (Count::parse(&text), Rate::parse(&text), Share::parse(&text), Size::parse(&text), Time::parse(&text));
    }

    /// What study files, flags and expectations took for a share, each in a reader of its own.
    #[test]
    fn percentages_of_old_are_read(percent in 0.001_f64..99.9, blank in "[ ]?") {
        let share = Share::parse(&format!("{percent}{blank}%")).unwrap().get();
        prop_assert!((share - percent / 100.0).abs() <= f64::EPSILON * share, "{} {}", share, percent);
        prop_assert_eq!(Share::parse(&(percent / 100.0).to_string()).unwrap().get(), percent / 100.0);
    }
}

#[test]
fn files_hold_numbers_or_text() {
    #[derive(serde::Deserialize)]
    struct File {
        clients: Count,
        records: Count,
        operations: Count,
        rate: Rate,
        margin: Share,
        spread: Share,
        duration: Time,
        cache: Size,
    }
    let file: File = toml::from_str(
        "clients = 16\nrecords = \"1.5M\"\noperations = 1e6\nrate = 0.5\nmargin = \"5%\"\nspread = 0.05\n\
         duration = \"1m30s\"\ncache = \"64M\"",
    )
    .unwrap();
    assert_eq!(
        (file.clients.get(), file.records.get(), file.operations.get()),
        (16, 1_500_000, 1_000_000)
    );
    assert_eq!(
        (file.rate.get(), file.margin.get(), file.spread.get()),
        (0.5, 0.05, 0.05)
    );
    assert_eq!(file.duration.get(), Duration::from_secs(90));
    assert_eq!(file.cache.get(), 64 << 20);

    #[derive(Debug, serde::Deserialize)]
    struct One {
        #[expect(dead_code, reason = "reading it fails")]
        clients: toml::Spanned<Count>,
    }
    for (text, problem) in [
        ("clients = -1", "`-1` is not a number"),
        ("clients = 0.5", "not a whole number"),
        ("clients = true", "a whole number such as"),
    ] {
        let error = toml::from_str::<One>(text).unwrap_err();
        assert!(error.message().contains(problem), "{text}: {error}");
        assert!(
            error
                .span()
                .is_some_and(|span| text[span].contains(text.split(" = ").nth(1).unwrap())),
            "{text}: the place is kept"
        );
    }
}
