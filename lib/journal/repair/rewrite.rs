//! Writing what repair writes: what goes aside, and the journal without it.
//!
//! Nothing is written over: every file is made anew, and if anything fails before the journal
//! itself is changed, what was made is removed again.

use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::sort::{Sorted, Sorter, renumbered};
use super::survey::raw_length;
use crate::journal::disk;
use crate::journal::path::JournalPath;
use crate::journal::reader::{Judged, Place, Walk};
use crate::line::Line;

/// How much is copied, or gathered before it is written, at a time.
const CHUNK: usize = 256 * 1024;

/// How many names `PATH.damaged-N` are tried.
const NAMES: u32 = 100_000;

/// A file of ours that is being made; gone again unless it is kept.
pub(super) struct Fresh {
    pub(super) path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    kept: bool,
}

impl Fresh {
    /// `PATH.damaged-N`, the first N that is free.
    pub(super) fn aside(path: &JournalPath) -> io::Result<Fresh> {
        for number in 1..=NAMES {
            let name = path.with_suffix(&format!(".damaged-{number}"));
            match disk::create_new(&name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return Ok(Fresh::of(name, made?)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// The journal to be, beside the one that is, with its owner and mode.
    pub(super) fn successor(path: &JournalPath, like: &File) -> io::Result<Fresh> {
        let name = path.with_suffix(&format!(".repair-{}", std::process::id()));
        let fresh = Fresh::of(name.clone(), disk::create_new(&name)?);
        disk::make_alike(&fresh.file, like)?;
        Ok(fresh)
    }

    fn of(path: PathBuf, file: File) -> Fresh {
        Fresh {
            path,
            file,
            buffer: Vec::new(),
            kept: false,
        }
    }

    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= CHUNK {
            self.flush()?;
        }
        Ok(())
    }

    /// Copies bytes of another file.
    pub(super) fn copy(&mut self, from: &File, begin: u64, end: u64) -> io::Result<()> {
        let mut at = begin;
        let mut space = Vec::new();
        while at < end {
            let count = usize::try_from(end - at).unwrap_or(CHUNK).min(CHUNK);
            space.resize(count, 0);
            if !disk::read_exact_at(from, &mut space, at)? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.push(&space)?;
            at += count as u64;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        disk::write_all(&self.file, &self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Brings it to the disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        disk::sync_all(&self.file)
    }

    /// From now on it stays.
    pub(super) fn keep(&mut self) {
        self.kept = true;
    }

    /// Gives it the journal's name, in the journal's place.
    pub(super) fn replace(&mut self, journal: &Path) -> io::Result<()> {
        disk::rename(&self.path, journal)?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        if !self.kept {
            let _ = disk::remove(&self.path);
        }
    }
}

/// Writes a journal's entries into one file, renumbered, and its other lines into another.
pub(super) struct Rewriting<'a> {
    pub(super) source: &'a File,
    pub(super) good: &'a mut Fresh,
    pub(super) aside: &'a mut Fresh,
    /// A range of the source that goes as it is, not yet copied.
    pending: (u64, u64),
}

impl<'a> Rewriting<'a> {
    pub(super) fn new(
        source: &'a File,
        good: &'a mut Fresh,
        aside: &'a mut Fresh,
    ) -> Rewriting<'a> {
        let pending = (0, 0);
        Rewriting {
            source,
            good,
            aside,
            pending,
        }
    }

    /// All of it.
    pub(super) fn run(mut self, cap: NonZeroUsize) -> io::Result<()> {
        let mut walk = Walk::new(self.source.try_clone()?, Place::default(), cap);
        let mut sorter = Sorter::new(cap.get(), true);
        let mut result = Ok(());
        let mut each = |line: &Line<'_>, judged: Judged<'_>| {
            if result.is_ok() {
                result = self.line(line, sorter.sort(line, judged));
            }
        };
        while walk.advance(&mut each)? {}
        walk.finish(&mut each);
        result?;
        self.pending.1 = walk.place().offset;
        self.copy_pending(walk.place().offset)
    }

    fn line(&mut self, line: &Line<'_>, sorted: Sorted<'_>) -> io::Result<()> {
        let end = line.offset + raw_length(line);
        match sorted {
            // White lines before it go with it.
            Sorted::Keep { as_is: true, .. } if line.frame.terminated => self.pending.1 = end,
            Sorted::Keep { event, number, .. } => {
                self.pending.1 = line.offset;
                self.copy_pending(end)?;
                self.entry(&renumbered(&event, number))?;
            }
            Sorted::Remove { saved, first } => {
                self.pending.1 = line.offset;
                self.copy_pending(end)?;
                self.aside.copy(self.source, line.offset, end)?;
                for (number, event) in (first..).zip(&saved) {
                    self.entry(&renumbered(event, number))?;
                }
            }
        }
        Ok(())
    }

    fn entry(&mut self, line: &str) -> io::Result<()> {
        self.good.push(line.as_bytes())?;
        self.good.push(b"\n")
    }

    /// Copies what is pending; the source is gone on with from `next`.
    fn copy_pending(&mut self, next: u64) -> io::Result<()> {
        let (begin, end) = self.pending;
        self.good.copy(self.source, begin, end)?;
        self.pending = (next, next);
        Ok(())
    }
}
