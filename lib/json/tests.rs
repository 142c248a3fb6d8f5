use proptest::prelude::*;

use super::*;

/// A value of Python's dialect.
fn python(text: &str) -> Raw<'_> {
    Scanner::new(text, Dialect::Python).value(0).unwrap()
}

fn walk(text: &str, dialect: Dialect) -> Result<(usize, bool), Error> {
    let mut object = Object::open(text, dialect)?;
    let mut count = 0;
    while object.member()?.is_some() {
        count += 1;
    }
    Ok((count, object.nonstandard()))
}

#[test]
fn nesting_is_bounded_and_costs_no_stack() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(Raw::parse(&nested(MAX_DEPTH)).is_ok());
    for levels in [MAX_DEPTH + 1, 1_000_000] {
        assert_eq!(
            Raw::parse(&nested(levels)).unwrap_err().kind,
            ErrorKind::TooDeep
        );
    }
    let member = |levels| format!("{{\"a\":{}}}", nested(levels));
    assert_eq!(
        walk(&member(MAX_DEPTH - 1), Dialect::Strict),
        Ok((1, false))
    );
    assert_eq!(
        walk(&member(MAX_DEPTH), Dialect::Strict).unwrap_err().kind,
        ErrorKind::TooDeep
    );
}

#[test]
fn lone_surrogates_and_nan_are_python_not_json() {
    for text in [
        r#"{"a":NaN}"#,
        r#"{"a":[-Infinity,Infinity]}"#,
        r#"{"a":"\ud83d "}"#,
        r#"{"\udc00":1}"#,
        r#"{"a":"\ud83d\ud83d\ude00"}"#,
    ] {
        assert_eq!(
            walk(text, Dialect::Strict).unwrap_err().kind,
            ErrorKind::Malformed,
            "{text}"
        );
        assert!(walk(text, Dialect::Python).unwrap().1, "{text}");
        let raw = python(text);
        assert!(walk(&strict(raw), Dialect::Strict).is_ok(), "{text}");
    }
    assert_eq!(
        python(r#""\ud83d\ude00\ud83d""#).as_str().unwrap(),
        "\u{1F600}\u{FFFD}"
    );
    assert_eq!(
        strict(python(r#"{"a":"NaN -Infinity"}"#)),
        r#"{"a":"NaN -Infinity"}"#
    );
    assert_eq!(
        strict(python(r#"[-1,NaN,"\"NaN"]"#)),
        r#"[-1,null,"\"NaN"]"#
    );
}

#[test]
fn what_is_not_an_object_is_still_checked() {
    for (text, kind) in [
        ("[1]", ErrorKind::NotAnObject),
        ("null", ErrorKind::NotAnObject),
        ("[1", ErrorKind::Malformed),
        ("Loading agent...", ErrorKind::Malformed),
        ("{\"a\":1}{", ErrorKind::Malformed),
        ("{\"a\":1,}", ErrorKind::Malformed),
        ("", ErrorKind::Malformed),
    ] {
        assert_eq!(
            walk(text, Dialect::Strict).unwrap_err().kind,
            kind,
            "{text}"
        );
    }
}

#[test]
fn members_keep_their_text() {
    let text = r#"{ "a\u0062" : 1.0 , "c":[ {"d":"}"} ,2] }"#;
    let raw = Raw::parse(text).unwrap();
    let members: Vec<_> = raw.members().collect();
    assert_eq!(members[0].key, "ab");
    assert_eq!(members[0].text, r#""a\u0062" : 1.0"#);
    assert_eq!(&text[members[1].offset..][..3], "\"c\"");
    let elements: Vec<_> = members[1].value.elements().map(Raw::text).collect();
    assert_eq!(elements, [r#"{"d":"}"}"#, "2"]);
}

/// Texts near JSON: its alphabet at random, which meets every branch of the scanner.
fn near_json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[\\[\\]{},: ]",
        2 => "\"[a\\\\\"n/u\u{e9}]{0,3}\"",
        2 => "-?[0-9]{0,3}\\.?[0-9]{0,2}[eE]?[+-]?[0-9]{0,2}",
        1 => "true|false|null|NaN|tru",
        1 => "\"\\\\u[0-9a-fD]{4}\"",
        1 => "\\PC|[\\x00-\\x20]",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn has_lone_surrogate(text: &str) -> bool {
    walk(&format!("{{\"a\":{text}}}"), Dialect::Python).is_ok_and(|(_, nonstandard)| nonstandard)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn the_strict_dialect_is_what_serde_json_reads(text in near_json()) {
        let theirs = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
        let ours = Raw::parse(&text).is_ok();
        prop_assert_eq!(ours, theirs && !has_lone_surrogate(&text), "{}", text);
    }

    #[test]
    fn strings_come_back_as_they_were(text in "\\PC{0,20}|[\\x00-\\x7f]{0,40}") {
        let mut quoted = Vec::new();
        push_str(&mut quoted, &text);
        let quoted = String::from_utf8(quoted).unwrap();
        prop_assert_eq!(Raw::parse(&quoted).unwrap().as_str().unwrap(), text);
    }

    #[test]
    fn a_prefix_is_where_the_string_begins(
        text in "[a\u{e9}\u{1f600}\n\"]{0,40}",
        enough in 0_usize..60,
        escaped in any::<bool>(),
    ) {
        let mut quoted = Vec::new();
        push_str(&mut quoted, &text);
        let mut quoted = String::from_utf8(quoted).unwrap();
        if escaped {
            quoted = quoted.replace('\u{1f600}', "\\ud83d\\ude00");
        }
        let prefix = Raw::parse(&quoted).unwrap().as_str_prefix(enough).unwrap().into_owned();
        prop_assert!(text.starts_with(&prefix));
        prop_assert!(prefix == text || prefix.len() + 4 > enough, "{} of {}", prefix, text);
        prop_assert!(prefix.len() < enough + 4 || prefix == text);
    }

    #[test]
    fn strict_makes_python_strict(text in near_json()) {
        let object = format!("{{\"a\":{text}}}");
        if walk(&object, Dialect::Python).is_ok() {
            prop_assert!(walk(&strict(python(&object)), Dialect::Strict).is_ok());
        }
    }
}
