//! Figures as text. A missing value, or one that is not a number, is shown as `-`.

/// What stands for a missing value.
pub const MISSING: &str = "-";

fn finite(value: impl Into<Option<f64>>) -> Option<f64> {
    // Adding zero turns -0.0 into 0.0, so that "-0" is never shown.
    value.into().filter(|v| v.is_finite()).map(|v| v + 0.0)
}

/// Four significant digits and an exponent, as in the tables: `1.472E+05`.
#[must_use]
pub fn scientific(value: impl Into<Option<f64>>) -> String {
    let Some(value) = finite(value) else { return MISSING.to_owned() };
    let text = format!("{value:.3E}");
    let (digits, exponent) = text.split_once('E').unwrap_or((&text, "0"));
    format!("{digits}E{:+03}", exponent.parse::<i32>().unwrap_or_default())
}

/// Four significant digits with thousands separators, as in the summaries: `147,200`, `12.34`.
#[must_use]
pub fn thousands(value: impl Into<Option<f64>>) -> String {
    let Some(value) = finite(value) else { return MISSING.to_owned() };
    if value == 0.0 {
        return "0".to_owned();
    }
    // Rounding comes first, or 999.96 would keep a decimal.
    let rounded = format!("{value:.3e}").parse::<f64>().unwrap_or(value);
    if !(0.001..1e15).contains(&rounded.abs()) {
        return scientific(value);
    }
    let decimals = usize::try_from(3 - rounded.abs().log10().floor() as i32).unwrap_or(0);
    separated(&format!("{rounded:.decimals$}"))
}

/// A count, exact, with thousands separators.
#[must_use]
pub fn count(value: u64) -> String {
    separated(&value.to_string())
}

/// Puts separators into the integer part.
fn separated(number: &str) -> String {
    let whole = number.find('.').unwrap_or(number.len());
    let second_digit = if number.starts_with('-') { 2 } else { 1 };
    let mut text = number.to_owned();
    for at in (second_digit..whole).rev().filter(|at| (whole - at).is_multiple_of(3)) {
        text.insert(at, ',');
    }
    text
}

/// A figure for a narrow column: whole from 10 up, one decimal below, an exponent for large values.
#[must_use]
pub fn short(value: impl Into<Option<f64>>) -> String {
    let Some(value) = finite(value) else { return MISSING.to_owned() };
    match value.abs() {
        0.0 => "0".to_owned(),
        // A whole number was printed or counted as such; a decimal would suggest more precision.
        v if v < 9.95 && v.fract() != 0.0 => format!("{value:.1}"),
        v if v < 1e8 => format!("{value:.0}"),
        _ => scientific(value),
    }
}

/// Three digits, for factors and values from 0.001 to 1,000: `0.512`, `1.83`, `28.1`, `460`.
#[must_use]
pub fn factor(value: f64) -> String {
    // From each of these on there is a decimal less.
    let decimals = [0.999_5, 9.995, 99.95].iter().filter(|from| value.abs() < **from).count();
    if value == 0.0 { "0".to_owned() } else { format!("{value:.decimals$}") }
}

/// All digits, with thousands separators: for figures that a source rounded.
#[must_use]
pub fn printed(value: impl Into<Option<f64>>) -> String {
    let Some(value) = finite(value) else { return MISSING.to_owned() };
    if !(0.0..1e15).contains(&value.abs()) || (value != 0.0 && value.abs() < 1e-6) {
        return scientific(value);
    }
    separated(&value.to_string())
}

/// A time in the unit that suits it: `0.346 ms`, `12.5 s`, `2 min 5 s`, `3 h 20 min`.
#[must_use]
pub fn duration(seconds: impl Into<Option<f64>>) -> String {
    let Some(s) = finite(seconds) else { return MISSING.to_owned() };
    let whole = |unit_s: f64, long: &str, short: &str| {
        let (sign, n) = (if s < 0.0 { "-" } else { "" }, (s.abs() / unit_s).round());
        format!("{sign}{:.0} {long} {:.0} {short}", (n / 60.0).floor(), n % 60.0)
    };
    match s.abs() {
        size if size >= 1e9 => format!("{} s", scientific(s)),
        size if size >= 3_599.5 => whole(60.0, "h", "min"),
        size if size >= 119.5 => whole(1.0, "min", "s"),
        size if size >= 0.999_5 || size == 0.0 => format!("{} s", factor(s)),
        size if size >= 0.000_1 => format!("{} ms", factor(s * 1e3)),
        size if size >= 0.999_5e-6 => format!("{} µs", factor(s * 1e6)),
        _ => format!("{} ns", factor(s * 1e9)),
    }
}

/// Bytes in binary units: `192 GiB`, `1.50 MiB`.
#[must_use]
pub fn bytes(value: impl Into<Option<u64>>) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let Some(value) = value.into() else { return MISSING.to_owned() };
    let amounts = std::iter::successors(Some(value as f64), |amount| Some(amount / 1024.0));
    // 999.5 would be shown as 1000, so it moves to the next unit.
    match amounts.zip(UNITS).find(|(amount, _)| *amount < 999.5) {
        Some((amount, unit)) if unit != "B" => format!("{} {unit}", factor(amount)),
        _ => format!("{value} B"),
    }
}

/// A share: `97.1 %`.
#[must_use]
pub fn percent(value: impl Into<Option<f64>>) -> String {
    finite(value).map_or_else(|| MISSING.to_owned(), |v| format!("{} %", short(v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_a_dash() {
        for nothing in [None, Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY)] {
            for text in [scientific(nothing), thousands(nothing), short(nothing), duration(nothing), percent(nothing)] {
                assert_eq!(text, "-");
            }
        }
        assert_eq!(bytes(None), "-");
    }

    #[test]
    fn scientific_has_three_decimals_and_two_digits_of_exponent() {
        let cases = [
            (147_207.3, "1.472E+05"),
            (0.0, "0.000E+00"),
            (-0.0, "0.000E+00"),
            (-12.5, "-1.250E+01"),
            (9.999_9, "1.000E+01"),
            (0.000_249_3, "2.493E-04"),
            (1e300, "1.000E+300"),
        ];
        for (value, text) in cases {
            assert_eq!(scientific(value), text);
        }
    }

    #[test]
    fn thousands_keeps_four_digits() {
        let cases = [
            (147_207.3, "147,200"),
            (78_374_567.0, "78,370,000"),
            (999.96, "1,000"),
            (1_234.4, "1,234"),
            (123.45, "123.5"),
            (12.346, "12.35"),
            (1.5, "1.500"),
            (0.346, "0.3460"),
            (-147_207.3, "-147,200"),
            (0.0, "0"),
            (0.000_01, "1.000E-05"),
            (1e15, "1.000E+15"),
        ];
        for (value, text) in cases {
            assert_eq!(thousands(value), text);
        }
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(12), "12");
    }

    #[test]
    fn printed_keeps_every_digit() {
        let cases = [(10_204.0, "10,204"), (8.25, "8.25"), (0.01, "0.01"), (1e15, "1.000E+15"), (-1_234.5, "-1,234.5")];
        for (value, text) in cases {
            assert_eq!(printed(value), text);
        }
        assert_eq!(printed(None), "-");
    }

    #[test]
    fn durations_choose_their_unit() {
        let cases = [
            (0.0, "0 s"),
            (15.26, "15.3 s"),
            (119.4, "119 s"),
            (125.0, "2 min 5 s"),
            (12_000.0, "3 h 20 min"),
            (3_599.9, "1 h 0 min"),
            (0.000_346, "0.346 ms"),
            (0.012_34, "12.3 ms"),
            (7.26e-6, "7.26 µs"),
            (4.2e-8, "42.0 ns"),
            (1e12, "1.000E+12 s"),
            (-0.5, "-500 ms"),
            (-125.0, "-2 min 5 s"),
        ];
        for (value, text) in cases {
            assert_eq!(duration(value), text);
        }
    }

    #[test]
    fn bytes_percent_and_short() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1_023), "0.999 KiB");
        assert_eq!(bytes(192 << 30), "192 GiB");
        assert_eq!(bytes(u64::MAX), "16.0 EiB");
        assert_eq!(percent(97.1), "97 %");
        assert_eq!(percent(0.42), "0.4 %");
        assert_eq!(short(-3.21), "-3.2");
        assert_eq!(short(5.0), "5");
        assert_eq!(short(16_433.4), "16433");
        assert_eq!(short(0.0), "0");
        assert_eq!(short(2e9), "2.000E+09");
    }
}
