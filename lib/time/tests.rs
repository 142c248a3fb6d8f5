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
