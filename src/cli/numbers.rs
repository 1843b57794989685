//! Numbers and tables as all commands print them.

/// A number of things: "1 launch", "2 launches".
pub fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A time in seconds, in the largest unit that fits.
pub fn time(s: f64) -> String {
    if s >= 1.0 {
        format!("{s:.2} s")
    } else if s >= 1e-3 {
        format!("{:.1} ms", s * 1e3)
    } else if s >= 1e-6 {
        format!("{:.0} us", s * 1e6)
    } else {
        format!("{:.0} ns", s * 1e9)
    }
}

/// A rate to three digits: "2.59 G", "115 k".
pub fn rate(rate: f64) -> String {
    let rate = rounded(rate);
    let units = [(1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "")];
    let (unit, name) = units.into_iter().find(|(unit, _)| rate >= *unit).unwrap_or((1.0, ""));
    digits(rate / unit) + name
}

/// A number from 0 on to three digits, without an exponent.
pub fn digits(number: f64) -> String {
    let number = rounded(number);
    // Where the first digit is: 0 for ones, 2 for hundreds, -2 for hundredths.
    let leading = if number > 0.0 { number.log10().floor().clamp(-9.0, 2.0) as i32 } else { 0 };
    let places = usize::try_from(2 - leading).unwrap_or(0);
    format!("{number:.places$}")
}

/// To three digits.
fn rounded(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

/// A number without superfluous digits, at most four after the point.
pub fn plain(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Formats a size in the largest unit that divides it, near enough.
#[cfg(feature = "gpu")]
pub fn bytes(size: u64) -> String {
    // Some drivers report one byte less than a power of two.
    let round = size.checked_add(1).filter(|n| n.is_power_of_two()).unwrap_or(size);
    match round {
        n if n >= 1 << 40 => format!("{} TiB", n >> 40),
        n if n >= 1 << 30 => format!("{:.3} GiB", n as f64 / f64::from(1u32 << 30)),
        n if n >= 1 << 20 => format!("{} MiB", n >> 20),
        n => format!("{} KiB", n >> 10),
    }
    .replace(".000", "")
}

/// Lines of cells in columns of equal width, the first one to the left.
pub fn table(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |n: usize| {
        lines.iter().filter_map(|line| line.get(n)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|n| width(n).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in lines {
        for (n, (cell, width)) in line.iter().zip(&widths).enumerate() {
            text += &if n == 0 { format!("{cell:<width$}") } else { format!("  {cell:>width$}") };
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_ratios_have_three_digits() {
        for (rate, text) in [
            (0.0, "0.00"),
            (0.054_321, "0.0543"),
            (7.0, "7.00"),
            (999.4, "999"),
            (999.6, "1.00 k"),
            (114_575.0, "115 k"),
            (9_996_000.0, "10.0 M"),
            (2_590_000_000.0, "2.59 G"),
            (1_431e9, "1430 G"),
        ] {
            assert_eq!(super::rate(rate), text);
        }
        assert_eq!(digits(0.001_234), "0.00123");
        assert_eq!(digits(1234.0), "1230");
    }
}
