//! Rules 2 to 4: epochs left, old sequences, terminal children.

use super::STARTED;
use crate::projection::tests::told::World;

#[test]
fn rule_2_an_epoch_left_is_over() {
    let mut world = World::given(&STARTED);
    world.tell("activity seq=1 epoch=y");
    assert_eq!(
        world.tell("activity seq=4"),
        "out_of_order superseded_epoch"
    );
    assert_eq!(
        world.tell("terminal:completed"),
        "out_of_order superseded_epoch"
    );
    assert_eq!(world.tell("activity seq=2 epoch=y"), "applied");
}

#[test]
fn rule_2_eight_epochs_are_remembered() {
    let mut world = World::given(&STARTED);
    for epoch in 1..=8 {
        let told = world.tell(&format!("activity seq=1 epoch=y{epoch}"));
        assert_eq!(told, "provisional new_epoch +reconnect");
    }
    assert_eq!(
        world.tell("activity seq=1"),
        "out_of_order superseded_epoch"
    );
    assert_eq!(
        world.tell("activity seq=1 epoch=y9"),
        "provisional new_epoch +reconnect"
    );
    assert_eq!(
        world.tell("activity seq=1"),
        "provisional new_epoch +reconnect",
        "forgotten"
    );
}

#[test]
fn rule_3_an_old_sequence_is_out_of_order() {
    let mut world = World::given(&["created:created seq=5"]);
    assert_eq!(world.tell("activity seq=4"), "out_of_order old_sequence");
    assert_eq!(
        world.tell("created:created seq=2"),
        "out_of_order old_sequence"
    );
    assert_eq!(world.tell("activity seq=6"), "applied");
    assert_eq!(
        world.tell("activity"),
        "applied",
        "without a sequence nothing is old"
    );
    assert!(world.shows("\"lastSequence\":6"));
}

#[test]
fn rule_3_an_inferred_loss_is_superseded_by_a_later_word() {
    let mut world = World::given(&["created:created seq=1 at=10", "activity seq=2 at=20"]);
    assert_eq!(
        world.tell("terminal:lost at=19"),
        "out_of_order superseded_lost"
    );
    // Told by the source itself, in its order, it counts; so does one at the same time.
    let mut sequenced = World::given(&["created:created seq=1 at=10", "activity seq=2 at=20"]);
    assert_eq!(sequenced.tell("terminal:lost seq=3 at=19"), "applied");
    assert_eq!(world.tell("terminal:lost at=20"), "applied");
    assert_eq!(
        world.tell("terminal:lost at=19"),
        "out_of_order superseded_lost",
        "before rule 4"
    );
}

#[test]
fn rule_4_a_terminal_state_is_final() {
    let mut world = World::given(&STARTED);
    world.tell("terminal:completed seq=4 at=4");
    let before = world.record();
    for event in [
        "terminal:failed seq=5",
        "state_changed:running seq=5",
        "activity seq=5",
        "heartbeat",
        "created:created",
        "created:created seq=1 epoch=y",
        "diagnostic",
        "reconciliation:running details={\"snapshotId\":\"p1\"}",
        "terminal:completed seq=5",
    ] {
        assert_eq!(world.tell(event), "terminal_immutable", "{event}");
    }
    assert_eq!(
        world.tell("terminal:completed seq=4 id=e4 at=4"),
        "deduplicated"
    );
    assert_eq!(world.tell("activity seq=3"), "conflict identity_conflict");
    assert_eq!(world.record(), before);
}
