//! Directories that dead processes left beside the lock: prepared, or moved aside.
//!
//! They block nobody; this is housekeeping, bounded, and never an error. Whose flock is not free
//! is alive. A leftover is renamed before anything in it is deleted: if somebody was about to give
//! it the name `PATH.lock` after all, he finds it missing, and no lock without an owner appears.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use rustix::fs::{FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::owner::OWNER_FILE;
use super::place::{Moved, Place, directory_id, file_id};
use super::reclaim;
use super::sight::DIRECTORY_FLAGS;
use super::step;

/// The most entries of the journal's directory that are looked through.
const ENTRIES: usize = 4096;

/// The most leftovers that are tried at a time.
const LEFTOVERS: usize = 16;

/// A directory that has had its name for less than this is not looked at: its maker may be about
/// to lock it. Only a courtesy; no harm comes from taking it away.
const SETTLED: SignedDuration = SignedDuration::from_secs(2);

/// Clears some of the leftovers beside this lock.
pub(super) fn clear(place: &Place) {
    // Not `std::fs::read_dir`, which panics where closing a directory fails.
    let entries = rustix::fs::open(place.directory(), DIRECTORY_FLAGS, Mode::empty())
        .and_then(rustix::fs::Dir::new);
    let Ok(entries) = entries else {
        return;
    };
    entries
        .take(ENTRIES)
        .flatten()
        .filter(|entry| place.is_fresh_name(entry.file_name().to_bytes()))
        .take(LEFTOVERS)
        .for_each(|entry| {
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            // What cannot be cleared stays.
            let _ = clear_one(place, &place.directory().join(name));
        });
}

fn clear_one(place: &Place, path: &Path) -> io::Result<()> {
    let dir = rustix::fs::open(path, DIRECTORY_FLAGS, Mode::empty())?;
    let stat = rustix::fs::fstat(&dir)?;
    let named = i32::try_from(stat.st_ctime_nsec).unwrap_or(0);
    let named = Timestamp::new(stat.st_ctime, named).unwrap_or(Timestamp::MIN);
    if Timestamp::now().duration_since(named).abs() < SETTLED {
        return Ok(());
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    // Held, once it is had, until the directory is gone.
    let _flock = match rustix::fs::openat(&dir, OWNER_FILE, flags, Mode::empty()) {
        Ok(file) => {
            let mode = rustix::fs::fstat(&file)?.st_mode;
            if FileType::from_raw_mode(mode) != FileType::RegularFile {
                return Ok(());
            }
            rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared)?;
            Some(file)
        }
        Err(Errno::NOENT) => None,
        Err(errno) => return Err(errno.into()),
    };
    step("found a leftover");
    let gone = place.fresh()?;
    if place.rename(path, &gone)? != Moved::Yes {
        return Ok(());
    }
    if directory_id(&gone)? == Some(file_id(&stat)) {
        reclaim::remove(&dir, &gone);
    } else {
        place.rename(&gone, path)?;
    }
    Ok(())
}
