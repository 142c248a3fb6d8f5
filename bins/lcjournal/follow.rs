//! `lcjournal replay --follow`: a journal that is read on as it grows.
//!
//! An unfinished last line is a writer's, and is waited for; it is read again each time, since a
//! failed write is undone. A journal that lost what was already read was truncated, one whose name
//! means another file was replaced: that ends the following, or with `=name` begins it anew.
//! inotify says when to look; where it cannot (a network file system), a look is taken each second.

use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lctools::journal::{
    JournalError, JournalPath, Judged, Place, Remedy, Survey, Walk, open_for_reading,
};
use lctools::line::Line;
use lctools::pump::{Context, Pause};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use xxhash_rust::xxh3::xxh3_64;

use crate::cli::{CapArgs, FollowBy};

/// How long a look may be put off: with inotify, and without.
const PATIENCE: [Duration; 2] = [Duration::from_secs(1), Duration::from_millis(200)];

/// What a step came to.
pub(crate) enum Followed {
    /// There may be more at once.
    More,
    /// All that is there was read.
    Idle,
    /// The journal is not what it was; what happened to it.
    Ended(&'static str),
}

/// A journal being followed.
pub(crate) struct Follow {
    given: PathBuf,
    by: FollowBy,
    cap: CapArgs,
    open: Option<Open>,
    watch: Option<Watch>,
    idle: bool,
}

struct Open {
    path: JournalPath,
    file: File,
    walk: Walk,
    /// The last entry read, by its place and the hash of its bytes.
    last: Option<(Place, u64)>,
}

impl Follow {
    pub(crate) fn new(path: &Path, by: FollowBy, cap: CapArgs) -> Follow {
        Follow {
            given: path.to_owned(),
            by,
            cap,
            open: None,
            watch: None,
            idle: false,
        }
    }

    /// What to wait for, if there is nothing to do.
    pub(crate) fn pause(&self) -> Option<Pause<'_>> {
        let fd = self.watch.as_ref().map(|watch| watch.fd.as_fd());
        let [with, without] = PATIENCE;
        self.idle.then_some(Pause {
            most: if fd.is_some() { with } else { without },
            fd,
        })
    }

    /// Reads once. `each` may be told damage that is none: then `undo` is called, and the same
    /// lines come again.
    pub(crate) fn step(
        &mut self,
        cx: &Context<'_>,
        each: &mut dyn FnMut(&Line<'_>, Judged<'_>),
    ) -> Result<Followed, JournalError> {
        if std::mem::take(&mut self.idle) {
            self.watch.iter().for_each(Watch::drain);
        }
        if self.open.is_none() {
            self.open = Open::of(&self.given, self.cap)?;
            // Before the file is read, so that nothing is missed.
            self.watch = Watch::of(&self.given);
        }
        let Some(open) = &mut self.open else {
            self.idle = true;
            return Ok(Followed::Idle);
        };
        let read = open.walk.advance(each);
        if read.map_err(|source| open.failed(source))? {
            return Ok(Followed::More);
        }
        let changed = open.changed(&self.given);
        match changed.map_err(|source| open.failed(source))? {
            None => {
                open.walk.forget_tail();
                self.idle = true;
                Ok(Followed::Idle)
            }
            Some(_) if self.by == FollowBy::Name && cx.signals.ending().is_none() => {
                self.open = None;
                Ok(Followed::More)
            }
            Some(what) => Ok(Followed::Ended(what)),
        }
    }

    /// Where the journal has been read to.
    pub(crate) fn place(&self) -> Place {
        self.open
            .as_ref()
            .map_or_else(Place::default, |open| open.walk.place())
    }

    /// What mends the journal, which seems damaged; `None` if it is not: then reading goes on from
    /// a place before. What was read may have been a failed write, undone meanwhile.
    pub(crate) fn confirm(
        &mut self,
        from: Place,
        cx: &Context<'_>,
    ) -> Result<Option<Remedy>, JournalError> {
        let Some(open) = &mut self.open else {
            return Ok(None);
        };
        let stop = || cx.signals.ending().is_some();
        let survey = Survey::read(&open.path, self.cap.max_line_bytes, &stop)?;
        if survey.remedy != Remedy::None {
            return Ok(Some(survey.remedy));
        }
        let again = open.file.try_clone();
        let again = again.map_err(|source| open.failed(source))?;
        open.walk = Walk::new(again, from, self.cap.max_line_bytes);
        Ok(None)
    }
}

impl Open {
    fn of(given: &Path, cap: CapArgs) -> Result<Option<Open>, JournalError> {
        let path = JournalPath::resolve(given)?;
        let Some(file) = open_for_reading(&path)? else {
            return Ok(None);
        };
        let again = file.try_clone();
        let again = again.map_err(|source| failed(&path, source))?;
        let walk = Walk::new(again, Place::default(), cap.max_line_bytes);
        Ok(Some(Open {
            path,
            file,
            walk,
            last: None,
        }))
    }

    /// What happened to the journal, but for growing.
    fn changed(&mut self, given: &Path) -> std::io::Result<Option<&'static str>> {
        let open = self.file.metadata()?;
        let place = self.walk.place();
        if open.len() < place.offset {
            return Ok(Some("was truncated"));
        }
        if let Some((before, hash)) = self.last
            && self.entry_hash(before)? != hash
        {
            return Ok(Some("was truncated and written anew"));
        }
        self.last = Some((place, self.entry_hash(place)?));
        match std::fs::metadata(given) {
            Ok(named) if (named.dev(), named.ino()) == (open.dev(), open.ino()) => Ok(None),
            Ok(_) => Ok(Some("was replaced")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Some("was removed")),
            Err(error) => Err(error),
        }
    }

    /// The hash of the last entry before a place.
    fn entry_hash(&self, place: Place) -> std::io::Result<u64> {
        let length = place.offset.saturating_sub(place.last_entry).min(1 << 20);
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        match self.file.read_exact_at(&mut bytes, place.last_entry) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(0),
            read => read.map(|()| xxh3_64(&bytes)),
        }
    }

    fn failed(&self, source: std::io::Error) -> JournalError {
        failed(&self.path, source)
    }
}

fn failed(path: &JournalPath, source: std::io::Error) -> JournalError {
    JournalError::Io {
        what: path.name().to_owned(),
        source,
    }
}

/// Says when the journal or its folder changes.
struct Watch {
    fd: OwnedFd,
}

impl Watch {
    /// Watches the file, if it is there, and its folder; `None` where that is not to be had.
    fn of(path: &Path) -> Option<Watch> {
        let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        let real = JournalPath::resolve(path).ok()?.real().to_owned();
        let folder = real.parent()?;
        let names = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::ONLYDIR;
        add(fd.as_fd(), folder, names)?;
        let _ = add(fd.as_fd(), &real, WatchFlags::MODIFY);
        Some(Watch { fd })
    }

    /// Takes what was said; it says no more than "look".
    fn drain(&self) {
        let mut space = [0; 4_096];
        while rustix::io::read(&self.fd, &mut space).is_ok_and(|count| count > 0) {}
    }
}

fn add(fd: BorrowedFd<'_>, path: &Path, flags: WatchFlags) -> Option<()> {
    let path = CString::new(path.as_os_str().as_encoded_bytes()).ok()?;
    inotify::add_watch(fd, path, flags).ok().map(|_| ())
}
