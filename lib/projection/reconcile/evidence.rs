//! What a snapshot is held against a child by, and how its consequences are put.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::event::State;
use crate::finding::Code;
use crate::projection::child::{Child, Epoch};
use crate::projection::{Diagnostic, Effect, Intent, Reason};
use crate::snapshot::Listed;
use crate::time::UtcTime;

/// A snapshot's texts, shared by all that it leaves behind.
pub(super) struct Evidence {
    pub(super) home: usize,
    pub(super) snapshot_id: Arc<str>,
    pub(super) epoch: Arc<str>,
    pub(super) observed_at: UtcTime,
}

/// What of a child's record a listing may change.
#[derive(PartialEq)]
pub(super) struct Shown(State, UtcTime, bool, bool, u32, Option<u64>, Arc<str>);

impl Shown {
    pub(super) fn of(child: &Child) -> Shown {
        Shown(
            child.state,
            child.newest,
            child.stale,
            child.gap,
            child.misses,
            child.highest,
            child.epoch.clone(),
        )
    }
}

/// Whether the listing is older than what is known of the child.
pub(super) fn is_behind(
    child: &Child,
    listed: &Listed<'_>,
    epoch: Epoch,
    observed_at: UtcTime,
) -> bool {
    let earlier = observed_at < child.newest;
    match (epoch, listed.sequence, child.highest) {
        (Epoch::Current, Some(told), Some(known)) => match told.cmp(&known) {
            Ordering::Less => true,
            Ordering::Equal => earlier,
            Ordering::Greater => false,
        },
        _ => earlier,
    }
}

pub(super) fn diagnostic(child: usize, code: Code, evidence: &Evidence) -> Effect {
    Effect::Diagnostic(Diagnostic {
        child,
        code,
        snapshot_id: evidence.snapshot_id.clone(),
    })
}

pub(super) fn intent(child: usize, reason: Reason, evidence: &Evidence) -> Effect {
    Effect::Intent(Intent {
        child,
        reason,
        observed_at: evidence.observed_at,
        snapshot_id: Some(evidence.snapshot_id.clone()),
    })
}
