//! Rule 7: which moves are believed.

use super::STARTED;
use crate::projection::tests::told::World;

#[test]
fn rule_7_legal_moves_are_applied_and_others_leave_no_trace() {
    let mut world = World::given(&["created:created seq=1"]);
    assert_eq!(
        world.tell("state_changed:running seq=2"),
        "rejected illegal_transition"
    );
    assert_eq!(world.tell("state_changed:starting seq=2"), "applied");
    assert_eq!(
        world.tell("terminal:completed seq=3"),
        "rejected illegal_transition"
    );
    assert_eq!(world.tell("state_changed:waiting seq=3"), "applied");
    assert_eq!(
        world.tell("state_changed:waiting seq=4"),
        "applied",
        "refreshed"
    );
    assert!(world.shows("\"stateSince\":\"2026-08-24T09:00:05.000Z\""));
    assert_eq!(world.tell("state_changed:running seq=5"), "applied");
    assert_eq!(
        world.tell("state_changed:starting seq=6"),
        "rejected illegal_transition"
    );
    assert_eq!(
        world.tell("state_changed:created seq=6"),
        "rejected illegal_transition"
    );
    assert_eq!(world.tell("terminal:completed seq=6"), "applied");
}

#[test]
fn rule_7_unobserved_moves_need_a_reason_to_be_believed() {
    let believed = "provisional unobserved_moves";
    // The event's own gap: the first code stands, mark and intent happen.
    let mut gap = World::given(&["created:created seq=1"]);
    assert_eq!(
        gap.tell("terminal:completed seq=5"),
        format!("{believed} +gap")
    );
    assert!(gap.shows("\"gapDetected\":true"));
    // A gap marked before.
    let mut marked = World::given(&["created:created seq=1", "activity seq=3"]);
    assert_eq!(marked.tell("state_changed:running seq=4"), believed);
    // A new epoch.
    let mut epoch = World::given(&["created:created seq=1"]);
    let told = epoch.tell("state_changed:running seq=1 epoch=y");
    assert_eq!(told, format!("{believed} +reconnect"));
    // Only observed from outside.
    let mut external = World::given(&["created:created seq=1 external"]);
    assert_eq!(
        external.tell("state_changed:running seq=2 external"),
        believed
    );
    assert!(external.shows("\"gapDetected\":false"));
}

#[test]
fn rule_7_no_gap_makes_an_unreachable_state_believable() {
    let mut world = World::given(&STARTED);
    for event in [
        "state_changed:starting seq=9",
        "state_changed:created seq=9",
        "state_changed:starting epoch=y",
    ] {
        assert_eq!(world.tell(event), "rejected illegal_transition", "{event}");
    }
    assert!(world.shows("\"gapDetected\":false"));
}

#[test]
fn rule_7_a_correction_with_evidence_needs_no_legal_move_and_is_audited() {
    let mut world = World::given(&STARTED);
    let told = world.tell("reconciliation:starting at=9 details={\"snapshotId\":\"p1\"}");
    assert_eq!(told, "applied +audit running>starting p1");
    assert!(world.shows(
        r#""correction":{"snapshotId":"p1","from":"running","to":"starting","observedAt":"2026-08-24T09:00:09.000Z"}"#
    ));
    let same = world.tell("reconciliation:starting details={\"snapshotId\":\"p2\"}");
    assert_eq!(same, "applied", "nothing differs, nothing to audit");
    assert!(world.shows("\"snapshotId\":\"p1\""));
    let ended = world.tell("reconciliation:failed details={\"snapshotId\":\"p3\"}");
    assert_eq!(ended, "applied +audit starting>failed p3");
}

#[test]
fn rule_7_a_correction_without_evidence_is_judged_as_a_move() {
    let mut world = World::given(&STARTED);
    assert_eq!(
        world.tell("reconciliation:starting"),
        "rejected illegal_transition"
    );
    assert_eq!(world.tell("reconciliation:waiting"), "applied");
    assert!(!world.shows("correction"));
}

#[test]
fn rule_7_diagnostics_never_move_a_child() {
    let mut world = World::given(&STARTED);
    assert_eq!(world.tell("diagnostic:failed seq=4"), "applied");
    assert_eq!(world.tell("diagnostic:created seq=5"), "applied");
    assert!(world.shows("\"state\":\"running\""));
}
