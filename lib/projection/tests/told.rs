//! Events written shortly: `state_changed:running seq=3 at=5 child=c epoch=x id=e details={}`.

use crate::event::EventView;
use crate::projection::{Effect, Effects, Options, Outcome, Projection, write_progress};
use crate::snapshot::SnapshotView;
use crate::time::UtcTime;

/// A projection and what it has been told.
pub(super) struct World {
    pub(super) projection: Projection,
    told: u32,
}

impl World {
    pub(super) fn new() -> World {
        World::with(Options::default())
    }

    pub(super) fn with(options: Options) -> World {
        World {
            projection: Projection::new(options),
            told: 0,
        }
    }

    /// Tells several events that are all to be applied.
    pub(super) fn given(events: &[&str]) -> World {
        let mut world = World::new();
        for event in events {
            let outcome = world.tell(event);
            assert!(outcome.starts_with("applied") || outcome.starts_with("provisional"));
        }
        world
    }

    /// Tells one event: `status`, `status code`, and `+effect` for each effect.
    pub(super) fn tell(&mut self, event: &str) -> String {
        self.told += 1;
        let line = line(event, self.told);
        self.tell_line(&line)
    }

    pub(super) fn tell_line(&mut self, line: &str) -> String {
        let view = EventView::parse(line.as_bytes()).unwrap_or_else(|e| panic!("{line}: {e:?}"));
        let mut effects = Effects::default();
        let outcome = self.projection.apply(&view, &mut effects);
        said(outcome, &effects)
    }

    /// Tells a snapshot: `p1 at=5 c:running:3 d:waiting`, with `view`, `epoch=`, `covers=a,b`.
    pub(super) fn show(&mut self, snapshot: &str) -> String {
        self.show_line(&snapshot_line(snapshot))
    }

    pub(super) fn show_line(&mut self, line: &str) -> String {
        let view = SnapshotView::parse(line.as_bytes()).unwrap_or_else(|e| panic!("{line}: {e:?}"));
        let mut effects = Effects::default();
        let outcome = self.projection.reconcile(&view, &mut effects);
        said(outcome, &effects)
    }

    /// Moves the clocks on to a second.
    pub(super) fn pass(&mut self, at: u32) -> String {
        let mut effects = Effects::default();
        let now = UtcTime::parse(&time(at)).unwrap();
        self.projection.advance(now, &mut effects);
        told(&effects)
    }

    /// The progress record of child `c`.
    pub(super) fn record(&self) -> String {
        self.record_of("c")
    }

    pub(super) fn record_of(&self, id: &str) -> String {
        let place = self.projection.find("s", id).expect(id);
        let mut out = Vec::new();
        write_progress(&self.projection.children()[place], &mut out);
        String::from_utf8(out).unwrap()
    }

    /// Whether the record of child `c` holds this text.
    pub(super) fn shows(&self, text: &str) -> bool {
        self.record().contains(text)
    }
}

fn said(outcome: Outcome, effects: &Effects) -> String {
    let mut said = outcome.status.as_str().to_owned();
    if let Some(code) = outcome.code {
        said += &format!(" {code}");
    }
    said + &told(effects)
}

fn told(effects: &Effects) -> String {
    let tell = |effect: &Effect| match effect {
        Effect::Audit(audit) => {
            format!(" +audit {}>{} {}", audit.from, audit.to, audit.snapshot_id)
        }
        Effect::Intent(intent) => format!(" +{}", intent.reason.as_str()),
        Effect::Diagnostic(diagnostic) => format!(" +{}", diagnostic.code),
        Effect::Synthesized(made) => format!(" +made {}", made.state),
    };
    effects.told().iter().map(tell).collect()
}

fn time(at: u32) -> String {
    format!(
        "2026-08-24T{:02}:{:02}:{:02}.000Z",
        9 + at / 3600,
        at / 60 % 60,
        at % 60
    )
}

/// The line of a snapshot as [`World::show`] takes it.
pub(super) fn snapshot_line(snapshot: &str) -> String {
    let mut words = snapshot.split_whitespace();
    let id = words.next().unwrap();
    let (mut at, mut epoch, mut source, mut complete) = (0, "x", "s", true);
    let mut coverage = "\"all\"".to_owned();
    let mut children = Vec::new();
    for word in words {
        match word.split_once('=') {
            Some(("at", value)) => at = value.parse().unwrap(),
            Some(("epoch", value)) => epoch = value,
            Some(("source", value)) => source = value,
            Some(("covers", value)) => {
                let ids: Vec<_> = value.split(',').map(|id| format!("\"{id}\"")).collect();
                coverage = format!("[{}]", ids.join(","));
            }
            _ if word == "view" => complete = false,
            _ => {
                let parts: Vec<_> = word.split(':').collect();
                let sequence = match parts.get(2) {
                    Some(sequence) => format!(",\"sequence\":{sequence}"),
                    None => String::new(),
                };
                children.push(format!(
                    "{{\"childId\":\"{}\",\"state\":\"{}\"{sequence}}}",
                    parts[0], parts[1]
                ));
            }
        }
    }
    format!(
        "{{\"source\":\"{source}\",\"sourceEpoch\":\"{epoch}\",\"snapshotId\":\"{id}\",\
         \"observedAt\":\"{}\",\"complete\":{complete},\"coverage\":{coverage},\
         \"children\":[{}]}}",
        time(at),
        children.join(",")
    )
}

/// The line of an event. Without `id=` every event has its own.
pub(super) fn line(event: &str, number: u32) -> String {
    let mut words = event.split_whitespace();
    let what = words.next().unwrap();
    let (kind, state) = what.split_once(':').unwrap_or((what, ""));
    let given: Vec<_> = words
        .map(|word| word.split_once('=').unwrap_or((word, "")))
        .collect();
    let get = |name: &str, default: &str| {
        let found = given.iter().find(|(key, _)| *key == name);
        found.map_or(default.to_owned(), |(_, value)| (*value).to_owned())
    };
    let optional = |name: &str, quote: &str| match get(name, "") {
        value if value.is_empty() => String::new(),
        value => format!(",\"{name}\":{quote}{value}{quote}"),
    };
    let child = get("child", "c");
    let state = match state {
        "" => String::new(),
        state => format!(",\"state\":\"{state}\""),
    };
    let sequence = match get("seq", "") {
        none if none.is_empty() => String::new(),
        sequence => format!(",\"sequence\":{sequence}"),
    };
    let parent = match get("parent", "") {
        none if none.is_empty() => String::new(),
        parent => format!(",\"parentChildId\":\"{parent}\""),
    };
    let external = given.contains(&("external", ""));
    let at: u32 = get("at", &number.to_string()).parse().unwrap();
    format!(
        "{{\"schemaVersion\":1,\"eventId\":\"{}\",\"source\":\"{}\",\"sourceEpoch\":\"{}\",\
         \"childId\":\"{child}\",\"lineage\":{{\"rootChildId\":\"{}\",\"attempt\":{},\
         \"external\":{external}{parent}}},\"kind\":\"{kind}\"{state},\
         \"observedAt\":\"{}\"{sequence}{}{}{}{}}}",
        get("id", &format!("e{number}")),
        get("source", "s"),
        get("epoch", "x"),
        get("root", &child),
        get("attempt", "0"),
        time(at),
        optional("activity", "\""),
        optional("details", ""),
        optional("capabilities", ""),
        optional("extra", ""),
    )
}
