//! The lifecycle event of the contract, schema v1 (SPEC section 3).
//!
//! One type, [`Event`], in two ownerships: borrowed from the line it was read from, which is what
//! the hot path uses and which allocates nothing, or owned ([`Event::into_owned`]). [`EventView`]
//! is an event together with the line it came from. There is one set of rules,
//! [`Event::validate`]; reading a line applies it, so both ownerships get the same verdict.

mod content;
mod fields;
pub(crate) mod read;
mod rules;
mod view;
mod words;
mod write;

use std::borrow::Cow;

pub use fields::{Extra, Fields, utf8};
pub(crate) use rules::invalid;
pub use rules::{MAX_ID_BYTES, check_id};
pub use view::EventView;
pub use words::{Capabilities, Capability, Kind, State};
pub(crate) use write::push_number;

use crate::time::UtcTime;

/// The longest event or journal entry, in bytes without LF: what other readers of this contract
/// accept (SPEC section 2).
pub const MAX_EVENT_BYTES: usize = 65_536;

/// The greatest `sequence`, `attempt` and `journalSequence`: 2^53 − 1.
pub const MAX_SEQUENCE: u64 = (1 << 53) - 1;

/// Who a child descends from, and who started it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lineage<'a> {
    /// The topmost ancestor, shared by retries; the child itself if it has none.
    pub root_child_id: Cow<'a, str>,
    /// 0 for the first try, one more for each retry.
    pub attempt: u64,
    /// Started by somebody else and only observed.
    pub external: bool,
    /// The child that started this one.
    pub parent_child_id: Option<Cow<'a, str>>,
    /// Since when an external child is observed.
    pub adopted_at: Option<UtcTime>,
}

/// One lifecycle event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Names the event within its source.
    pub event_id: Cow<'a, str>,
    /// Who tells.
    pub source: Cow<'a, str>,
    /// One life of the source; counters restart with it.
    pub source_epoch: Cow<'a, str>,
    /// The child, within the source.
    pub child_id: Cow<'a, str>,
    /// Whose child it is.
    pub lineage: Lineage<'a>,
    /// What happened.
    pub kind: Kind,
    /// The state after it.
    pub state: Option<State>,
    /// When it was observed.
    pub observed_at: UtcTime,
    /// Its number within the child and epoch.
    pub sequence: Option<u64>,
    /// What the child is at, for people.
    pub activity: Option<Cow<'a, str>>,
    /// A JSON object as text; never the sole source of identity, order, state or liveness.
    pub details: Option<Cow<'a, str>>,
    /// What the source can know; `None` when the event does not say.
    pub capabilities: Option<Capabilities>,
}

impl Lineage<'_> {
    /// The names of its members.
    pub const MEMBERS: [&'static str; 5] = [
        "rootChildId",
        "attempt",
        "external",
        "parentChildId",
        "adoptedAt",
    ];

    /// The same, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Lineage<'static> {
        Lineage {
            root_child_id: own(self.root_child_id),
            attempt: self.attempt,
            external: self.external,
            parent_child_id: self.parent_child_id.map(own),
            adopted_at: self.adopted_at,
        }
    }
}

impl Event<'_> {
    /// The same, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Event<'static> {
        Event {
            event_id: own(self.event_id),
            source: own(self.source),
            source_epoch: own(self.source_epoch),
            child_id: own(self.child_id),
            lineage: self.lineage.into_owned(),
            kind: self.kind,
            state: self.state,
            observed_at: self.observed_at,
            sequence: self.sequence,
            activity: self.activity.map(own),
            details: self.details.map(own),
            capabilities: self.capabilities,
        }
    }
}

fn own(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

#[cfg(test)]
mod tests;
