//! Rule 1: the same identity again.

use super::STARTED;
use crate::projection::Options;
use crate::projection::tests::told::{World, line};

#[test]
fn rule_1_a_sequence_is_deduplicated_by_content_whatever_the_order_of_fields() {
    let mut world = World::new();
    assert_eq!(world.tell("created:created seq=1 id=a at=1"), "applied");
    assert_eq!(
        world.tell("created:created seq=1 id=a at=1"),
        "deduplicated"
    );
    let line = line("created:created seq=1 id=a at=1", 1);
    let turned = line
        .replace("{\"schemaVersion\":1,", "{\"journalSequence\":9,")
        .replace(",\"kind\"", ",\"schemaVersion\":1,\"kind\"");
    assert_eq!(world.tell_line(&turned), "deduplicated");
    let defaulted = line.replace(
        ",\"kind\"",
        ",\"capabilities\":{\"history\":\"unknown\"},\"kind\"",
    );
    assert_eq!(world.tell_line(&defaulted), "deduplicated");
}

#[test]
fn rule_1_a_sequence_told_differently_is_a_conflict() {
    let mut world = World::given(&STARTED);
    let before = world.record();
    assert_eq!(
        world.tell("activity seq=2 at=9"),
        "conflict identity_conflict"
    );
    assert_eq!(
        world.tell("state_changed:starting seq=2 id=e2 at=3"),
        "conflict identity_conflict"
    );
    assert_eq!(world.record(), before, "it leaves no trace");
}

#[test]
fn rule_1_what_fell_out_of_the_window_is_only_old() {
    let mut world = World::with(Options {
        window: 2,
        strict: false,
        ..Options::default()
    });
    for event in STARTED {
        world.tell(event);
    }
    assert_eq!(
        world.tell("created:created seq=1 id=e1 at=1"),
        "out_of_order old_sequence"
    );
    assert_eq!(
        world.tell("state_changed:starting seq=2 id=e2 at=2"),
        "deduplicated"
    );
}

#[test]
fn rule_1_without_a_sequence_the_bytes_decide() {
    let mut world = World::new();
    let line = line("created:created id=a at=1", 1);
    assert_eq!(world.tell_line(&line), "applied");
    assert_eq!(world.tell_line(&line), "deduplicated");
    let journaled = line.replace("Z\"}", "Z\",\"journalSequence\":7}");
    assert_eq!(world.tell_line(&journaled), "deduplicated");
    let spaced = line.replace(",\"kind\"", ", \"kind\"");
    assert_eq!(world.tell_line(&spaced), "conflict identity_conflict");
    // The identity is the source's, not the child's.
    assert_eq!(
        world.tell("activity id=a child=other"),
        "conflict identity_conflict"
    );
    assert_eq!(world.tell("created:created id=a source=t at=1"), "applied");
}

#[test]
fn rule_1_the_oldest_of_65536_ids_is_forgotten_first() {
    let mut world = World::given(&["created:created id=e0 at=1"]);
    for number in 1..=65_535 {
        world.tell(&format!("heartbeat id=e{number} at=1"));
    }
    assert_eq!(world.tell("created:created id=e0 at=1"), "deduplicated");
    assert_eq!(world.tell("heartbeat id=new at=1"), "applied");
    assert_eq!(
        world.tell("created:created id=e0 at=1"),
        "conflict duplicate_created",
        "judged as if it were new"
    );
    assert_eq!(world.tell("heartbeat id=e1 at=1"), "deduplicated");
}

#[test]
fn rule_1_only_accepted_events_are_remembered() {
    let mut world = World::new();
    assert_eq!(world.tell("activity id=a at=1"), "rejected unknown_child");
    assert_eq!(world.tell("activity id=a at=1"), "rejected unknown_child");
    assert_eq!(world.tell("created:created id=a at=1"), "applied");
    assert_eq!(
        world.tell("state_changed:completed seq=1"),
        "rejected illegal_transition"
    );
    assert_eq!(
        world.tell("state_changed:starting seq=1"),
        "applied",
        "no conflict"
    );
}
