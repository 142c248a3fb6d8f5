//! The names beside a journal, and the one way in which a directory changes its name there.
//!
//! Names are given as paths, each time anew: if the journal's directory is itself replaced, the
//! lock of the path that is written to is the lock that counts.

use std::cell::Cell;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, RenameFlags, Stat};
use rustix::io::Errno;

use super::step;

/// Device and inode: what a directory is, under whatever name.
pub(super) type FileId = (u64, u64);

/// The identity in a stat.
pub(super) fn file_id(stat: &Stat) -> FileId {
    (stat.st_dev, stat.st_ino)
}

/// The identity of the directory of this name, not through a link; `None` if there is none.
pub(super) fn directory_id(path: &Path) -> io::Result<Option<FileId>> {
    match rustix::fs::lstat(path) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {
            Ok(Some(file_id(&stat)))
        }
        Ok(_) | Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// What a rename that replaces nothing came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    /// The directory has the new name.
    Yes,
    /// The new name is taken.
    Occupied,
    /// There is no directory of the old name.
    Missing,
}

/// The lock of one journal.
#[derive(Debug)]
pub(super) struct Place {
    directory: PathBuf,
    lock: PathBuf,
    /// Whether the file system, or the kernel, knows no rename that replaces nothing.
    plain: Cell<bool>,
}

impl Place {
    /// The place of the lock of a journal, whose path is resolved by the caller.
    pub(super) fn beside(journal: &Path) -> io::Result<Place> {
        let (Some(name), Some(parent)) = (journal.file_name(), journal.parent()) else {
            let message = format!("{} names no file", journal.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        };
        let mut lock_name = OsString::from(name);
        lock_name.push(".lock");
        let empty = parent.as_os_str().is_empty();
        let directory = if empty { Path::new(".") } else { parent }.to_owned();
        let lock = directory.join(lock_name);
        Ok(Place {
            directory,
            lock,
            plain: Cell::new(false),
        })
    }

    /// The directory that the journal is in.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// `PATH.lock`.
    pub(super) fn lock(&self) -> &Path {
        &self.lock
    }

    /// Behave from now on as on a file system without `RENAME_NOREPLACE`.
    #[cfg(test)]
    pub(super) fn force_plain(&self) {
        self.plain.set(true);
    }

    /// A name beside the lock that nobody else uses: `PATH.lock.PID-RANDOM`.
    pub(super) fn fresh(&self) -> io::Result<PathBuf> {
        let mut name = self.lock.clone().into_os_string();
        name.push(format!(".{}-{}", std::process::id(), random_hex::<8>()?));
        Ok(name.into())
    }

    /// Whether this is a name that `fresh` gives, for whatever process.
    pub(super) fn is_fresh_name(&self, name: &[u8]) -> bool {
        let lock = self.lock.file_name().map_or(&b""[..], OsStrExt::as_bytes);
        let Some(rest) = name
            .strip_prefix(lock)
            .and_then(|rest| rest.strip_prefix(b"."))
        else {
            return false;
        };
        let Some(dash) = rest.iter().position(|byte| *byte == b'-') else {
            return false;
        };
        let (pid, random) = (&rest[..dash], &rest[dash + 1..]);
        (1..=10).contains(&pid.len())
            && pid.iter().all(u8::is_ascii_digit)
            && random.len() == 16
            && random
                .iter()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    }

    /// Renames a directory, never replacing anything that somebody else has made.
    pub(super) fn rename(&self, from: &Path, to: &Path) -> io::Result<Moved> {
        if !self.plain.get() {
            step("rename");
            match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
                Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => self.plain.set(true),
                answer => return moved(answer),
            }
        }
        self.rename_over_own(from, to)
    }

    /// Without `RENAME_NOREPLACE`: makes the new name as an empty directory, which fails if it is
    /// taken, then renames over that. Killed in between, the empty directory stays, as it does
    /// with every implementation that makes the directory first and its owner.json second. If
    /// somebody took our empty directory for stale and put his own there, it is not empty once he
    /// has written his owner.json, and the rename fails.
    fn rename_over_own(&self, from: &Path, to: &Path) -> io::Result<Moved> {
        step("mkdir in place of a rename");
        match rustix::fs::mkdir(to, Mode::from_raw_mode(0o755)) {
            Ok(()) => {}
            Err(Errno::EXIST) => return Ok(Moved::Occupied),
            Err(errno) => return Err(errno.into()),
        }
        step("rename over our own empty directory");
        let answer = moved(rustix::fs::rename(from, to));
        if !matches!(answer, Ok(Moved::Yes | Moved::Occupied)) {
            let _ = rustix::fs::rmdir(to);
        }
        answer
    }
}

fn moved(answer: rustix::io::Result<()>) -> io::Result<Moved> {
    match answer {
        Ok(()) => Ok(Moved::Yes),
        Err(Errno::EXIST | Errno::NOTEMPTY) => Ok(Moved::Occupied),
        Err(Errno::NOENT) => Ok(Moved::Missing),
        Err(errno) => Err(errno.into()),
    }
}

/// `N` random bytes in lower-case hexadecimal.
pub(super) fn random_hex<const N: usize>() -> io::Result<String> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * N);
    for byte in random_bytes::<N>()? {
        text.push(DIGITS[usize::from(byte >> 4)].into());
        text.push(DIGITS[usize::from(byte & 15)].into());
    }
    Ok(text)
}

/// `N` random bytes; `N` is far below the 256 that are never given in part.
pub(super) fn random_bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let given = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    if given < N {
        return Err(io::Error::other("too few random bytes"));
    }
    Ok(bytes)
}
