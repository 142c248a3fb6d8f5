//! The one directory that a process keeps ready beside the journal.
//!
//! It has its own name, `PATH.lock.PID-RANDOM`, while the lock is not held, and the name
//! `PATH.lock` while it is. Its owner.json is flocked from the first moment to the last, so anyone
//! can tell a living process's directory from a leftover.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::evidence::{Machine, own_start_time};
use super::owner::{self, OWNER_FILE, Owner};
use super::place::{FileId, Place, file_id};
use super::step;

/// How often a directory that vanished, or is busy, is made anew before that is an error.
const TRIES: u32 = 8;

/// A prepared directory and what is written in it.
#[derive(Debug)]
pub(super) struct Prepared {
    /// Its name while the lock is not held.
    pub(super) path: PathBuf,
    /// owner.json, open and flocked.
    file: File,
    id: FileId,
    owner: Owner,
    /// What owner.json holds.
    written: Vec<u8>,
}

impl Prepared {
    /// Makes a directory under a new name.
    pub(super) fn make(place: &Place, machine: &Machine) -> io::Result<Prepared> {
        for _ in 0..TRIES {
            let path = place.fresh()?;
            step("mkdir the prepared directory");
            match rustix::fs::mkdir(&path, Mode::from_raw_mode(0o755)) {
                Ok(()) => {}
                Err(Errno::EXIST) => continue,
                Err(errno) => return Err(errno.into()),
            }
            match Prepared::fill(path.clone(), machine) {
                Ok(Some(prepared)) => return Ok(prepared),
                Ok(None) => {}
                Err(error) => {
                    let _ = rustix::fs::unlink(path.join(OWNER_FILE));
                    let _ = rustix::fs::rmdir(&path);
                    return Err(error);
                }
            }
        }
        Err(io::Error::other(
            "the directory prepared for the lock is taken away time and again",
        ))
    }

    /// Puts a flocked owner.json in it; `None` if somebody took it for a leftover meanwhile.
    fn fill(path: PathBuf, machine: &Machine) -> io::Result<Option<Prepared>> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        step("create owner.json");
        let mode = Mode::from_raw_mode(0o644);
        let file = match rustix::fs::open(path.join(OWNER_FILE), flags, mode) {
            Ok(fd) => File::from(fd),
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        };
        step("flock owner.json");
        let flock = match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => true,
            Err(Errno::WOULDBLOCK) => return Ok(None),
            // A file system without flock: the pid must do.
            Err(_) => false,
        };
        let owner = Owner {
            pid: i32::try_from(std::process::id()).ok(),
            host: machine.host.clone(),
            machine_id: machine.machine_id.clone(),
            boot_id: machine.boot_id.clone(),
            pid_namespace: machine.pid_namespace.clone(),
            start_time: own_start_time(),
            flock,
            ..Owner::default()
        };
        // It may have been removed before it was flocked; from now on, no more.
        let stat = rustix::fs::fstat(&file)?;
        let id = file_id(&stat);
        let written = Vec::new();
        let prepared = Prepared {
            path,
            file,
            id,
            owner,
            written,
        };
        Ok((stat.st_nlink > 0).then_some(prepared))
    }

    /// Whether our owner.json was removed from under us.
    pub(super) fn is_gone(&self) -> io::Result<bool> {
        Ok(rustix::fs::fstat(&self.file)?.st_nlink == 0)
    }

    /// Writes a whole owner.json; only while the lock is not held.
    pub(super) fn write(&mut self, token: &str, now: Timestamp) -> io::Result<()> {
        self.owner.token = Some(token.to_owned());
        self.owner.created_at = Some(format!("{now:.3}"));
        let before = self.written.len();
        self.written.clear();
        serde_json::to_writer(&mut self.written, &self.owner)?;
        self.written.push(b'\n');
        step("write owner.json");
        self.file.write_all_at(&self.written, 0)?;
        if self.written.len() < before {
            step("truncate owner.json");
            self.file.set_len(self.written.len() as u64)?;
        }
        Ok(())
    }

    /// Whether the lock directory of this name bears the token that was written last.
    pub(super) fn is_borne_by(&self, dir: &Path) -> io::Result<bool> {
        // The usual answer, without opening anything: our own file, with what we wrote in it.
        if let Ok(named) = rustix::fs::lstat(dir.join(OWNER_FILE))
            && file_id(&named) == self.id
        {
            let mut buffer = [0; 1024];
            let read = self.file.read_at(&mut buffer, 0)?;
            if buffer[..read] == *self.written {
                return Ok(true);
            }
        }
        owner::bears(dir, self.owner.token.as_deref().unwrap_or_default())
    }

    /// Removes the directory; only while the lock is not held. What fails is left for others to
    /// clear once our flock is free.
    pub(super) fn remove(self) {
        step("unlink our owner.json");
        let _ = rustix::fs::unlink(self.path.join(OWNER_FILE));
        step("rmdir our directory");
        let _ = rustix::fs::rmdir(&self.path);
    }
}
