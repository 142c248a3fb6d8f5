//! Appending, seen from outside: a journal is opened, checked, and given batches.
//!
//! What comes back well is in the file, and with [`SyncMode::Batch`] on the disk.

use std::num::NonZeroUsize;
use std::path::Path;

use super::entry::{Batch, Rejected};
use super::ledger::Ledger;
use super::lock::{LockOptions, Locker, ReleaseOutcome};
use super::{JournalError, JournalPath};
use crate::event::MAX_EVENT_BYTES;

/// How often the lock may be lost before anything was written.
const TRIES: u32 = 3;

/// When entries are brought to the disk before they are acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncMode {
    /// One fdatasync for each batch.
    Batch,
    /// Not at all: they survive this process, but perhaps not the machine.
    None,
}

/// How a journal is opened.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How long to wait for the lock, and when it may be taken over.
    pub lock: LockOptions,
    /// When to sync.
    pub sync: SyncMode,
    /// The longest entry, in bytes without LF.
    pub max_line_bytes: NonZeroUsize,
    /// Read the whole journal at first, whatever `PATH.state` says.
    pub full_replay: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            lock: LockOptions::default(),
            sync: SyncMode::Batch,
            max_line_bytes: NonZeroUsize::new(MAX_EVENT_BYTES).unwrap_or(NonZeroUsize::MIN),
            full_replay: false,
        }
    }
}

/// What an append came to.
#[derive(Debug, Default)]
pub struct Committed {
    /// How many entries were stored.
    pub entries: usize,
    /// The journalSequence of the last entry of the journal, 0 if there is none.
    pub last_sequence: u64,
    /// Events that were not stored, being too long with their number.
    pub rejected: Vec<Rejected>,
}

/// A journal to append to.
///
/// # Examples
///
/// ```
/// use lctools::event::EventView;
/// use lctools::journal::{Batch, Journal, Options, Redaction};
///
/// let folder = tempfile::tempdir()?;
/// let mut journal = Journal::open(&folder.path().join("run.jsonl"), Options::default())?;
/// let event = EventView::parse(
///     br#"{"schemaVersion":1,"eventId":"e","source":"s","sourceEpoch":"x","childId":"c",
///     "lineage":{"rootChildId":"c","attempt":0,"external":false},"kind":"heartbeat",
///     "observedAt":"2026-08-24T09:15:30Z"}"#,
/// ).unwrap();
/// let mut batch = Batch::default();
/// batch.push(&event, 1, Redaction::On).unwrap();
/// assert_eq!(journal.append(&mut batch, &|| false)?.last_sequence, 1);
/// let mut echo = Vec::new();
/// batch.echo(&mut echo);
/// assert!(echo.ends_with(b",\"journalSequence\":1}\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Journal {
    pub(super) locker: Locker,
    pub(super) ledger: Ledger,
}

impl Journal {
    /// Finds the file; nothing is read or made yet.
    ///
    /// # Errors
    ///
    /// As [`JournalPath::resolve`].
    pub fn open(path: &Path, options: Options) -> Result<Journal, JournalError> {
        let path = JournalPath::resolve(path)?;
        let locker = Locker::new(path.real(), options.lock);
        let locker = locker.map_err(|source| JournalError::io(path.name(), source))?;
        Ok(Journal {
            locker,
            ledger: Ledger::new(path, options),
        })
    }

    /// Checks that the journal is sound and can be written to; gives its last journalSequence.
    /// What looks damaged without the lock is judged again under it: it may have been a writer's
    /// half-done work. `stop` ends a wait or a long look.
    ///
    /// # Errors
    ///
    /// [`JournalError::Damaged`], and whatever keeps it from being read or locked.
    pub fn check(&mut self, stop: &dyn Fn() -> bool) -> Result<u64, JournalError> {
        match self.ledger.refresh(false, stop) {
            Err(JournalError::Damaged { .. }) => {
                let _held = self.locker.acquire(stop)?;
                self.ledger.refresh(true, stop)
            }
            other => other,
        }
        .and_then(|place| self.ledger.check_writable().map(|()| place.sequence))
    }

    /// Stores the batch's events. When this comes back well, [`Batch::echo`] gives them with
    /// their numbers; when it fails, none of them is acknowledged and the batch is of no use.
    ///
    /// # Errors
    ///
    /// Whatever kept them from being stored. [`JournalError::Io`] on a full disk: the journal is
    /// then as it was, unless the message says otherwise.
    pub fn append(
        &mut self,
        batch: &mut Batch,
        stop: &dyn Fn() -> bool,
    ) -> Result<Committed, JournalError> {
        if batch.entries() == 0 {
            return Ok(Committed::default());
        }
        for _ in 1..TRIES {
            match self.append_once(batch, stop) {
                Err(JournalError::LockLost { written: false, .. }) => {}
                other => return other,
            }
        }
        self.append_once(batch, stop)
    }

    fn append_once(
        &mut self,
        batch: &mut Batch,
        stop: &dyn Fn() -> bool,
    ) -> Result<Committed, JournalError> {
        let held = self.locker.acquire(stop)?;
        let committed = self.ledger.commit(&held, batch);
        let released = held.release();
        let committed = committed?;
        match released.map_err(|source| self.ledger.io(source))? {
            ReleaseOutcome::Released => Ok(committed),
            ReleaseOutcome::Lost => {
                self.ledger.forget();
                Err(self.ledger.lost(committed.entries > 0))
            }
        }
    }
}
