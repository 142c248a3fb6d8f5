//! Fields that lie, times that cannot be, machines that know nothing.

use std::time::Duration;

use jiff::SignedDuration;
use serde_json::json;

use super::super::LockOptions;
use super::super::evidence::Machine;
use super::super::judge::{age, judge};
use super::super::owner::Owner;
use super::table::{GONE, from, full, never, now, pid_only};

#[test]
fn hostile_fields_are_missing_fields() {
    for pid in [
        json!(0),
        json!(-1),
        json!(3_000_000_000_u64),
        json!("42"),
        json!(4.5),
        json!([]),
    ] {
        never(full(json!({"pid": pid})), &GONE, "no usable pid");
        never(pid_only(json!({"pid": pid})), &GONE, "no usable pid");
    }
    never(
        full(json!({"flock": "true", "pid": 0})),
        &GONE,
        "no usable pid",
    );
    never(
        full(json!({"bootId": "b0", "machineId": 5})),
        &GONE,
        "which machine",
    );
    never(
        full(json!({"bootId": "b0", "host": "\u{1b}[2Jthere"})),
        &GONE,
        "\\u{1b}[2Jthere",
    );
    from(300.0, full(json!({"bootId": ["b1"]})), &GONE);
    for bytes in [&b""[..], b"[]", b"{", b"null", b"{}x", b"\xff"] {
        assert_eq!(Owner::parse(bytes), None);
    }
    let twice = Owner::parse(br#"{"pid":1,"pid":2,"unknown":{"a":[1e999]}}"#);
    assert!(twice.is_none_or(|owner| owner.pid == Some(2)));
}

#[test]
fn the_age() {
    let changed = now() - SignedDuration::from_secs(9);
    let of = |created: Option<&str>| age(created, changed, now());
    assert_eq!(
        of(Some("2026-08-24T09:15:25.500Z")),
        Duration::from_millis(4500)
    );
    assert_eq!(
        of(Some("2026-08-24T11:15:25+02:00")),
        Duration::from_secs(5)
    );
    // Unreadable, or in the future: the directory's time.
    for created in [
        None,
        Some(""),
        Some("yesterday"),
        Some("2026-08-24T09:15:30.001Z"),
    ] {
        assert_eq!(of(created), Duration::from_secs(9));
    }
    // Both in the future: no age at all.
    assert_eq!(
        age(None, now() + SignedDuration::from_secs(1), now()),
        Duration::ZERO
    );
}

#[test]
fn a_machine_that_knows_nothing_proves_nothing() {
    let owner = Owner::parse(full(json!({})).to_string().as_bytes()).unwrap();
    let nothing = Machine::default();
    let old = now() - SignedDuration::from_hours(1);
    let verdict = judge(&owner, old, now(), &nothing, &LockOptions::default(), &GONE);
    assert!(!verdict.reclaimable);
}
