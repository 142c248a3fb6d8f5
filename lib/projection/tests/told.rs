//! Events written shortly: `state_changed:running seq=3 at=5 child=c epoch=x id=e details={}`.

use crate::event::EventView;
use crate::projection::{Effect, Effects, Options, Projection, write_progress};

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
        let mut said = outcome.status.as_str().to_owned();
        if let Some(code) = outcome.code {
            said += &format!(" {code}");
        }
        for effect in effects.told() {
            said += &match effect {
                Effect::Audit(audit) => {
                    format!(" +audit {}>{} {}", audit.from, audit.to, audit.snapshot_id)
                }
                Effect::Intent(intent) => format!(" +{}", intent.reason.as_str()),
                Effect::Diagnostic(diagnostic) => format!(" +{}", diagnostic.code),
                Effect::Synthesized(made) => format!(" +made {}", made.state),
            };
        }
        said
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
         \"observedAt\":\"2026-08-24T09:{:02}:{:02}.000Z\"{sequence}{}{}{}{}}}",
        get("id", &format!("e{number}")),
        get("source", "s"),
        get("epoch", "x"),
        get("root", &child),
        get("attempt", "0"),
        at / 60,
        at % 60,
        optional("activity", "\""),
        optional("details", ""),
        optional("capabilities", ""),
        optional("extra", ""),
    )
}
