//! Appending: lock, look, number, one write, sync, state, release.
//!
//! What is acknowledged is in the file, and with [`Sync::Batch`] on the disk. A write that fails
//! is undone, under the lock, only if nobody else wrote. A sync that fails is not tried again:
//! the system may have dropped the bytes and would report success the second time.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;

use super::entry::{Batch, Rejected};
use super::ledger::Ledger;
use super::lock::{Held, LockOptions, Locker, ReleaseOutcome};
use super::reader::Place;
use super::{JournalError, JournalPath, disk};
use crate::event::MAX_EVENT_BYTES;

/// How often the lock may be lost before anything was written.
const TRIES: u32 = 3;

/// When entries are brought to the disk before they are acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
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
    pub sync: Sync,
    /// The longest entry, in bytes without LF.
    pub max_line_bytes: NonZeroUsize,
    /// Read the whole journal at first, whatever `PATH.state` says.
    pub full_replay: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            lock: LockOptions::default(),
            sync: Sync::Batch,
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
    locker: Locker,
    ledger: Ledger,
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
        .map(|place| place.sequence)
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

impl Ledger {
    /// The part under the lock: short, and finished even if a signal wants an end.
    fn commit(&mut self, held: &Held<'_>, batch: &mut Batch) -> Result<Committed, JournalError> {
        let before = self.refresh(true, &|| false)?;
        let cap = self.options.max_line_bytes.get();
        let rejected = batch.number(before.sequence + 1, cap);
        let rejected = rejected.ok_or_else(|| {
            self.io(io::Error::other(
                "there is no journalSequence after 2^53 - 1",
            ))
        })?;
        let mut committed = Committed {
            entries: batch.entries(),
            last_sequence: before.sequence,
            rejected,
        };
        if committed.entries == 0 {
            return Ok(committed);
        }
        if !held.still_ours().map_err(|source| self.io(source))? {
            return Err(self.lost(false));
        }
        let made = self.make_if_missing()?;
        self.write(before.offset, batch.stored())?;
        self.sync(made)?;
        committed.last_sequence += batch.entries() as u64;
        self.conclude(before, batch)?;
        Ok(committed)
    }

    fn lost(&self, written: bool) -> JournalError {
        JournalError::LockLost {
            name: self.path.name().to_owned(),
            written,
        }
    }

    fn foreign(&mut self, what: &'static str) -> JournalError {
        self.forget();
        JournalError::Foreign {
            name: self.path.name().to_owned(),
            what,
        }
    }

    fn make_if_missing(&mut self) -> Result<bool, JournalError> {
        if self.file.is_some() {
            return Ok(false);
        }
        let file = disk::create(self.path.real()).map_err(|source| self.io(source))?;
        self.file = Some(file);
        Ok(true)
    }

    /// Writes all of it at the end, or undoes what was written.
    fn write(&mut self, size: u64, bytes: &[u8]) -> Result<(), JournalError> {
        let Some(file) = &self.file else {
            return Err(self.io(io::ErrorKind::NotFound.into()));
        };
        let mut rest = bytes;
        while !rest.is_empty() {
            let error = match disk::write(file, rest) {
                Ok(0) => io::ErrorKind::WriteZero.into(),
                Ok(count) => {
                    rest = rest.get(count..).unwrap_or_default();
                    continue;
                }
                Err(error) => error,
            };
            let own = bytes.len() - rest.len();
            return Err(self.undo(size, own as u64, error));
        }
        Ok(())
    }

    /// Cuts the file back to `size`, if nothing but `own` bytes of ours came after; says why the
    /// write failed and what became of it.
    fn undo(&mut self, size: u64, own: u64, error: io::Error) -> JournalError {
        let Some(file) = &self.file else {
            return self.io(error);
        };
        let undone = match disk::look(file) {
            Ok(look) if look.size != size + own => {
                return self.foreign("a failed write of ours was left as it is");
            }
            Ok(_) if own == 0 => disk::look(file),
            Ok(_) => disk::truncate(file, size)
                .and_then(|()| disk::sync_data(file))
                .and_then(|()| disk::look(file)),
            Err(error) => Err(error),
        };
        match undone {
            Ok(look) => {
                self.learn_undone(look);
                self.io(error)
            }
            Err(source) => {
                self.forget();
                let name = self.path.name();
                let what = format!(
                    "{name}: {error}; what was written of the batch could not be undone: see \
                     `lcjournal verify {name}`"
                );
                JournalError::Io { what, source }
            }
        }
    }

    fn sync(&mut self, made: bool) -> Result<(), JournalError> {
        let (Some(file), Sync::Batch) = (&self.file, self.options.sync) else {
            return Ok(());
        };
        let synced = disk::sync_data(file).and_then(|()| match made {
            true => disk::sync_directory(self.path.folder()),
            false => Ok(()),
        });
        synced.map_err(|source| {
            self.forget();
            let name = self.path.name();
            let what = format!("{name}: the batch may or may not be on the disk");
            JournalError::Io { what, source }
        })
    }

    /// Looks at what was done and remembers it.
    fn conclude(&mut self, before: Place, batch: &Batch) -> Result<(), JournalError> {
        let Some(file) = &self.file else {
            return Err(self.io(io::ErrorKind::NotFound.into()));
        };
        let look = disk::look(file).map_err(|source| {
            self.state.invalidate();
            JournalError::io(self.path.name(), source)
        })?;
        let bytes = batch.stored();
        if look.size != before.offset + bytes.len() as u64 {
            return Err(self.foreign("its entries and ours may have the same numbers"));
        }
        let last = batch.last_stored_begins();
        let entries = batch.entries() as u64;
        let place = Place {
            offset: look.size,
            lines: before.lines + entries,
            sequence: before.sequence + entries,
            last_entry: before.offset + last as u64,
        };
        self.learn(look, place, bytes.get(last..).unwrap_or_default());
        Ok(())
    }
}
