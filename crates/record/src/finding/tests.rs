//! Findings on disk, their codes and their words.

use std::collections::BTreeSet;

use super::*;
use crate::{Level, Pauses};

/// One of each kind, with every figure that it may have.
#[allow(clippy::too_many_lines, reason = "a list")]
fn every_kind() -> Vec<FindingKind> {
    let text = |text: &str| text.to_owned();
    let level = |throughput_per_second| Level {
        from_ns: 4_000_000_000,
        throughput_per_second,
        latency_p50_ns: Some(1_200.0),
    };
    let pauses = Pauses {
        count: 3,
        total_ns: 6_000_000_000,
        median_ns: 2_000_000_000,
        longest_ns: 2_100_000_000,
        every_ns: Some(3_100_000_000),
    };
    let phase_ns = 10_000_000_000;
    vec![
        TableNotKept {
            error: text("no space left"),
        }
        .into(),
        Interrupted { after_ns: 1 }.into(),
        ClientsStuck {
            stuck: 1,
            clients: 4,
            drain_ns: 5,
            never_sent: 9,
        }
        .into(),
        TooShort {
            duration_ns: 999_000_000,
        }
        .into(),
        NothingMeasured {
            phase_ns,
            because: NothingMeasuredBecause::AnsweredLate {
                operations: 4,
                last_ns: 70,
            },
        }
        .into(),
        FewSamples {
            fewest: 1_000,
            operations: [(text("read"), 12)].into(),
        }
        .into(),
        RateNotSustained {
            asked_per_second: 2e4,
            achieved_per_second: 1.9e4,
            backlog: 7,
        }
        .into(),
        LoadIncomplete {
            failed: 1,
            records: 10,
            sample: text("timeout"),
        }
        .into(),
        OnlyErrors { for_s: 5 }.into(),
        Errors {
            failed: 1,
            attempts: 9,
            share_of_time: Some(0.5),
            sample: Some(text("timeout")),
        }
        .into(),
        VerificationFailed {
            failed: 1,
            verified: 9,
            loaded: true,
        }
        .into(),
        NotFound {
            absent: 1,
            attempts: 9,
            deletes: false,
            loaded: true,
        }
        .into(),
        TooEarly {
            early: 1,
            attempts: 9,
        }
        .into(),
        DebugBuild {}.into(),
        ClockDrift {
            phase: text("load"),
            faster_ppm: -120.5,
        }
        .into(),
        SchedulingLag { p99_ns: 4_050_900 }.into(),
        ToolIsBottleneck {
            timing_ns: 31,
            operation_ns: 151.4,
            limit_share: 0.1,
            medians_ns: [(text("read"), 299)].into(),
        }
        .into(),
        CpuSaturated {
            share: 0.97,
            with_store: false,
        }
        .into(),
        ClientThreadSaturated {
            thread: text("client-0"),
            share: 0.97,
            on_time: true,
            more_threads: MoreThreads::Spare,
        }
        .into(),
        SlowGenerator {
            generator: text("west-2"),
            client_per_second: 410.0,
            others_per_second: 990.5,
        }
        .into(),
        LateGenerator {
            generator: text("west-2"),
            p99_ns: 1_480_000_000,
            others_p99_ns: 727_000,
        }
        .into(),
        GeneratorStart {
            generator: text("west-2"),
            apart_ns: 21_000_000,
            interval_ns: phase_ns,
        }
        .into(),
        GeneratorSteal {
            generator: text("west-2"),
            share: 0.12,
            limit_share: 0.02,
        }
        .into(),
        GeneratorThrottled {
            generator: text("west-2"),
            share: 0.3,
        }
        .into(),
        HostSteal {
            share: 0.031,
            limit_share: 0.02,
        }
        .into(),
        HostOtherProcesses {
            share: 0.2,
            limit_share: 0.1,
            busiest: Some(text("cc1")),
        }
        .into(),
        HostOtherIo {
            bytes_per_second: 2e7,
            limit_bytes_per_second: 1e7,
        }
        .into(),
        HostThrottled { share: 0.1 }.into(),
        HostSwapped { pages: 300 }.into(),
        HostMemoryPressure { share: 0.1 }.into(),
        SlowClock {
            clock_source: text("hpet"),
        }
        .into(),
        FitsInMemory {
            data_bytes: 5,
            memory_bytes: 9,
        }
        .into(),
        MemoryFilled {
            held_bytes: 8,
            memory_bytes: 9,
        }
        .into(),
        SharedDisk { servers: 3 }.into(),
        NodesShareDisk {
            servers: 3,
            device: text("vda"),
        }
        .into(),
        VolumeFull {
            volume: text("it is full"),
        }
        .into(),
        IdleServers {
            systems: vec![text("a"), text("b")],
        }
        .into(),
        NeverWarm {
            warmup_ns: phase_ns,
            compiling_share: Some(0.1),
            again_limit_ns: Some(1),
        }
        .into(),
        SlowStart {
            judged_by: text("throughput"),
            phase_ns,
            whole_per_second: 950.0,
            levels: vec![level(900.0), level(1_000.0)],
        }
        .into(),
        NoSteadyState {
            judged_by: text("latency"),
            phase_ns,
            levels: vec![level(900.0), level(1_000.0)],
            pauses: Some(pauses),
        }
        .into(),
        TwoSpeeds {
            judged_by: text("throughput"),
            levels: vec![level(1.0)],
        }
        .into(),
        SteadinessNotJudged {}.into(),
        Paused { pauses, phase_ns }.into(),
        StillCompiling { share: 0.2 }.into(),
        FarCores { share: 0.4 }.into(),
        SharedCore { share: 0.1 }.into(),
        DeferredWork {
            share: 0.25,
            charged_ns: 400_000_000,
            closed_loop: true,
        }
        .into(),
        ShortHead {
            late_ratio: 1.2,
            head_ns: 25_000_000,
        }
        .into(),
        IoWhileParked {
            parked_bytes: 1 << 25,
            own_bytes: 1 << 28,
        }
        .into(),
        RepeatBudgetSpent {}.into(),
        AlwaysDisturbed { attempts: 3 }.into(),
        TornGroup {}.into(),
        ProtectionDiffers {
            system: text("redis"),
            factor: text("security"),
            level: text("tls"),
            seen: vec![text("its clients spoke clear text")],
        }
        .into(),
        Imported {
            tool: text("YCSB"),
            source: text("a.log"),
            remarks: vec![text("no warm-up")],
            not_stated: vec![text("seed")],
        }
        .into(),
        FiguresDisagree {
            disagreement: text("1 is not 2"),
        }
        .into(),
        CoordinatedOmission {
            asked_per_second: 500.0,
            operations: vec![text("read")],
        }
        .into(),
    ]
}

#[test]
fn every_kind_is_read_as_it_was_written() {
    for kind in every_kind() {
        let finding = Finding::warning(kind);
        let text = serde_json::to_string(&finding).unwrap();
        let read: Finding = serde_json::from_str(&text).unwrap();
        assert_eq!(read, finding, "{text}");
        assert!(!matches!(read.kind, FindingKind::WordsOnly(_)), "{text}");
        for part in [finding.message(), finding.remedy().into_owned()] {
            assert!(
                !part.is_empty() && !part.contains("  ") && !part.ends_with('.'),
                "{part}"
            );
        }
    }
}

#[test]
fn every_kind_has_a_code_of_its_own_in_small_letters() {
    let every_kind = every_kind();
    let codes: BTreeSet<&str> = every_kind.iter().map(FindingKind::code).collect();
    assert_eq!(codes.len(), FindingKind::CODES.len());
    for code in FindingKind::CODES {
        assert!(codes.contains(code), "{code} has an example above");
        let is_plain = |letter: char| letter.is_ascii_lowercase() || letter == '-';
        assert!(code.chars().all(is_plain), "{code}");
    }
}

#[test]
fn other_versions_leave_their_words() {
    for (figures, is_known) in [
        ("", false),
        (r#", "p99_ns": 4050900"#, true),
        (r#", "p99_ns": 4050900, "p50_ns": 12"#, false),
        (r#", "p99_ns": "4 ms""#, false),
    ] {
        let text = format!(
            r#"{{"code": "scheduling-lag", "severity": "warning", "message": "sent late", "remedy": "wait"{figures}}}"#
        );
        let finding: Finding = serde_json::from_str(&text).unwrap();
        assert!(finding.is::<SchedulingLag>());
        let told = (finding.message(), finding.remedy().into_owned());
        let is_told = told == ("sent late".to_owned(), "wait".to_owned());
        assert_eq!(is_told, !is_known, "{told:?}");
        let kept: Finding = serde_json::from_str(&serde_json::to_string(&finding).unwrap()).unwrap();
        assert_eq!(kept, finding);
    }
    let unknown =
        r#"{"code": "of-next-year", "severity": "invalid", "message": "m", "remedy": "r", "share": 1}"#;
    let finding: Finding = serde_json::from_str(unknown).unwrap();
    assert_eq!(
        (finding.code(), finding.severity),
        ("of-next-year", Severity::Invalid)
    );
    assert_eq!(finding.to_string(), "m");
}

#[test]
fn a_figure_that_json_does_not_have_is_left_to_the_words() {
    let finding = Finding::note(HostThrottled { share: f64::NAN });
    let read: Finding = serde_json::from_str(&serde_json::to_string(&finding).unwrap()).unwrap();
    assert_eq!(read.message(), finding.message());
    assert!(read.is::<HostThrottled>() && matches!(read.kind, FindingKind::WordsOnly(_)));
}

#[test]
fn the_figures_of_many_trials_become_one_sentence() {
    let joined = |kinds: &[FindingKind]| {
        let statements: Vec<Statement> = kinds.iter().map(FindingKind::statement).collect();
        Statement::joined(&statements.iter().collect::<Vec<_>>())
    };
    let busy = |share, busiest: Option<&str>| {
        HostOtherProcesses {
            share,
            limit_share: 0.1,
            busiest: busiest.map(str::to_owned),
        }
        .into()
    };
    assert_eq!(
        joined(&[busy(0.31, Some("cc1")), busy(0.124, None)]).unwrap(),
        "other processes used 12.4% to 31% of CPU time, most of it `cc1` (limit: 10%)"
    );
    let never = |judged_by: &str, last: u64, throughput_per_second| {
        let level = |from_ns| Level {
            from_ns,
            throughput_per_second,
            latency_p50_ns: None,
        };
        NoSteadyState {
            judged_by: judged_by.to_owned(),
            phase_ns: 1_000_000_000,
            levels: vec![level(0), level(last)],
            pauses: None,
        }
        .into()
    };
    assert_eq!(
        joined(&[
            never("latency", 700_000_000, 9e3),
            never("throughput", 600_000_000, 8e3)
        ])
        .unwrap(),
        "the latency or throughput never became steady; the last level lasted for 0.3 to 0.4 of 1.0 s"
    );
}
