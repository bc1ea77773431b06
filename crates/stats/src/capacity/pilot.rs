//! The pilot: closed loops until the system is warm, then with more and more clients until more bring nothing.
//!
//! A server that has just started becomes faster for minutes (code is compiled, caches fill). A search that began with its first
//! throughput would look for the edge of a system that is gone by the time of the confirmation.

/// Clients of the first closed loop.
pub const PILOT_CLIENTS: u32 = 4;
/// The most clients that are tried.
pub const MOST_CLIENTS: u32 = 256;
/// Twice as many clients must bring at least this much more, as a share; loops of a warm system differ by less.
const GAIN: f64 = 0.10;
/// The most closed loops that are waited for a system to become warm.
const MOST_WARMING: usize = 8;

/// The pilot's next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pilot {
    /// Run a closed loop with this many clients.
    Measure {
        /// Clients.
        clients: u32,
    },
    /// It is known what a closed loop reaches.
    Ceiling {
        /// The clients to go on with.
        clients: u32,
        /// Operations per second, the best of the pilot.
        rate: f64,
    },
}

/// The next step of a pilot after closed loops of `(clients, operations per second)`, in any order. The first number of clients is
/// repeated until the two best loops agree. With `clients` given, that is all; else they double from [`PILOT_CLIENTS`] on.
#[must_use]
pub fn pilot(clients: Option<u32>, seen: &[(u32, f64)]) -> Pilot {
    let first = clients.unwrap_or(PILOT_CLIENTS);
    let best = |seen: &[(u32, f64)]| seen.iter().map(|loop_| loop_.1).fold(0.0, f64::max);
    let mut warming: Vec<f64> = seen
        .iter()
        .filter(|loop_| loop_.0 == first)
        .map(|loop_| loop_.1)
        .collect();
    warming.sort_by(|a, b| b.total_cmp(a));
    let warm = warming.len() >= MOST_WARMING
        || matches!(warming[..], [best, second, ..] if best <= second * (1.0 + GAIN));
    let Some(&(last, rate)) = seen.iter().max_by_key(|loop_| loop_.0).filter(|_| warm) else {
        return Pilot::Measure { clients: first };
    };
    let earlier: Vec<(u32, f64)> = seen.iter().copied().filter(|loop_| loop_.0 < last).collect();
    let settled = !earlier.is_empty() && rate < best(&earlier) * (1.0 + GAIN);
    if clients.is_some() || settled || last >= MOST_CLIENTS {
        return Pilot::Ceiling {
            clients: last,
            rate: best(seen),
        };
    }
    Pilot::Measure {
        clients: (last * 2).min(MOST_CLIENTS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_double_until_they_bring_nothing() {
        assert_eq!(pilot(None, &[]), Pilot::Measure { clients: 4 });
        assert_eq!(pilot(None, &[(4, 100.0)]), Pilot::Measure { clients: 4 });
        let warm = [(4, 100.0), (4, 97.0)];
        let and = |more: &[(u32, f64)]| pilot(None, &[&warm[..], more].concat());
        assert_eq!(and(&[]), Pilot::Measure { clients: 8 });
        assert_eq!(and(&[(8, 190.0)]), Pilot::Measure { clients: 16 });
        assert_eq!(
            and(&[(16, 185.0), (8, 190.0)]),
            Pilot::Ceiling {
                clients: 16,
                rate: 190.0
            }
        );
        let endless: Vec<(u32, f64)> = (3..=8)
            .map(|power| (1 << power, f64::from(1 << power) * 25.0))
            .collect();
        assert!(matches!(and(&endless), Pilot::Ceiling { clients: 256, .. }));
    }

    #[test]
    fn a_number_of_clients_that_was_stated_is_kept() {
        assert_eq!(pilot(Some(3), &[]), Pilot::Measure { clients: 3 });
        assert_eq!(
            pilot(Some(3), &[(3, 50.0), (3, 49.0)]),
            Pilot::Ceiling {
                clients: 3,
                rate: 50.0
            }
        );
    }

    #[test]
    fn a_cold_system_is_waited_for() {
        let mut seen = Vec::new();
        for rate in [10.0, 20.0, 28.0, 33.0] {
            assert_eq!(pilot(Some(3), &seen), Pilot::Measure { clients: 3 });
            seen.push((3, rate));
        }
        assert_eq!(
            pilot(Some(3), &seen),
            Pilot::Measure { clients: 3 },
            "33 is still far from 28"
        );
        seen.insert(0, (3, 34.0));
        assert_eq!(
            pilot(Some(3), &seen),
            Pilot::Ceiling {
                clients: 3,
                rate: 34.0
            }
        );
        let restless: Vec<(u32, f64)> = (0..8).map(|number| (3, 1.5_f64.powi(number))).collect();
        assert!(matches!(pilot(Some(3), &restless[..7]), Pilot::Measure { .. }));
        assert!(
            matches!(pilot(Some(3), &restless), Pilot::Ceiling { .. }),
            "but not for ever"
        );
    }
}
