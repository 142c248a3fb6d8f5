//! What becomes of a record: its status, and what follows from it.

use std::sync::Arc;

use super::made::Synthesized;
use crate::event::State;
use crate::finding::Code;
use crate::time::UtcTime;

/// What the projection made of a record (SPEC section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It was taken.
    Applied,
    /// It was taken, but something before it was not observed.
    Provisional,
    /// It had been taken before.
    Deduplicated,
    /// It came too late.
    OutOfOrder,
    /// It says otherwise than a record of the same identity.
    Conflict,
    /// It makes no sense for this child.
    Rejected,
    /// The child has ended; nothing changes that.
    TerminalImmutable,
}

impl Status {
    /// The word as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Applied => "applied",
            Status::Provisional => "provisional",
            Status::Deduplicated => "deduplicated",
            Status::OutOfOrder => "out_of_order",
            Status::Conflict => "conflict",
            Status::Rejected => "rejected",
            Status::TerminalImmutable => "terminal_immutable",
        }
    }

    /// Whether the record left its trace in the projection.
    #[must_use]
    pub fn is_accepted(self) -> bool {
        matches!(self, Status::Applied | Status::Provisional)
    }
}

/// The outcome of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What was made of it.
    pub status: Status,
    /// Why, where the status alone does not say.
    pub code: Option<Code>,
    /// The child it is about ([`super::Projection::children`]), if that child is known.
    pub child: Option<usize>,
}

impl Outcome {
    /// The finding this outcome is; none for what was applied or deduplicated.
    #[must_use]
    pub fn finding(&self) -> Option<Code> {
        match self.status {
            Status::TerminalImmutable => Some(Code::TerminalImmutable),
            _ => self.code,
        }
    }
}

/// What follows from a record, to be told right after it; used again for the next one.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    told: Vec<Effect>,
    changed: Vec<usize>,
}

impl Effects {
    /// What is to be told, in the order in which it happened.
    #[must_use]
    pub fn told(&self) -> &[Effect] {
        &self.told
    }

    /// The children whose records have changed beside that of the outcome, first seen first.
    pub fn changed_beside(&mut self, child: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        self.changed.sort_unstable();
        self.changed.dedup();
        let changed = self.changed.iter().copied();
        changed.filter(move |place| Some(*place) != child)
    }

    /// Whether nothing follows and nothing has changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.told.is_empty() && self.changed.is_empty()
    }

    /// Forgets everything; what a huge snapshot took is given back.
    pub fn clear(&mut self) {
        self.told.clear();
        self.changed.clear();
        self.told.shrink_to(1_024);
        self.changed.shrink_to(1_024);
    }

    pub(super) fn push(&mut self, effect: Effect) {
        self.told.push(effect);
    }

    pub(super) fn changed(&mut self, place: usize) {
        self.changed.push(place);
    }
}

/// One thing that follows from a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// An authority corrected a child's state.
    Audit(Audit),
    /// Something should be done about a child.
    Intent(Intent),
    /// A snapshot says something about a child that is not taken.
    Diagnostic(Diagnostic),
    /// An event was made and taken in.
    Synthesized(Synthesized),
}

/// Why a snapshot was not taken for one child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The child.
    pub child: usize,
    /// Why.
    pub code: Code,
    /// The snapshot.
    pub snapshot_id: Arc<str>,
}

/// The trace that a correction leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// The child corrected.
    pub child: usize,
    /// Its state before.
    pub from: State,
    /// Its state since.
    pub to: State,
    /// The evidence.
    pub snapshot_id: Arc<str>,
    /// When the evidence was observed.
    pub observed_at: UtcTime,
}

/// A request to whoever can ask the source: ask it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// The child it is about.
    pub child: usize,
    /// Why.
    pub reason: Reason,
    /// The time of the record that gave the cause; for silence, that of the source's clock.
    pub observed_at: UtcTime,
    /// The snapshot that gave the cause.
    pub snapshot_id: Option<Arc<str>>,
}

/// Why an intent is uttered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Sequences are missing.
    Gap,
    /// The child entered a new epoch, or its source did.
    Reconnect,
    /// Nothing has been heard of the child for too long.
    Stale,
    /// Complete snapshots have left the child out.
    CompleteSnapshotMissing,
}

impl Reason {
    /// The word as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::Gap => "gap",
            Reason::Reconnect => "reconnect",
            Reason::Stale => "stale",
            Reason::CompleteSnapshotMissing => "complete_snapshot_missing",
        }
    }

    /// What is intended for this reason.
    #[must_use]
    pub fn intent(self) -> &'static str {
        match self {
            Reason::Gap | Reason::Reconnect | Reason::Stale => "reconcile",
            Reason::CompleteSnapshotMissing => "mark_stale_unknown",
        }
    }
}
