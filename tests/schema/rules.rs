//! The rules of the contract, each broken: the schemas refuse what the readers refuse.

use jsonschema::Validator;
use lctools::event::{EventView, Kind, State, check_id};
use lctools::snapshot::SnapshotView;
use lctools::time::UtcTime;
use serde_json::{Value, json};

use super::{parsed, validator, with};

/// One of the definitions of a schema, by itself.
fn definition(schema: &str, name: &str) -> Validator {
    validator(&parsed(schema)["$defs"][name])
}

const EVENT: &str = r#"{"schemaVersion":1,"eventId":"e1","source":"s","sourceEpoch":"x","childId":"c","lineage":{"rootChildId":"c","attempt":0,"external":false},"kind":"state_changed","state":"running","observedAt":"2026-08-24T09:15:30.000Z","sequence":7,"details":{"a":1}}"#;

/// A member and the values that break its rule; one without values is required. As in
/// lib/event/tests.rs, but for what is about JSON's text: keys that stand twice, how numbers are
/// written, lone surrogates, bytes that are not UTF-8.
const BROKEN_EVENT: &str = r#"
/schemaVersion [2, "1", null]
/schemaVersion
/eventId ["", " e1", "e1\u3000", "e\u0000", 1]
/eventId
/source ["s\n", "\u0085", null]
/source
/sourceEpoch ["\u2028x", null]
/sourceEpoch
/childId ["a\u007fb", []]
/childId
/lineage [null, [], {}]
/lineage
/lineage/rootChildId ["", 0]
/lineage/rootChildId
/lineage/attempt [-1, "0", 0.5]
/lineage/attempt
/lineage/external [null, "true", 0]
/lineage/external
/lineage/parentChildId [null, ""]
/lineage/adoptedAt ["2026-08-24", null]
/kind ["moved", "created", "terminal", "heartbeat", "activity"]
/kind
/state ["asleep", "Running", null]
/state
/observedAt ["2026-08-24T09:15:30.000", "2026-08-24T09:15:30.000+01:00", 0]
/observedAt
/sequence [7.5, null, 9007199254740992, "7"]
/activity ["", null, {}]
/details [[], "{}", null]
/capabilities [{"history": "maybe"}, {"cancel": true}, [], null]
"#;

const SNAPSHOT: &str = r#"{"source":"s","sourceEpoch":"x","snapshotId":"p","observedAt":"2026-08-24T09:00:00Z","complete":true,"coverage":["a","b"],"children":[{"childId":"a","state":"running","sequence":3,"details":{}}]}"#;

/// The same as in lib/snapshot/tests.rs, but for what else JSON Schema cannot say: that a child is
/// listed twice in other words, or listed and not covered.
const BROKEN_SNAPSHOT: &str = r#"
/schemaVersion [2]
/source [" s", 1]
/source
/sourceEpoch [""]
/sourceEpoch
/snapshotId [7, ""]
/snapshotId
/observedAt ["yesterday", "2026-08-24T09:00:00+01:00"]
/observedAt
/complete ["true", null]
/complete
/coverage [[], "some", ["a", 1], ["a", ""], null]
/children [{}, [1], [{"childId": "a"}], [{"state": "lost"}]]
/children [[{"childId": "a", "state": "asleep"}], [{"childId": "a\u0007", "state": "lost"}]]
/children [[{"childId": "a", "state": "lost", "sequence": -1}]]
/children [[{"childId": "a", "state": "lost", "details": []}]]
/children [[{"childId": "a", "state": "lost"}, {"childId": "a", "state": "lost"}]]
/children
"#;

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The record with each of its rules broken, as the table has it.
fn broken(record: &Value, table: &str) -> Vec<Value> {
    let mut broken = Vec::new();
    for row in table.trim().lines() {
        match row.split_once(' ') {
            None => broken.push(with(record, row, None)),
            Some((pointer, values)) => {
                for value in json_of(values).as_array().unwrap() {
                    broken.push(with(record, pointer, Some(value.clone())));
                }
            }
        }
    }
    broken
}

fn reads_event(record: &Value) -> bool {
    EventView::parse(record.to_string().as_bytes()).is_ok()
}

fn reads_snapshot(record: &Value) -> bool {
    SnapshotView::parse(record.to_string().as_bytes()).is_ok()
}

#[test]
fn an_event_that_breaks_a_rule_is_refused() {
    let schema = validator(&parsed("event"));
    let good = json_of(EVENT);
    assert!(schema.is_valid(&good) && reads_event(&good));
    let too_long = with(&good, "/childId", Some(json!("c".repeat(513))));
    let no_objects = [json!([]), json!("x"), json!(1), json!(null)];
    let broken = broken(&good, BROKEN_EVENT);
    for record in broken.iter().chain([&too_long]).chain(&no_objects) {
        assert!(!reads_event(record), "{record}");
        assert!(!schema.is_valid(record), "{record}");
    }
}

#[test]
fn a_snapshot_that_breaks_a_rule_is_refused() {
    let complete = validator(&parsed("snapshot"));
    let partial = validator(&parsed("partial-view"));
    let good = json_of(SNAPSHOT);
    let view = with(&good, "/complete", Some(json!(false)));
    assert!(reads_snapshot(&good) && complete.is_valid(&good) && !partial.is_valid(&good));
    assert!(reads_snapshot(&view) && partial.is_valid(&view) && !complete.is_valid(&view));
    for (schema, record) in [(&complete, &good), (&partial, &view)] {
        for record in broken(record, BROKEN_SNAPSHOT) {
            assert!(!reads_snapshot(&record), "{record}");
            assert!(!schema.is_valid(&record), "{record}");
        }
    }
    let (good, view) = (
        with(&good, "/coverage", None),
        with(&view, "/coverage", None),
    );
    assert!(!reads_snapshot(&good) && !complete.is_valid(&good));
    assert!(
        reads_snapshot(&view) && partial.is_valid(&view),
        "it need not say"
    );
}

#[test]
fn kinds_and_states_go_together_as_the_reader_has_it() {
    let schema = validator(&parsed("event"));
    for kind in Kind::ALL {
        let states = State::ALL.iter().map(|state| Some(json!(state.as_str())));
        for state in states.chain([None]) {
            let record = with(&json_of(EVENT), "/kind", Some(json!(kind.as_str())));
            let record = with(&record, "/state", state);
            assert_eq!(schema.is_valid(&record), reads_event(&record), "{record}");
        }
    }
}

#[test]
fn ids_are_told_as_the_reader_tells_them() {
    let schema = definition("event", "id");
    for character in (0..0x3100)
        .chain([0xFEFF, 0xFFFD, 0x1F600])
        .filter_map(char::from_u32)
    {
        for id in [
            format!("{character}a"),
            format!("a{character}"),
            format!("a{character}b"),
        ] {
            let read = check_id("id", &id).is_ok();
            assert_eq!(schema.is_valid(&json!(id)), read, "{id:?}");
        }
    }
    assert!(schema.is_valid(&json!("x".repeat(512))) && !schema.is_valid(&json!("")));
}

#[test]
fn times_are_told_as_the_reader_tells_them() {
    let (read, written) = (
        definition("event", "time"),
        definition("progress", "writtenTime"),
    );
    let judge = |text: &str| {
        let good = UtcTime::parse(text);
        assert_eq!(read.is_valid(&json!(text)), good.is_ok(), "{text}");
        let ours = good.is_ok_and(|time| time.to_string() == text);
        assert_eq!(written.is_valid(&json!(text)), ours, "{text}");
    };
    for year in [
        0, 4, 100, 400, 1600, 1900, 1999, 2000, 2024, 2026, 2100, 9999,
    ] {
        for month in 0..=13 {
            for day in 0..=32 {
                judge(&format!("{year:04}-{month:02}-{day:02}T00:00:00.000Z"));
            }
        }
    }
    for clock in [
        "T23:59:59.999Z",
        "T23:59:60Z",
        "T23:59:60.000Z",
        "T23:58:60Z",
        "T24:00:00Z",
        "T00:60:00Z",
        "t00:00:00z",
        "T00:00:00+00:00",
        "T00:00:00-00:00",
        "T00:00:00+02:00",
        "T00:00:00",
        " 00:00:00Z",
        "T00:00:00.Z",
        "T00:00:00.1Z",
        "T00:00:00.123456789Z",
        "T00:00:00.1234567890Z",
        "T00:00Z",
        "T00:00:00,000Z",
        "T00:00:00.000Z ",
        "T00:00:00.000Z\n",
        "",
    ] {
        judge(&format!("2026-08-24{clock}"));
    }
}

#[test]
fn a_journal_entry_is_an_event_with_a_number() {
    let schema = validator(&parsed("journal-entry"));
    let event = json_of(EVENT);
    assert!(!schema.is_valid(&event), "no number");
    let entry = with(&event, "/journalSequence", Some(json!(1)));
    assert!(schema.is_valid(&entry));
    for number in [
        json!(0),
        json!("1"),
        json!(null),
        json!(9_007_199_254_740_992_u64),
    ] {
        assert!(!schema.is_valid(&with(&entry, "/journalSequence", Some(number))));
    }
    for record in broken(&entry, BROKEN_EVENT) {
        assert!(!schema.is_valid(&record), "{record}");
    }
}
