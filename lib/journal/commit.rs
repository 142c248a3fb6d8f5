//! The part of an append under the lock: look, number, one write, sync, state.
//!
//! A write that fails is undone only if nobody else wrote: the size must be what it was and our
//! own bytes. A sync that fails is not tried again: the system may have dropped the bytes and
//! would report success the second time. Nothing is acknowledged unless all of it went well.

use std::io;

use super::entry::Batch;
use super::ledger::Ledger;
use super::lock::Held;
use super::reader::Place;
use super::{Committed, JournalError, SyncMode, disk};

impl Ledger {
    /// The part under the lock: short, and finished even if a signal wants an end.
    pub(super) fn commit(
        &mut self,
        held: &Held<'_>,
        batch: &mut Batch,
    ) -> Result<Committed, JournalError> {
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

    pub(super) fn lost(&self, written: bool) -> JournalError {
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
        let (Some(file), SyncMode::Batch) = (&self.file, self.options.sync) else {
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
