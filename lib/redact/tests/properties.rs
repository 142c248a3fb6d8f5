//! What holds for every input.

use std::borrow::Cow;

use proptest::prelude::*;

use crate::redact::{excerpt, excerpt_bytes, is_secret_key, redact_json, redact_text, triggers};

/// Pieces that the rules react to; strung together they meet in every order.
const PIECES: &str = include_str!("pieces.txt");

/// The rows that could make a careless rule look at the same bytes again and again.
const ROWS: &str = include_str!("hostile.txt");

/// The lines of a list, in which pictures stand for control characters.
fn lines(list: &str) -> Vec<String> {
    let control = [("␤", "\n"), ("␍", "\r"), ("␉", "\t"), ("␛", "\u{1b}")];
    let decoded = |line: &str| {
        control
            .iter()
            .fold(line.to_owned(), |line, (a, b)| line.replace(a, b))
    };
    list.lines().map(decoded).collect()
}

fn hostile() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(lines(PIECES)), 0..24)
        .prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        hostile().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<bool>().prop_map(serde_json::Value::from),
        Just(serde_json::Value::Null),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::btree_map(hostile(), inner.clone(), 0..4)
                .prop_map(|map| map.into_iter().collect::<serde_json::Value>()),
            inner.prop_map(|value| serde_json::Value::from(value.to_string())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn redacting_text_twice_is_redacting_once(text in hostile()) {
        let once = redact_text(&text);
        let twice = redact_text(&once);
        prop_assert_eq!(&twice, &once);
        prop_assert!(matches!(twice, Cow::Borrowed(_)));
        prop_assert!(once.len() <= text.len() * 11 + 10);
    }

    #[test]
    fn redacting_json_twice_is_redacting_once(value in value()) {
        let raw = value.to_string();
        let once = redact_json(&raw);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&once).is_ok(), "{}", once);
        let twice = redact_json(&once);
        prop_assert_eq!(&twice, &once);
    }

    #[test]
    fn no_text_panics(text in any::<String>(), max in 0_usize..300) {
        let _ = redact_text(&text);
        let _ = redact_json(&text);
        prop_assert!(excerpt(&text, max).chars().count() <= max);
        prop_assert!(excerpt_bytes(text.as_bytes(), max).len() <= max);
    }

    #[test]
    fn no_hostile_json_panics(text in hostile(), max in 0_usize..300) {
        let _ = redact_json(&text);
        let shown = excerpt(&text, max);
        prop_assert!(shown.chars().count() <= max && !shown.contains(char::is_control));
        prop_assert!(excerpt_bytes(text.as_bytes(), max).len() <= max);
    }

    #[test]
    fn a_secret_key_has_a_trigger(key in hostile()) {
        prop_assert!(!is_secret_key(&key) || triggers::any(&key));
    }

    #[test]
    fn prose_is_not_copied(text in "[a-oq-rt-z .,]{0,200}") {
        prop_assert!(matches!(redact_text(&text), Cow::Borrowed(_)));
    }

    #[test]
    fn a_value_under_a_secret_key_is_gone(
        before in "[a-z ]{0,20}[ \n]",
        key in prop::sample::select(&["password", "api_key", "X-Auth-Token", "DB_SECRET"][..]),
        sign in prop::sample::select(&["=", ": ", " = ", ":", " := "][..]),
        value in "[A-Za-z0-9!%+/_.~^-]{6,30}",
    ) {
        let text = format!("{before}{key}{sign}Q{value}Q after");
        let redacted = redact_text(&text);
        prop_assert_eq!(redacted, format!("{before}{key}{sign}[REDACTED] after"));
    }
}

/// No clock is asked: a rule that is not linear would make itself felt.
#[test]
fn hostile_rows_end() {
    for row in lines(ROWS) {
        let text = format!("token {}", row.repeat((1 << 15) / row.len()));
        for text in [&text, &text["token ".len()..]] {
            assert!(redact_text(text).len() <= text.len() * 4 + 64, "{row}");
        }
        let _ = redact_json(&text);
    }
}

#[test]
fn a_mebibyte_of_the_same_ends() {
    for row in [
        "Bearer ", ":@", "{\"", "\\", "://a:b/", "token='", "{} key ",
    ] {
        let text = row.repeat((1 << 20) / row.len());
        let _ = redact_text(&text);
        let _ = excerpt_bytes(text.as_bytes(), 200);
    }
}

/// JSON in JSON in JSON is decoded to a bounded depth and the rest still redacted as text.
#[test]
fn nested_strings_end() {
    let mut raw = String::from(r#"{"password":"hunter2"}"#);
    for _ in 0..9 {
        raw = serde_json::json!({ "inner": raw }).to_string();
        assert!(!redact_json(&raw).contains("hunter2"), "{raw}");
        assert!(serde_json::from_str::<serde_json::Value>(&redact_json(&raw)).is_ok());
    }
}
