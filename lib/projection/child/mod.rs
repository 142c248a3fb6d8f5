//! One child: all that the projection knows about it.
//!
//! Memory: see [`Child`]. What is rare (epochs left, a correction, a cause) lies apart, so that
//! the common child stays small; texts that many children share are shared.

use std::sync::Arc;

mod look;
mod parts;

pub use parts::Correction;
pub(super) use parts::{Ancestry, Queued, Rare};

use super::window::Window;
use crate::event::{Capabilities, State};
use crate::json::{self, Raw};
use crate::time::UtcTime;

/// How many epochs that a child has left are remembered.
pub(super) const EPOCHS_LEFT: usize = 8;

/// The longest activity that is kept, in characters.
const ACTIVITY_CHARACTERS: usize = 512;

/// A child as it is projected: about 420 bytes and its texts, and 16 bytes for each sequence in
/// its window.
#[derive(Clone, Debug)]
pub struct Child {
    pub(super) source: Arc<str>,
    /// The place of its source.
    pub(super) home: u32,
    pub(super) id: Arc<str>,
    pub(super) epoch: Arc<str>,
    pub(super) lineage: Option<Ancestry>,
    pub(super) capabilities: Capabilities,
    pub(super) state: State,
    pub(super) started_at: UtcTime,
    pub(super) state_since: UtcTime,
    /// The newest time of any accepted record.
    pub(super) newest: UtcTime,
    /// When it was last heard of, on the clock of staleness.
    pub(super) heard: UtcTime,
    pub(super) last_activity: String,
    pub(super) last_activity_at: Option<UtcTime>,
    pub(super) last_heartbeat_at: Option<UtcTime>,
    /// The highest sequence of the epoch.
    pub(super) highest: Option<u64>,
    pub(super) window: Window,
    pub(super) stale: bool,
    /// It is in its source's queue of deadlines for silence, and of those for reconciliation.
    pub(super) queued: Queued,
    pub(super) gap: bool,
    pub(super) misses: u32,
    pub(super) agent: Option<Box<str>>,
    pub(super) rare: Option<Box<Rare>>,
}

/// Where an event's epoch stands for a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Epoch {
    Current,
    Left,
    New,
}

/// Who a child is, its texts shared with what else bears them.
pub(super) struct Identity {
    pub(super) source: Arc<str>,
    /// The place of the source.
    pub(super) home: usize,
    pub(super) id: Arc<str>,
    pub(super) epoch: Arc<str>,
}

impl Child {
    /// A child that becomes known in this state by a record of that time; `heard` is the same on
    /// the clock of staleness. Nothing else is known of it.
    pub(super) fn new(
        identity: Identity,
        state: State,
        observed_at: UtcTime,
        heard: UtcTime,
    ) -> Child {
        Child {
            source: identity.source,
            home: identity.home as u32,
            id: identity.id,
            epoch: identity.epoch,
            lineage: None,
            capabilities: Capabilities::UNKNOWN,
            state,
            started_at: observed_at,
            state_since: observed_at,
            newest: observed_at,
            heard,
            last_activity: String::new(),
            last_activity_at: None,
            last_heartbeat_at: None,
            highest: None,
            window: Window::default(),
            stale: false,
            queued: Queued::default(),
            gap: false,
            misses: 0,
            agent: None,
            rare: None,
        }
    }

    /// It is known only from a snapshot of that time: its `created` is still to come.
    pub(super) fn note_snapshot(&mut self, observed_at: UtcTime) {
        let rare = self.rare_mut();
        rare.known_from_snapshot = Some(observed_at);
        rare.awaits_created = true;
    }

    pub(super) fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// Whether its moves may go unobserved. A child of which only snapshots tell is external too:
    /// so say the events made for it.
    pub(super) fn is_external(&self) -> bool {
        self.lineage.as_ref().is_none_or(|lineage| lineage.external)
    }

    /// The time of the snapshot from which the child became known, if it did so.
    pub(super) fn known_from_snapshot(&self) -> Option<UtcTime> {
        self.rare.as_ref()?.known_from_snapshot
    }

    pub(super) fn awaits_created(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.awaits_created)
    }

    pub(super) fn epoch_of(&self, epoch: &str) -> Epoch {
        if *self.epoch == *epoch {
            return Epoch::Current;
        }
        let left = self
            .rare
            .as_ref()
            .is_some_and(|rare| rare.epochs_left.iter().any(|left| **left == *epoch));
        if left { Epoch::Left } else { Epoch::New }
    }

    /// Notes that an intent is uttered about an epoch the child is not yet in; false if that was
    /// done before.
    pub(super) fn note_reconnect(&mut self, epoch: &Arc<str>) -> bool {
        if self.was_asked_about(epoch) {
            return false;
        }
        let reconnects = &mut self.rare_mut().reconnects;
        if reconnects.len() >= EPOCHS_LEFT {
            reconnects.remove(0);
        }
        reconnects.push(epoch.clone());
        true
    }

    /// Whether such an intent was uttered about that epoch.
    pub(super) fn was_asked_about(&self, epoch: &str) -> bool {
        self.rare
            .as_ref()
            .is_some_and(|rare| rare.reconnects.iter().any(|asked| **asked == *epoch))
    }

    /// How many misses it has had since it became stale.
    pub(super) fn misses_since_stale(&self) -> u32 {
        let before = self.rare.as_ref().map_or(0, |rare| rare.misses_when_stale);
        self.misses.saturating_sub(before)
    }

    /// The row of misses is over.
    pub(super) fn clear_misses(&mut self) {
        self.misses = 0;
        if let Some(rare) = &mut self.rare {
            rare.misses_when_stale = 0;
        }
    }

    /// Leaves the present epoch for another one, in which sequences count anew.
    pub(super) fn enter_epoch(&mut self, epoch: Arc<str>) {
        let left = std::mem::replace(&mut self.epoch, epoch);
        let epochs_left = &mut self.rare_mut().epochs_left;
        if epochs_left.len() >= EPOCHS_LEFT {
            epochs_left.remove(0);
        }
        epochs_left.push(left);
        self.highest = None;
        self.window.clear();
    }

    /// Notes what the child was at, unless something newer is known.
    pub(super) fn note_activity(&mut self, activity: &str, at: UtcTime) {
        if self.last_activity_at.is_some_and(|newest| at < newest) {
            return;
        }
        self.last_activity_at = Some(at);
        let end = match activity.len() {
            0..=ACTIVITY_CHARACTERS => activity.len(),
            _ => activity
                .char_indices()
                .nth(ACTIVITY_CHARACTERS)
                .map_or(activity.len(), |(end, _)| end),
        };
        self.last_activity.clear();
        self.last_activity
            .push_str(activity.get(..end).unwrap_or(activity));
    }

    /// Notes a sign of life, unless a newer one is known.
    pub(super) fn note_heartbeat(&mut self, at: UtcTime) {
        self.last_heartbeat_at = self.last_heartbeat_at.max(Some(at));
    }
}

/// A detail as it is kept: compact JSON.
pub(super) fn kept(detail: Raw<'_>) -> Box<str> {
    json::compact(detail).into()
}
