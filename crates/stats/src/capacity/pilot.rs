//! The pilot: closed loops with more and more clients until more bring nothing.

/// Clients of the first closed loop.
pub const PILOT_CLIENTS: u32 = 4;
/// The most clients that are tried.
pub const MOST_CLIENTS: u32 = 256;
/// Twice as many clients must bring at least this much more, as a share.
const GAIN: f64 = 0.10;

/// What the pilot does next.
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

/// The next step of a pilot after closed loops of `(clients, operations per second)`. With `clients` given, one loop of that
/// many is all; else they double from [`PILOT_CLIENTS`] on.
#[must_use]
pub fn pilot(clients: Option<u32>, seen: &[(u32, f64)]) -> Pilot {
    let first = clients.unwrap_or(PILOT_CLIENTS);
    let best = |seen: &[(u32, f64)]| seen.iter().map(|loop_| loop_.1).fold(0.0, f64::max);
    let Some(&(last, rate)) = seen.iter().max_by_key(|loop_| loop_.0) else {
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
        assert_eq!(pilot(None, &[(4, 100.0)]), Pilot::Measure { clients: 8 });
        assert_eq!(
            pilot(None, &[(8, 190.0), (4, 100.0)]),
            Pilot::Measure { clients: 16 }
        );
        assert_eq!(
            pilot(None, &[(4, 100.0), (8, 190.0), (16, 185.0)]),
            Pilot::Ceiling {
                clients: 16,
                rate: 190.0
            }
        );
        let endless: Vec<(u32, f64)> = (2..=8).map(|power| (1 << power, f64::from(1 << power))).collect();
        assert!(matches!(
            pilot(None, &endless),
            Pilot::Ceiling { clients: 256, .. }
        ));
    }

    #[test]
    fn a_number_of_clients_that_was_said_is_kept() {
        assert_eq!(pilot(Some(3), &[]), Pilot::Measure { clients: 3 });
        assert_eq!(
            pilot(Some(3), &[(3, 50.0)]),
            Pilot::Ceiling {
                clients: 3,
                rate: 50.0
            }
        );
    }
}
