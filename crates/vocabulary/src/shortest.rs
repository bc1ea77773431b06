//! Numbers written as people would: exactly, with as few digits as that takes.

/// The shortest exact writing of `value * 10^shift`, with an exponent only where the digits would be many.
pub(crate) fn shortest(value: f64, shift: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let exponent = exponent.parse::<i32>().unwrap_or(0) + shift;
    // How many digits stand before the point.
    let before = exponent + 1;
    match usize::try_from(before) {
        Ok(before @ 1..=18) if before >= digits.len() => format!("{digits:0<before$}"),
        Ok(before @ 1..=18) => format!("{}.{}", &digits[..before], &digits[before..]),
        _ if (-6..=0).contains(&before) => {
            format!("0.{}{digits}", "0".repeat(before.unsigned_abs() as usize))
        }
        _ if fraction.is_empty() => format!("{whole}e{exponent}"),
        _ => format!("{whole}.{fraction}e{exponent}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_is_short() {
        for (value, shift, text) in [
            (0.07, 2, "7"),
            (0.0005, 2, "0.05"),
            (0.125, 2, "12.5"),
            (12.0, 2, "1200"),
            (0.0, 2, "0"),
            (2.5, 0, "2.5"),
            (1e-30, 2, "1e-28"),
            (1.5e300, 0, "1.5e300"),
        ] {
            assert_eq!(shortest(value, shift), text);
        }
    }
}
