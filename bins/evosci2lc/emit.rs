//! Events of one run: built, numbered, dated, written.
//!
//! Here every event gets what the native stream does not carry: its id `EPOCH:n`, its number
//! within the child, its time. Nothing here decides what happened.

use std::borrow::Cow;
use std::fmt::Write as _;

use lctools::event::{Capabilities, Capability, Event, Kind, Lineage, State};
use lctools::time::UtcTime;

use crate::children::Child;
use crate::clock::Clock;
use crate::details::Details;
use crate::identity::shortened;

/// Room for `:` and any number in an event id of at most 512 bytes.
const EPOCH_IN_EVENT_ID: usize = 490;

/// What is told of a child.
#[derive(Debug, Default)]
pub(crate) struct Told {
    kind: Option<Kind>,
    state: Option<State>,
    activity: Option<Cow<'static, str>>,
    details: Details,
    cause_known: bool,
}

impl Told {
    /// It moved to a state.
    pub(crate) fn state(state: State) -> Told {
        let kind = match state {
            State::Created => Kind::Created,
            state if state.is_terminal() => Kind::Terminal,
            _ => Kind::StateChanged,
        };
        Told {
            kind: Some(kind),
            state: Some(state),
            ..Told::default()
        }
    }

    /// What it is at.
    pub(crate) fn activity(text: impl Into<Cow<'static, str>>) -> Told {
        Told {
            kind: Some(Kind::Activity),
            ..Told::default()
        }
        .doing(text)
    }

    /// It is alive.
    pub(crate) fn heartbeat() -> Told {
        Told {
            kind: Some(Kind::Heartbeat),
            ..Told::default()
        }
    }

    /// Something about the observation.
    pub(crate) fn diagnostic(text: impl Into<Cow<'static, str>>) -> Told {
        Told {
            kind: Some(Kind::Diagnostic),
            ..Told::default()
        }
        .doing(text)
    }

    /// With a text for people; an empty one is left out.
    pub(crate) fn doing(mut self, text: impl Into<Cow<'static, str>>) -> Told {
        self.activity = Some(text.into()).filter(|text| !text.is_empty());
        self
    }

    /// With details.
    pub(crate) fn with(mut self, details: Details) -> Told {
        self.details = details;
        self
    }

    /// The stream says why the child ended so.
    pub(crate) fn cause_known(mut self, known: bool) -> Told {
        self.cause_known = known;
        self
    }
}

/// Who speaks: what all events of a run have in common.
#[derive(Debug)]
pub(crate) struct Emitter {
    source: String,
    epoch: String,
    epoch_in_event_id: String,
    root_child_id: String,
    /// Since when a run that somebody else started is observed.
    adopted_at: Option<UtcTime>,
    /// The time.
    pub(crate) clock: Clock,
    events: u64,
    event_id: String,
    /// What was written; whoever runs the state machine takes it away.
    pub(crate) out: Vec<u8>,
}

impl Emitter {
    /// Nothing said yet.
    pub(crate) fn new(
        source: String,
        epoch: String,
        root_child_id: String,
        adopted: bool,
        clock: Clock,
    ) -> Emitter {
        Emitter {
            source,
            epoch_in_event_id: shortened(&epoch, EPOCH_IN_EVENT_ID).into_owned(),
            epoch,
            root_child_id,
            adopted_at: adopted.then(|| clock.now()),
            clock,
            events: 0,
            event_id: String::new(),
            out: Vec::new(),
        }
    }

    /// Says it, and keeps the child's state, number and block.
    pub(crate) fn emit(&mut self, child: &mut Child, told: Told) {
        let Some(kind) = told.kind else { return };
        self.events += 1;
        child.sequence += 1;
        child.last_event = self.clock.now();
        if told.kind != Some(Kind::Heartbeat) {
            child.block = None;
        }
        if told.state.is_some() {
            child.state = told.state;
        }
        self.event_id.clear();
        // Writing into memory cannot fail.
        let _ = write!(self.event_id, "{}:{}", self.epoch_in_event_id, self.events);
        let capabilities = Capabilities {
            history: child.history,
            terminal_cause: match told.cause_known {
                true => Capability::Known,
                false => Capability::Unknown,
            },
            ..Capabilities::UNKNOWN
        };
        let event = Event {
            event_id: Cow::Borrowed(&self.event_id),
            source: Cow::Borrowed(&self.source),
            source_epoch: Cow::Borrowed(&self.epoch),
            child_id: Cow::Borrowed(&child.child_id),
            lineage: Lineage {
                root_child_id: Cow::Borrowed(&self.root_child_id),
                attempt: child.attempt,
                external: self.adopted_at.is_some(),
                parent_child_id: child.parent.as_deref().map(Cow::Borrowed),
                adopted_at: self.adopted_at,
            },
            kind,
            state: told.state,
            observed_at: self.clock.stamp(),
            sequence: Some(child.sequence),
            activity: told.activity,
            details: told.details.finish().map(Cow::Owned),
            capabilities: Some(capabilities),
        };
        event.write(&mut self.out);
    }
}
