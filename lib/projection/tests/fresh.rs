//! Staleness and loss: clocks, deadlines, what is asked and when.

use std::time::Duration;

use super::told::World;
use crate::projection::{Effects, Options, Receipt};
use crate::time::UtcTime;

const STARTED: [&str; 3] = [
    "created:created seq=1 at=1",
    "state_changed:starting seq=2 at=2",
    "state_changed:running seq=3 at=3",
];

fn lost_after(seconds: u64) -> World {
    World::with(Options {
        lost_after: Some(Duration::from_secs(seconds)),
        ..Options::default()
    })
}

#[test]
fn silence_makes_stale_at_the_limit_and_asks_once() {
    let mut world = World::given(&STARTED);
    assert_eq!(world.pass(122), "");
    assert!(world.shows(r#""stale":false"#));
    assert_eq!(world.pass(123), " +stale");
    assert!(world.shows(r#""stale":true"#));
    assert_eq!(world.pass(2_000), "", "not lost by silence alone");
    assert!(world.shows(r#""state":"running""#));
    assert_eq!(world.pass(10), "", "no clock goes back");
}

#[test]
fn every_valid_event_of_the_source_moves_its_clock() {
    let mut world = World::given(&STARTED);
    assert_eq!(
        world.tell("activity child=nobody at=123"),
        "rejected unknown_child +stale"
    );
    assert_eq!(world.tell("activity seq=4 at=124"), "applied");
    assert!(world.shows(r#""stale":false"#));
}

#[test]
fn the_clock_of_one_source_says_nothing_about_another() {
    let mut world = World::new();
    for second in 0..600 {
        for (source, ahead) in [("s", 0), ("t", 180)] {
            let at = second + ahead;
            let what = match second {
                0 => "created:created".to_owned(),
                _ => format!("heartbeat id=h{second}"),
            };
            let said = world.tell(&format!("{what} source={source} at={at}"));
            assert_eq!(said, "applied", "{source} {second}");
        }
    }
}

#[test]
fn one_heartbeat_and_then_activities_is_never_stale() {
    let mut world = World::given(&STARTED);
    assert_eq!(world.tell("heartbeat seq=4 at=4"), "applied");
    for number in 5..100 {
        let at = number * 60;
        assert_eq!(
            world.tell(&format!("activity seq={number} at={at}")),
            "applied"
        );
    }
}

#[test]
fn an_old_word_does_not_make_fresh() {
    let mut world = World::given(&STARTED);
    world.tell("created:created child=d at=300");
    assert!(world.shows(r#""stale":true"#));
    assert_eq!(
        world.tell("activity seq=4 at=100"),
        "applied",
        "not asked again"
    );
    assert!(world.shows(r#""stale":true"#));
    assert_eq!(world.tell("activity seq=5 at=181"), "applied");
    assert!(world.shows(r#""stale":false"#));
    assert_eq!(world.pass(301), " +stale");
}

#[test]
fn what_has_ended_is_never_stale() {
    let mut world = World::given(&STARTED);
    world.pass(200);
    world.tell("terminal:completed seq=4 at=5");
    assert!(world.shows(r#""stale":false"#));
    assert_eq!(world.pass(9_000), "");
}

#[test]
fn a_listing_counts_as_a_word() {
    let mut world = World::given(&STARTED);
    world.show("p at=100 c:running");
    assert_eq!(world.pass(219), "");
    assert_eq!(world.show("v at=219 view c:running"), "applied");
    assert_eq!(world.pass(338), "");
    assert_eq!(world.pass(339), " +stale");
    assert_eq!(world.show("w at=340 view c:waiting"), "applied");
    assert!(
        world.shows(r#""stale":true"#),
        "another state proves nothing"
    );
    assert_eq!(world.show("u at=341 view c:running"), "applied");
    assert!(world.shows(r#""stale":false"#));
}

#[test]
fn lost_after_counts_from_the_question() {
    let mut world = lost_after(60);
    for event in STARTED {
        world.tell(event);
    }
    assert_eq!(world.pass(1_000), " +stale");
    assert_eq!(world.pass(1_059), "");
    assert_eq!(world.pass(1_060), " +made lost");
    assert!(world.shows(r#""state":"lost""#));
    assert!(world.shows("\"observedAt\":\"2026-08-24T09:17:40.000Z\""));
    assert_eq!(world.pass(5_000), "", "once");
}

#[test]
fn a_word_in_time_prevents_the_loss() {
    let mut world = lost_after(600);
    for event in STARTED {
        world.tell(event);
    }
    assert_eq!(world.pass(200), " +stale");
    assert_eq!(world.tell("activity seq=4 at=201"), "applied");
    assert_eq!(world.pass(321), " +stale");
    assert_eq!(world.pass(920), "");
    assert_eq!(world.pass(921), " +made lost");
}

#[test]
fn a_loss_that_is_told_again_changes_nothing() {
    let mut world = lost_after(0);
    for event in STARTED {
        world.tell(event);
    }
    assert_eq!(world.pass(200), " +stale +made lost");
    let lost = "terminal:lost at=200 id=lost:x:c:2026-08-24T09:03:20.000Z";
    assert_eq!(world.tell(lost), "deduplicated");
    let mut replayed = World::given(&STARTED);
    assert_eq!(replayed.tell(lost), "applied");
    assert!(replayed.shows(r#""state":"lost""#));
}

#[test]
fn live_the_time_of_receipt_counts_and_the_wall_clock_is_told() {
    let mut world = World::given(&STARTED);
    let clock = |second: u32| {
        UtcTime::parse("2026-12-01T00:00:00Z")
            .unwrap()
            .plus(Duration::from_secs(second.into()))
    };
    let receipt = |second| Receipt {
        clock: clock(second),
        wall: clock(second + 7_200),
    };
    world.projection.receive(receipt(0));
    assert_eq!(world.tell("activity seq=4 at=4"), "applied");
    world.projection.receive(receipt(119));
    let mut effects = Effects::default();
    world.projection.advance(clock(119), &mut effects);
    assert!(effects.is_empty());
    world.projection.receive(receipt(120));
    world.projection.advance(clock(120), &mut effects);
    assert!(world.shows(r#""stale":true"#));
    let mut out = Vec::new();
    effects.told()[0].write(&world.projection, &mut out);
    let said = String::from_utf8(out).unwrap();
    assert!(
        said.contains("\"observedAt\":\"2026-12-01T02:02:00.000Z\""),
        "{said}"
    );
    world.projection.reconciliation_failed(0, &mut effects);
    assert!(world.shows(r#""state":"lost""#));
}

#[test]
fn the_end_of_time_does_not_hang() {
    let mut world = lost_after(10);
    let end = super::told::line("created:created seq=1", 1)
        .replace("2026-08-24T09:00:01.000Z", "9999-12-31T23:59:59.999999999Z");
    assert_eq!(world.tell_line(&end), "applied");
    assert_eq!(world.pass(10), "");
}
