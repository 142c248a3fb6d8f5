//! Snapshots and partial views: each sentence of SPEC section 5 about them, kept and broken.

use super::told::World;
use crate::projection::Options;

const STARTED: [&str; 3] = [
    "created:created seq=1 at=1",
    "state_changed:starting seq=2 at=2",
    "state_changed:running seq=3 at=3",
];

#[test]
fn a_snapshot_corrects_a_state_and_leaves_an_audit() {
    let mut world = World::given(&STARTED);
    assert_eq!(
        world.show("p at=5 c:waiting:7"),
        "applied +audit running>waiting p +made waiting"
    );
    assert!(world.shows(r#""state":"waiting""#));
    assert!(world.shows(r#""lastSequence":7"#));
    assert!(world.shows(r#""correction":{"snapshotId":"p","from":"running","to":"waiting""#));
    assert_eq!(
        world.tell("activity seq=7 at=6"),
        "out_of_order old_sequence"
    );
    assert_eq!(world.tell("activity seq=8 at=6"), "applied");
}

#[test]
fn a_snapshot_that_agrees_clears_the_gap_and_tells_nothing() {
    let mut world = World::given(&STARTED);
    world.tell("activity seq=9 at=4");
    assert!(world.shows(r#""gapDetected":true"#));
    assert_eq!(world.show("p at=5 c:running"), "applied");
    assert!(world.shows(r#""gapDetected":false"#));
    assert!(world.shows(r#""lastSequence":9"#), "none is told");
}

#[test]
fn no_snapshot_revives_what_has_ended() {
    let mut world = World::given(&STARTED);
    world.tell("terminal:failed seq=9 at=4");
    assert_eq!(
        world.show("p at=5 c:running:10"),
        "applied +terminal_immutable"
    );
    assert_eq!(
        world.show("q at=5 epoch=y c:completed"),
        "applied +terminal_immutable"
    );
    assert!(world.shows(r#""gapDetected":true"#));
    assert_eq!(world.show("r at=2 epoch=y c:failed:1"), "applied");
    assert!(world.shows(r#""gapDetected":false"#));
    assert!(world.shows(r#""sourceEpoch":"x""#), "the epoch is kept");
    assert!(world.shows(r#""lastSequence":9"#));
}

#[test]
fn a_snapshot_behind_what_is_known_is_ignored() {
    let mut world = World::given(&STARTED);
    let before = world.record();
    for behind in [
        "p1 at=9 c:waiting:2",
        "p2 at=2 c:waiting:3",
        "p3 at=2 c:waiting",
        "p4 at=2 epoch=y c:waiting:9",
        "p5 at=2",
    ] {
        assert_eq!(world.show(behind), "applied +snapshot_behind", "{behind}");
        assert_eq!(world.record(), before, "{behind}");
    }
    assert_eq!(
        world.show("p6 at=2 c:waiting:4"),
        "applied +audit running>waiting p6 +made waiting",
        "a higher sequence is newer, whatever the clock"
    );
}

#[test]
fn a_snapshot_of_an_epoch_left_is_ignored() {
    let mut world = World::given(&STARTED);
    world.tell("activity seq=1 epoch=y at=4");
    let before = world.record();
    assert_eq!(
        world.show("p at=9 epoch=x c:waiting:9"),
        "applied +epoch_conflict"
    );
    assert_eq!(world.record(), before);
}

#[test]
fn a_snapshot_of_a_new_epoch_takes_the_child_along() {
    let mut world = World::given(&STARTED);
    assert_eq!(world.show("p at=4 epoch=y c:running:2"), "applied");
    assert!(world.shows(r#""sourceEpoch":"y""#));
    assert!(world.shows(r#""lastSequence":2"#));
    assert!(world.shows(r#""gapDetected":false"#));
    assert_eq!(
        world.tell("activity seq=4 at=5"),
        "out_of_order superseded_epoch"
    );
    assert_eq!(world.tell("activity seq=3 epoch=y at=5"), "applied");
}

#[test]
fn an_unknown_child_is_added_with_a_gap() {
    let mut world = World::new();
    assert_eq!(world.show("p at=5 c:running:7"), "applied +made running");
    assert!(world.shows(r#""lineage":null"#));
    assert!(world.shows(r#""gapDetected":true"#));
    assert_eq!(world.tell("created:created seq=1 at=1"), "applied");
    assert!(world.shows(r#""lineage":{"rootChildId":"c""#));
    assert!(world.shows(r#""state":"running""#));
    assert!(world.shows(r#""lastSequence":7"#));
}

#[test]
fn two_misses_make_stale_and_two_more_lose() {
    let mut world = World::given(&STARTED);
    assert_eq!(world.show("p1 at=4"), "applied");
    assert!(world.shows(r#""misses":1"#) && world.shows(r#""stale":false"#));
    assert_eq!(world.show("p2 at=5"), "applied +complete_snapshot_missing");
    assert!(world.shows(r#""misses":2"#) && world.shows(r#""stale":true"#));
    assert_eq!(world.show("p3 at=6"), "applied");
    assert!(world.shows(r#""state":"running""#));
    assert_eq!(world.show("p4 at=7"), "applied +made lost");
    assert!(world.shows(r#""state":"lost""#) && world.shows(r#""stale":false"#));
    assert_eq!(world.show("p5 at=8"), "applied", "once");
}

#[test]
fn the_same_snapshot_counts_once() {
    let mut world = World::given(&STARTED);
    for _ in 0..9 {
        assert_eq!(world.show("p1 at=4"), "applied");
    }
    assert!(world.shows(r#""misses":1"#));
    assert_eq!(
        world.show("p1 at=5"),
        "conflict identity_conflict",
        "other content"
    );
    assert!(world.shows(r#""misses":1"#));
    assert_eq!(
        world.show("p1 at=5 epoch=y c:running"),
        "applied",
        "another epoch has ids of its own"
    );
}

#[test]
fn sixty_four_ids_are_remembered() {
    let mut world = World::given(&STARTED);
    for number in 0..65 {
        world.show(&format!("p{number} at=4 covers=other"));
    }
    assert_eq!(world.show("p64 at=4"), "conflict identity_conflict");
    assert_eq!(world.show("p0 at=4"), "applied", "forgotten");
}

#[test]
fn an_event_or_a_listing_ends_the_row_of_misses_and_nothing_else_does() {
    let mut world = World::given(&STARTED);
    world.show("p1 at=4");
    assert_eq!(
        world.tell("activity seq=1 at=5"),
        "conflict identity_conflict"
    );
    world.show("v at=5 view c:waiting");
    world.show("p2 at=6 covers=other");
    assert!(world.shows(r#""misses":1"#));
    world.tell("activity seq=4 at=7");
    assert!(!world.shows("misses"));
    world.show("p3 at=8");
    assert!(world.shows(r#""misses":1"#));
    world.show("p4 at=9 c:running");
    assert!(!world.shows("misses"));
}

#[test]
fn each_row_of_misses_has_one_intent() {
    let mut world = World::given(&STARTED);
    world.show("p1 at=4");
    assert!(world.show("p2 at=5").ends_with("missing"));
    assert_eq!(world.show("v at=6 view c:running"), "applied");
    assert!(world.shows(r#""stale":false"#) && world.shows(r#""misses":2"#));
    assert_eq!(
        world.show("p3 at=7"),
        "applied",
        "stale again, asked already"
    );
    assert!(world.shows(r#""stale":true"#));
    assert_eq!(world.show("p4 at=8"), "applied");
    assert_eq!(
        world.show("p5 at=9"),
        "applied +made lost",
        "the second after the mark"
    );
}

#[test]
fn coverage_must_be_proven() {
    let mut world = World::given(&STARTED);
    let before = world.record();
    for nothing in ["p1 at=4 covers=d", "v at=5 view", "w at=6 view covers=c"] {
        assert_eq!(world.show(nothing), "applied");
        assert_eq!(world.record(), before, "{nothing}");
    }
    assert_eq!(world.show("p2 at=7 covers=c,d"), "applied");
    assert!(world.shows(r#""misses":1"#));
}

#[test]
fn a_partial_view_corrects_counts_and_adds_nothing() {
    let mut world = World::given(&STARTED);
    let before = world.record();
    for view in [
        "v1 at=4 view c:waiting:9",
        "v2 at=4 view epoch=y c:running",
        "v3 at=4 view d:running",
        "v4 at=4 view c:running:9",
    ] {
        assert_eq!(world.show(view), "applied");
        assert_eq!(world.record(), before, "{view}");
    }
    assert_eq!(world.projection.children().len(), 1);
}

#[test]
fn two_gateways_under_one_name_leave_each_others_children_alone() {
    let mut world = World::new();
    assert_eq!(
        world.show("a1 at=1 epoch=x c:running"),
        "applied +made running"
    );
    assert_eq!(
        world.show("b1 at=2 epoch=y d:running"),
        "applied +made running +reconnect",
        "it could be the same one, restarted"
    );
    for round in 2..20 {
        let (at, next) = (2 * round, 2 * round + 1);
        assert_eq!(
            world.show(&format!("a{round} at={at} epoch=x c:running")),
            "applied"
        );
        assert_eq!(
            world.show(&format!("b{round} at={next} epoch=y d:running")),
            "applied"
        );
    }
    assert!(!world.shows("misses") && world.shows(r#""sourceEpoch":"x""#));
    assert!(!world.record_of("d").contains("misses"));
}

#[test]
fn a_restarted_source_is_asked_about_each_child_once() {
    let mut world = World::given(&STARTED);
    assert_eq!(world.show("p1 at=4 epoch=y"), "applied +reconnect");
    assert_eq!(world.show("p2 at=5 epoch=y"), "applied", "once");
    assert_eq!(
        world.tell("activity seq=1 epoch=y at=6"),
        "provisional new_epoch",
        "this epoch has been asked about"
    );
}

#[test]
fn two_runs_sharing_a_name_do_not_disturb_each_other() {
    let mut world = World::new();
    for (at, told) in (1..).zip([
        "created:created seq=1",
        "state_changed:starting seq=2",
        "state_changed:running seq=3",
        "activity seq=4",
        "terminal:completed seq=5",
    ]) {
        assert_eq!(
            world.tell(&format!("{told} child=a epoch=x at={at}")),
            "applied"
        );
        assert_eq!(
            world.tell(&format!("{told} child=b epoch=y at={at}")),
            "applied"
        );
    }
}

#[test]
fn the_grace_is_an_option() {
    let mut world = World::with(Options {
        omission_grace: 1,
        ..Options::default()
    });
    for event in STARTED {
        world.tell(event);
    }
    assert_eq!(world.show("p1 at=4"), "applied +complete_snapshot_missing");
    assert_eq!(world.show("p2 at=5"), "applied +made lost");
}
