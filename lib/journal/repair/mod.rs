//! Repair: the only part of the journal that takes lines out of it, and only when asked to.
//!
//! Everything happens under the lock. What is taken out stands afterwards, byte for byte, in
//! `PATH.damaged-N`, and is on the disk there before the journal is changed: first the copy, then
//! its fsync, then the cut, or the rename of the journal's successor. Killed anywhere in between,
//! the journal is as it was, or as it shall be; a second copy, or a successor that never took its
//! place (`PATH.repair-PID`), may be left, and harms nobody.
//!
//! Which line stays and which goes is in `sort`, what would mend a journal in `survey`.

mod rewrite;
mod sort;
mod survey;

use std::fs::File;

pub use survey::{Remedy, Survey};

use super::ledger::Ledger;
use super::lock::{Held, ReleaseOutcome};
use super::{Journal, JournalError, disk};
use rewrite::{Fresh, Rewriting};

/// How far a repair may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepairOptions {
    /// Only say what would be done.
    pub dry_run: bool,
    /// Take damage out although entries follow it, and renumber those.
    pub drop_damaged: bool,
}

/// What a repair did, or would do.
#[derive(Clone, Debug, Default)]
pub struct Repaired {
    /// What was found, and the remedy that was taken.
    pub survey: Survey,
    /// Where the lines that were taken out are now; the name as PATH was given.
    pub aside: Option<String>,
}

impl Journal {
    /// Mends the journal, if it is damaged. `stop` ends the wait for the lock, and the look.
    ///
    /// # Errors
    ///
    /// [`JournalError::Damaged`] if entries follow the damage and `drop_damaged` is not set, and
    /// whatever keeps it from being locked, read or written.
    pub fn repair(
        &mut self,
        options: RepairOptions,
        stop: &dyn Fn() -> bool,
    ) -> Result<Repaired, JournalError> {
        let held = self.locker.acquire(stop)?;
        let repaired = self.ledger.repair(&held, options, stop);
        let released = held.release();
        let repaired = repaired?;
        match released.map_err(|source| self.ledger.io(source))? {
            ReleaseOutcome::Released => Ok(repaired),
            ReleaseOutcome::Lost => {
                let written = !options.dry_run && repaired.survey.remedy != Remedy::None;
                Err(self.ledger.lost(written))
            }
        }
    }
}

impl Ledger {
    fn repair(
        &mut self,
        held: &Held<'_>,
        options: RepairOptions,
        stop: &dyn Fn() -> bool,
    ) -> Result<Repaired, JournalError> {
        let Some(file) = self.open_now()? else {
            return Ok(Repaired::default());
        };
        let name = self.path.name().to_owned();
        let cap = self.options.max_line_bytes;
        let mut survey = Survey::of(&file, &name, cap, stop)?;
        if survey.remedy == Remedy::DropDamaged && !options.drop_damaged {
            return Err(JournalError::damaged(&name, survey));
        }
        if options.drop_damaged && survey.saved > 0 {
            survey.remedy = Remedy::DropDamaged;
        }
        let mut repaired = Repaired {
            survey,
            aside: None,
        };
        if options.dry_run || repaired.survey.remedy == Remedy::None {
            return Ok(repaired);
        }
        if !held.still_ours().map_err(|source| self.io(source))? {
            return Err(self.lost(false));
        }
        let done = self.mend(held, &file, &mut repaired);
        // Whatever came of it: the next one looks for himself.
        self.forget();
        self.file = None;
        done.map(|()| repaired)
    }

    fn mend(
        &mut self,
        held: &Held<'_>,
        file: &File,
        repaired: &mut Repaired,
    ) -> Result<(), JournalError> {
        let size = repaired.survey.size;
        match repaired.survey.remedy {
            Remedy::None => Ok(()),
            Remedy::EndLine => {
                self.unchanged(held, file, size)?;
                disk::write_all(file, b"\n").map_err(|source| self.io(source))?;
                disk::sync_data(file).map_err(|source| self.io(source))
            }
            Remedy::MoveTail { from, .. } => self.move_tail(held, file, (from, size), repaired),
            Remedy::DropDamaged => self.drop_damaged(held, file, size, repaired),
        }
    }

    fn move_tail(
        &self,
        held: &Held<'_>,
        file: &File,
        (from, size): (u64, u64),
        repaired: &mut Repaired,
    ) -> Result<(), JournalError> {
        let failed = |source| self.io(source);
        let mut aside = Fresh::aside(&self.path).map_err(failed)?;
        let written = aside.copy(file, from, size).and_then(|()| aside.sync());
        written
            .and_then(|()| disk::sync_directory(self.path.folder()))
            .map_err(failed)?;
        self.unchanged(held, file, size)?;
        aside.keep();
        repaired.aside = Some(self.path.shown(&aside.path));
        disk::truncate(file, from).map_err(failed)?;
        disk::sync_data(file).map_err(failed)
    }

    fn drop_damaged(
        &self,
        held: &Held<'_>,
        file: &File,
        size: u64,
        repaired: &mut Repaired,
    ) -> Result<(), JournalError> {
        let failed = |source| self.io(source);
        let mut aside = Fresh::aside(&self.path).map_err(failed)?;
        let mut successor = Fresh::successor(&self.path, file).map_err(failed)?;
        Rewriting::new(file, &mut successor, &mut aside)
            .run(self.options.max_line_bytes)
            .and_then(|()| aside.sync())
            .and_then(|()| successor.sync())
            .and_then(|()| disk::sync_directory(self.path.folder()))
            .map_err(failed)?;
        self.unchanged(held, file, size)?;
        successor.replace(self.path.real()).map_err(failed)?;
        if repaired.survey.removed_lines > 0 {
            aside.keep();
            repaired.aside = Some(self.path.shown(&aside.path));
        }
        disk::sync_directory(self.path.folder()).map_err(failed)
    }

    /// The last look before the journal is changed: the lock is ours, and nobody who ignores it
    /// has written.
    fn unchanged(&self, held: &Held<'_>, file: &File, size: u64) -> Result<(), JournalError> {
        let failed = |source| self.io(source);
        if !held.still_ours().map_err(failed)? {
            return Err(self.lost(false));
        }
        let open = disk::look(file).map_err(failed)?;
        let named = disk::look_at(self.path.real()).map_err(failed)?;
        match named {
            Some(named) if named.same_file(&open) && named.size == size => Ok(()),
            _ => Err(JournalError::Foreign {
                name: self.path.name().to_owned(),
                what: "it was not repaired",
            }),
        }
    }
}
