//! What a child is made of beside the common: what is rare, and what is shared.

use std::sync::Arc;

use crate::event::State;
use crate::time::UtcTime;

/// Which queues of its source a child is in, at most once in each.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::projection) struct Queued {
    pub(in crate::projection) for_silence: bool,
    pub(in crate::projection) for_answer: bool,
}

/// What few children have.
#[derive(Clone, Debug, Default)]
pub(in crate::projection) struct Rare {
    /// The epochs left, the oldest first, at most [`super::EPOCHS_LEFT`].
    pub(in crate::projection) epochs_left: Vec<Arc<str>>,
    pub(in crate::projection) terminal_cause: Option<Box<str>>,
    pub(in crate::projection) correction: Option<Correction>,
    /// Set for a child first known from a snapshot: that snapshot's time.
    pub(in crate::projection) known_from_snapshot: Option<UtcTime>,
    /// Such a child has not yet taken its `created`.
    pub(in crate::projection) awaits_created: bool,
    /// The content of the `created` it took, where that was of another epoch, whose numbers are
    /// not remembered.
    pub(in crate::projection) foreign_created: Option<u64>,
    /// When the source was asked about the stale child, on the clock of staleness.
    pub(in crate::projection) asked_at: Option<UtcTime>,
    /// How many misses the child had when it became stale.
    pub(in crate::projection) misses_when_stale: u32,
    /// Epochs about which an intent was uttered while the child was in another one, the oldest
    /// first, at most [`super::EPOCHS_LEFT`].
    pub(in crate::projection) reconnects: Vec<Arc<str>>,
}

/// Lineage, its texts shared with the other children of the family.
#[derive(Clone, Debug)]
pub(in crate::projection) struct Ancestry {
    pub(in crate::projection) root: Arc<str>,
    pub(in crate::projection) parent: Option<Arc<str>>,
    pub(in crate::projection) attempt: u64,
    pub(in crate::projection) external: bool,
    pub(in crate::projection) adopted_at: Option<UtcTime>,
}

/// The last correction of a child's state by an authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The evidence.
    pub snapshot_id: Arc<str>,
    /// The state before.
    pub from: State,
    /// The state since.
    pub to: State,
    /// When the evidence was observed.
    pub observed_at: UtcTime,
}
