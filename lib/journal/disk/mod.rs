//! Every system call on a journal and its state file: one thin place, so that tests can make any
//! of them fail and count what is read. No rule of the journal is in here.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{FileType, Gid, Mode, OFlags, Stat, Uid, fstat, open, stat};
use rustix::io::{Errno, retry_on_intr};

/// What the file system says about a file: which one it is, how long, and when it changed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) size: u64,
    pub(super) changed_seconds: i64,
    pub(super) changed_nanos: u64,
}

impl Look {
    #[allow(clippy::unnecessary_cast, clippy::useless_conversion)]
    fn of(stat: &Stat) -> Look {
        Look {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            changed_seconds: stat.st_ctime as i64,
            changed_nanos: stat.st_ctime_nsec as u64,
        }
    }

    /// Whether both are the same file, whatever became of it.
    pub(super) fn same_file(&self, other: &Look) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// The calls, by name; tests choose one to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Look,
    Open,
    Create,
    Read,
    Write,
    Truncate,
    SyncData,
    SyncDirectory,
    SyncAll,
    Rename,
    ReadState,
    WriteState,
}

/// Looks at an open file.
pub(super) fn look(file: &File) -> io::Result<Look> {
    reached(Call::Look, 0)?;
    Ok(Look::of(&fstat(file)?))
}

/// Looks at what bears a name; `None` if nothing does.
pub(super) fn look_at(path: &Path) -> io::Result<Option<Look>> {
    reached(Call::Look, 0)?;
    match stat(path) {
        Ok(stat) => Ok(Some(Look::of(&stat))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Opens a regular file that is there; `None` if there is none. Anything else under that name is
/// [`io::ErrorKind::InvalidInput`], and is not waited for.
pub(super) fn open_file(path: &Path, writable: bool) -> io::Result<Option<File>> {
    reached(Call::Open, 0)?;
    let access = if writable {
        OFlags::RDWR | OFlags::APPEND
    } else {
        OFlags::RDONLY
    };
    let flags = access | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    match retry_on_intr(|| open(path, flags, Mode::empty())) {
        Ok(fd) => {
            let stat = fstat(&fd)?;
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => Ok(Some(File::from(fd))),
                other => Err(not_a_file(other)),
            }
        }
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What to say of something that is no regular file.
pub(super) fn not_a_file(found: FileType) -> io::Error {
    let what = match found {
        FileType::Directory => "a directory",
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        FileType::BlockDevice | FileType::CharacterDevice => "a device",
        _ => "something else",
    };
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{what}, not a regular file"),
    )
}

/// Makes the journal, readable by its owner alone. Somebody else must not have made it meanwhile.
pub(super) fn create(path: &Path) -> io::Result<File> {
    reached(Call::Create, 0)?;
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let fd = retry_on_intr(|| open(path, flags, Mode::RUSR | Mode::WUSR))?;
    Ok(File::from(fd))
}

/// Opens the state file for reading and writing, or makes it; a link or anything else that is no
/// regular file is an error.
pub(super) fn open_state(path: &Path, make: bool) -> io::Result<File> {
    let mut flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    if make {
        flags |= OFlags::CREATE;
    }
    let fd = retry_on_intr(|| open(path, flags, Mode::RUSR | Mode::WUSR))?;
    match FileType::from_raw_mode(fstat(&fd)?.st_mode) {
        FileType::RegularFile => Ok(File::from(fd)),
        other => Err(not_a_file(other)),
    }
}

/// Whether an open file still has a name.
pub(super) fn has_name(file: &File) -> bool {
    fstat(file).is_ok_and(|stat| stat.st_nlink > 0)
}

/// Reads at an offset: as much as comes at once, 0 at the end.
pub(super) fn read_at(file: &File, space: &mut [u8], offset: u64) -> io::Result<usize> {
    reached(Call::Read, 0)?;
    let count = retry_on_intr(|| rustix::io::pread(file, &mut *space, offset))?;
    counted(count);
    Ok(count)
}

/// Fills `space` from an offset; false if the file ends before.
pub(super) fn read_exact_at(file: &File, space: &mut [u8], offset: u64) -> io::Result<bool> {
    let mut done = 0;
    while let Some(rest) = space.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match read_at(file, rest, offset + done as u64)? {
            0 => return Ok(false),
            count => done += count,
        }
    }
    Ok(true)
}

/// Writes at the end of the file: as much as goes at once.
pub(super) fn write(file: &File, bytes: &[u8]) -> io::Result<usize> {
    let bytes = reached(Call::Write, bytes.len()).map(|most| bytes.get(..most).unwrap_or(bytes))?;
    Ok(retry_on_intr(|| rustix::io::write(file, bytes))?)
}

/// Cuts the file to a length.
pub(super) fn truncate(file: &File, size: u64) -> io::Result<()> {
    reached(Call::Truncate, 0)?;
    Ok(retry_on_intr(|| rustix::fs::ftruncate(file, size))?)
}

/// Brings the file's bytes to the disk. Never to be tried again after a failure: the system
/// reports it once, then forgets what was lost.
pub(super) fn sync_data(file: &File) -> io::Result<()> {
    reached(Call::SyncData, 0)?;
    Ok(rustix::fs::fdatasync(file)?)
}

/// Brings a directory's names to the disk.
pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
    reached(Call::SyncDirectory, 0)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = retry_on_intr(|| open(path, flags, Mode::empty()))?;
    Ok(rustix::fs::fsync(directory)?)
}

/// Makes a file that is not there yet, not even as a link, to be written from its begin.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    reached(Call::Create, 0)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = retry_on_intr(|| open(path, flags, Mode::RUSR | Mode::WUSR))?;
    Ok(File::from(fd))
}

/// Gives a file the owner, the group and the mode of another.
pub(super) fn make_alike(file: &File, like: &File) -> io::Result<()> {
    let (own, like) = (fstat(file)?, fstat(like)?);
    if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid) {
        let user = Uid::from_raw(like.st_uid);
        let group = Gid::from_raw(like.st_gid);
        rustix::fs::fchown(file, Some(user), Some(group))?;
    }
    Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(like.st_mode))?)
}

/// Writes all of it where the file's place is.
pub(super) fn write_all(file: &File, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match write(file, rest)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => rest = rest.get(count..).unwrap_or_default(),
        }
    }
    Ok(())
}

/// Brings a file with all that is known of it to the disk.
pub(super) fn sync_all(file: &File) -> io::Result<()> {
    reached(Call::SyncAll, 0)?;
    Ok(rustix::fs::fsync(file)?)
}

/// Renames a file over another.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    reached(Call::Rename, 0)?;
    Ok(rustix::fs::rename(from, to)?)
}

/// Removes a file that this process made.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::unlink(path)?)
}

/// Reads the state record; false if the file is shorter.
pub(super) fn read_state(file: &File, record: &mut [u8]) -> io::Result<bool> {
    reached(Call::ReadState, 0)?;
    let count = retry_on_intr(|| rustix::io::pread(file, &mut *record, 0))?;
    counted(count);
    Ok(count == record.len())
}

/// Writes the state record in place.
pub(super) fn write_state(file: &File, record: &[u8]) -> io::Result<()> {
    let most = reached(Call::WriteState, record.len())?;
    let record = record.get(..most).unwrap_or(record);
    match retry_on_intr(|| rustix::io::pwrite(file, record, 0))? {
        count if count == record.len() => Ok(()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

/// Before each call: an error if a test wants it to fail, else how many of `length` bytes go.
#[inline]
fn reached(_call: Call, length: usize) -> io::Result<usize> {
    #[cfg(test)]
    return faults::reached(_call, length);
    #[cfg(not(test))]
    Ok(length)
}

#[inline]
fn counted(_bytes: usize) {
    #[cfg(test)]
    faults::count(_bytes as u64);
}

#[cfg(test)]
pub(super) mod faults;
