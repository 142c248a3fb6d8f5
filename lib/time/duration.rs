//! Durations: read from options, written for people.

use std::time::Duration;

/// Reads a duration option: `500ms`, `30s`, `5m`, `2h`, a bare number is seconds.
///
/// # Errors
///
/// Says what is expected; made to be a clap value parser.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// assert_eq!(lctools::time::parse_duration("500ms"), Ok(Duration::from_millis(500)));
/// assert_eq!(lctools::time::parse_duration("15"), Ok(Duration::from_secs(15)));
/// assert!(lctools::time::parse_duration("1.5h").is_err());
/// ```
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let split = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale = match unit {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => 0,
    };
    number
        .parse::<u64>()
        .ok()
        .filter(|_| scale != 0)
        .and_then(|number| number.checked_mul(scale))
        .map(Duration::from_millis)
        .ok_or_else(|| "expected a duration such as 500ms, 30s, 5m, 2h or 15 (seconds)".to_owned())
}

/// Writes a duration for people: `0.45s`, `12.3s`, `4m05s`, `2h07m`, `3d04h`.
#[must_use]
pub fn human_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{}.{:02}s", seconds, duration.subsec_millis() / 10),
        10..60 => format!("{}.{}s", seconds, duration.subsec_millis() / 100),
        60..3_600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h{:02}m", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{}d{:02}h", seconds / 86_400, seconds / 3_600 % 24),
    }
}
