//! Rules 5 and 6: how a child becomes known, and that it does so once.

use crate::projection::Options;
use crate::projection::tests::told::World;

#[test]
fn rule_5_only_a_state_makes_a_stranger_known() {
    for stateless in [
        "activity seq=7",
        "heartbeat seq=7",
        "diagnostic seq=7",
        "diagnostic:running",
        "reconciliation",
    ] {
        let mut world = World::new();
        assert_eq!(
            world.tell(stateless),
            "rejected unknown_child",
            "{stateless}"
        );
        assert!(world.projection.children().is_empty());
    }
    let mut created = World::new();
    assert_eq!(created.tell("created:created seq=7"), "applied");
    assert!(created.shows("\"gapDetected\":false"));
    for late in [
        "state_changed:running seq=7",
        "terminal:failed",
        "reconciliation:waiting",
    ] {
        let mut world = World::new();
        assert_eq!(
            world.tell(late),
            "provisional late_join",
            "marked, but no intent"
        );
        assert!(world.shows("\"gapDetected\":true"));
    }
}

#[test]
fn rule_5_strictly_only_created_starts_a_child() {
    let mut world = World::with(Options {
        strict: true,
        ..Options::default()
    });
    assert_eq!(
        world.tell("state_changed:running seq=1"),
        "rejected unknown_child"
    );
    assert_eq!(world.tell("created:created seq=1"), "applied");
}

#[test]
fn rule_6_a_child_is_created_once() {
    let mut world = World::given(&["created:created seq=1"]);
    assert_eq!(
        world.tell("created:created seq=2"),
        "conflict duplicate_created"
    );
    assert_eq!(world.tell("created:created"), "conflict duplicate_created");
    assert_eq!(
        world.tell("created:created seq=1 epoch=y"),
        "conflict duplicate_created"
    );
    assert_eq!(
        world.tell("state_changed:starting seq=2"),
        "applied",
        "no trace was left"
    );
    let mut late = World::given(&["state_changed:running seq=5"]);
    assert_eq!(
        late.tell("created:created seq=6"),
        "conflict duplicate_created"
    );
}

const FROM_SNAPSHOT: &str = "reconciliation:running at=30 root=z details={\"snapshotId\":\"p1\"}";

#[test]
fn rule_6_a_child_known_from_a_snapshot_takes_its_created_once_and_nothing_else() {
    let mut world = World::given(&[FROM_SNAPSHOT, "activity seq=7 at=31 activity=here"]);
    let known = "capabilities={\"history\":\"known\"}";
    let created = format!("created:created seq=1 at=5 attempt=2 {known} activity=new");
    assert_eq!(world.tell(&created), "applied", "an old sequence, and yet");
    let record = world.record();
    for text in [
        "\"state\":\"running\"",
        "\"lineage\":{\"rootChildId\":\"c\",\"attempt\":2,",
        "\"history\":\"known\"",
        "\"lastSequence\":7",
        "\"lastActivity\":\"here\"",
        "\"startedAt\":\"2026-08-24T09:00:30.000Z\"",
    ] {
        assert!(record.contains(text), "{text} in {record}");
    }
    assert_eq!(
        world.tell("created:created seq=8"),
        "conflict duplicate_created",
        "once"
    );
    assert_eq!(
        world.tell("created:created seq=1"),
        "conflict identity_conflict"
    );
}

#[test]
fn rule_6_such_a_created_leads_into_no_other_epoch() {
    let mut world = World::given(&[FROM_SNAPSHOT, "activity seq=7 at=31"]);
    assert_eq!(
        world.tell("created:created seq=1 at=5 epoch=other attempt=2"),
        "applied"
    );
    assert_eq!(
        world.tell("created:created seq=1 id=e3 at=5 epoch=other attempt=2"),
        "deduplicated"
    );
    assert!(world.shows("\"attempt\":2"), "its lineage is taken");
    assert!(world.shows("\"lastSequence\":7"), "and nothing else");
    assert_eq!(world.tell("activity seq=8 at=32"), "applied");
    assert_eq!(world.tell("terminal:completed seq=9 at=33"), "applied");
}

#[test]
fn rule_6_such_a_created_is_no_gap() {
    let mut world = World::given(&[FROM_SNAPSHOT, "activity seq=7 at=31"]);
    assert_eq!(world.tell("created:created seq=20 at=5"), "applied");
    assert_eq!(world.tell("activity seq=21"), "applied");
}

#[test]
fn rule_6_what_was_before_the_snapshot_does_not_move_such_a_child() {
    let mut world = World::given(&[FROM_SNAPSHOT]);
    assert_eq!(world.tell("created:created at=5"), "applied");
    assert_eq!(world.tell("state_changed:starting at=6"), "applied");
    assert_eq!(world.tell("terminal:failed at=29"), "applied");
    assert!(world.shows("\"state\":\"running\""));
    assert_eq!(
        world.tell("state_changed:starting at=31"),
        "rejected illegal_transition"
    );
    assert_eq!(world.tell("terminal:failed at=30"), "applied");
    assert!(
        world.shows("\"state\":\"failed\""),
        "not before, so it counts"
    );
}
