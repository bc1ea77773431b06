//! The knee of rising load: where a little more throughput begins to cost much more latency.
//!
//! It is the step with the greatest **power**, throughput over latency (Giessler, Haenle, Koenig, Pade, "Free buffer
//! allocation: an investigation by simulation", Computer Networks 2, 1978; Kleinrock, "Power and deterministic rules of thumb
//! for probabilistic problems in computer communications", ICC 1979): there a ray from the origin touches the curve of latency
//! against throughput. It has no parameter to tune, needs no fitted curve, and for a single queue it lies at half of the
//! capacity, where Kleinrock shows it to be.

/// The index of the step with the greatest power among `(throughput, latency)`; of equals the first. `None` without a step
/// whose figures are both above zero.
#[must_use]
pub fn knee(steps: &[(f64, f64)]) -> Option<usize> {
    steps
        .iter()
        .enumerate()
        .filter(|(_, (throughput, latency))| *throughput > 0.0 && *latency > 0.0)
        .map(|(index, (throughput, latency))| (index, throughput / latency))
        .reduce(|best, step| if step.1 > best.1 { step } else { best })
        .map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::knee;
    use proptest::prelude::*;

    /// A single queue with random arrivals (M/M/1): response time is service time / (1 - utilisation).
    #[test]
    fn a_single_queue_has_its_knee_at_half_of_its_capacity() {
        let steps: Vec<(f64, f64)> = (1..20)
            .map(|step| f64::from(step) / 20.0)
            .map(|utilisation| (1000.0 * utilisation, 0.001 / (1.0 - utilisation)))
            .collect();
        assert_eq!(knee(&steps).map(|index| steps[index].0), Some(500.0));
    }

    #[test]
    fn a_system_without_queue_has_it_at_the_end() {
        let steps: Vec<(f64, f64)> = (1..10).map(|step| (f64::from(step), 1.0)).collect();
        assert_eq!(knee(&steps), Some(8));
        assert_eq!(knee(&[]), None);
        assert_eq!(knee(&[(0.0, 1.0), (5.0, 0.0)]), None);
    }

    proptest! {
        #[test]
        fn units_do_not_move_it(steps in proptest::collection::vec((1.0..1e6f64, 1.0..1e9f64), 1..20)) {
            let scaled: Vec<(f64, f64)> = steps.iter().map(|(x, y)| (x * 1024.0, y / 1024.0)).collect();
            prop_assert_eq!(knee(&steps), knee(&scaled));
        }
    }
}
