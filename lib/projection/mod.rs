//! The projection: what is known about each child, record by record (SPEC section 5).
//!
//! Records go in, outcomes come out. Nothing here reads a clock, a stream or the environment, and
//! nothing is written but into memory that the caller gives; so the same records give the same
//! outcomes, live or replayed. The rules for events are in `judge`, what an accepted event does
//! in `apply`, what a snapshot does in `reconcile`, what silence does in `freshness`; what a child
//! is and how it is told are in `child` and `write`, the events made here in `made`.
//!
//! # Examples
//!
//! ```
//! use lctools::event::{EventView, State};
//! use lctools::projection::{Effects, Options, Projection, Status};
//! let line = br#"{"schemaVersion":1,"eventId":"e1","source":"s","sourceEpoch":"x","childId":"c",
//!     "lineage":{"rootChildId":"c","attempt":0,"external":false},"kind":"created",
//!     "state":"created","observedAt":"2026-08-24T09:15:30.000Z","sequence":1}"#;
//! let event = EventView::parse(line).unwrap();
//! let mut projection = Projection::new(Options::default());
//! let mut effects = Effects::default();
//! assert_eq!(projection.apply(&event, &mut effects).status, Status::Applied);
//! assert_eq!(projection.apply(&event, &mut effects).status, Status::Deduplicated);
//! assert_eq!(projection.children()[0].state(), State::Created);
//! ```
//!
//! # Memory
//!
//! O(children), never O(events): see [`Child`], and 52 bytes for each child in the queues of its
//! source; for each source its name and at most 16 epochs with 64 ids of snapshots each (16 bytes
//! an id); in all 65,536 identities of unsequenced events, and 256 sources without a child.

mod apply;
mod child;
mod freshness;
mod identity;
mod judge;
mod made;
mod moves;
mod outcome;
mod reconcile;
mod restore;
mod source;
mod window;
mod write;

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashTable;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use child::Identity;
pub use child::{Child, Correction};
pub use freshness::Receipt;
use identity::Identities;
pub use made::Synthesized;
pub use moves::{is_legal, is_reachable};
pub use outcome::{Audit, Diagnostic, Effect, Effects, Intent, Outcome, Reason, Status};
use source::Sources;
pub use write::write_progress;

/// How strictly and how far back the projection looks.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many recent sequences of a child are remembered.
    pub window: usize,
    /// Only `created` starts a child.
    pub strict: bool,
    /// How long a child may be silent before it is stale; never, if there is no limit.
    pub stale_after: Option<Duration>,
    /// So many complete snapshots in a row must leave a child out before it is stale, and so many
    /// more before it is lost.
    pub omission_grace: u32,
    /// How long after the request for reconciliation a stale child is lost, if at all.
    pub lost_after: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            window: 64,
            strict: false,
            stale_after: Some(Duration::from_secs(120)),
            omission_grace: 2,
            lost_after: None,
        }
    }
}

/// All children and what is needed to judge the next record.
#[derive(Clone, Debug)]
pub struct Projection {
    options: Options,
    /// First seen first.
    children: Vec<Child>,
    /// Where in `children` a `(source, childId)` is.
    index: HashTable<u32>,
    /// Keeps strangers from choosing ids that collide in the index.
    seed: u64,
    sources: Sources,
    identities: Identities,
    /// When the record at hand was received, where that is the clock of staleness.
    receipt: Option<Receipt>,
}

impl Projection {
    /// A projection that has seen nothing.
    #[must_use]
    pub fn new(options: Options) -> Projection {
        Projection {
            options,
            children: Vec::new(),
            index: HashTable::new(),
            seed: RandomState::new().hash_one(0),
            sources: Sources::default(),
            identities: Identities::default(),
            receipt: None,
        }
    }

    /// The children, first seen first; their places never change.
    #[must_use]
    pub fn children(&self) -> &[Child] {
        &self.children
    }

    /// The place of a child.
    #[must_use]
    pub fn find(&self, source: &str, id: &str) -> Option<usize> {
        let found = self.index.find(key(self.seed, source, id), |place| {
            let child = &self.children[*place as usize];
            *child.id == *id && *child.source == *source
        });
        found.map(|place| *place as usize)
    }

    /// Adds a child that is not there yet.
    fn add(&mut self, child: Child) -> usize {
        let place = self.children.len();
        let hash = key(self.seed, &child.source, &child.id);
        // More than 2^32 children do not fit into any memory.
        self.sources.admit(child.home, place as u32);
        self.children.push(child);
        let (children, seed) = (&self.children, self.seed);
        self.index.insert_unique(hash, place as u32, |place| {
            let child = &children[*place as usize];
            key(seed, &child.source, &child.id)
        });
        place
    }

    /// Who a child of that source, epoch and id is, its texts shared with those that are there.
    fn identify(&mut self, home: usize, source: &str, epoch: &str, id: &str) -> Identity {
        let id = self.share_id(source, id);
        let (source, epoch) = match self.sources.get_mut(home) {
            Some(home) => (home.name.clone(), home.share_epoch(epoch)),
            None => (source.into(), epoch.into()),
        };
        Identity {
            source,
            home,
            id,
            epoch,
        }
    }

    /// The text of an id, shared with the child that bears it.
    fn share_id(&self, source: &str, id: &str) -> Arc<str> {
        match self.find(source, id) {
            Some(place) => self.children[place].id.clone(),
            None => id.into(),
        }
    }
}

fn key(seed: u64, source: &str, id: &str) -> u64 {
    xxh3_64_with_seed(id.as_bytes(), seed ^ xxh3_64(source.as_bytes()))
}

#[cfg(test)]
mod tests;
