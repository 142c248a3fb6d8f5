//! Snapshots and partial views: what a source says exists (SPEC sections 1 and 5).
//!
//! [`SnapshotView`] borrows the line it was read from and is valid: fully identified, no child
//! listed twice, its coverage naming at least what it lists. What a listing means for a child is
//! decided in [`crate::projection`]; here nothing is compared with what is known.
//!
//! Memory: 48 bytes for each child listed and 8 for each id of a coverage list, less than twice
//! the line; ids that hold escapes are decoded. Nothing else is kept, so the line's cap bounds it.

mod read;
mod write;

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use crate::event::State;
use crate::time::UtcTime;
pub use write::Head;

/// A valid snapshot or partial view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotView<'a> {
    /// Who tells.
    pub source: Cow<'a, str>,
    /// One life of the source.
    pub source_epoch: Cow<'a, str>,
    /// Names it within the source and epoch.
    pub snapshot_id: Cow<'a, str>,
    /// When it was observed.
    pub observed_at: UtcTime,
    /// A snapshot; else a partial view, which proves nothing by what it leaves out.
    pub complete: bool,
    /// Whose absence it can prove.
    pub coverage: Coverage,
    /// The children it lists.
    pub children: Vec<Listed<'a>>,
    /// A hash of all its members by their bytes, whatever their order.
    pub content: u64,
}

/// One child in a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<'a> {
    /// The child, within the source.
    pub child_id: Cow<'a, str>,
    /// Its state.
    pub state: State,
    /// The number of its latest event, if the source counts.
    pub sequence: Option<u64>,
}

/// Which children a snapshot speaks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every child of its source and epoch.
    All,
    /// The children of a list.
    Ids(IdSet),
    /// A partial view need not say.
    Unstated,
}

impl Coverage {
    /// Whether it speaks about that child.
    #[must_use]
    pub fn covers(&self, child_id: &str) -> bool {
        match self {
            Coverage::All => true,
            Coverage::Ids(ids) => ids.contains(child_id),
            Coverage::Unstated => false,
        }
    }
}

/// A set of ids, each as a hash of 8 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdSet {
    sorted: Vec<u64>,
}

impl IdSet {
    /// Whether the id is in the set.
    #[must_use]
    pub fn contains(&self, id: &str) -> bool {
        self.sorted.binary_search(&xxh3_64(id.as_bytes())).is_ok()
    }
}

impl<'a> FromIterator<&'a str> for IdSet {
    fn from_iter<I: IntoIterator<Item = &'a str>>(ids: I) -> IdSet {
        let mut sorted: Vec<u64> = ids.into_iter().map(|id| xxh3_64(id.as_bytes())).collect();
        sorted.sort_unstable();
        IdSet { sorted }
    }
}

impl SnapshotView<'_> {
    /// Whether it proves that a child which it does not list is absent.
    #[must_use]
    pub fn proves_absence(&self, child_id: &str) -> bool {
        self.complete && self.coverage.covers(child_id)
    }
}

#[cfg(test)]
mod tests;
