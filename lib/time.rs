//! Instants and durations: read strictly, compared as instants, written in one form.
//!
//! The rule for reading is SPEC section 3: RFC 3339 in UTC, nothing else. Times are never
//! compared as text, because `…30Z` and `…30.000Z` are the same instant. The system clock is read
//! in one place only, [`UtcTime::now`], and only the pump calls it.
//!
//! The calendar is a dozen lines of our own because this runs for every event and because the
//! contract allows the whole of year 9999, whose last day jiff's instants leave out; the tests
//! hold it against jiff for every instant both can name.

use std::fmt;
use std::time::Duration;

/// An instant, in nanoseconds of UTC. A leap second (23:59:60) counts as the first second of the
/// next day, as POSIX clocks have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcTime {
    seconds: i64,
    nanos: u32,
}

/// Why a text is not a time of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeError {
    /// Not RFC 3339, or a date or time that does not exist.
    Invalid,
    /// RFC 3339, but with another offset than UTC's.
    NotUtc,
}

impl UtcTime {
    /// Reads an RFC 3339 instant in UTC: `T` or `t`; `Z`, `z` or `+00:00`; 0 to 9 fractional
    /// digits; real calendar dates; second 60 only as 23:59:60.
    ///
    /// # Errors
    ///
    /// [`TimeError::NotUtc`] for a well-formed time with another offset (`-00:00`, which means
    /// "offset unknown", among them), [`TimeError::Invalid`] for everything else.
    ///
    /// # Examples
    ///
    /// ```
    /// use lctools::time::{TimeError, UtcTime};
    /// let a = UtcTime::parse("2026-08-24T09:15:30Z").unwrap();
    /// assert_eq!(a, UtcTime::parse("2026-08-24t09:15:30.000+00:00").unwrap());
    /// assert_eq!(UtcTime::parse("2026-08-24T11:15:30+02:00"), Err(TimeError::NotUtc));
    /// assert_eq!(UtcTime::parse("2026-02-30T00:00:00Z"), Err(TimeError::Invalid));
    /// ```
    pub fn parse(text: &str) -> Result<UtcTime, TimeError> {
        let bytes = text.as_bytes();
        let (head, mut rest) = bytes.split_at_checked(19).ok_or(TimeError::Invalid)?;
        let number = |from: usize, to: usize| digits(&head[from..to]).ok_or(TimeError::Invalid);
        let shape = head[4] == b'-'
            && head[7] == b'-'
            && matches!(head[10], b'T' | b't')
            && head[13] == b':'
            && head[16] == b':';
        if !shape {
            return Err(TimeError::Invalid);
        }
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        let real = (1..=12).contains(&month)
            && (1..=days_in_month(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && (second < 60 || (hour == 23 && minute == 59 && second == 60));
        if !real {
            return Err(TimeError::Invalid);
        }
        let mut nanos = 0;
        if let Some(fraction) = rest.strip_prefix(b".") {
            let length = fraction
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            if !(1..=9).contains(&length) {
                return Err(TimeError::Invalid);
            }
            let value = digits(&fraction[..length]).ok_or(TimeError::Invalid)?;
            nanos = value * 10_u32.pow(9 - length as u32);
            rest = &fraction[length..];
        }
        match rest {
            b"Z" | b"z" | b"+00:00" => {}
            _ if is_offset(rest) => return Err(TimeError::NotUtc),
            _ => return Err(TimeError::Invalid),
        }
        let day_seconds = hour * 3600 + minute * 60 + second;
        let seconds = days_from_epoch(year, month, day) * 86_400 + i64::from(day_seconds);
        Ok(UtcTime { seconds, nanos })
    }

    /// The system's wall clock.
    #[must_use]
    pub fn now() -> UtcTime {
        let now = jiff::Timestamp::now();
        UtcTime {
            seconds: now.as_second(),
            nanos: now.subsec_nanosecond().max(0) as u32,
        }
    }

    /// This instant moved forward; stands still at the end of year 9999, the last that RFC 3339
    /// can write.
    #[must_use]
    pub fn plus(self, duration: Duration) -> UtcTime {
        const LAST: i64 = 253_402_300_799;
        let nanos = self.nanos + duration.subsec_nanos();
        let carry = i64::from(nanos >= 1_000_000_000);
        let seconds = i64::try_from(duration.as_secs())
            .ok()
            .and_then(|seconds| self.seconds.checked_add(seconds)?.checked_add(carry));
        match seconds {
            Some(seconds) if seconds <= LAST => UtcTime {
                seconds,
                nanos: nanos - 1_000_000_000 * carry as u32,
            },
            _ => UtcTime {
                seconds: LAST,
                nanos: 999_999_999,
            },
        }
    }

    /// This instant as [`UtcTime::write`] writes it.
    #[must_use]
    pub fn cut_to_milliseconds(self) -> UtcTime {
        UtcTime {
            seconds: self.seconds,
            nanos: self.nanos - self.nanos % 1_000_000,
        }
    }

    /// The time from `earlier` to this instant, zero if that is not in the past: a duration is
    /// never negative.
    #[must_use]
    pub fn since(self, earlier: UtcTime) -> Duration {
        if self <= earlier {
            return Duration::ZERO;
        }
        let later = i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanos);
        let nanos = later - i128::from(earlier.seconds) * 1_000_000_000 - i128::from(earlier.nanos);
        Duration::new(
            (nanos / 1_000_000_000) as u64,
            (nanos % 1_000_000_000) as u32,
        )
    }

    /// Appends the instant as the toolkit writes it: `2026-08-24T09:15:30.000Z`, milliseconds
    /// cut, never rounded up into the future.
    pub fn write(self, out: &mut Vec<u8>) {
        let (year, month, day) = date_from_days(self.seconds.div_euclid(86_400));
        let second = self.seconds.rem_euclid(86_400) as u32;
        let mut text = *b"0000-00-00T00:00:00.000Z";
        put(&mut text[0..4], year);
        put(&mut text[5..7], month);
        put(&mut text[8..10], day);
        put(&mut text[11..13], second / 3600);
        put(&mut text[14..16], second / 60 % 60);
        put(&mut text[17..19], second % 60);
        put(&mut text[20..23], self.nanos / 1_000_000);
        out.extend_from_slice(&text);
    }
}

impl fmt::Display for UtcTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(24);
        self.write(&mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

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

fn digits(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0_u32, |value, byte| {
        byte.is_ascii_digit()
            .then(|| value * 10 + u32::from(byte - b'0'))
    })
}

fn put(place: &mut [u8], mut value: u32) {
    for byte in place.iter_mut().rev() {
        *byte = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

fn is_offset(bytes: &[u8]) -> bool {
    matches!(bytes, [b'+' | b'-', h1, h2, b':', m1, m2]
        if digits(&[*h1, *h2]).is_some_and(|hours| hours < 24)
            && digits(&[*m1, *m2]).is_some_and(|minutes| minutes < 60))
}

fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar, counted in years that begin in
/// March so that the leap day comes last.
fn days_from_epoch(year: u32, month: u32, day: u32) -> i64 {
    let year = i64::from(year) - i64::from(month <= 2);
    let month_from_march = i64::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year
        - 719_468
}

/// The reverse of [`days_from_epoch`].
fn date_from_days(days: i64) -> (u32, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year.clamp(0, 9_999) as u32, month as u32, day as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn strange_spellings_get_the_verdict_of_the_contract() {
        for good in [
            "2026-08-24T09:15:30.000Z",
            "2026-08-24t09:15:30z",
            "2026-08-24T09:15:30.123456789+00:00",
            "2024-02-29T00:00:00Z",
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z",
            "2016-12-31T23:59:60Z",
        ] {
            assert!(UtcTime::parse(good).is_ok(), "{good}");
        }
        for invalid in [
            "",
            "2026-08-24",
            "2026-08-24 09:15:30Z",
            "2026-08-24T09:15:30",
            "2026-08-24T09:15:30.Z",
            "2026-08-24T09:15:30.1234567890Z",
            "2026-8-24T09:15:30Z",
            "2026-08-24T24:00:00Z",
            "2026-08-24T09:60:00Z",
            "2026-08-24T09:15:60Z",
            "2023-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-08-24T09:15:30+0000",
            "2026-08-24T09:15:30+24:00",
            "2026-08-24T09:15:30Zx",
            "+026-08-24T09:15:30Z",
            "２026-08-24T09:15:30Z",
        ] {
            assert_eq!(
                UtcTime::parse(invalid),
                Err(TimeError::Invalid),
                "{invalid}"
            );
        }
        for offset in ["-00:00", "+01:00", "-23:59", "+00:01"] {
            let text = format!("2026-08-24T09:15:30{offset}");
            assert_eq!(UtcTime::parse(&text), Err(TimeError::NotUtc), "{text}");
        }
    }

    #[test]
    fn durations_are_never_negative_and_the_clock_stops_at_the_last_year() {
        let early = UtcTime::parse("2026-08-24T09:15:30Z").unwrap();
        let late = early.plus(Duration::from_millis(1_500));
        assert_eq!(late.since(early), Duration::from_millis(1_500));
        assert_eq!(early.since(late), Duration::ZERO);
        assert_eq!(
            early.plus(Duration::MAX).to_string(),
            "9999-12-31T23:59:59.999Z"
        );
    }

    #[test]
    fn durations_for_people_grow_coarser() {
        let human = |millis| human_duration(Duration::from_millis(millis));
        assert_eq!(human(450), "0.45s");
        assert_eq!(human(12_340), "12.3s");
        assert_eq!(human(245_000), "4m05s");
        assert_eq!(human(7_620_000), "2h07m");
        assert_eq!(human(273_600_000), "3d04h");
    }

    proptest! {
        #[test]
        fn agrees_with_jiff(seconds in -62_167_219_200_i64..=253_402_207_000, millis in 0_i32..1000) {
            let theirs = jiff::Timestamp::new(seconds, 0).unwrap();
            let theirs = theirs + jiff::SignedDuration::from_millis(i64::from(millis));
            let text = format!("{theirs:.3}");
            let ours = UtcTime::parse(&text).unwrap();
            prop_assert_eq!(ours.to_string(), text);
            prop_assert_eq!(ours.seconds, seconds);
        }

        #[test]
        fn any_text_gets_a_verdict(text in "\\PC{0,40}") {
            let _ = UtcTime::parse(&text);
            let _ = parse_duration(&text);
        }
    }
}
