//! Taking a dead owner's lock away, and undoing that when it caught the wrong one.
//!
//! Nothing is removed under the name `PATH.lock`: the directory is first renamed to a name of our
//! own, and looked at again there. So a live holder's lock that came in between is whole when it
//! is put back.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FlockOperation};
use rustix::io::Errno;

use super::LockOptions;
use super::evidence::Machine;
use super::owner::{self, OWNER_FILE, Reading};
use super::place::{Moved, Place, directory_id};
use super::sight::Sight;
use super::step;

/// The most entries of a dead lock directory that are looked at.
const ENTRIES: usize = 16;

/// What an attempt came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reclaimed {
    /// The dead lock is gone.
    Yes,
    /// Something else stands, or nothing, under the name by now: look again.
    Changed,
    /// It stays; why.
    No(String),
}

/// Takes away the lock that was seen and judged dead.
pub(super) fn reclaim(
    place: &Place,
    mut sight: Sight,
    machine: &Machine,
    options: &LockOptions,
) -> io::Result<Reclaimed> {
    let Some(dir) = sight.dir.as_ref() else {
        return Ok(Reclaimed::No("it is not an open directory".to_owned()));
    };
    // One at a time: of those who judged this very directory, only the first moves it.
    step("flock the dead directory");
    match rustix::fs::flock(dir, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => {
            return Ok(Reclaimed::No("somebody else is taking it over".to_owned()));
        }
        Err(errno) => {
            return Ok(Reclaimed::No(format!(
                "its directory cannot be flocked: {errno}"
            )));
        }
    }
    if directory_id(place.lock())? != Some(sight.id) {
        return Ok(Reclaimed::Changed);
    }
    sight.read_again()?;
    let verdict = sight.judge(machine, options);
    if !verdict.reclaimable {
        return Ok(Reclaimed::No(verdict.reason));
    }
    step("judged dead");
    let aside = place.fresh()?;
    match place.rename(place.lock(), &aside) {
        Ok(Moved::Yes) => {}
        Ok(Moved::Missing | Moved::Occupied) => return Ok(Reclaimed::Changed),
        Err(error) if refused(&error) => {
            let reason = format!("{}, but it may not be moved: {error}", verdict.reason);
            return Ok(Reclaimed::No(reason));
        }
        Err(error) => return Err(error),
    }
    step("renamed the dead directory aside");
    if !is_the_judged(&sight, &aside) {
        put_back(place, &aside);
        return Ok(Reclaimed::Changed);
    }
    if let Some(dir) = &sight.dir {
        remove(dir, &aside);
    }
    Ok(Reclaimed::Yes)
}

fn refused(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem};
    matches!(
        error.kind(),
        CrossesDevices | PermissionDenied | ReadOnlyFilesystem
    )
}

/// Whether what was moved is what was judged: the same directory with the same owner.json, byte
/// for byte, the token in it. A doubt is a no, and then it is put back.
fn is_the_judged(sight: &Sight, aside: &Path) -> bool {
    let same_directory = directory_id(aside).is_ok_and(|id| id == Some(sight.id));
    let read = sight.dir.as_ref().map(owner::read_in);
    let same_owner = matches!(
        &read,
        Some(Ok(Reading::Readable { bytes, .. })) if bytes == sight.bytes()
    );
    same_directory && same_owner
}

/// Gives a directory the name `PATH.lock` again, unless somebody has taken the lock meanwhile:
/// then it stays where it is, and is a leftover once its owner is gone.
pub(super) fn put_back(place: &Place, aside: &Path) {
    step("put a wrong catch back");
    let _ = place.rename(aside, place.lock());
}

/// Removes a lock directory that only we know by this name. What else may be in it is left, and
/// then the directory too: only an owner.json and its temporaries are anybody's to delete.
pub(super) fn remove(dir: impl AsFd, path: &Path) {
    step("unlink a dead owner.json");
    let _ = rustix::fs::unlinkat(&dir, OWNER_FILE, AtFlags::empty());
    step("rmdir a dead directory");
    if rustix::fs::rmdir(path) != Err(Errno::NOTEMPTY) {
        return;
    }
    let Ok(entries) = Dir::read_from(&dir) else {
        return;
    };
    for entry in entries.take(ENTRIES).flatten() {
        if entry
            .file_name()
            .to_bytes()
            .starts_with(OWNER_FILE.as_bytes())
        {
            let _ = rustix::fs::unlinkat(&dir, entry.file_name(), AtFlags::empty());
        }
    }
    let _ = rustix::fs::rmdir(path);
}
