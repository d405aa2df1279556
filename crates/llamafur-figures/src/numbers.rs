//! Formats numbers for people.

/// Formats a number with three decimals, or as a power of ten if three decimals do not suit it.
pub(crate) fn exact(x: f64) -> String {
    let is_usual = x == 0.0 || (5e-4..1e5).contains(&x.abs());
    minus(if is_usual { format!("{x:.3}") } else { format!("{x:.2e}") })
}

/// Formats a number briefly, for the ticks of an axis: 0.25, 3, 20k, 1M.
pub(crate) fn short(x: f64) -> String {
    let (x, unit) = match x.abs() {
        size if size >= 0.999_999e6 => (x / 1e6, "M"),
        size if size >= 0.999_999e3 => (x / 1e3, "k"),
        _ => (x, ""),
    };
    minus(format!("{}{unit}", trimmed(format!("{x:.3}"))))
}

/// Removes trailing zeros.
pub(crate) fn trimmed(digits: String) -> String {
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Replaces hyphens by minus signs.
pub(crate) fn minus(number: String) -> String {
    number.replace('-', "−")
}

/// Formats a number of bytes in units of powers of 1000, with one to three digits before the point: 4.0 GB.
///
/// ```
/// use llamafur_figures::bytes;
/// assert_eq!(bytes(1.6e9), "1.6 GB");
/// assert_eq!(bytes(999.0), "999 B");
/// ```
pub fn bytes(bytes: f64) -> String {
    let mut left = if bytes.is_finite() { bytes.max(0.0) } else { 0.0 };
    for unit in ["B", "kB", "MB", "GB", "TB"] {
        // What would be rounded to 1000 takes the next unit.
        if left < if unit == "B" { 999.5 } else { 999.95 } {
            let decimals = if unit == "B" || left >= 99.95 { 0 } else { 1 };
            return format!("{left:.decimals$} {unit}");
        }
        left /= 1000.0;
    }
    format!("{left:.1} PB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.25, 3.0, 0.1 + 0.2, 20_000.0, 1e6, 0.0, -2.5].map(short),
            ["0.25", "3", "0.3", "20k", "1M", "0", "−2.5"]
        );
    }
}
