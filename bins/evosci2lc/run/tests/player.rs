//! Plays lines through a run and watches what comes out: every event must be valid, numbered and
//! dated without a gap, and every move one that the contract knows.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use lctools::event::{Event, EventView, Kind, MAX_EVENT_BYTES, State};
use lctools::finding::Code;
use lctools::json::Raw;
use lctools::time::UtcTime;

use crate::cli::FixedClock;
use crate::clock::Clock;
use crate::excerpt::Excerpts;
use crate::native::Native;
use crate::run::{Health, Identity, Manner, Run};

pub(super) const START: &str = "2026-08-24T09:00:00Z";

pub(super) fn manner() -> Manner {
    Manner {
        excerpts: Excerpts { max: 160 },
        heartbeat_every: Duration::from_secs(5),
        resume: false,
        adopted: false,
    }
}

pub(super) fn identity() -> Identity {
    Identity {
        source: "evosci".to_owned(),
        epoch: "e".to_owned(),
        child_id: "run".to_owned(),
        root_child_id: None,
        parent_child_id: None,
        attempt: 0,
    }
}

/// What a stream came to.
#[derive(Debug, Default)]
pub(super) struct Played {
    pub(super) events: Vec<Event<'static>>,
    pub(super) problems: Vec<Code>,
    pub(super) text: String,
}

impl Played {
    /// The last state of every child, in the order in which they were first told of.
    pub(super) fn states(&self) -> String {
        let mut order: Vec<(&str, Option<State>)> = Vec::new();
        for event in &self.events {
            let known = order.iter_mut().find(|(id, _)| *id == event.child_id);
            match known {
                Some((_, state)) => *state = event.state.or(*state),
                None => order.push((&event.child_id, event.state)),
            }
        }
        let states: Vec<_> = order
            .iter()
            .map(|(_, state)| state.map_or("none", State::as_str))
            .collect();
        states.join(" ")
    }

    /// Kind, state and activity of the events of one child, one line each.
    pub(super) fn story(&self, child: &str) -> Vec<String> {
        let of_child = self.events.iter().filter(|event| event.child_id == child);
        of_child
            .map(|event| match (event.state, &event.activity) {
                (Some(state), _) => state.to_string(),
                (None, Some(activity)) => format!("{} {activity}", event.kind),
                (None, None) => event.kind.to_string(),
            })
            .collect()
    }

    pub(super) fn of(&self, child: &str) -> Vec<&Event<'static>> {
        self.events
            .iter()
            .filter(|event| event.child_id == child)
            .collect()
    }

    /// A text in the details of the last event of a child.
    pub(super) fn detail(&self, child: &str, path: &[&str]) -> Option<String> {
        detail(self.of(child).last()?, path)
    }
}

pub(super) fn detail(event: &Event<'_>, path: &[&str]) -> Option<String> {
    let mut raw = Raw::parse(event.details.as_deref()?).ok()?;
    for key in path {
        raw = raw.get(key)?;
    }
    Some(
        raw.as_str()
            .map_or_else(|| raw.text().to_owned(), |text| text.into_owned()),
    )
}

/// Plays lines received a second apart.
pub(super) fn play(lines: &str) -> Played {
    play_as(lines, identity(), manner())
}

pub(super) fn play_as(lines: &str, identity: Identity, manner: Manner) -> Played {
    let lines: Vec<&[u8]> = lines.split('\n').map(str::as_bytes).collect();
    play_bytes(&lines, identity, manner, None)
}

pub(super) fn play_bytes(
    lines: &[&[u8]],
    identity: Identity,
    manner: Manner,
    fixed: Option<FixedClock>,
) -> Played {
    let mut now = UtcTime::parse(START).unwrap();
    let mut out = Vec::new();
    let mut problems = Vec::new();
    let mut run = Run::open(identity, manner, Clock::new(fixed, now), &mut out);
    let mut health = Health::default();
    for line in lines {
        health.lines += 1;
        now = now.plus(Duration::from_secs(1));
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match Native::parse(line) {
            Ok(native) => problems.extend(run.line(&native, now, health, &mut out)),
            Err(problem) => problems.push(problem),
        }
    }
    problems.extend(run.close(now, health, &mut out));
    let events = watch(&out, manner.adopted || manner.resume);
    Played {
        events,
        problems: problems.into_iter().map(|problem| problem.code).collect(),
        text: String::from_utf8(out).unwrap(),
    }
}

/// Reads events back and holds them against the contract.
fn watch(out: &[u8], joined_late: bool) -> Vec<Event<'static>> {
    let mut ids = HashSet::new();
    let mut children: HashMap<String, (u64, Option<State>)> = HashMap::new();
    let mut last = UtcTime::parse("0000-01-01T00:00:00Z").unwrap();
    let mut events = Vec::new();
    for line in out.split_inclusive(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap();
        assert!(line.len() <= MAX_EVENT_BYTES, "{} bytes", line.len());
        let view = EventView::parse(line)
            .unwrap_or_else(|problem| panic!("{problem:?}: {}", String::from_utf8_lossy(line)));
        assert_eq!(view.warnings().count(), 0);
        let event = (*view).clone().into_owned();
        assert!(ids.insert(event.event_id.to_string()), "{}", event.event_id);
        assert!(event.observed_at >= last);
        last = event.observed_at;
        let (sequence, state) = children.entry(event.child_id.to_string()).or_default();
        assert_eq!(event.sequence, Some(*sequence + 1), "{}", event.child_id);
        let first = *sequence == 0;
        *sequence += 1;
        let ended = state.is_some_and(State::is_terminal);
        assert!(
            !ended || event.kind == Kind::Diagnostic,
            "after the end: {event:?}"
        );
        assert!(!first || joined_late || begins(&event), "{event:?}");
        if let Some(to) = event.state {
            let from = *state;
            let legal = from.is_none() || joined_late || may_move(from.unwrap(), to);
            assert!(legal, "{from:?} to {to:?}: {event:?}");
            *state = Some(to);
        }
        events.push(event);
    }
    events
}

/// `created`, or for a child whose start was not seen `running` with its history unknown.
fn begins(event: &Event<'_>) -> bool {
    let unknown = lctools::event::Capability::Unknown;
    let history = event.capabilities.unwrap().history;
    event.kind == Kind::Created || (event.state == Some(State::Running) && history == unknown)
}

/// SPEC section 5, rule 7.
fn may_move(from: State, to: State) -> bool {
    use State::{Cancelled, Completed, Created, Failed, Lost, Running, Starting, Waiting};
    from == to
        || match from {
            Created => matches!(to, Starting | Cancelled | Failed | Lost),
            Starting => matches!(to, Running | Waiting | Cancelled | Failed | Lost),
            Running => matches!(to, Waiting | Completed | Failed | Cancelled | Lost),
            Waiting => matches!(to, Running | Completed | Failed | Cancelled | Lost),
            _ => false,
        }
}
