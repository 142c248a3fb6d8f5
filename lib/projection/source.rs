//! What is kept for each source: its clock, the deadlines of its children, the ids of its
//! snapshots (SPEC section 5).
//!
//! Memory: O(children), and a bound for sources that have none, whatever is told of them: see
//! [`MAX_CHILDLESS`], [`MAX_EPOCHS`], [`MAX_SNAPSHOT_IDS`].

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::snapshot::SnapshotView;
use crate::time::UtcTime;

/// So many sources without a child have a clock.
const MAX_CHILDLESS: usize = 256;

/// So many epochs of a source are remembered with the ids of their snapshots.
const MAX_EPOCHS: usize = 16;

/// So many ids of snapshots are remembered for each epoch.
const MAX_SNAPSHOT_IDS: usize = 64;

/// Deadlines with the children they are for, the earliest on top.
pub(super) type Queue = BinaryHeap<Reverse<(UtcTime, u32)>>;

/// All sources; their places never change.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    all: Vec<Source>,
    places: HashMap<Arc<str>, u32>,
    childless: usize,
}

/// One source.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) name: Arc<str>,
    /// The epoch told last, shared by its children.
    epoch: Arc<str>,
    /// The newest time of any valid record; in live mode the time of receipt.
    pub(super) clock: UtcTime,
    /// When each child that is not stale will be, unless it is heard of: never later than that.
    pub(super) silence: Queue,
    /// When each stale child will be lost, unless it is heard of: never later than that.
    pub(super) answer: Queue,
    /// Its children that have not ended, first seen first; ended ones go when somebody looks.
    pub(super) open: Vec<u32>,
    has_children: bool,
    epochs: Vec<EpochMemory>,
}

#[derive(Clone, Debug)]
struct EpochMemory {
    epoch: Arc<str>,
    /// Some child is or was in it.
    peopled: bool,
    /// The snapshots' ids and contents, by hash, the oldest first.
    snapshots: VecDeque<(u64, u64)>,
}

/// What is known of a snapshot's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Never,
    Equal,
    Otherwise,
}

impl Sources {
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.places.get(name).map(|place| *place as usize)
    }

    /// The place of a source, which is added if need be.
    pub(super) fn find_or_add(&mut self, name: &str, epoch: &str, clock: UtcTime) -> usize {
        if let Some(place) = self.find(name) {
            return place;
        }
        let place = self.all.len();
        let name: Arc<str> = name.into();
        self.places.insert(name.clone(), place as u32);
        self.all.push(Source {
            name,
            epoch: epoch.into(),
            clock,
            silence: Queue::new(),
            answer: Queue::new(),
            open: Vec::new(),
            has_children: false,
            epochs: Vec::new(),
        });
        self.childless += 1;
        place
    }

    /// The same, but nothing is added beyond the bound for sources without a child.
    pub(super) fn find_or_note(&mut self, name: &str, epoch: &str, at: UtcTime) -> Option<usize> {
        match self.find(name) {
            None if self.childless >= MAX_CHILDLESS => None,
            _ => Some(self.find_or_add(name, epoch, at)),
        }
    }

    /// Notes a child of a source.
    pub(super) fn admit(&mut self, home: u32, child: u32) {
        if let Some(source) = self.all.get_mut(home as usize) {
            self.childless -= usize::from(!source.has_children);
            source.has_children = true;
            source.open.push(child);
        }
    }

    pub(super) fn get(&self, place: usize) -> Option<&Source> {
        self.all.get(place)
    }

    pub(super) fn get_mut(&mut self, place: usize) -> Option<&mut Source> {
        self.all.get_mut(place)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Source> {
        self.all.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

impl Source {
    /// The shared text of an epoch; most records tell the epoch of the one before.
    pub(super) fn share_epoch(&mut self, epoch: &str) -> Arc<str> {
        if *self.epoch != *epoch {
            self.epoch = epoch.into();
        }
        self.epoch.clone()
    }

    /// Looks a snapshot's id up, and remembers it if it is new.
    pub(super) fn note_snapshot(&mut self, snapshot: &SnapshotView<'_>) -> Seen {
        let id = xxh3_64(snapshot.snapshot_id.as_bytes());
        let memory = self.memory(&snapshot.source_epoch);
        let known = memory.snapshots.iter().find(|(known, _)| *known == id);
        match known {
            Some((_, content)) if *content == snapshot.content => Seen::Equal,
            Some(_) => Seen::Otherwise,
            None => {
                if memory.snapshots.len() >= MAX_SNAPSHOT_IDS {
                    memory.snapshots.pop_front();
                }
                memory.snapshots.push_back((id, snapshot.content));
                Seen::Never
            }
        }
    }

    /// Whether some child is known to be or to have been in the epoch.
    pub(super) fn is_peopled(&mut self, epoch: &str) -> &mut bool {
        &mut self.memory(epoch).peopled
    }

    /// What is remembered of an epoch; the one not met for longest makes room.
    fn memory(&mut self, epoch: &str) -> &mut EpochMemory {
        let known = self.epochs.iter().position(|known| *known.epoch == *epoch);
        let memory = match known {
            Some(place) => self.epochs.remove(place),
            None => EpochMemory {
                epoch: self.share_epoch(epoch),
                peopled: false,
                snapshots: VecDeque::new(),
            },
        };
        if self.epochs.len() >= MAX_EPOCHS {
            self.epochs.remove(0);
        }
        let last = self.epochs.len();
        self.epochs.push(memory);
        &mut self.epochs[last]
    }
}
