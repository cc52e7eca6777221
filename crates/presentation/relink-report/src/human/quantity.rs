//! Formats numbers, durations, sizes and ages.

/// Formats a number with thousands separators: `11,203`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number with a noun: `1 link`, `1,204 links`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// Formats a duration: `340 ms`, `6.1 s`, `3m12s`, `2h05m`.
pub fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0 => format!("{milliseconds} ms"),
        1..60 => format!("{seconds}.{} s", milliseconds % 1000 / 100),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Formats a number of bytes: `340 B`, `11.2 kB`, `3.0 MB`.
pub fn size(bytes: u64) -> String {
    const KILO: u64 = 1000;
    const MEGA: u64 = 1000 * KILO;
    let with_one_decimal =
        |unit: u64, name| format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..KILO => format!("{bytes} B"),
        KILO..MEGA => with_one_decimal(KILO, "kB"),
        MEGA.. => with_one_decimal(MEGA, "MB"),
    }
}

/// Formats a resemblance with two decimals.
///
/// The value is truncated, not rounded: `1.00` means equal texts, and a value
/// below a threshold is never printed as the threshold.
pub fn resemblance(share: f64) -> String {
    // Without this addition, 0.29 * 100.0 = 28.999… would be truncated to 28.
    const ROUNDING_ERROR: f64 = 1e-9;
    let hundredths = (share * 100.0 + ROUNDING_ERROR).floor();
    format!("{:.2}", hundredths / 100.0)
}

/// Formats an age in the largest unit that divides it: `24 h`, `7 d`, `90 s`.
pub fn age(seconds: u64) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    match seconds {
        // One day is printed as 24 h.
        _ if seconds > DAY && seconds.is_multiple_of(DAY) => format!("{} d", seconds / DAY),
        _ if seconds >= HOUR && seconds.is_multiple_of(HOUR) => format!("{} h", seconds / HOUR),
        _ if seconds >= MINUTE && seconds.is_multiple_of(MINUTE) => {
            format!("{} min", seconds / MINUTE)
        }
        _ => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grouped_separates_thousands() {
        let numbers = [0, 999, 1000, 11_203, 1_000_000];
        assert_eq!(numbers.map(grouped).join(" "), "0 999 1,000 11,203 1,000,000");
    }

    #[test]
    fn duration_uses_a_unit_by_length() {
        let durations = [0, 340, 6_149, 59_999, 192_000, 7_500_000];
        let text = durations.map(duration).join(" | ");
        assert_eq!(text, "0 ms | 340 ms | 6.1 s | 59.9 s | 3m12s | 2h05m");
    }

    #[test]
    fn size_uses_decimal_units() {
        let sizes = [0, 999, 1000, 11_299, 999_999, 3_000_000, 12_345_678_901];
        let text = sizes.map(size).join(" | ");
        assert_eq!(text, "0 B | 999 B | 1.0 kB | 11.2 kB | 999.9 kB | 3.0 MB | 12345.6 MB");
    }

    #[test]
    fn resemblance_is_truncated() {
        let shares = [0.0, 0.29, 0.57, 0.8999, 0.9, 0.999, 1.0];
        let text = shares.map(resemblance).join(" ");
        assert_eq!(text, "0.00 0.29 0.57 0.89 0.90 0.99 1.00");
    }

    #[test]
    fn age_uses_whole_units() {
        let ages = [90, 1800, 86_400, 604_800, 90_000];
        assert_eq!(ages.map(age).join(" | "), "90 s | 30 min | 24 h | 7 d | 25 h");
    }
}
