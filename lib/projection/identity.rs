//! The identities of events without a sequence (SPEC section 5, rule 1).
//!
//! Memory: at most [`REMEMBERED`] ids in all, whatever the number of children; each is kept as a
//! hash of 16 bytes with one of 8 for the event's bytes, about 7 MB when full.

use std::collections::{HashMap, VecDeque};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::event::EventView;

/// How many unsequenced ids are remembered, over all children.
const REMEMBERED: usize = 65_536;

/// The memory; the oldest id is forgotten first.
#[derive(Clone, Debug, Default)]
pub(super) struct Identities {
    bytes: HashMap<u128, u64>,
    order: VecDeque<u128>,
}

impl Identities {
    /// The hash under which an event of this `(source, eventId)` is remembered.
    pub(super) fn get(&self, event: &EventView<'_>) -> Option<u64> {
        if self.bytes.is_empty() {
            return None;
        }
        self.bytes.get(&key(event)).copied()
    }

    /// Remembers an event whose identity is not remembered yet.
    pub(super) fn insert(&mut self, event: &EventView<'_>) {
        let key = key(event);
        if self.order.len() >= REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.bytes.remove(&oldest);
        }
        self.bytes.insert(key, bytes_hash(event));
        self.order.push_back(key);
    }
}

fn key(event: &EventView<'_>) -> u128 {
    let mut hash = Xxh3::with_seed(xxh3_64(event.source.as_bytes()));
    hash.update(event.event_id.as_bytes());
    hash.digest128()
}

/// A hash of the line's bytes without its `journalSequence`.
pub(super) fn bytes_hash(event: &EventView<'_>) -> u64 {
    let (before, after) = event.without_journal_sequence();
    let mut hash = Xxh3::new();
    hash.update(before.as_bytes());
    hash.update(after.as_bytes());
    hash.digest()
}
