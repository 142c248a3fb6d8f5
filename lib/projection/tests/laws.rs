//! What holds for every row of events.

use proptest::prelude::*;

use super::told::{World, line};

/// Events of few children, epochs and sequences, so that every rule is met.
fn events() -> impl Strategy<Value = Vec<String>> {
    let kind = prop::sample::select(vec![
        "created:created",
        "state_changed:created",
        "state_changed:starting",
        "state_changed:running",
        "state_changed:waiting",
        "state_changed:completed",
        "activity activity=at",
        "heartbeat",
        "diagnostic",
        "terminal:completed",
        "terminal:failed",
        "terminal:lost",
        "reconciliation:running details={\"snapshotId\":\"p\"}",
        "reconciliation:starting details={\"snapshotId\":\"p\"}",
        "reconciliation:running",
    ]);
    let event = (kind, 0..3, 0..2, prop::option::of(0..6), 0..9, 0..40).prop_map(
        |(kind, epoch, child, sequence, at, id)| {
            let sequence = sequence.map_or(String::new(), |sequence| format!("seq={sequence}"));
            line(
                &format!("{kind} epoch=x{epoch} child=c{child} {sequence} at={at} id=e{id}"),
                1,
            )
        },
    );
    prop::collection::vec(event, 0..60)
}

fn states(world: &World) -> Vec<(String, bool)> {
    let children = world.projection.children().iter();
    children
        .map(|child| (world.record_of(child.id()), child.state().is_terminal()))
        .collect()
}

proptest! {
    #[test]
    fn a_terminal_child_never_changes_again(events in events()) {
        let mut world = World::new();
        let mut before = Vec::new();
        for event in &events {
            world.tell_line(event);
            let after = states(&world);
            for ((was, terminal), (is, _)) in before.iter().zip(&after) {
                prop_assert!(!terminal || was == is, "{was}\n{is}\n{event}");
            }
            before = after;
        }
    }

    #[test]
    fn what_is_not_accepted_leaves_no_trace(events in events()) {
        let mut world = World::new();
        for event in &events {
            let before = states(&world);
            let told = world.tell_line(event);
            if !told.starts_with("applied") && !told.starts_with("provisional") {
                prop_assert_eq!(before, states(&world), "{}", told);
                prop_assert!(!told.contains('+'), "{}", told);
            }
        }
    }

    #[test]
    fn a_replay_tells_the_same(events in events()) {
        let (mut live, mut replay) = (World::new(), World::new());
        let told: Vec<_> = events.iter().map(|event| live.tell_line(event)).collect();
        let again: Vec<_> = events.iter().map(|event| replay.tell_line(event)).collect();
        prop_assert_eq!(told, again);
        prop_assert_eq!(states(&live), states(&replay));
    }

    #[test]
    fn what_was_just_accepted_is_deduplicated(events in events()) {
        let mut world = World::new();
        for event in &events {
            let told = world.tell_line(event);
            if told.starts_with("applied") || told.starts_with("provisional") {
                prop_assert_eq!(world.tell_line(event), "deduplicated");
            }
        }
    }

    #[test]
    fn no_order_of_a_life_leads_out_of_its_end(order in Just([1, 2, 3, 4, 5, 6]).prop_shuffle()) {
        let life = [
            "created:created seq=1 id=e1 at=1",
            "state_changed:starting seq=2 id=e2 at=2",
            "state_changed:running seq=3 id=e3 at=3",
            "state_changed:waiting seq=4 id=e4 at=4",
            "state_changed:running seq=5 id=e5 at=5",
            "terminal:completed seq=6 id=e6 at=6",
        ];
        let mut world = World::new();
        for place in order {
            world.tell(life[place - 1]);
        }
        prop_assert!(world.shows("\"state\":\"completed\""), "{}", world.record());
    }
}
