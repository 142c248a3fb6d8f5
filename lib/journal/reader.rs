//! Reading a journal from a place to its end, a read's worth at a time; nothing is written.
//!
//! The last line is held back until the caller says that it is the last ([`Walk::finish`]): a
//! writer may be in the middle of it. Memory: one line buffer, at most [`FRAME`] and two reads.

use std::fs::File;
use std::io;
use std::num::NonZeroUsize;

use super::damage::{Entry, Judge};
use super::disk;
use crate::finding::Problem;
use crate::line::{Line, Lines};

/// Lines are framed up to this length, so that a long run of NULs is told as what it is.
const FRAME: NonZeroUsize = NonZeroUsize::new(1 << 20).unwrap();

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
