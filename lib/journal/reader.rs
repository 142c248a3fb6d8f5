//! Reading a journal from a place to its end, a read's worth at a time; nothing is written.
//!
//! The last line is held back until the caller says that it is the last ([`Walk::finish`]): a
//! writer may be in the middle of it. Memory: one line buffer, at most [`FRAME`] and two reads.

use std::fs::File;
use std::io;
use std::num::NonZeroUsize;

use super::damage::{Damage, Entry, Judge};
use super::disk;
use super::scan::{Item, Stretch};
use crate::finding::Problem;
use crate::line::{Line, Lines};

/// Lines are framed up to this length, so that a long run of NULs is told as what it is.
pub(super) const FRAME: NonZeroUsize = NonZeroUsize::new(1 << 20).unwrap();

/// A place in a journal behind a whole line: everything before it has been judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Bytes before it.
    pub offset: u64,
    /// Lines before it.
    pub lines: u64,
    /// The last journalSequence before it; 0 if there is none.
    pub sequence: u64,
    /// Where the last line that is an entry begins.
    pub last_entry: u64,
}

/// What a line came to; white ones are passed over.
pub type Judged<'a> = Result<Entry<'a>, Problem>;

/// What a stretch came to, piece by piece.
#[derive(Debug)]
pub enum Leapt {
    /// An entry.
    Entry {
        /// Its journalSequence.
        sequence: u64,
        /// Which child it is about: [`super::child_hash`].
        child: u64,
    },
    /// Damage; where only the number is wrong, the entry was told before.
    Damage(Damage),
    /// So many further damages, which are not told one by one.
    More(u64),
    /// So many lines ended in CR LF.
    Crlf(u64),
}

/// One walk through a journal.
#[derive(Debug)]
pub struct Walk {
    file: File,
    lines: Lines,
    judge: Judge,
    /// Where `lines` began.
    base: Place,
    /// Where it has come to.
    place: Place,
    /// Where the next read goes.
    read_to: u64,
}

impl Walk {
    /// A walk from a place on; entries may have `cap` bytes without LF.
    #[must_use]
    pub fn new(file: File, from: Place, cap: NonZeroUsize) -> Walk {
        Walk {
            file,
            lines: Lines::new(cap.max(FRAME)),
            judge: Judge::new(from.sequence, cap),
            base: from,
            place: from,
            read_to: from.offset,
        }
    }

    /// Where the walk has come to.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// Reads once and tells `each` line that came complete; false at the end of the file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn advance(&mut self, each: &mut dyn FnMut(&Line<'_>, Judged<'_>)) -> io::Result<bool> {
        let count = disk::read_at(&self.file, self.lines.space(), self.read_to)?;
        self.lines.filled(count);
        self.read_to += count as u64;
        while let Some(line) = self.lines.next_line() {
            tell(line, &self.base, &mut self.judge, &mut self.place, each);
        }
        self.place.offset = self.base.offset + self.lines.position();
        Ok(count > 0)
    }

    /// Goes on over a stretch that begins where the walk has come to, and was looked through
    /// elsewhere. False, and nothing done, if the walk is somewhere else.
    pub fn leap(&mut self, stretch: Stretch, each: &mut dyn FnMut(Leapt)) -> bool {
        if stretch.bounds.begin() != self.place.offset {
            return false;
        }
        let lines = self.place.lines;
        for item in stretch.items {
            match item {
                Item::Entry {
                    offset,
                    line,
                    stated,
                    child,
                } => {
                    let line = lines + line;
                    let at = |problem| {
                        Leapt::Damage(Damage {
                            offset,
                            line,
                            problem,
                        })
                    };
                    match self.judge.number(stated) {
                        Ok((sequence, wrong_number)) => {
                            self.place.sequence = sequence;
                            self.place.last_entry = offset;
                            each(Leapt::Entry { sequence, child });
                            wrong_number
                                .into_iter()
                                .for_each(|problem| each(at(problem)));
                        }
                        Err(problem) => each(at(problem)),
                    }
                }
                Item::Damage(damage) => {
                    self.judge.lose(damage.problem.code, 1);
                    let line = lines + damage.line;
                    each(Leapt::Damage(Damage { line, ..damage }));
                }
                Item::More(code, count) => {
                    self.judge.lose(code, count);
                    each(Leapt::More(count));
                }
            }
        }
        each(Leapt::Crlf(stretch.crlf));
        self.place.lines += stretch.lines;
        self.place.offset = stretch.bounds.end();
        self.forget_tail();
        true
    }

    /// Whether the file, as far as it was read, ends inside a line.
    #[must_use]
    pub fn has_tail(&self) -> bool {
        self.read_to > self.place.offset
    }

    /// Forgets the unfinished line, so that it is read again: by now it may be finished, or gone.
    pub fn forget_tail(&mut self) {
        self.lines.restart();
        self.base = self.place;
        self.read_to = self.place.offset;
    }

    /// Says that the file has ended: tells the unfinished line, if there is one.
    pub fn finish(&mut self, each: &mut dyn FnMut(&Line<'_>, Judged<'_>)) {
        if let Some(line) = self.lines.last_line() {
            tell(line, &self.base, &mut self.judge, &mut self.place, each);
        }
        self.place.offset = self.base.offset + self.lines.position();
    }
}

fn tell(
    line: Line<'_>,
    base: &Place,
    judge: &mut Judge,
    place: &mut Place,
    each: &mut dyn FnMut(&Line<'_>, Judged<'_>),
) {
    let line = Line {
        number: base.lines + line.number,
        offset: base.offset + line.offset,
        ..line
    };
    place.lines = line.number;
    let judged = match judge.judge(&line) {
        Ok(Some(entry)) => Ok(entry),
        Ok(None) => return,
        Err(problem) => Err(problem),
    };
    if let Ok(entry) = &judged {
        place.sequence = entry.sequence;
        place.last_entry = line.offset;
    }
    each(&line, judged);
}
