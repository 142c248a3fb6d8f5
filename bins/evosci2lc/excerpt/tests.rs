use std::time::Instant;

use super::*;

const EXCERPTS: Excerpts = Excerpts { max: 160 };

fn arguments(text: &str) -> Option<String> {
    EXCERPTS.arguments(Some(Raw::parse(text).unwrap()))
}

#[test]
fn one_argument_is_its_value_several_are_pairs() {
    assert_eq!(arguments(r#"{"reflection":"a  b\nc"}"#).unwrap(), "a b c");
    assert_eq!(
        arguments(r#"{"path":"/n.md","count":3,"deep":{"a":[1]},"none":null}"#).unwrap(),
        r#"path=/n.md count=3 deep={"a":[1]} none=null"#
    );
    assert_eq!(arguments("{}"), None);
    assert_eq!(arguments(r#""just text""#).unwrap(), "just text");
    assert_eq!(
        Excerpts { max: 0 }.arguments(Some(Raw::parse(r#"{"a":"b"}"#).unwrap())),
        None
    );
}

#[test]
fn secrets_are_hidden_by_key_and_by_text() {
    for (args, secret) in [
        (r#"{"api_key":"hunter2hunter2"}"#, "hunter2"),
        (r#"{"url":"x","api_key":["hunter2hunter2"]}"#, "hunter2"),
        (
            r#"{"command":"curl -H 'Authorization: Bearer hunter2hunter2' x"}"#,
            "hunter2",
        ),
        (
            r#"{"body":"{\"api_key\":\"hunter2hunter2\"}","n":1}"#,
            "hunter2",
        ),
        (
            r#"{"command":"git clone https://user:hunter2@host/x"}"#,
            "hunter2",
        ),
        (
            r#"{"headers":{"Authorization":"Bearer hunter2hunter2"},"n":1}"#,
            "hunter2",
        ),
    ] {
        let shown = arguments(args).unwrap();
        assert!(!shown.contains(secret), "{shown}");
        assert!(shown.contains("[REDACTED]"), "{shown}");
    }
    assert_eq!(
        arguments(r#"{"input_tokens":12,"max_tokens":3}"#).unwrap(),
        "input_tokens=12 max_tokens=3"
    );
}

#[test]
fn a_secret_that_straddles_any_bound_is_hidden() {
    for before in (0..200).chain(65_000..65_600).step_by(7) {
        let filler = "x ".repeat(before / 2);
        let args = format!("{{\"command\":\"{filler}Authorization: Bearer hunter2hunter2\"}}");
        let shown = arguments(&args).unwrap();
        assert!(!shown.contains("hun"), "{before}: {shown}");
    }
}

#[test]
fn megabytes_cost_no_more_than_their_beginning() {
    let long = format!(
        "{{\"content\":\"{}\",\"n\":1}}",
        "a\\n\\u2603 ".repeat(1 << 17)
    );
    let raw = Raw::parse(&long).unwrap();
    let start = Instant::now();
    for _ in 0..5 {
        let shown = EXCERPTS.arguments(Some(raw)).unwrap();
        assert!(
            shown.chars().count() <= 160 && shown.ends_with('…'),
            "{shown}"
        );
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn ids_and_names_are_bounded_and_on_one_line() {
    let long = format!("\"{}\\u0000\\n\"", "i".repeat(100_000));
    let raw = Raw::parse(&long).unwrap();
    assert_eq!(id(Some(raw)).unwrap().chars().count(), ID);
    assert_eq!(name(Some(raw)).unwrap().chars().count(), NAME);
    assert_eq!(name(Some(Raw::parse("7").unwrap())), None);
    assert_eq!(id(Some(Raw::parse("7").unwrap())).unwrap(), "7");
    assert_eq!(id(Some(Raw::parse("\"\\u001b \"").unwrap())), None);
}
