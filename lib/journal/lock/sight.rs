//! One look at `PATH.lock`: what is there, held open so that it stays the same thing.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use jiff::Timestamp;
use rustix::fs::{Mode, OFlags, Stat};
use rustix::io::Errno;

use super::LockOptions;
use super::evidence::{Live, Machine};
use super::judge::{Verdict, age, judge};
use super::owner::{self, Owner, Reading};
use super::place::{FileId, file_id};

/// How a directory beside the journal is opened.
pub(super) const DIRECTORY_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// What stands under the name `PATH.lock`.
pub(super) struct Sight {
    pub(super) id: FileId,
    /// Its mtime.
    changed: Timestamp,
    /// The directory, open; `None` if it is no directory or may not be opened.
    pub(super) dir: Option<OwnedFd>,
    pub(super) reading: Reading,
}

impl Sight {
    /// Looks; `None` if nothing has that name.
    pub(super) fn of(lock: &Path) -> io::Result<Option<Sight>> {
        let why = match rustix::fs::open(lock, DIRECTORY_FLAGS, Mode::empty()) {
            Ok(dir) => {
                let stat = rustix::fs::fstat(&dir)?;
                let reading = owner::read_in(&dir)?;
                let (id, changed) = (file_id(&stat), mtime(&stat));
                return Ok(Some(Sight {
                    id,
                    changed,
                    dir: Some(dir),
                    reading,
                }));
            }
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::NOTDIR | Errno::LOOP) => "it is not a directory".to_owned(),
            Err(errno @ (Errno::ACCESS | Errno::PERM)) => format!("it cannot be opened: {errno}"),
            Err(errno) => return Err(errno.into()),
        };
        match rustix::fs::lstat(lock) {
            Ok(stat) => Ok(Some(Sight {
                id: file_id(&stat),
                changed: mtime(&stat),
                dir: None,
                reading: Reading::Unreadable(why),
            })),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Reads the owner.json of the same directory once more.
    pub(super) fn read_again(&mut self) -> io::Result<()> {
        if let Some(dir) = &self.dir {
            self.changed = mtime(&rustix::fs::fstat(dir)?);
            self.reading = owner::read_in(dir)?;
        }
        Ok(())
    }

    /// May it be taken over, as of now?
    pub(super) fn judge(&self, machine: &Machine, options: &LockOptions) -> Verdict {
        let now = Timestamp::now();
        match &self.reading {
            Reading::Readable { owner, file, .. } => {
                let probe = Live { owner_file: file };
                judge(owner, self.changed, now, machine, options, &probe)
            }
            Reading::Unreadable(why) => Verdict {
                reclaimable: false,
                age: age(None, self.changed, now),
                reason: format!("{why}, so nothing proves its holder dead"),
            },
        }
    }

    /// The owner, if it can be read.
    pub(super) fn owner(&self) -> Option<&Owner> {
        match &self.reading {
            Reading::Readable { owner, .. } => Some(owner),
            Reading::Unreadable(_) => None,
        }
    }

    /// The bytes of a readable owner.json.
    pub(super) fn bytes(&self) -> &[u8] {
        match &self.reading {
            Reading::Readable { bytes, .. } => bytes,
            Reading::Unreadable(_) => b"",
        }
    }

    /// Who holds it, for a message.
    pub(super) fn holder(&self) -> String {
        self.owner()
            .map_or_else(|| "an unknown holder".to_owned(), Owner::describe)
    }
}

fn mtime(stat: &Stat) -> Timestamp {
    let nanoseconds = i32::try_from(stat.st_mtime_nsec).unwrap_or(0);
    Timestamp::new(stat.st_mtime, nanoseconds).unwrap_or(Timestamp::MAX)
}
