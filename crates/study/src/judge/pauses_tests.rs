use super::*;

const QUARTER: u64 = 250_000_000;
const SECOND: u64 = 4 * QUARTER;

fn busy(ended: u64, longest_ns: u64) -> Window {
    Window {
        ok: ended,
        ended,
        latency_p50_ns: Some(1e6),
        longest_ns,
    }
}

/// Windows in which so many operations end; after a pause the longest took as long as it.
fn windows(ended: &[(usize, u64)], pause_ns: u64) -> Vec<Window> {
    let mut windows = Vec::new();
    for &(length, ended) in ended {
        let after_pause = windows.last().is_some_and(|window: &Window| window.ended == 0);
        let first = if after_pause { pause_ns } else { 2_000_000 };
        windows.extend((0..length).map(|place| match (ended, place) {
            (0, _) => Window::default(),
            (_, 0) => busy(ended, first),
            _ => busy(ended, 2_000_000),
        }));
    }
    windows
}

fn found(windows: &[Window]) -> Option<Pauses> {
    find(windows, QUARTER, Some(1e6))
}

/// The findings about a phase of ten seconds with these pauses.
fn said(pauses: &Pauses) -> String {
    let paused = Paused {
        pauses: *pauses,
        phase_ns: 10 * SECOND,
    };
    Finding::warning(paused).message()
}

#[test]
fn pauses_that_come_again_are_counted_and_said() {
    let cycle = [(5, 100), (7, 0)];
    let windows = windows(&[&cycle[..], &cycle, &cycle, &[(4, 100)]].concat(), 2 * SECOND);
    let pauses = found(&windows).unwrap();
    assert_eq!(
        pauses,
        Pauses {
            count: 3,
            total_ns: 6 * SECOND,
            median_ns: 2 * SECOND,
            longest_ns: 2 * SECOND,
            every_ns: Some(3 * SECOND),
        }
    );
    assert!(prevail(&pauses, 10 * SECOND));
    assert_eq!(
        said(&pauses),
        "the answers paused for 2.0 s of every 3.0 s (6.0 s of 10.0 s in all)"
    );
    assert_eq!(
        super::finding(&pauses, 10 * SECOND),
        None,
        "it is no steady state"
    );
}

#[test]
fn a_single_pause_is_said_and_a_moment_is_not() {
    let once = found(&windows(&[(20, 100), (7, 0), (13, 100)], 2 * SECOND)).unwrap();
    assert!(!prevail(&once, 10 * SECOND));
    let said = super::finding(&once, 10 * SECOND).unwrap();
    assert_eq!(
        (said.code(), said.message()),
        (
            "pauses",
            "the answers paused once, for 2.0 s of 10.0 s".to_owned()
        )
    );
    let moment = found(&windows(&[(20, 100), (1, 0), (19, 100)], 3 * QUARTER / 2)).unwrap();
    assert_eq!(moment.total_ns, 3 * QUARTER / 2);
    assert_eq!(super::finding(&moment, 10 * SECOND), None);
}

/// Clients that wait for two stalls one after the other wait for longer than either, and the ends of the phase cut pauses off.
#[test]
fn pauses_are_together_no_longer_than_the_phase() {
    let cycle = [(1, 50), (7, 0)];
    let windows = windows(
        &[&[(4, 0)][..], &cycle, &cycle, &cycle, &cycle, &[(1, 50), (3, 0)]].concat(),
        4 * SECOND,
    );
    let pauses = found(&windows).unwrap();
    assert_eq!((windows.len(), pauses.count), (40, 6));
    assert_eq!((pauses.total_ns, pauses.longest_ns), (10 * SECOND, 2 * SECOND));
    assert_eq!(said(&pauses), "the answers paused 6 times, for 10.0 s of 10.0 s");
}

/// A pause at the end has no operation that waited for it, and one whose operation failed has none that counts.
#[test]
fn a_pause_without_an_answer_is_as_long_as_its_windows() {
    let end = found(&windows(&[(30, 100), (10, 0)], 0)).unwrap();
    assert_eq!((end.count, end.total_ns), (1, 10 * QUARTER));
    let failed = found(&windows(&[(20, 100), (8, 0), (12, 100)], 0)).unwrap();
    assert_eq!(failed.total_ns, 8 * QUARTER);
}

#[test]
fn failures_are_answers() {
    let mut failing = windows(&[(40, 100)], 0);
    failing[10..30].iter_mut().for_each(|window| {
        (window.ok, window.latency_p50_ns, window.longest_ns) = (0, None, 0);
    });
    assert_eq!(found(&failing), None);
    assert_eq!(found(&[]), None);
}

/// Few operations, or slow ones that end together, leave windows without an answer.
#[test]
fn what_is_slow_does_not_pause() {
    let rare: Vec<(usize, u64)> = (0..20).flat_map(|_| [(1, 3), (1, 0)]).collect();
    assert_eq!(found(&windows(&rare, 0)), None);
    // A hundred clients, each of which waits for a second.
    let together: Vec<(usize, u64)> = (0..10).flat_map(|_| [(1, 100), (3, 0)]).collect();
    let together = windows(&together, SECOND);
    assert_eq!(find(&together, QUARTER, Some(1e9)), None);
    assert_eq!(find(&together, QUARTER, None), None);
    assert!(
        find(&together, QUARTER, Some(1e6)).is_some(),
        "a millisecond each"
    );
}
