//! Frames as bytes: what is written over what.

use lctools::event::EventView;
use lctools::projection::{Effects, Options};

use super::*;

const MS: Duration = Duration::from_millis(1);

/// The first event of a child `c@`.
const CREATED: &str = r#"{"schemaVersion":1,
"eventId":"e@",
"source":"s",
"sourceEpoch":"x",
"childId":"c@",
"lineage":{"rootChildId":"c@",
"attempt":0,
"external":false},
"kind":"created",
"state":"created",
"observedAt":"2026-08-24T09:00:01.000Z",
"sequence":1}"#;

fn projection(children: usize) -> Projection {
    let mut projection = Projection::new(Options::default());
    for child in 0..children {
        let line = CREATED.replace('\n', "").replace('@', &child.to_string());
        let event = EventView::parse(line.as_bytes()).unwrap();
        projection.apply(&event, &mut Effects::default());
    }
    projection
}

/// A tree on a screen with room for so many lines.
fn on_screen(children: usize, room: usize) -> (String, usize) {
    let projection = projection(children);
    let mut out = Vec::new();
    let mut tree = Tree::new(&projection);
    let lines = tree.write_screen(projection.children(), &Look::default(), room, &mut out);
    (String::from_utf8(out).unwrap(), lines)
}

#[test]
fn a_tree_is_cut_to_the_height_and_says_how_much_is_missing() {
    let (all, lines) = on_screen(3, 5);
    assert_eq!(lines, 5, "{all}");
    assert!(
        all.contains("c2") && all.ends_with("\n\n3 children: 3 created\n"),
        "{all}"
    );
    let (cut, lines) = on_screen(3, 4);
    assert_eq!(lines, 4, "{cut}");
    assert!(cut.contains("c0") && !cut.contains("c1"), "{cut}");
    assert!(cut.contains("\n~ 2 more\n\n3 children"), "{cut}");
    for room in 1..40 {
        let (text, lines) = on_screen(20, room);
        assert_eq!(
            (lines, text.lines().count()),
            (room.min(22), room.min(22)),
            "{text}"
        );
    }
    assert_eq!(on_screen(20, 1).0, "~ 20 more\n");
    assert_eq!(on_screen(0, 9), ("no children\n".to_owned(), 1));
}

#[test]
fn a_frame_goes_over_the_last_one_and_the_same_one_is_not_written() {
    let mut drawn = Drawn::default();
    let mut show = |frame: &str| {
        let mut out = Vec::new();
        drawn.show(frame.into(), frame.lines().count(), &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(show("a\nb\n"), "a\nb\n");
    assert_eq!(show("a\nb\n"), "");
    assert_eq!(show("a\n"), "\x1b[2F\x1b[Ja\n");
    assert_eq!(show("b\nc\nd\n"), "\x1b[1F\x1b[Jb\nc\nd\n");
}

#[test]
fn ten_frames_a_second_at_most_and_one_while_nothing_happens() {
    let projection = projection(1);
    let mut screen = Screen::new();
    let mut frames = Vec::new();
    for at in 0..3_000_u32 {
        if at < 1_000 {
            screen.change();
        }
        if screen.is_urgent(MS * at) {
            let mut out = Vec::new();
            screen.draw(&projection, &mut Look::default(), MS * at, 0, &mut out);
            assert!(!screen.is_urgent(MS * at));
            frames.push(at);
        }
    }
    assert_eq!(
        frames,
        [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000, 2_000]
    );
}

#[test]
fn what_was_said_on_the_same_terminal_is_left_alone() {
    let projection = projection(1);
    let mut look = Look {
        shares_stderr: true,
        ..Look::default()
    };
    let mut screen = Screen::new();
    let mut draw = |at: u32, said| {
        let mut out = Vec::new();
        screen.change();
        screen.draw(&projection, &mut look, MS * at, said, &mut out);
        String::from_utf8(out).unwrap()
    };
    draw(0, 0);
    assert!(draw(200, 0).starts_with("\x1b[3F\x1b[J"));
    assert!(!draw(400, 1).contains("\x1b["));
    assert!(draw(600, 1).starts_with("\x1b[3F\x1b[J"));
    let mut out = Vec::new();
    assert!(screen.end(&look, 1, &mut out) && !screen.end(&look, 1, &mut out));
    assert_eq!(out, b"\x1b[3F\x1b[J");
    assert!(screen.is_urgent(MS));
    screen.draw(&projection, &mut look, MS, 1, &mut out);
    assert!(!screen.is_urgent(MS) && out.len() == 7);
}
