use proptest::prelude::*;

use super::*;
use crate::finding::Code;

const GOOD: &str = r#"{"schemaVersion":1,"eventId":"e1","source":"s","sourceEpoch":"x","childId":"c","lineage":{"rootChildId":"c","attempt":0,"external":false},"kind":"state_changed","state":"running","observedAt":"2026-08-24T09:15:30.000Z","sequence":7,"details":{"a":1,"a":2}}"#;

fn verdict(line: &str) -> Option<Code> {
    EventView::parse(line.as_bytes())
        .err()
        .map(|problem| problem.code)
}

/// GOOD with one piece replaced; the piece must be there.
fn with(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    GOOD.replacen(from, to, 1)
}

#[test]
fn each_rule_has_its_code() {
    assert_eq!(verdict(GOOD), None);
    for (from, to, code) in [
        (
            "\"schemaVersion\":1",
            "\"schemaVersion\":2",
            Code::SchemaVersion,
        ),
        (
            "\"schemaVersion\":1",
            "\"schemaVersion\":1.0",
            Code::SchemaVersion,
        ),
        ("\"schemaVersion\":1,", "", Code::MissingField),
        ("\"eventId\":\"e1\"", "\"eventId\":\"\"", Code::InvalidField),
        (
            "\"eventId\":\"e1\"",
            "\"eventId\":\" e1\"",
            Code::InvalidField,
        ),
        (
            "\"eventId\":\"e1\"",
            "\"eventId\":\"e\\u0000\"",
            Code::InvalidField,
        ),
        ("\"eventId\":\"e1\"", "\"eventId\":1", Code::InvalidField),
        (
            "\"eventId\":\"e1\"",
            "\"eventId\":\"\\ud800\"",
            Code::MalformedJson,
        ),
        ("\"a\":2", "\"a\":\"\\udfff\"", Code::MalformedJson),
        ("\"attempt\":0", "\"attempt\":-0", Code::InvalidField),
        ("\"attempt\":0,", "", Code::MissingField),
        (
            "\"attempt\":0",
            "\"attempt\":0,\"attempt\":0",
            Code::DuplicateKey,
        ),
        (
            "\"external\":false",
            "\"external\":null",
            Code::InvalidField,
        ),
        (
            "\"kind\":\"state_changed\"",
            "\"kind\":\"moved\"",
            Code::InvalidField,
        ),
        ("\"state\":\"running\",", "", Code::StateRequired),
        ("state_changed", "heartbeat", Code::StateForbidden),
        ("state_changed", "created", Code::StateMismatch),
        ("state_changed", "terminal", Code::StateMismatch),
        ("30.000Z", "30.000", Code::TimestampInvalid),
        ("30.000Z", "30.000+01:00", Code::TimestampNotUtc),
        ("\"sequence\":7", "\"sequence\":7.0", Code::InvalidField),
        ("\"sequence\":7", "\"sequence\":7e0", Code::InvalidField),
        ("\"sequence\":7", "\"sequence\":null", Code::InvalidField),
        (
            "\"sequence\":7",
            "\"sequence\":9007199254740992",
            Code::InvalidField,
        ),
        ("\"sequence\":7", "\"activity\":\"\"", Code::InvalidField),
        ("{\"a\":1,\"a\":2}", "[]", Code::InvalidField),
        (
            "\"sequence\":7",
            "\"capabilities\":{\"history\":\"maybe\"}",
            Code::InvalidField,
        ),
        (
            "\"sequence\":7",
            "\"x\":1,\"\\u0078\":1",
            Code::DuplicateKey,
        ),
        (
            "\"sequence\":7",
            "\"state\":\"running\"",
            Code::DuplicateKey,
        ),
        ("\"sequence\":7", "\"sequence\":NaN", Code::MalformedJson),
    ] {
        assert_eq!(verdict(&with(from, to)), Some(code), "{from} -> {to}");
    }
    assert_eq!(
        EventView::parse(b"{\"\xff\":1}").unwrap_err().code,
        Code::InvalidUtf8
    );
    assert_eq!(
        verdict(&with("\"sequence\":7", "\"sequence\":9007199254740991")),
        None
    );
    assert_eq!(
        verdict(&with("\"sequence\":7", "\"capabilities\":{\"new\":1}")),
        None
    );
}

#[test]
fn what_is_allowed_but_not_meant_is_a_warning() {
    let warnings = |line: &str| {
        let view = EventView::parse(line.as_bytes()).unwrap();
        view.warnings()
            .map(|problem| problem.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(warnings(GOOD), []);
    assert_eq!(
        warnings(&with("false", "true")),
        [Code::ExternalWithoutAdoptedAt]
    );
    assert_eq!(
        warnings(&with("state_changed", "diagnostic")),
        [Code::StateIgnored]
    );
    let correction = with("state_changed", "reconciliation");
    assert_eq!(warnings(&correction), [Code::CorrectionWithoutSnapshot]);
    let proved = correction.replace("{\"a\":1,", "{\"snapshotId\":\"s1\",");
    assert_eq!(warnings(&proved), []);
}

#[test]
fn content_is_equal_by_value_but_details_by_bytes() {
    let hash = |line: &str| EventView::parse(line.as_bytes()).unwrap().content_hash();
    let same = [
        with("\"eventId\":\"e1\"", "\"eventId\":\"\\u00651\""),
        with(
            "\"eventId\":\"e1\",\"source\":\"s\"",
            "\"source\":\"s\", \"eventId\":\"e1\"",
        ),
        with("\"sequence\":7", "\"sequence\":7,\"journalSequence\":3"),
        with(
            "\"sequence\":7",
            "\"sequence\":7,\"capabilities\":{\"cancel\":\"unknown\"}",
        ),
    ];
    for line in &same {
        assert_eq!(hash(line), hash(GOOD), "{line}");
    }
    let other = [
        with("\"a\":2", "\"a\": 2"),
        with("30.000Z", "30Z"),
        with("\"sequence\":7", "\"sequence\":7,\"x\":1"),
        with(
            "\"sequence\":7",
            "\"sequence\":7,\"capabilities\":{\"cancel\":\"known\"}",
        ),
        with(
            "\"eventId\":\"e1\",\"source\":\"s\"",
            "\"eventId\":\"s\",\"source\":\"e1\"",
        ),
    ];
    for line in &other {
        assert_ne!(hash(line), hash(GOOD), "{line}");
    }
    let extra = |members: &str| hash(&with("\"sequence\":7", members));
    assert_eq!(extra("\"x\":1,\"y\":2"), extra("\"y\":2,\"x\":1"));
    assert_ne!(extra("\"x\":1,\"y\":2"), extra("\"x\":2,\"y\":1"));
}

#[test]
fn the_journal_sequence_is_taken_out_wherever_it_stands() {
    for (line, expected) in [
        (GOOD.to_owned(), GOOD.to_owned()),
        (
            with(
                "{\"schemaVersion\"",
                "{\"journalSequence\":1,\"schemaVersion\"",
            ),
            GOOD.to_owned(),
        ),
        (
            with("\"a\":2}}", "\"a\":2}, \"journalSequence\" : 5 } "),
            with("\"a\":2}}", "\"a\":2} }"),
        ),
        (
            with(",\"sequence\"", " , \"journalSequence\":null,\"sequence\""),
            GOOD.replace(",\"sequence\"", " ,\"sequence\""),
        ),
    ] {
        let view = EventView::parse(line.as_bytes()).unwrap();
        let (head, tail) = view.without_journal_sequence();
        assert_eq!(format!("{head}{tail}"), expected, "{line}");
        assert!(tail.ends_with('}'));
    }
}

#[test]
fn a_hostile_number_of_fields_stays_linear() {
    let extras: String = (0..6_000).map(|n| format!("\"k{n}\":1,")).collect();
    assert_eq!(
        verdict(&with("\"sequence\":7", &format!("{extras}\"sequence\":7"))),
        None
    );
    let twice = format!("{extras}\"k5999\":1");
    assert_eq!(
        verdict(&with("\"sequence\":7", &twice)),
        Some(Code::DuplicateKey)
    );
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z0-9:/_-]{1,12}",
        1 => "\\PC{0,8}",
        1 => Just(" x".to_owned()),
        1 => "[\\x00-\\x20]{0,2}",
        1 => Just("é".repeat(257)),
    ]
}

fn any_time() -> impl Strategy<Value = UtcTime> {
    (0_u64..253_402_300_799).prop_map(|seconds| {
        let start = UtcTime::parse("0000-01-01T00:00:00Z").unwrap();
        start.plus(std::time::Duration::from_secs(seconds))
    })
}

fn any_capabilities() -> impl Strategy<Value = Option<Capabilities>> {
    proptest::option::of(any::<[bool; 5]>().prop_map(|known| {
        let mut capabilities = Capabilities::UNKNOWN;
        for (index, (name, _)) in capabilities.members().into_iter().enumerate() {
            if known[index] {
                *capabilities.member_mut(name).unwrap() = Capability::Known;
            }
        }
        capabilities
    }))
}

prop_compose! {
    /// Events of which some break a rule.
    fn any_event()(
        ids in [any_text(), any_text(), any_text(), any_text(), any_text()],
        parent in proptest::option::of(any_text()),
        attempt in prop_oneof![Just(0_u64), any::<u64>()],
        external in any::<bool>(),
        adopted_at in proptest::option::of(any_time()),
        kind in proptest::sample::select(Kind::ALL),
        state in proptest::option::of(proptest::sample::select(State::ALL)),
        observed_at in any_time(),
        sequence in proptest::option::of(prop_oneof![0..MAX_SEQUENCE, Just(MAX_SEQUENCE + 1)]),
        activity in proptest::option::of("\\PC{0,5}"),
        details in proptest::option::of(prop_oneof![Just("{\"a\":[1.50]}"), Just("{}"), Just("[]")]),
        capabilities in any_capabilities(),
    ) -> Event<'static> {
        let [event_id, source, source_epoch, child_id, root] = ids.map(Cow::Owned);
        let parent_child_id = parent.map(Cow::Owned);
        Event {
            event_id, source, source_epoch, child_id,
            lineage: Lineage { root_child_id: root, attempt, external, parent_child_id, adopted_at },
            kind, state, observed_at, sequence,
            activity: activity.map(Cow::Owned),
            details: details.map(Cow::Borrowed),
            capabilities,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn borrowed_and_owned_get_the_same_verdict(event in any_event()) {
        let mut line = Vec::new();
        event.write(&mut line);
        prop_assert_eq!(line.pop(), Some(b'\n'));
        match EventView::parse(&line) {
            Ok(view) => {
                prop_assert_eq!(event.validate(), Ok(()));
                let mut again = Vec::new();
                view.write(&mut again);
                prop_assert_eq!(&again[..again.len() - 1], &line[..]);
                let mut expected = event;
                if let Some(adopted_at) = &mut expected.lineage.adopted_at {
                    *adopted_at = UtcTime::parse(&adopted_at.to_string()).unwrap();
                }
                prop_assert_eq!((*view).clone().into_owned(), expected);
            }
            // Both break a rule; the line may break one earlier in the order of fields.
            Err(_) => prop_assert!(event.validate().is_err()),
        }
    }

    #[test]
    fn any_bytes_get_a_verdict(
        bytes in proptest::collection::vec(any::<u8>(), 0..60),
        cut in 0..GOOD.len(),
        at in 0..GOOD.len(),
    ) {
        let mut line = GOOD.as_bytes().to_vec();
        line.splice(cut.min(at)..cut.max(at), bytes.iter().copied());
        for line in [&line, &bytes] {
            if let Ok(view) = EventView::parse(line) {
                prop_assert_eq!(view.validate(), Ok(()));
                let (head, tail) = view.without_journal_sequence();
                let joined = format!("{head}{tail}");
                let without = EventView::parse(joined.as_bytes()).unwrap();
                prop_assert_eq!(without.content_hash(), view.content_hash());
            }
        }
    }
}
