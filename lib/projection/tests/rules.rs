//! Each rule, kept and broken.

use super::told::{World, line};
use crate::projection::Options;

const STARTED: [&str; 3] = [
    "created:created seq=1",
    "state_changed:starting seq=2",
    "state_changed:running seq=3",
];

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
