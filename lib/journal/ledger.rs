//! What is known of a journal, and how that is brought up to date.
//!
//! Knowing means: every line up to the file's end has been judged, and none is damage. There are
//! three ways to know, the first that holds is taken:
//!
//! 1. This process wrote the file last, or judged it under the lock, and the file is unchanged.
//! 2. What was known before, by this process or the one that wrote `PATH.state`, covers the file
//!    or its begin, and the last line read again is the one that was known: the rest is judged.
//! 3. The whole file is judged.
//!
//! Nothing of the journal is written here. Without the lock the answer may be old, or a glimpse
//! of a writer's half-done work: it is good to refuse a damaged journal early, not to write by.

use std::fs::File;

use rustix::fs::Access;
use xxhash_rust::xxh3::xxh3_64;

use super::damage::Damage;
use super::disk::{self, Look};
use super::lock::LockError;
use super::path::JournalPath;
use super::reader::{Place, Walk};
use super::state::{BootId, Cover, Record, StateFile, boot_id};
use super::{JournalError, Options, Survey};

/// The longest end of a journal that is held against a record: an entry, and white lines after
/// it, which nobody should have added.
const MAX_TAIL: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) path: JournalPath,
    pub(super) options: Options,
    pub(super) state: StateFile,
    pub(super) file: Option<File>,
    known: Option<Known>,
    boot: BootId,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    record: Record,
    /// Seen under the lock.
    certain: bool,
}

impl Ledger {
    pub(super) fn new(path: JournalPath, options: Options) -> Ledger {
        Ledger {
            state: StateFile::new(path.with_suffix(".state")),
            path,
            options,
            file: None,
            known: None,
            boot: boot_id(),
        }
    }

    /// Judges what is new in the file; gives the place at its end. `locked` says whether this
    /// process holds the lock, `stop` ends a long look.
    pub(super) fn refresh(
        &mut self,
        locked: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<Place, JournalError> {
        let named = disk::look_at(self.path.real()).map_err(|source| self.io(source))?;
        if let (Some(named), Some(known)) = (&named, self.known)
            && known.certain
            && known.record.covers(named, self.boot) == Cover::All
        {
            return Ok(known.record.place);
        }
        self.reopen(named)?;
        if self.file.is_none() {
            return Ok(Place::default());
        }
        let record = self.judge(stop)?;
        self.known = Some(Known {
            record,
            certain: locked,
        });
        Ok(record.place)
    }

    /// What is to be expected of the file now: this process has changed it, under the lock.
    /// `tail` are its bytes from the last entry's begin on.
    pub(super) fn learn(&mut self, look: Look, place: Place, tail: &[u8]) {
        let record = Record {
            look,
            boot: self.boot,
            place,
            tail_hash: xxh3_64(tail),
            cap: self.cap(),
        };
        self.keep(record);
    }

    /// The file was changed and changed back: what was known holds for it as it is now.
    pub(super) fn learn_undone(&mut self, look: Look) {
        match self.known {
            Some(known) if known.record.look.size == look.size => {
                self.keep(Record {
                    look,
                    ..known.record
                });
            }
            _ => self.forget(),
        }
    }

    fn cap(&self) -> u64 {
        self.options.max_line_bytes.get() as u64
    }

    fn keep(&mut self, record: Record) {
        self.state.write(&record);
        self.known = Some(Known {
            record,
            certain: true,
        });
    }

    /// Nothing is known any more, and nobody shall believe otherwise.
    pub(super) fn forget(&mut self) {
        self.known = None;
        self.state.invalidate();
    }

    /// Whether lock, state and perhaps the journal can be made in its folder, so that nobody
    /// learns it an hour later.
    pub(super) fn check_writable(&self) -> Result<(), JournalError> {
        let rights = Access::WRITE_OK | Access::EXEC_OK;
        rustix::fs::access(self.path.folder(), rights).map_err(|errno| self.io(errno.into()))
    }

    pub(super) fn io(&self, source: std::io::Error) -> JournalError {
        JournalError::io(self.path.name(), source)
    }

    /// Follows a rename or replacement of PATH. While this process has the file open, its inode
    /// is not given to another.
    fn reopen(&mut self, named: Option<Look>) -> Result<(), JournalError> {
        if let (Some(named), Some(file)) = (&named, &self.file) {
            let open = disk::look(file).map_err(|source| self.io(source))?;
            if open.same_file(named) {
                return Ok(());
            }
        }
        self.known = None;
        self.file = match named {
            Some(_) => disk::open_file(self.path.real(), true).map_err(|source| self.io(source))?,
            None => None,
        };
        Ok(())
    }

    /// The file that bears the journal's name now; `None` if there is none.
    pub(super) fn open_now(&mut self) -> Result<Option<File>, JournalError> {
        let named = disk::look_at(self.path.real()).map_err(|source| self.io(source))?;
        self.reopen(named)?;
        let again = self.file.as_ref().map(File::try_clone).transpose();
        again.map_err(|source| self.io(source))
    }

    /// Judges the file from the place up to which it is known.
    fn judge(&mut self, stop: &dyn Fn() -> bool) -> Result<Record, JournalError> {
        // The state is read before the file is looked at, so that it cannot be ahead of it.
        let state = match self.options.full_replay {
            true => None,
            // Lines that were let through by a larger cap are to be judged by ours.
            false => self.state.read().filter(|record| record.cap <= self.cap()),
        };
        let Some(file) = &self.file else {
            return Err(self.io(std::io::ErrorKind::NotFound.into()));
        };
        let walked = self.judge_file(file, state, stop);
        walked.map_err(|stopped| match stopped {
            Stopped::Io(source) => self.io(source),
            Stopped::Asked => JournalError::Lock(LockError::Stopped),
            Stopped::Damage(damage) => self.damaged(file, damage, stop),
        })
    }

    /// Damage, with what mends it: that takes a look at the whole file.
    fn damaged(&self, file: &File, damage: Damage, stop: &dyn Fn() -> bool) -> JournalError {
        let name = self.path.name();
        match Survey::of(file, name, self.options.max_line_bytes, stop) {
            Ok(survey) => JournalError::Damaged {
                name: name.to_owned(),
                damage,
                remedy: survey.remedy,
            },
            Err(error) => error,
        }
    }

    fn judge_file(
        &self,
        file: &File,
        state: Option<Record>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Record, Stopped> {
        let now = disk::look(file)?;
        let own = self.known.map(|known| known.record);
        let mut records: Vec<_> = [own, state].into_iter().flatten().collect();
        // The one that knows most is asked first; growth of another process is in its state.
        records.sort_by_key(|record| std::cmp::Reverse(record.look.size));
        let mut from = Place::default();
        for record in records {
            let cover = record.covers(&now, self.boot);
            if cover == Cover::None || tail_hash(file, &record.place)? != Some(record.tail_hash) {
                continue;
            }
            if cover == Cover::All {
                return Ok(record);
            }
            from = record.place;
            break;
        }
        let mut walk = Walk::new(file.try_clone()?, from, self.options.max_line_bytes);
        let place = to_the_end(&mut walk, stop)?;
        let look = disk::look(file)?;
        let tail_hash = tail_hash(file, &place)?;
        Ok(Record {
            // What came after the walk is growth.
            look: Look {
                size: place.offset,
                ..look
            },
            boot: if tail_hash.is_some() { self.boot } else { 0 },
            place,
            tail_hash: tail_hash.unwrap_or(0),
            cap: self.cap(),
        })
    }
}

/// Why judging came to no record.
enum Stopped {
    Io(std::io::Error),
    Asked,
    Damage(Damage),
}

impl From<std::io::Error> for Stopped {
    fn from(error: std::io::Error) -> Stopped {
        Stopped::Io(error)
    }
}

/// Walks to the end or to the first damage.
fn to_the_end(walk: &mut Walk, stop: &dyn Fn() -> bool) -> Result<Place, Stopped> {
    let mut damage = None;
    loop {
        let more = walk.advance(&mut |line, judged| note(&mut damage, line, judged))?;
        if !more {
            walk.finish(&mut |line, judged| note(&mut damage, line, judged));
        }
        if let Some(damage) = damage {
            return Err(Stopped::Damage(damage));
        }
        if !more {
            return Ok(walk.place());
        }
        if stop() {
            return Err(Stopped::Asked);
        }
    }
}

fn note(
    damage: &mut Option<Damage>,
    line: &crate::line::Line<'_>,
    judged: super::reader::Judged<'_>,
) {
    let problem = match judged {
        Ok(entry) => entry.wrong_number,
        Err(problem) => Some(problem),
    };
    if let Some(problem) = problem
        && damage.is_none()
    {
        *damage = Some(Damage::at(line, problem));
    }
}

/// The hash of the bytes from the last entry's begin to the place's end; `None` if they are not
/// there, do not end in LF, or are too many to be read each time.
fn tail_hash(file: &File, place: &Place) -> std::io::Result<Option<u64>> {
    let length = place.offset.saturating_sub(place.last_entry);
    if length > MAX_TAIL {
        return Ok(None);
    }
    let mut tail = vec![0; usize::try_from(length).unwrap_or(0)];
    let there = disk::read_exact_at(file, &mut tail, place.last_entry)?;
    let ended = tail.is_empty() || tail.last() == Some(&b'\n');
    Ok((there && ended).then(|| xxh3_64(&tail)))
}
