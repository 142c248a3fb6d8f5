//! Judging stretches of a journal side by side.
//!
//! Whether a line is an entry is the line's own affair; only whether its number is the next one
//! depends on the lines before it. So a [`Stretch`] of whole lines is looked through by any
//! thread, and [`super::Walk::leap`] puts the stretches together in their order.
//!
//! Memory: a line buffer, and for each entry 40 bytes; of damage the first thousand are kept.

use std::fs::File;
use std::io;
use std::num::NonZeroUsize;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::damage::{Damage, Judge, Stated};
use super::disk;
use super::reader::FRAME;
use crate::event::EventView;
use crate::finding::Code;
use crate::line::{Line, Lines};

/// The length of a stretch, but for its last line.
const LENGTH: u64 = 4 << 20;

/// How much is read when the end of a line is looked for.
const WINDOW: usize = 64 * 1024;

/// How many damages of a stretch are kept.
const LISTED: usize = 1_000;

/// Where a stretch of whole lines begins and ends, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    from: u64,
    to: u64,
}

/// What a stretch of lines holds, judged but for its numbers.
#[derive(Debug)]
pub struct Stretch {
    pub(super) bounds: Bounds,
    pub(super) lines: u64,
    /// Lines that end in CR LF.
    pub(super) crlf: u64,
    pub(super) items: Vec<Item>,
}

#[derive(Debug)]
pub(super) enum Item {
    Entry {
        offset: u64,
        /// From the stretch's begin.
        line: u64,
        stated: Stated,
        child: u64,
    },
    Damage(Damage),
    /// Damage beyond what is kept: of one code, so many in a row.
    More(Code, u64),
}

/// Which child an event is about, as a number: the hash of its source and id.
#[must_use]
pub fn child_hash(event: &EventView<'_>) -> u64 {
    let source = xxh3_64_with_seed(event.source.as_bytes(), 0);
    xxh3_64_with_seed(event.child_id.as_bytes(), source)
}

impl Bounds {
    /// The stretch that begins at the byte `from`; `None` if the file is at its end soon.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn find(file: &File, from: u64, size: u64) -> io::Result<Option<Bounds>> {
        let mut at = from + LENGTH;
        let mut window = vec![0; WINDOW];
        while at < size {
            let count = disk::read_at(file, &mut window, at)?;
            let Some(read) = window.get(..count).filter(|read| !read.is_empty()) else {
                return Ok(None);
            };
            if let Some(found) = memchr::memchr(b'\n', read) {
                let to = at + found as u64 + 1;
                return Ok(Some(Bounds { from, to }));
            }
            at += count as u64;
        }
        Ok(None)
    }

    pub(super) fn begin(&self) -> u64 {
        self.from
    }

    /// The byte after the last one.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.to
    }

    /// Looks the stretch through; entries may have `cap` bytes without LF.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is shorter by now.
    pub fn look_through(self, file: &File, cap: NonZeroUsize) -> io::Result<Stretch> {
        let mut lines = Lines::new(cap.max(FRAME));
        let mut stretch = Stretch {
            bounds: self,
            lines: 0,
            crlf: 0,
            items: Vec::new(),
        };
        let judge = Judge::new(0, cap);
        let mut listed = 0;
        let mut at = self.from;
        while at < self.to {
            let left = usize::try_from(self.to - at).unwrap_or(usize::MAX);
            let space = lines.space();
            let most = space.len().min(left);
            let count = disk::read_at(file, space.get_mut(..most).unwrap_or_default(), at)?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            lines.filled(count);
            at += count as u64;
            while let Some(line) = lines.next_line() {
                stretch.add(&line, &judge, &mut listed);
            }
        }
        Ok(stretch)
    }
}

impl Stretch {
    fn add(&mut self, line: &Line<'_>, judge: &Judge, listed: &mut usize) {
        self.lines = line.number;
        self.crlf += u64::from(line.frame.crlf);
        let offset = self.bounds.from + line.offset;
        match judge.look(line) {
            Ok(None) => {}
            Ok(Some(event)) => self.items.push(Item::Entry {
                offset,
                line: line.number,
                stated: Stated::by(&event),
                child: child_hash(&event),
            }),
            Err(problem) if *listed < LISTED => {
                *listed += 1;
                self.items.push(Item::Damage(Damage {
                    offset,
                    line: line.number,
                    problem,
                }));
            }
            Err(problem) => match self.items.last_mut() {
                Some(Item::More(code, count)) if *code == problem.code => *count += 1,
                _ => self.items.push(Item::More(problem.code, 1)),
            },
        }
    }
}
