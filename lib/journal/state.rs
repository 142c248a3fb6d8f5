//! `PATH.state`: what was known of the journal when it was last appended to.
//!
//! One record of fixed size, checksummed, written in place under the lock. It is a cache: a
//! record that is missing, torn or does not fit the file is as good as none, and deleting it is
//! harmless. It is trusted only as far as [`Record::covers`] and the last line's hash go; another
//! boot means that bytes nobody synced may be gone, so its record is not trusted at all.

use std::fs::File;
use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

use super::disk::{self, Look};
use super::reader::Place;
use crate::event::MAX_SEQUENCE;

/// Which boot of which machine: the kernel's random id, 0 where it cannot be read.
pub(super) type BootId = u128;

const MAGIC: u64 = u64::from_le_bytes(*b"lcstate2");

/// Words of eight bytes: magic, twelve fields, checksum.
const WORDS: usize = 14;

/// The record's length in bytes.
pub(super) const LENGTH: usize = WORDS * 8;

/// Everything that is known of a journal whose lines were all judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// The file, its length and the time of its last change.
    pub(super) look: Look,
    pub(super) boot: BootId,
    /// Where its lines end (always its length), and the last entry.
    pub(super) place: Place,
    /// Hash of the bytes from the last entry's begin to the end.
    pub(super) tail_hash: u64,
    /// The longest line, in bytes, that was let through when its lines were judged.
    pub(super) cap: u64,
}

/// How far a record can be relied on, its last line being intact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cover {
    /// The file is as it was.
    All,
    /// It has only grown.
    Begin,
    /// Nothing is known.
    None,
}

impl Record {
    pub(super) fn covers(&self, now: &Look, boot: BootId) -> Cover {
        let known = boot != 0 && boot == self.boot && self.look.same_file(now);
        if known && *now == self.look {
            Cover::All
        } else if known && now.size > self.look.size {
            Cover::Begin
        } else {
            Cover::None
        }
    }

    fn encode(&self) -> [u8; LENGTH] {
        let words: [u64; WORDS - 1] = [
            MAGIC,
            self.look.device,
            self.look.inode,
            self.look.size,
            self.look.changed_seconds.cast_unsigned(),
            self.look.changed_nanos,
            self.boot as u64,
            (self.boot >> 64) as u64,
            self.place.sequence,
            self.place.lines,
            self.place.last_entry,
            self.tail_hash,
            self.cap,
        ];
        let mut bytes = [0; LENGTH];
        let (body, sum) = bytes.split_at_mut(LENGTH - 8);
        for (slot, word) in body.as_chunks_mut::<8>().0.iter_mut().zip(words) {
            *slot = word.to_le_bytes();
        }
        sum.copy_from_slice(&xxh3_64(body).to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8; LENGTH]) -> Option<Record> {
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let [
            magic,
            device,
            inode,
            size,
            changed_seconds,
            changed_nanos,
            boot_low,
            boot_high,
            sequence,
            lines,
            last_entry,
            tail_hash,
            cap,
            sum,
        ] = words;
        let sound = magic == MAGIC && sum == xxh3_64(bytes.split_at(LENGTH - 8).0);
        if !sound || last_entry > size || sequence > MAX_SEQUENCE {
            return None;
        }
        Some(Record {
            look: Look {
                device,
                inode,
                size,
                changed_seconds: changed_seconds.cast_signed(),
                changed_nanos,
            },
            boot: u128::from(boot_high) << 64 | u128::from(boot_low),
            place: Place {
                offset: size,
                lines,
                sequence,
                last_entry,
            },
            tail_hash,
            cap,
        })
    }
}

/// The file beside the journal.
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    file: Option<File>,
}

impl StateFile {
    pub(super) fn new(path: PathBuf) -> StateFile {
        StateFile { path, file: None }
    }

    /// The record, if there is a sound one. Another process may be writing it just now, so a torn
    /// one is read once more.
    pub(super) fn read(&mut self) -> Option<Record> {
        let file = self.open(false)?;
        let mut bytes = [0; LENGTH];
        (0..2).find_map(|_| match disk::read_state(file, &mut bytes) {
            Ok(true) => Record::decode(&bytes),
            _ => None,
        })
    }

    /// Writes the record, or tries to: without it the next reader only has more to read.
    pub(super) fn write(&mut self, record: &Record) {
        self.put(&record.encode(), true);
    }

    /// Makes whatever is there worthless.
    pub(super) fn invalidate(&mut self) {
        self.put(&[0; LENGTH], false);
    }

    fn put(&mut self, bytes: &[u8; LENGTH], make: bool) {
        let written = match self.open(make) {
            Some(file) => disk::write_state(file, bytes).is_ok(),
            None => false,
        };
        if !written {
            self.file = None;
        }
    }

    /// The open file; opened again if it was deleted or replaced meanwhile.
    fn open(&mut self, make: bool) -> Option<&File> {
        if !self.file.as_ref().is_some_and(disk::has_name) {
            self.file = disk::open_state(&self.path, make).ok();
        }
        self.file.as_ref()
    }
}

/// The boot id of this machine.
pub(super) fn boot_id() -> BootId {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let digits: String = text.trim().split('-').collect();
    u128::from_str_radix(&digits, 16).unwrap_or(0)
}
