//! Looking a journal through from its begin to its end: what is damaged, and what would mend it.
//!
//! Memory: a line, and the first thousand damages.

use std::fs::File;
use std::num::NonZeroUsize;

use super::sort::{Sorted, Sorter};
use crate::journal::damage::Damage;
use crate::journal::lock::LockError;
use crate::journal::reader::{Judged, Place, Walk};
use crate::journal::{JournalError, JournalPath, open_for_reading};
use crate::line::Line;

/// How many damages are listed.
const LISTED: usize = 1_000;

/// What mends a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Remedy {
    /// It is sound.
    #[default]
    None,
    /// Its last line is whole and lacks its LF.
    EndLine,
    /// From there on no line is an entry: that tail is moved aside.
    MoveTail {
        /// The byte it begins at.
        from: u64,
        /// How many entries are whole in it, with something else on their line.
        saved: u64,
    },
    /// Entries follow the damage: what is damaged is moved aside, what follows is renumbered.
    DropDamaged,
}

/// What a journal holds, and what is wrong with it.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// What mends it.
    pub remedy: Remedy,
    /// The entries that stay, those saved from damaged lines not counted.
    pub entries: u64,
    /// Those of them that get another number.
    pub renumbered: u64,
    /// Lines that go aside.
    pub removed_lines: u64,
    /// The bytes of those lines.
    pub removed_bytes: u64,
    /// Entries that are whole in lines that go aside.
    pub saved: u64,
    /// All damage counted.
    pub damage_count: u64,
    /// The first thousand damages.
    pub damage: Vec<Damage>,
    /// The journal's length in bytes.
    pub(super) size: u64,
    first_removed: Option<u64>,
    kept_after: bool,
    unended: bool,
}

impl Survey {
    /// Looks a journal through; a missing one is sound.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or `stop` says so.
    pub fn read(
        path: &JournalPath,
        cap: NonZeroUsize,
        stop: &dyn Fn() -> bool,
    ) -> Result<Survey, JournalError> {
        match open_for_reading(path)? {
            Some(file) => Survey::of(&file, path.name(), cap, stop),
            None => Ok(Survey::default()),
        }
    }

    /// Looks an open journal through.
    pub(in crate::journal) fn of(
        file: &File,
        name: &str,
        cap: NonZeroUsize,
        stop: &dyn Fn() -> bool,
    ) -> Result<Survey, JournalError> {
        let failed = |source| JournalError::io(name, source);
        let file = file.try_clone().map_err(failed)?;
        let mut walk = Walk::new(file, Place::default(), cap);
        let mut survey = Survey::default();
        let mut sorter = Sorter::new(cap.get(), true);
        let mut each = |line: &Line<'_>, judged: Judged<'_>| survey.add(line, judged, &mut sorter);
        while walk.advance(&mut each).map_err(failed)? {
            if stop() {
                return Err(JournalError::Lock(LockError::Stopped));
            }
        }
        walk.finish(&mut each);
        survey.size = walk.place().offset;
        survey.remedy = survey.decide();
        Ok(survey)
    }

    fn add(&mut self, line: &Line<'_>, judged: Judged<'_>, sorter: &mut Sorter) {
        match sorter.sort(line, judged) {
            Sorted::Keep { as_is, .. } => {
                self.entries += 1;
                self.renumbered += u64::from(!as_is);
                self.kept_after |= self.first_removed.is_some();
                self.unended |= !line.frame.terminated;
            }
            Sorted::Remove { saved, .. } => {
                self.first_removed.get_or_insert(line.offset);
                self.removed_lines += 1;
                self.removed_bytes += raw_length(line);
                self.saved += saved.len() as u64;
            }
        }
        if let Some(problem) = sorter.problem.take() {
            self.damage_count += 1;
            if self.damage.len() < LISTED {
                self.damage.push(Damage::at(line, problem));
            }
        }
    }

    fn decide(&self) -> Remedy {
        match self.first_removed {
            None if self.renumbered == 0 && self.unended => Remedy::EndLine,
            None if self.damage_count == 0 => Remedy::None,
            Some(from) if !self.kept_after && !self.unended && self.renumbered == 0 => {
                Remedy::MoveTail {
                    from,
                    saved: self.saved,
                }
            }
            _ => Remedy::DropDamaged,
        }
    }
}

/// A line's length in the file, with all that its frame was.
pub(super) fn raw_length(line: &Line<'_>) -> u64 {
    let frame = &line.frame;
    let content = match frame.oversized {
        Some(length) => length,
        None => line.bytes.len() as u64 + 3 * u64::from(frame.bom) + u64::from(frame.crlf),
    };
    content + u64::from(frame.terminated)
}
