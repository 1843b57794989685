//! Numbers and tables as commands and pages show them.

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
    let (number, unit) = scaled(rate);
    number + unit
}

/// A power of ten, or another rate of few digits: "1 G".
pub fn short_rate(rate: f64) -> String {
    let (number, unit) = scaled(rate);
    short(&number).to_string() + unit
}

fn scaled(rate: f64) -> (String, &'static str) {
    let rate = rounded(rate);
    let units = [(1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "")];
    let (unit, name) = units.into_iter().find(|(unit, _)| rate >= *unit).unwrap_or((1.0, ""));
    (digits(rate / unit), name)
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
    short(&format!("{number:.4}")).to_string()
}

/// A size to three digits, in the largest unit that is not larger: "1.5 KiB".
pub fn bytes(size: u64) -> String {
    // Some drivers report one byte less than a power of two.
    let round = size.checked_add(1).filter(|n| n.is_power_of_two()).unwrap_or(size);
    let units = [(1u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(unit, _)| round >= *unit) {
        Some((unit, name)) => format!("{} {name}", short(&digits(round as f64 / unit as f64))),
        None => format!("{size} bytes"),
    }
}

/// A decimal number without zeros at its end.
fn short(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A whole number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The most characters of a cell.
const CELL: usize = 120;

/// A cell of at most [`CELL`] characters: of a longer one the start and the end.
fn cell(text: &str) -> String {
    const MARK: &str = "...";
    let length = text.chars().count();
    if length <= CELL {
        return text.to_string();
    }
    let half = (CELL - MARK.len()) / 2;
    let start: String = text.chars().take(half).collect();
    start + MARK + &text.chars().skip(length - half).collect::<String>()
}

/// Lines of cells in columns of equal width, the first one to the left. Long cells are cut, so that no text
/// decides how wide a column is.
pub fn table(lines: &[Vec<String>]) -> String {
    let cells = |line: &Vec<String>| line.iter().map(|text| cell(text)).collect();
    let lines: Vec<Vec<String>> = lines.iter().map(cells).collect();
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |n: usize| {
        lines.iter().filter_map(|line| line.get(n)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|n| width(n).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in &lines {
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
    fn long_cells_are_cut() {
        let lines = |first: &str| {
            let lines =
                [[first, "value"], ["b", "3"]].map(|line| line.map(str::to_string).to_vec());
            table(&lines)
        };
        assert_eq!(lines("name"), "name  value\nb         3\n");
        // The limit of the width of format! is 65535.
        let long = format!("start{}é end", "x".repeat(70_000));
        let text = lines(&long);
        let (first, second) = text.split_once('\n').expect("two lines");
        assert!(first.starts_with("startxxx") && first.ends_with("é end  value"), "{first}");
        assert!(first.contains("xx...xx"), "{first}");
        assert_eq!(first.chars().count(), second.trim_end().chars().count());
        assert!(first.chars().count() <= 120 + 7, "{first}");
        let fits = "é".repeat(120);
        assert!(lines(&fits).starts_with(&format!("{fits}  value")));
    }

    #[test]
    fn sizes_have_three_digits_and_no_zeros_at_the_end() {
        for (size, text) in [
            (0, "0 bytes"),
            (1000, "1000 bytes"),
            (1536, "1.5 KiB"),
            (1023, "1 KiB"),
            (123_456_789, "118 MiB"),
            ((1 << 30) - 1, "1 GiB"),
            (16 << 30, "16 GiB"),
            (3 << 40, "3 TiB"),
        ] {
            assert_eq!(bytes(size), text);
        }
        assert_eq!([0, 999, 1_234_567].map(grouped), ["0", "999", "1,234,567"]);
        assert_eq!([1e9, 1e4, 1.0].map(short_rate), ["1 G", "10 k", "1"]);
    }

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
