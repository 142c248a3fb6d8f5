//! Inside one process: one at a time, before the file system is asked.
//!
//! The evidence in owner.json tells processes apart, not the threads of one. This is the one place
//! with process-wide state, because what it guards is process-wide.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// Device and inode of the journal's directory, and the lock's name in it.
type Key = (u64, u64, OsString);

static SEATS: Mutex<BTreeMap<Key, Weak<Seat>>> = Mutex::new(BTreeMap::new());

/// The right of one part of this process to try for a lock.
#[derive(Debug, Default)]
pub(super) struct Seat {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    taken: bool,
    /// How often it was taken: whether the one who sits there has changed.
    times: u64,
    /// How many wait for it: waking nobody is a system call saved.
    waiting: usize,
}

/// The seat is taken until this is dropped.
#[derive(Debug)]
pub(super) struct Seated(Arc<Seat>);

impl Seat {
    /// The seat of this lock, shared by all of this process.
    pub(super) fn of(directory: &Path, lock: &OsStr) -> io::Result<Arc<Seat>> {
        let stat = rustix::fs::stat(directory)?;
        let key = (stat.st_dev, stat.st_ino, lock.to_owned());
        let mut seats = unpoisoned(&SEATS);
        if let Some(seat) = seats.get(&key).and_then(Weak::upgrade) {
            return Ok(seat);
        }
        seats.retain(|_, seat| seat.strong_count() > 0);
        let seat = Arc::new(Seat::default());
        seats.insert(key, Arc::downgrade(&seat));
        Ok(seat)
    }

    /// Takes the seat, waiting no longer than this; else how often it was taken so far.
    pub(super) fn take(self: &Arc<Seat>, patience: Duration) -> Result<Seated, u64> {
        let mut state = unpoisoned(&self.state);
        state.waiting += 1;
        let (mut state, _) = self
            .freed
            .wait_timeout_while(state, patience, |state| state.taken)
            .unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        if state.taken {
            return Err(state.times);
        }
        state.taken = true;
        state.times += 1;
        Ok(Seated(Arc::clone(self)))
    }
}

impl Drop for Seated {
    fn drop(&mut self) {
        let mut state = unpoisoned(&self.0.state);
        state.taken = false;
        if state.waiting > 0 {
            self.0.freed.notify_one();
        }
    }
}

/// A panic elsewhere leaves nothing half done here.
fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
