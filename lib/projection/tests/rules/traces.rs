//! Rule 8: what an accepted event leaves, and how it is told.

use super::STARTED;
use crate::projection::tests::told::{World, line};

#[test]
fn rule_8_a_gap_of_any_kind_is_marked_and_asked_about_once() {
    let mut world = World::given(&STARTED);
    assert_eq!(
        world.tell("heartbeat seq=5"),
        "provisional sequence_gap +gap"
    );
    assert_eq!(world.tell("activity seq=6"), "applied");
    assert_eq!(
        world.tell("activity seq=9"),
        "provisional sequence_gap",
        "the mark stands"
    );
    assert!(world.shows("\"gapDetected\":true"));
}

#[test]
fn rule_8_after_a_rejected_event_the_next_one_is_a_gap() {
    let mut world = World::given(&STARTED);
    assert_eq!(
        world.tell("state_changed:starting seq=4"),
        "rejected illegal_transition"
    );
    assert_eq!(
        world.tell("activity seq=5"),
        "provisional sequence_gap +gap"
    );
}

#[test]
fn rule_8_the_first_sequence_is_never_a_gap() {
    let mut world = World::given(&["created:created", "activity seq=40"]);
    assert_eq!(world.tell("activity seq=41"), "applied");
    assert_eq!(
        world.tell("activity seq=90 epoch=y"),
        "provisional new_epoch +reconnect"
    );
    assert_eq!(world.tell("activity seq=91 epoch=y"), "applied");
    assert!(world.shows("\"lastSequence\":91"));
}

#[test]
fn rule_8_an_unsequenced_event_may_enter_an_epoch_and_the_counter_restarts() {
    let mut world = World::given(&STARTED);
    assert_eq!(world.tell("activity"), "applied");
    assert!(world.shows("\"lastSequence\":3"));
    assert_eq!(
        world.tell("activity epoch=y"),
        "provisional new_epoch +reconnect"
    );
    assert!(!world.shows("lastSequence"));
    assert_eq!(world.tell("activity seq=1 epoch=y"), "applied");
}

#[test]
fn rule_8_times_never_go_backwards() {
    let mut world = World::given(&[
        "created:created seq=1 at=10",
        "activity seq=2 at=20 activity=new",
        "heartbeat seq=3 at=30",
        "activity seq=4 at=15 activity=old",
        "heartbeat seq=5 at=25",
    ]);
    assert!(
        world.shows("\"lastActivity\":\"new\",\"lastHeartbeatAt\":\"2026-08-24T09:00:30.000Z\"")
    );
    assert!(world.shows("\"observedAt\":\"2026-08-24T09:00:30.000Z\""));
    world.tell("activity seq=6 at=20 activity=newer");
    assert!(world.shows("\"lastActivity\":\"newer\""));
}

#[test]
fn rule_8_activity_is_cut_at_512_characters() {
    let long = "é".repeat(600);
    let world = World::given(&["created:created", &format!("activity activity={long}")]);
    assert!(world.shows(&format!("\"lastActivity\":\"{}\"", "é".repeat(512))));
    let exact = "é".repeat(512);
    let world = World::given(&["created:created", &format!("activity activity={exact}")]);
    assert!(world.shows(&exact));
}

#[test]
fn rule_8_capabilities_are_kept_when_an_event_does_not_tell_them() {
    let mut world = World::given(&["created:created seq=1 capabilities={\"cancel\":\"known\"}"]);
    world.tell("state_changed:starting seq=2");
    assert!(world.shows("\"cancel\":\"known\""));
    world.tell("state_changed:running seq=3 capabilities={\"history\":\"known\"}");
    assert!(world.shows("\"history\":\"known\"") && world.shows("\"cancel\":\"unknown\""));
}

#[test]
fn children_are_apart_by_source_and_epochs_by_child() {
    let mut world = World::given(&STARTED);
    assert_eq!(
        world.tell("activity seq=1 source=t"),
        "rejected unknown_child"
    );
    assert_eq!(
        world.tell("created:created seq=1 child=d epoch=y"),
        "applied"
    );
    assert_eq!(
        world.tell("activity seq=4"),
        "applied",
        "the other child's epoch is its own"
    );
}

#[test]
fn the_record_tells_agent_and_cause_compactly() {
    let mut world =
        World::given(&["created:created seq=1 at=1 parent=p details={\"agent\":{\"name\":\"a\"}}"]);
    let line = line("terminal:failed seq=2 at=2", 2);
    world.tell_line(&line.replace(
        "\"sequence\"",
        "\"details\":{ \"cause\" : [ \"a b\" ] },\"sequence\"",
    ));
    assert_eq!(
        world.record(),
        concat!(
            r#"{"type":"progress","source":"s","sourceEpoch":"x","childId":"c","state":"failed","#,
            r#""observedAt":"2026-08-24T09:00:02.000Z","stateSince":"2026-08-24T09:00:02.000Z","#,
            r#""startedAt":"2026-08-24T09:00:01.000Z","#,
            r#""lineage":{"rootChildId":"c","attempt":0,"external":false,"parentChildId":"p"},"#,
            r#""capabilities":{"history":"unknown","heartbeat":"unknown","snapshot":"unknown","#,
            r#""cancel":"unknown","terminalCause":"unknown"},"lastSequence":2,"#,
            r#""stale":false,"gapDetected":false,"terminalCause":["a b"],"agent":{"name":"a"}}"#
        )
    );
}
