//! Each rule of a snapshot, kept and broken; any bytes.

use proptest::prelude::*;

use super::{Coverage, Head, SnapshotView};
use crate::event::State;

const GOOD: &str = r#"{"source":"s","sourceEpoch":"x","snapshotId":"p","observedAt":"2026-08-24T09:00:00Z","complete":true,"coverage":["a","b"],"children":[{"childId":"a","state":"running","sequence":3,"details":{}}]}"#;

fn verdict(line: &str) -> String {
    match SnapshotView::parse(line.as_bytes()) {
        Ok(_) => "good".to_owned(),
        Err(problem) => problem.code.as_str().to_owned(),
    }
}

#[test]
fn what_a_snapshot_says() {
    let snapshot = SnapshotView::parse(GOOD.as_bytes()).unwrap();
    assert!(snapshot.complete);
    assert_eq!(snapshot.children.len(), 1);
    assert_eq!(snapshot.children[0].state, State::Running);
    assert!(snapshot.proves_absence("b") && !snapshot.proves_absence("c"));
    let view = GOOD.replace("true", "false");
    let view = SnapshotView::parse(view.as_bytes()).unwrap();
    assert!(!view.proves_absence("b"), "a partial view proves nothing");
}

#[test]
fn each_rule_broken() {
    let table = [
        (r#""source":"s","#, "", "missing_field"),
        (r#""source":"s""#, r#""source":" s""#, "invalid_field"),
        (r#""sourceEpoch":"x","#, "", "missing_field"),
        (r#""snapshotId":"p","#, "", "missing_field"),
        (r#""snapshotId":"p""#, r#""snapshotId":7"#, "invalid_field"),
        (r#""snapshotId":"p""#, r#""snapshotId":"""#, "invalid_field"),
        (
            r#""observedAt":"2026-08-24T09:00:00Z","#,
            "",
            "missing_field",
        ),
        ("09:00:00Z", "09:00:00", "timestamp_invalid"),
        ("09:00:00Z", "09:00:00+02:00", "timestamp_not_utc"),
        (r#""complete":true,"#, "", "snapshot_not_complete"),
        ("true", "\"true\"", "snapshot_not_complete"),
        ("true", "1", "snapshot_not_complete"),
        (r#""coverage":["a","b"],"#, "", "snapshot_coverage"),
        (r#"["a","b"]"#, "[]", "snapshot_coverage"),
        (r#"["a","b"]"#, "\"some\"", "snapshot_coverage"),
        (r#"["a","b"]"#, r#"["b"]"#, "snapshot_coverage"),
        (r#"["a","b"]"#, r#"["a",1]"#, "snapshot_coverage"),
        (r#"["a","b"]"#, r#"["a",""]"#, "snapshot_coverage"),
        (r#"["a","b"]"#, "\"all\"", "good"),
        (
            r#""source":"s""#,
            r#""source":"s","source":"s""#,
            "duplicate_key",
        ),
        (
            r#""complete":true"#,
            r#""complete":true,"complete":false"#,
            "duplicate_key",
        ),
        (r#""childId":"a","#, "", "missing_field"),
        (
            r#""childId":"a""#,
            r#""childId":"a","childId":"a""#,
            "duplicate_key",
        ),
        (
            r#""childId":"a""#,
            "\"childId\":\"a\\u0007\"",
            "invalid_field",
        ),
        (r#""state":"running","#, "", "missing_field"),
        ("running", "asleep", "invalid_field"),
        (r#""sequence":3"#, r#""sequence":3.0"#, "invalid_field"),
        (r#""details":{}"#, r#""details":[]"#, "invalid_field"),
        (r#""details":{}"#, r#""details":{"k":1,"k":2}"#, "good"),
        ("}]}", "}]", "malformed_json"),
        ("[{", "[1,{", "invalid_field"),
        (
            "[{",
            r#"[{"childId":"a","state":"lost"},{"#,
            "invalid_field",
        ),
        (
            "{\"source\"",
            "{\"schemaVersion\":2,\"source\"",
            "schema_version",
        ),
        (
            "{\"source\"",
            "{\"schemaVersion\":1,\"extra\":[],\"source\"",
            "good",
        ),
    ];
    for (from, to, expected) in table {
        let line = GOOD.replacen(from, to, 1);
        assert_ne!(line, GOOD, "{from}");
        assert_eq!(verdict(&line), expected, "{line}");
    }
    assert_eq!(verdict(r#"{"children":{}}"#), "missing_field");
}

#[test]
fn a_partial_view_need_not_say_what_it_covers() {
    let view = GOOD
        .replace("true", "false")
        .replace(r#""coverage":["a","b"],"#, "");
    let view = SnapshotView::parse(view.as_bytes()).unwrap();
    assert_eq!(view.coverage, Coverage::Unstated);
    assert_eq!(
        verdict(&GOOD.replace("true", "false").replace(r#"["a","b"]"#, "[]")),
        "snapshot_coverage"
    );
}

#[test]
fn equal_content_is_told_whatever_the_order_of_members() {
    let content = |line: &str| SnapshotView::parse(line.as_bytes()).unwrap().content;
    let turned = GOOD.replace("true", "true,\"turned\":1");
    assert_ne!(content(GOOD), content(&turned));
    assert_ne!(content(GOOD), content(&GOOD.replace("running", "waiting")));
    assert_ne!(
        content(GOOD),
        content(&GOOD.replace("09:00:00Z", "09:00:01Z"))
    );
    let moved = GOOD
        .replace(r#""complete":true,"#, "")
        .replace("{\"source\"", "{\"complete\":true,\"source\"");
    assert_eq!(content(GOOD), content(&moved));
}

#[test]
fn a_list_of_a_hundred_thousand_is_read_in_one_pass() {
    let children: Vec<_> = (0..100_000)
        .map(|number| format!("{{\"childId\":\"c{number}\",\"state\":\"running\"}}"))
        .collect();
    let ids: Vec<_> = (0..100_000)
        .map(|number| format!("\"c{number}\""))
        .collect();
    let line = GOOD
        .replace(r#"["a","b"]"#, &format!("[{}]", ids.join(",")))
        .replace(
            r#"{"childId":"a","state":"running","sequence":3,"details":{}}"#,
            &children.join(","),
        );
    let start = std::time::Instant::now();
    assert_eq!(
        SnapshotView::parse(line.as_bytes()).unwrap().children.len(),
        100_000
    );
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn what_is_written_is_read_again() {
    let read = SnapshotView::parse(GOOD.as_bytes()).unwrap();
    let head = Head {
        source: &read.source,
        source_epoch: &read.source_epoch,
        snapshot_id: &read.snapshot_id,
        observed_at: read.observed_at,
        complete: true,
    };
    for covers_all in [true, false] {
        let mut out = Vec::new();
        head.write(covers_all, read.children.iter().cloned(), &mut out);
        let line = out.strip_suffix(b"\n").unwrap();
        let again = SnapshotView::parse(line).unwrap();
        assert_eq!(again.children, read.children);
        assert_eq!(again.coverage.covers("other"), covers_all);
    }
}

proptest! {
    #[test]
    fn no_bytes_are_too_strange(from in 0..GOOD.len(), to in 0..GOOD.len(), put in any::<Vec<u8>>()) {
        let (from, to) = (from.min(to), from.max(to));
        let mut line = GOOD.as_bytes().to_vec();
        line.splice(from..to, put);
        let _ = SnapshotView::parse(&line);
    }
}
