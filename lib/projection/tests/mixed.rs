//! What holds for every row of events, snapshots and partial views.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use proptest::prelude::*;

use super::told::{World, line, snapshot_line};
use crate::json::Raw;
use crate::projection::{Child, Options, write_progress};
use crate::snapshot::{Head, Listed};

/// One record of mixed input.
#[derive(Clone, Debug)]
enum Told {
    Event(String),
    Snapshot(String),
}

fn record() -> impl Strategy<Value = Told> {
    prop_oneof![5 => event().prop_map(Told::Event), 3 => snapshot().prop_map(Told::Snapshot)]
}

/// Two sources with clocks an hour apart, two children and three epochs each.
fn event() -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec![
        "created:created",
        "state_changed:starting",
        "state_changed:running",
        "state_changed:waiting",
        "activity activity=at",
        "heartbeat",
        "diagnostic",
        "terminal:completed",
        "terminal:lost",
        "reconciliation:running details={\"snapshotId\":\"p\"}",
    ]);
    (kind, source(), 0..3, 0..2, prop::option::of(0..7), 0..400_u32, 0..60).prop_map(
        |(kind, (source, ahead), epoch, child, sequence, at, id)| {
            let sequence = sequence.map_or(String::new(), |sequence| format!("seq={sequence}"));
            line(
                &format!(
                    "{kind} source={source} epoch=x{epoch} child=c{child} {sequence} at={} id=e{id}",
                    at + ahead
                ),
                1,
            )
        },
    )
}

fn source() -> impl Strategy<Value = (&'static str, u32)> {
    prop::sample::select(vec![("s", 0), ("t", 3_600)])
}

fn snapshot() -> impl Strategy<Value = String> {
    let states = vec![
        "none",
        "starting",
        "running",
        "waiting",
        "completed",
        "failed",
    ];
    let state = || (prop::sample::select(states.clone()), prop::option::of(0..7));
    let coverage = prop::sample::select(vec!["", "covers=c0,c1"]);
    let complete = prop::sample::select(vec!["", "", "view"]);
    (
        source(),
        0..3,
        0..30,
        0..400_u32,
        complete,
        coverage,
        state(),
        state(),
    )
        .prop_map(
            |((source, ahead), epoch, id, at, complete, coverage, first, second)| {
                let listed = |child: &str, (state, sequence): (&str, Option<i32>)| match sequence {
                    _ if state == "none" => String::new(),
                    Some(sequence) => format!("{child}:{state}:{sequence}"),
                    None => format!("{child}:{state}"),
                };
                snapshot_line(&format!(
                    "p{id} source={source} epoch=x{epoch} at={} {complete} {coverage} {} {}",
                    at + ahead,
                    listed("c0", first),
                    listed("c1", second)
                ))
            },
        )
}

fn world() -> World {
    World::with(Options {
        lost_after: Some(Duration::from_secs(100)),
        ..Options::default()
    })
}

fn tell(world: &mut World, record: &Told) -> String {
    match record {
        Told::Event(line) => world.tell_line(line),
        Told::Snapshot(line) => world.show_line(line),
    }
}

/// Each child's state, staleness, misses and epoch, by source and id.
fn children(world: &World) -> HashMap<String, (String, bool, u32, String)> {
    let children = world.projection.children().iter();
    children
        .map(|child| {
            let key = format!("{}/{}", child.source(), child.id());
            let epoch = child.epoch().to_owned();
            let state = child.state().to_string();
            (key, (state, child.is_stale(), child.misses(), epoch))
        })
        .collect()
}

fn is_terminal(state: &str) -> bool {
    matches!(state, "completed" | "failed" | "cancelled" | "lost")
}

proptest! {
    #[test]
    fn what_has_ended_stays_so_on_every_path(records in prop::collection::vec(record(), 0..60)) {
        let mut world = world();
        let mut ended: HashMap<String, String> = HashMap::new();
        for record in &records {
            tell(&mut world, record);
            for (key, (state, stale, misses, _)) in children(&world) {
                if let Some(end) = ended.get(&key) {
                    prop_assert_eq!(end, &state, "{}", key);
                }
                if is_terminal(&state) {
                    prop_assert!(!stale && misses == 0, "{}", key);
                    ended.insert(key, state);
                }
            }
        }
    }

    #[test]
    fn a_replay_tells_the_same(records in prop::collection::vec(record(), 0..60)) {
        let (mut live, mut replay) = (world(), world());
        for record in &records {
            prop_assert_eq!(tell(&mut live, record), tell(&mut replay, record));
        }
        prop_assert_eq!(children(&live), children(&replay));
    }

    #[test]
    fn stale_precedes_lost(records in prop::collection::vec(record(), 0..60)) {
        let mut world = world();
        for record in &records {
            let before = children(&world);
            let told = tell(&mut world, record);
            let mut marks = before.values().filter(|(_, stale, ..)| *stale).count();
            for word in told.split(" +") {
                match word {
                    "stale" | "complete_snapshot_missing" => marks += 1,
                    "made lost" => {
                        prop_assert!(marks > 0, "{}", told);
                        marks -= 1;
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn a_partial_view_changes_no_state_and_counts_no_miss(
        records in prop::collection::vec(record(), 0..60),
    ) {
        // Without losses: the time of a view may bring those about.
        let mut world = World::new();
        for record in &records {
            let before = children(&world);
            tell(&mut world, record);
            if matches!(record, Told::Snapshot(line) if line.contains("\"complete\":false")) {
                let after = children(&world);
                prop_assert_eq!(before.len(), after.len());
                for (key, (state, _, misses, epoch)) in before {
                    let (state_after, _, misses_after, epoch_after) = &after[&key];
                    prop_assert_eq!((&state, misses, &epoch), (state_after, *misses_after, epoch_after));
                }
            }
        }
    }

    #[test]
    fn no_cause_is_asked_about_twice(records in prop::collection::vec(record(), 0..60)) {
        let mut world = world();
        for record in &records {
            let before = children(&world);
            let told = tell(&mut world, record);
            let after = children(&world);
            // A question about silence goes with a mark that was not there before.
            let marks = after.iter().filter(|(key, (state, stale, ..))| {
                let was = before.get(*key).is_some_and(|(_, stale, ..)| *stale);
                (*stale || state == "lost") && !was
            });
            prop_assert!(told.matches("+stale").count() <= marks.count(), "{}", told);
            // The same record again causes nothing new but a correction's refusal.
            let again = tell(&mut world, record);
            for reason in ["+stale", "+gap", "+reconnect", "+complete_snapshot_missing"] {
                prop_assert!(!again.contains(reason), "{told}; again: {again}");
            }
        }
    }

    #[test]
    fn the_events_made_bring_a_replay_to_the_same_ends(
        events in prop::collection::vec(event(), 0..30),
    ) {
        // Losses survive a journal: those that were inferred are told again at the end.
        let mut world = world();
        let mut made = Vec::new();
        for event in &events {
            let view = crate::event::EventView::parse(event.as_bytes()).unwrap();
            let mut effects = crate::projection::Effects::default();
            world.projection.apply(&view, &mut effects);
            let mut journal = event.clone();
            for effect in effects.told() {
                if let crate::projection::Effect::Synthesized(synthesized) = effect {
                    let mut line = Vec::new();
                    synthesized.write_event(&world.projection, &mut line);
                    journal += "\n";
                    journal += String::from_utf8(line).unwrap().trim_end();
                }
            }
            made.push(journal);
        }
        let mut replay = World::with(Options { stale_after: None, ..Options::default() });
        for line in made.iter().flat_map(|journal| journal.lines()) {
            replay.tell_line(line);
        }
        let states = |world: &World| -> HashMap<String, String> {
            children(world).into_iter().map(|(key, child)| (key, child.0)).collect()
        };
        prop_assert_eq!(states(&world), states(&replay));
    }
}

proptest! {
    #[test]
    fn a_snapshot_taken_of_the_records_corrects_nothing(
        records in prop::collection::vec(record(), 0..60),
    ) {
        let mut world = world();
        for record in &records {
            tell(&mut world, record);
        }
        let mut restored = World::with(Options { stale_after: None, ..Options::default() });
        let mut groups: Vec<Vec<&Child>> = Vec::new();
        for child in world.projection.children() {
            let mut line = Vec::new();
            write_progress(child, &mut line);
            let record = String::from_utf8(line.clone()).unwrap();
            let place = restored.projection.restore(Raw::parse(&record).unwrap()).unwrap();
            let mut again = Vec::new();
            write_progress(&restored.projection.children()[place], &mut again);
            prop_assert_eq!(&record, &String::from_utf8(again).unwrap());
            let same = |group: &&mut Vec<&Child>| {
                (group[0].source(), group[0].epoch()) == (child.source(), child.epoch())
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.push(child),
                None => groups.push(vec![child]),
            }
        }
        for group in groups {
            let head = Head {
                source: group[0].source(),
                source_epoch: group[0].epoch(),
                snapshot_id: "taken",
                observed_at: group.iter().map(|child| child.observed_at()).max().unwrap(),
                complete: true,
            };
            let children = group.iter().map(|child| Listed {
                child_id: child.id().into(),
                state: child.state(),
                sequence: child.last_sequence(),
            });
            let mut line = Vec::new();
            head.write(true, children, &mut line);
            let line = String::from_utf8(line).unwrap();
            prop_assert_eq!(restored.show_line(line.trim_end()), "applied");
        }
        for child in world.projection.children() {
            let place = restored.projection.find(child.source(), child.id()).unwrap();
            prop_assert_eq!(child.state(), restored.projection.children()[place].state());
        }
    }
}

/// Every order of six events of one child.
fn permutations() -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for place in 0..6 {
        let longer = all.iter().flat_map(|order: &Vec<usize>| {
            (0..=order.len()).map(move |at| {
                let mut order = order.clone();
                order.insert(at, place);
                order
            })
        });
        all = longer.collect();
    }
    all
}

#[test]
fn every_order_of_six_events_ends_alike_after_a_covering_snapshot() {
    const LIFE: [&str; 6] = [
        "created:created seq=1 id=e1 at=1",
        "state_changed:starting seq=2 id=e2 at=2",
        "state_changed:running seq=3 id=e3 at=3",
        "state_changed:waiting seq=4 id=e4 at=4",
        "state_changed:running seq=5 id=e5 at=5",
        "terminal:completed seq=6 id=e6 at=6",
    ];
    let orders = permutations();
    assert_eq!(orders.len(), 720);
    for (length, end) in [(6, "completed:6"), (5, "running:5")] {
        let mut seen = HashSet::new();
        for order in &orders {
            let mut world = World::new();
            for place in order.iter().filter(|place| **place < length) {
                let was = children(&world);
                world.tell(LIFE[*place]);
                for (key, (state, ..)) in was {
                    let after = &children(&world)[&key];
                    assert!(!is_terminal(&state) || after.0 == state, "{order:?}");
                }
            }
            world.show(&format!("p at=9 c:{end}"));
            let child = &children(&world)["s/c"];
            seen.insert((child.clone(), world.shows("\"gapDetected\":true")));
        }
        assert_eq!(seen.len(), 1, "{seen:?}");
    }
}
