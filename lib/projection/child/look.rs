//! What can be seen of a child from outside the projection.

use std::borrow::Cow;

use super::{Child, Correction};
use crate::event::{Capabilities, Lineage, State};
use crate::time::UtcTime;

impl Child {
    /// Who tells about it.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Its id within the source.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The epoch of the source in which it is now.
    #[must_use]
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Its state.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// When the state was entered: the time of the record that brought it.
    #[must_use]
    pub fn state_since(&self) -> UtcTime {
        self.state_since
    }

    /// The time of the record by which it became known.
    #[must_use]
    pub fn started_at(&self) -> UtcTime {
        self.started_at
    }

    /// The newest time of any accepted record about it.
    #[must_use]
    pub fn observed_at(&self) -> UtcTime {
        self.newest
    }

    /// Whose child it is, unless nobody said.
    #[must_use]
    pub fn lineage(&self) -> Option<Lineage<'_>> {
        let lineage = self.lineage.as_ref()?;
        Some(Lineage {
            root_child_id: Cow::Borrowed(&lineage.root),
            attempt: lineage.attempt,
            external: lineage.external,
            parent_child_id: lineage.parent.as_deref().map(Cow::Borrowed),
            adopted_at: lineage.adopted_at,
        })
    }

    /// The child that started it.
    #[must_use]
    pub fn parent_id(&self) -> Option<&str> {
        self.lineage.as_ref()?.parent.as_deref()
    }

    /// What its source can tell.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// The highest sequence of its epoch.
    #[must_use]
    pub fn last_sequence(&self) -> Option<u64> {
        self.highest
    }

    /// What it was last at.
    #[must_use]
    pub fn last_activity(&self) -> Option<&str> {
        (!self.last_activity.is_empty()).then_some(&self.last_activity)
    }

    /// The time of its last heartbeat.
    #[must_use]
    pub fn last_heartbeat_at(&self) -> Option<UtcTime> {
        self.last_heartbeat_at
    }

    /// Nothing has been heard of it for too long.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// Something about it was not observed.
    #[must_use]
    pub fn has_gap(&self) -> bool {
        self.gap
    }

    /// How many complete snapshots in a row have left it out.
    #[must_use]
    pub fn misses(&self) -> u32 {
        self.misses
    }

    /// `details.cause` of the event that ended it, compact JSON.
    #[must_use]
    pub fn terminal_cause(&self) -> Option<&str> {
        self.rare.as_ref()?.terminal_cause.as_deref()
    }

    /// The last correction of its state.
    #[must_use]
    pub fn correction(&self) -> Option<&Correction> {
        self.rare.as_ref()?.correction.as_ref()
    }

    /// `details.agent` of its `created`, compact JSON: to be shown, never relied on.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }
}
